#pragma once
// Calls that say how far they are and that may be cancelled (Call::progress). Not installed.
#include "runtime/devices/thread_context.h"
#include <HalideRuntime.h>
#include <atomic>
#include <exception>
#include <functional>
#include <string>

namespace tilewright {

// Lives while a thread makes a call. Where `progress` is empty, nobody watches the call.
class Watch {
public:
    // `operation`: the name of the call, for its error.
    Watch(const std::function<bool(double)> &progress, std::string operation)
        : progress_(progress), operation_(std::move(operation)),
          scope_(driver::this_thread.watch, progress ? this : nullptr) {}

    // Says that the call has ended. Errors: as those of a part.
    void finish();

    // While it lives, the thread's call does part `i` of `count` of what it was doing. Does nothing where
    // nobody watches the call. Errors: cancelled, where `progress` says so; what it throws.
    class Part {
    public:
        Part(size_t i, size_t count);
        ~Part();
        Part(const Part &) = delete;

    private:
        Watch *const watch_ = driver::this_thread.watch;
        double begin_ = 0, length_ = 1;  // of the part that this one is a part of
    };

    // Runs a parallel loop of a library, and begins none of its tasks once the call is cancelled.
    int run_loop(void *user_context, halide_task_t task, int begin, int count, uint8_t *closure);

    // Throws the error of a call that was cancelled.
    void throw_if_cancelled() const;

private:
    struct Loop;
    static int run_task(void *user_context, int i, uint8_t *closure);
    bool goes_on(double part) noexcept;

    const std::function<bool(double)> &progress_;
    const std::string operation_;
    double begin_ = 0, length_ = 1;  // of the part that the call does now
    double done_ = 0;                // what was said last
    std::atomic<bool> is_cancelled_ = false;
    std::exception_ptr thrown_;  // by `progress`
    const driver::ScopedValue<Watch *> scope_;
};

}  // namespace tilewright
