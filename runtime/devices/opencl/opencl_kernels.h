#pragma once
// OpenCL kernels that launches gave back, kept for the next ones. Not installed.
#include <functional>
#include <map>
#include <mutex>
#include <set>
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

    // Has `release` called for the kept kernels of a program: before the program is released, because another
    // one may get its address.
    void forget(void *program, int (*release)(void *kernel)) noexcept;

    // Kernels of this program have their local memory themselves, and take none from a launch.
    void without_local_argument(void *program) noexcept;
    bool is_without_local_argument(void *kernel) noexcept;

private:
    using Key = std::pair<void *, std::string>;  // program, name of the kernel

    std::mutex mutex_;
    std::unordered_map<void *, Key> taken_;
    std::multimap<Key, void *> kept_;
    std::set<void *> without_local_;  // programs
};

}  // namespace tilewright::driver
