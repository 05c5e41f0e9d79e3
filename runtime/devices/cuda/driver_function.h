#pragma once
// A function of the CUDA driver. Not installed.
#include "runtime/devices/cuda/cuda.h"
#include <atomic>
#include <dlfcn.h>

namespace tilewright::driver {

// Looked up at its first use. A call needs no memory of the host, because some calls are those of
// destructors. A function that the driver does not have returns 500, CUDA_ERROR_NOT_FOUND.
template<typename F>
struct DriverFunction;
template<typename... Args>
struct DriverFunction<CUresult(Args...)> {
    const char *name;
    mutable std::atomic<void *> found{nullptr};

    CUresult operator()(Args... args) const {
        void *f = found.load(std::memory_order_acquire);
        if (f == nullptr && libcuda()) {
            f = dlsym(libcuda(), name);
            found.store(f, std::memory_order_release);
        }
        constexpr CUresult not_found = 500;
        return f ? reinterpret_cast<CUresult (*)(Args...)>(f)(args...) : not_found;
    }
};

}  // namespace tilewright::driver
