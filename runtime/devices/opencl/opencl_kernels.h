#pragma once
// OpenCL kernels that launches gave back, kept for the next ones. Not installed.
#include "runtime/devices/opencl/ptx_arguments.h"
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace tilewright::driver {

// Halide's runtime creates a kernel object for every launch and releases it after it, which takes drivers
// longer than to set its arguments. So released kernels are kept, by program and name. Threads with queues of
// their own launch at the same time: each takes an object of its own, because an object holds the arguments.
//
// All functions are for hooks, and throw nothing: a kernel that the host has no memory to remember is not
// kept.
class OpenClKernels {
public:
    // A kept kernel, or one that `make` creates; null where it does.
    void *take(void *program, const char *name, const std::function<void *()> &make) noexcept;

    // Keeps the kernel. False where it cannot be kept, so that the caller releases it.
    bool give_back(void *kernel) noexcept;

    // Forgets a kernel that is taken: it is the caller's.
    void let_go(void *kernel) noexcept;

    // Has `release` called for the kept kernels of a program: before the program is released, because another
    // one may get its address.
    void forget(void *program, int (*release)(void *kernel)) noexcept;

    // Says where the arguments of a program's kernels are, which is PTX: the one entry of a map, which the
    // caller made before the program, so that no memory is missing here.
    using OfPrograms = std::map<void *, ArgumentsOfKernels>;
    void know(void *program, OfPrograms::node_type arguments) noexcept;

    // Whether a program is PTX.
    bool knows(void *program) noexcept;

    // Where the arguments of a kernel are until its program is released; null of other programs.
    const PtxArguments *arguments_of(void *program, const char *name) noexcept;

private:
    using Key = std::pair<void *, std::string>;  // program, name of the kernel

    std::mutex mutex_;
    std::unordered_map<void *, Key> taken_;
    std::multimap<Key, void *> kept_;
    OfPrograms of_ptx_;
};

}  // namespace tilewright::driver
