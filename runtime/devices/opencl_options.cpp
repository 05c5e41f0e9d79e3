#include "runtime/devices/opencl_options.h"

namespace tilewright::driver {

namespace {

thread_local const std::string *options_of_thread = nullptr;

}  // namespace

OpenClOptions::OpenClOptions(const std::string &options) : before_(options_of_thread) {
    options_of_thread = &options;
}

OpenClOptions::~OpenClOptions() {
    options_of_thread = before_;
}

std::string OpenClOptions::added_to(const char *given) {
    std::string all = given ? given : "";
    if (options_of_thread && !options_of_thread->empty()) {
        all += (all.empty() ? "" : " ") + *options_of_thread;
    }
    return all;
}

}  // namespace tilewright::driver
