#include "runtime/devices/register_caps.h"

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

}  // namespace tilewright::driver
