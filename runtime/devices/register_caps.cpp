#include "runtime/devices/register_caps.h"
#include <algorithm>

namespace tilewright::driver {

namespace {

thread_local const std::vector<Row::RegisterCap> *caps_of_thread = nullptr;

}  // namespace

RegisterCaps::RegisterCaps(const std::vector<Row::RegisterCap> &caps) : before_(caps_of_thread) {
    caps_of_thread = &caps;
}

RegisterCaps::~RegisterCaps() {
    caps_of_thread = before_;
}

const std::vector<Row::RegisterCap> *RegisterCaps::current() {
    return caps_of_thread;
}

std::string with_register_caps(const std::string &ptx, const std::vector<Row::RegisterCap> &caps) {
    const std::string entry = ".entry ";
    std::string capped;
    size_t done = 0;
    for (size_t at = ptx.find(entry); at != std::string::npos; at = ptx.find(entry, at)) {
        at += entry.size();
        const std::string name = ptx.substr(at, ptx.find_first_of("( \n", at) - at);
        const size_t body = ptx.find('{', at);
        const auto cap = std::find_if(caps.begin(), caps.end(),
            [&](const Row::RegisterCap &c) { return name.find(c.kernel) != std::string::npos; });
        if (body == std::string::npos || cap == caps.end()) {
            continue;
        }
        capped += ptx.substr(done, body - done) + ".maxnreg " + std::to_string(cap->most) + "\n";
        done = body;
    }
    return capped + ptx.substr(done);
}

}  // namespace tilewright::driver
