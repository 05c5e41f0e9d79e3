// The CUDA runtime's errors as words, and the names of device and driver.
#include "apps/laboratory/published_kernels/device.h"
#include <fstream>

namespace published {

void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) {
        return;
    }
    const Fault fault = error == cudaErrorMemoryAllocation ? Fault::memory : Fault::failed;
    throw Failure(fault, std::string(what) + ": " + cudaGetErrorString(error));
}

static std::string cuda_version(int version) {
    return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// The driver's own version, only where the kernel module tells it.
static std::string driver_version() {
    int version = 0;
    check(cudaDriverGetVersion(&version), "version of the driver");
    const std::string cuda = cuda_version(version);
    std::ifstream file("/proc/driver/nvidia/version");
    for (std::string word; file >> word;) {
        const bool only_digits_and_dots = word.find_first_not_of("0123456789.") == std::string::npos;
        if (only_digits_and_dots && word.find('.') != std::string::npos) {
            return cuda + ", driver " + word;
        }
    }
    return cuda;
}

DeviceNames use_device(int index) {
    int count = 0;
    if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess || count == 0) {
        const std::string why = error == cudaSuccess ? "the driver sees none" : cudaGetErrorString(error);
        throw Failure(Fault::device, "no CUDA device: " + why);
    }
    if (index < 0 || index >= count) {
        throw Failure(Fault::device, "no CUDA device " + std::to_string(index) + "; there are " +
                                         std::to_string(count) + ", counted from 0");
    }
    check(cudaSetDevice(index), "choice of the device");
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, index), "properties of the device");
    int toolkit = 0;
    check(cudaRuntimeGetVersion(&toolkit), "version of the toolkit");
    return {properties.name, driver_version(), cuda_version(toolkit)};
}

}  // namespace published
