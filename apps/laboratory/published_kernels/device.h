#pragma once
// The CUDA device: errors, memory and names.
#include <cstddef>
#include <cuda_runtime_api.h>
#include <stdexcept>
#include <string>

namespace published {

// The exit codes of docs/COMMAND-LINE.md.
enum class Fault { failed = 1, usage = 2, input = 3, device = 4, memory = 5, mismatch = 6 };

class Failure : public std::runtime_error {
public:
    Failure(Fault fault, const std::string &message) : std::runtime_error(message), fault(fault) {}

    const Fault fault;
};

// Throws a Failure that says what was being done.
void check(cudaError_t error, const char *what);

// Memory on the device. It is not initialised.
template<class T>
class DeviceArray {
public:
    explicit DeviceArray(size_t count) : count_(count) {
        check(cudaMalloc((void **)&data_, count * sizeof(T)), "device memory");
    }
    DeviceArray(DeviceArray &&other) noexcept : data_(other.data_), count_(other.count_) {
        other.data_ = nullptr;
    }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;
    DeviceArray &operator=(DeviceArray &&) = delete;
    ~DeviceArray() {
        cudaFree(data_);
    }

    T *data() const {
        return data_;
    }
    void upload(const T *from) {
        check(cudaMemcpy(data_, from, count_ * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
    }
    void download(T *to) const {
        check(cudaMemcpy(to, data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "copy from the device");
    }

private:
    T *data_ = nullptr;
    size_t count_;
};

struct DeviceNames {
    std::string name, driver;  // "CUDA 13.0, driver 580.159.04"
    std::string toolkit;       // whose nvcc compiled the kernels: "CUDA 13.0"
};

// Makes device `index` the one that calls use. Errors: device, where there is none.
DeviceNames use_device(int index);

}  // namespace published
