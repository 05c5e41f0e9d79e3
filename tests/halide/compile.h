#pragma once
// What the cases share: Halide compiles a Func, and says what is wrong with it.
#include "Halide.h"
#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace tilewright {

inline Halide::Target cuda_target() {
    return Halide::Target("x86-64-linux-cuda-cuda_capability_86-no_runtime");
}

// Makes an object file of the Func, and removes it.
inline void compile(
    Halide::Func out, const std::vector<Halide::Argument> &arguments, const Halide::Target &target) {
    const std::string file = testing::TempDir() + "halide_limit_" + std::to_string(getpid()) + ".o";
    out.compile_to_object(file, arguments, "limit", target);
    std::remove(file.c_str());
}

// What Halide says when it compiles the Func; empty where it accepts it.
inline std::string refusal(Halide::Func out, const std::vector<Halide::Argument> &arguments,
    const Halide::Target &target = cuda_target()) {
    try {
        compile(out, arguments, target);
        return "";
    } catch (const Halide::Error &error) {
        return error.what();
    }
}

}  // namespace tilewright
