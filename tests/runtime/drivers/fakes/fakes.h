#pragma once
// How tests reach the fake drivers that Halide and the hooks have loaded: what they export, and what they
// recorded.
#include "tests/runtime/drivers/fakes/cuda_record.h"
#include "tests/runtime/drivers/fakes/opencl_record.h"
#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace tilewright {

// What the loaded library of this name exports as `name`. A library without it is a real driver, or none is
// loaded: a std::runtime_error.
inline void *exported(const std::string &library, const char *name) {
    void *loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD);
    void *found = loaded ? dlsym(loaded, name) : nullptr;
    if (!found) {
        throw std::runtime_error(
            "the fake " + library + " is not the one that was loaded; ctest sets LD_LIBRARY_PATH");
    }
    return found;
}

// What the exported function `name`, which takes nothing, refers to.
template<typename T>
const T &exported_object(const std::string &library, const char *name) {
    return *reinterpret_cast<const T *(*)()>(exported(library, name))();
}

}  // namespace tilewright

namespace fake_cuda {

inline void *exported(const char *name) {
    return tilewright::exported("libcuda.so.1", name);
}

inline const Record &record() {
    return tilewright::exported_object<Record>("libcuda.so.1", "fake_cuda_record");
}

}  // namespace fake_cuda

namespace fake_opencl {

inline const Record &record() {
    return tilewright::exported_object<Record>("libOpenCL.so.1", "fake_opencl_record");
}

inline const Requests &requests() {
    return tilewright::exported_object<Requests>("libOpenCL.so.1", "fake_opencl_requests");
}

}  // namespace fake_opencl
