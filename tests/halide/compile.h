#pragma once
// What the cases share: Halide compiles a Func, and says what is wrong with it.
#include "Halide.h"
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright {

inline Halide::Target cuda_target() {
    return Halide::Target("x86-64-linux-cuda-cuda_capability_86-no_runtime");
}

// What Halide says when it compiles the Func; empty where it accepts it.
inline std::string refusal(Halide::Func out, const std::vector<Halide::Argument> &arguments,
    const Halide::Target &target = cuda_target()) {
    try {
        out.compile_to_module(arguments, "limit", target);
        return "";
    } catch (const Halide::Error &error) {
        return error.what();
    }
}

// Whether Halide and LLVM make code of the Func. A child process does it, because LLVM may end the process.
inline bool makes_code(
    Halide::Func out, const std::vector<Halide::Argument> &arguments, const Halide::Target &target) {
    const pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        try {
            out.compile_to_object("/dev/null", arguments, "limit", target);
            _exit(0);
        } catch (const Halide::Error &) {
            _exit(1);
        }
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace tilewright
