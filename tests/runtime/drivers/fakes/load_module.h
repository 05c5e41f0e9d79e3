#pragma once
// Loads a module as Halide's runtime does: by the hook of CUDA.
#include "runtime/devices/calls/hooks.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

extern "C" void *halide_cuda_get_symbol(void *, const char *);
extern "C" int halide_cuda_acquire_context(void *, void **, bool);

namespace fake_cuda {

// Loads a module on a device. Returns the driver's code.
inline int load_module(
    const tilewright::Device &device, const std::string &text, std::vector<int> options = {}) {
    const tilewright::driver::Current current(device);
    const auto load = reinterpret_cast<int (*)(void **, const void *, unsigned, int *, void **)>(
        halide_cuda_get_symbol(nullptr, "cuModuleLoadDataEx"));
    const auto push =
        reinterpret_cast<int (*)(void *)>(halide_cuda_get_symbol(nullptr, "cuCtxPushCurrent_v2"));
    const auto pop =
        reinterpret_cast<int (*)(void **)>(halide_cuda_get_symbol(nullptr, "cuCtxPopCurrent_v2"));
    void *context = nullptr, *module = nullptr;
    EXPECT_EQ(halide_cuda_acquire_context(nullptr, &context, true), 0);
    push(context);
    std::vector<void *> values(options.size());
    const int code = load(&module, text.c_str(), (unsigned)options.size(), options.data(), values.data());
    pop(&context);
    return code;
}

}  // namespace fake_cuda
