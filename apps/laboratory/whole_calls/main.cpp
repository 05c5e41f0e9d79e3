// device_benchmarks WHAT [DEVICE]: see the usage below.
#include "apps/laboratory/whole_calls/benchmarks.h"
#include "tilewright/error.h"
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fmt/format.h>

namespace {

constexpr const char *usage =
    "usage: device_benchmarks host_calls | many_images | first_calls [DEVICE]\n"
    "  host_calls   whole calls from and to host memory, beside the driver's own copies (CUDA)\n"
    "  many_images  16 images through a Stream, beside their copies and their kernels\n"
    "  first_calls  the first call of each operator in a process of its own, with and without caches\n"
    "DEVICE: cuda (the default), cuda:1, opencl ...\n";

}  // namespace

int main(int count, char **words) {
    using namespace tilewright;
    try {
        const std::string what = count > 1 ? words[1] : "";
        const Device device = Device::parse(count > 2 ? words[2] : "cuda");
        if (what == "host_calls") {
            benchmarks::host_calls(device);
        } else if (what == "many_images") {
            benchmarks::many_images(device);
        } else if (what == "first_calls") {
            benchmarks::first_calls(device, std::filesystem::read_symlink("/proc/self/exe").string());
        } else if (what == "first_call" && count > 3) {
            benchmarks::one_first_call(device, words[3]);
        } else {
            fmt::print(stderr, "{}", usage);
            return 2;
        }
    } catch (const std::exception &error) {
        fmt::print(stderr, "device_benchmarks: {}\n", error.what());
        return 1;
    }
    return 0;
}
