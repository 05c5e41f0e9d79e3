#pragma once
// The options with which a row's OpenCL programs are built (Row::opencl_options). Not installed.
#include <string>

namespace tilewright::driver {

// While it lives, OpenCL programs that this thread builds get these options. `options` must outlive it.
class OpenClOptions {
public:
    explicit OpenClOptions(const std::string &options);
    ~OpenClOptions();
    OpenClOptions(const OpenClOptions &) = delete;

    // `given` and those of this thread.
    static std::string added_to(const char *given);

private:
    const std::string *before_;
};

}  // namespace tilewright::driver
