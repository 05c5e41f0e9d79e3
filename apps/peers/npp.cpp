// NPP: transposes.
#include "apps/peers/library.h"
#include "apps/peers/peers.h"
#include <npp.h>

namespace peers {

namespace {

using published::check;

// What each call must be told of the device.
NppStreamContext context() {
    NppStreamContext about{};
    check(cudaGetDevice(&about.nCudaDeviceId), "the device");
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, about.nCudaDeviceId), "properties of the device");
    about.nMultiProcessorCount = device.multiProcessorCount;
    about.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
    about.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
    about.nSharedMemPerBlock = device.sharedMemPerBlock;
    about.nCudaDevAttrComputeCapabilityMajor = device.major;
    about.nCudaDevAttrComputeCapabilityMinor = device.minor;
    return about;
}

template<class T, class F>
Kernel transpose(const Library &library, const char *name, const std::string &type, int channels) {
    F *const run = library.function<F>(name);
    const auto prepare = [=](Size size) -> std::unique_ptr<published::Problem> {
        const int width = (int)size.width, height = (int)size.height;
        const size_t pixel = (size_t)channels;
        Arrays<T, T> arrays;
        arrays.inputs = {random_values<T>(pixel * width * height, 0, 255, 1)};  // 255 itself is in no input
        arrays.outputs = pixel * width * height;
        arrays.before = (T)255;
        arrays.operations = 1;
        arrays.start = [=, about = context()](const std::vector<const T *> &in, T *out, T *) {
            const int bytes = (int)(pixel * sizeof(T));
            const NppStatus status = run(in[0], width * bytes, out, height * bytes, {width, height}, about);
            if (status != NPP_SUCCESS) {
                throw Failure(Fault::failed, "NPP's transpose: status " + std::to_string((int)status));
            }
        };
        arrays.expected = [=](const std::vector<std::vector<T>> &in, size_t i) {
            const size_t x = i / pixel / height, y = i / pixel % height;
            return Expected{(double)in[0][(y * width + x) * pixel + i % pixel], 0};
        };
        return std::make_unique<ArrayProblem<T, T>>(std::move(arrays));
    };
    return {"transpose", "NPP transpose", type, {{8192, 8192}}, "up to 2^29 elements",
        [](Size size) { return size.width * size.height <= 1LL << 29; },
        [type](Size size) { return type + " " + text_of(size); }, prepare};
}

}  // namespace

std::vector<Kernel> npp_peers(std::vector<std::string> &missing) {
    static const Library library("libnppidei.so." + std::to_string(NPP_VER_MAJOR));
    if (!library) {
        missing.push_back("NPP: " + library.why_not());
        return {};
    }
    return {
        transpose<Npp8u, decltype(nppiTranspose_8u_C1R_Ctx)>(library, "nppiTranspose_8u_C1R_Ctx", "u8", 1),
        transpose<Npp16u, decltype(nppiTranspose_16u_C1R_Ctx)>(
            library, "nppiTranspose_16u_C1R_Ctx", "u16", 1),
        transpose<Npp32f, decltype(nppiTranspose_32f_C1R_Ctx)>(
            library, "nppiTranspose_32f_C1R_Ctx", "f32", 1),
        transpose<Npp8u, decltype(nppiTranspose_8u_C3R_Ctx)>(library, "nppiTranspose_8u_C3R_Ctx", "rgb8", 3)};
}

}  // namespace peers
