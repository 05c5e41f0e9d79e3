#include "runtime/devices/calls/watch.h"
#include "tilewright/error.h"
#include "tilewright/forks.h"
#include <algorithm>

namespace tilewright {

// Asks the caller, on the thread of the call. Tasks of a loop come from Halide's C code, which no exception
// may leave.
bool Watch::goes_on(double part) noexcept {
    if (!is_cancelled_) {
        const driver::ScopedValue<Watch *> unwatched(driver::this_thread.watch, nullptr);
        done_ = std::max(done_, begin_ + length_ * part);
        const OutsideOfCalls outside;
        try {
            is_cancelled_ = !progress_(done_);
        } catch (...) {
            thrown_ = std::current_exception();
            is_cancelled_ = true;
        }
    }
    return !is_cancelled_;
}

void Watch::throw_if_cancelled() const {
    if (thrown_) {
        std::rethrow_exception(thrown_);
    }
    if (is_cancelled_) {
        throw Error(Fault::cancelled, "the call was cancelled", {.operation = operation_});
    }
}

void Watch::finish() {
    if (progress_ && !goes_on(1)) {
        throw_if_cancelled();
    }
}

Watch::Part::Part(size_t i, size_t count) {
    if (!watch_) {
        return;
    }
    begin_ = watch_->begin_;
    length_ = watch_->length_;
    watch_->begin_ += length_ * (double)i / (double)count;
    watch_->length_ /= (double)count;
    if (!watch_->goes_on(0)) {
        watch_->throw_if_cancelled();
    }
}

Watch::Part::~Part() {
    if (watch_) {
        watch_->begin_ = begin_;
        watch_->length_ = length_;
    }
}

struct Watch::Loop {
    Watch *watch;
    const driver::ThreadContext *thread;  // of the call
    halide_task_t task;
    int count;
    uint8_t *closure;
    std::atomic<int> begun = 0;
};

// Any thread of Halide's pool runs tasks, and the thread of the call is one of them.
int Watch::run_task(void *user_context, int i, uint8_t *closure) {
    Loop &loop = *reinterpret_cast<Loop *>(closure);
    const double part = (double)loop.begun++ / (double)loop.count;
    const bool asks = loop.thread == &driver::this_thread;
    const bool is_cancelled = asks ? !loop.watch->goes_on(part) : loop.watch->is_cancelled_.load();
    return is_cancelled ? halide_error_code_generic_error : loop.task(user_context, i, loop.closure);
}

// Meanwhile the thread may run tasks of other calls as well, whose loops are not this call's. Loops inside of
// tasks are not watched.
int Watch::run_loop(void *user_context, halide_task_t task, int begin, int count, uint8_t *closure) {
    const driver::ScopedValue<Watch *> unwatched(driver::this_thread.watch, nullptr);
    Loop loop{this, &driver::this_thread, task, count, closure};
    return halide_default_do_par_for(
        user_context, run_task, begin, count, reinterpret_cast<uint8_t *>(&loop));
}

}  // namespace tilewright
