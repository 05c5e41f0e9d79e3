#include "runtime/devices/opencl/opencl_kernels.h"
#include <new>

namespace tilewright::driver {

void *OpenClKernels::take(void *program, const char *name, const std::function<void *()> &make) noexcept {
    const std::lock_guard lock(mutex_);
    void *kernel = nullptr;
    try {
        Key key(program, name);
        if (const auto kept = kept_.find(key); kept != kept_.end()) {
            taken_.insert_or_assign(kept->second, std::move(key));
            kernel = kept->second;
            kept_.erase(kept);
            return kernel;
        }
        kernel = make();
        if (kernel) {
            taken_.insert_or_assign(kernel, std::move(key));
        }
        return kernel;
    } catch (const std::bad_alloc &) {
        return kernel ? kernel : make();
    }
}

bool OpenClKernels::give_back(void *kernel) noexcept {
    const std::lock_guard lock(mutex_);
    const auto taken = taken_.find(kernel);
    if (taken == taken_.end()) {
        return false;
    }
    bool is_kept = true;
    try {
        kept_.emplace(std::move(taken->second), kernel);
    } catch (const std::bad_alloc &) {
        is_kept = false;
    }
    taken_.erase(taken);
    return is_kept;
}

void OpenClKernels::let_go(void *kernel) noexcept {
    const std::lock_guard lock(mutex_);
    taken_.erase(kernel);
}

void OpenClKernels::know(void *program, OfPrograms::node_type arguments) noexcept {
    arguments.key() = program;
    const std::lock_guard lock(mutex_);
    of_ptx_.erase(program);
    of_ptx_.insert(std::move(arguments));
}

bool OpenClKernels::knows(void *program) noexcept {
    const std::lock_guard lock(mutex_);
    return of_ptx_.contains(program);
}

const PtxArguments *OpenClKernels::arguments_of(void *program, const char *name) noexcept {
    const std::lock_guard lock(mutex_);
    const auto known = of_ptx_.find(program);
    if (known == of_ptx_.end()) {
        return nullptr;
    }
    const auto kernel = known->second.find(name);
    return kernel == known->second.end() ? nullptr : &kernel->second;
}

void OpenClKernels::forget(void *program, int (*release)(void *kernel)) noexcept {
    const std::lock_guard lock(mutex_);
    of_ptx_.erase(program);
    for (auto kept = kept_.begin(); kept != kept_.end();) {
        if (kept->first.first == program) {
            release(kept->second);
            kept = kept_.erase(kept);
        } else {
            kept++;
        }
    }
}

}  // namespace tilewright::driver
