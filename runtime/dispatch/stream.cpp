// Calls on threads of their own, each of which has a queue of the device.
#include "tilewright/stream.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/cuda/cuda.h"
#include "runtime/devices/own_queue.h"
#include "runtime/devices/thread_context.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace tilewright {

struct Stream::State {
    struct Started {
        Work work;
        std::promise<Array> result;
    };

    explicit State(Device where) : device(where) {}

    void run_calls(const driver::OwnQueue &queue);
    void run(Started &call);
    void keep_error();
    void end();

    const Device device;
    std::deque<driver::OwnQueue> queues;
    std::vector<std::thread> threads;

    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Started> waiting;
    size_t running = 0;
    bool ends = false;
    std::exception_ptr first_error;
};

// Each thread: one call after another, until there will be no more.
void Stream::State::run_calls(const driver::OwnQueue &queue) {
    const driver::ScopedValue here(driver::this_thread.queue, &queue);
    std::unique_lock lock(mutex);
    for (;;) {
        changed.wait(lock, [&] { return ends || !waiting.empty(); });
        if (waiting.empty()) {
            return;
        }
        Started call = std::move(waiting.front());
        waiting.pop_front();
        running++;
        changed.notify_all();
        lock.unlock();
        run(call);
        lock.lock();
        running--;
        changed.notify_all();
    }
}

void Stream::State::run(Started &call) {
    try {
        Array result = call.work({.device = device, .pinned = device.backend == Backend::cuda});
        result.sync();
        call.work = nullptr;
        call.result.set_value(std::move(result));
    } catch (...) {
        call.work = nullptr;
        try {
            leave_with_error();
        } catch (...) {
            keep_error();
            call.result.set_exception(std::current_exception());
        }
    }
}

void Stream::State::keep_error() {
    const std::lock_guard lock(mutex);
    if (!first_error) {
        first_error = std::current_exception();
    }
}

void Stream::State::end() {
    {
        const std::lock_guard lock(mutex);
        ends = true;
        changed.notify_all();
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
}

Stream::Stream(Device device, int at_a_time) try : state_(std::make_unique<State>(device)) {
    if (at_a_time < 1 || at_a_time > 16) {
        throw Error(Fault::usage, "a stream runs 1 to 16 calls at a time",
            {.argument = "at_a_time", .value = std::to_string(at_a_time)});
    }
    const int count = device_info(device).is_gpu ? at_a_time : 1;
    for (int i = 0; i < count; i++) {
        state_->queues.emplace_back(device);
    }
    try {
        for (driver::OwnQueue &queue : state_->queues) {
            state_->threads.emplace_back([state = state_.get(), &queue] { state->run_calls(queue); });
        }
    } catch (const std::exception &) {
        state_->end();
        throw Error(Fault::memory, "the system makes no further thread; use fewer streams at a time",
            {.operation = "Stream", .device = device.str()});
    }
} catch (...) {
    leave_with_error();
}

Stream::~Stream() {
    state_->end();
}

std::future<Array> Stream::start(Work work) try {
    if (!work) {
        throw Error(
            Fault::usage, "it is an empty function; give one that makes the call", {.argument = "work"});
    }
    State::Started call{std::move(work), {}};
    std::future<Array> result = call.result.get_future();
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return state_->waiting.size() < state_->threads.size(); });
    state_->waiting.push_back(std::move(call));
    state_->changed.notify_all();
    return result;
} catch (...) {
    leave_with_error();
}

std::future<Array> Stream::start(
    const Operator &op, std::vector<Array> inputs, Settings settings, std::string schedule) try {
    return start([&op, inputs = std::move(inputs), settings = std::move(settings),
                     schedule = std::move(schedule)](Call how) {
        how.schedule = schedule;
        Array output;
        op(inputs, output, settings, how);
        return output;
    });
} catch (...) {  // no memory for what is started
    leave_with_error();
}

void Stream::wait() {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return state_->waiting.empty() && state_->running == 0; });
    if (const std::exception_ptr error = std::exchange(state_->first_error, nullptr)) {
        std::rethrow_exception(error);
    }
}

JoinedStream::JoinedStream(Device device, void *stream) try : device_(device), stream_(nullptr) {
    void *const legacy = reinterpret_cast<void *>(1);  // CU_STREAM_LEGACY
    if (device.backend != Backend::cuda || stream == nullptr || stream == legacy) {
        return;
    }
    const Inside inside;
    driver::open(device);
    driver::order_cuda_streams(device, stream, queue());
    stream_ = stream;
} catch (...) {
    leave_with_error();
}

JoinedStream::~JoinedStream() {
    if (stream_ == nullptr) {
        return;
    }
    const Inside inside(std::nothrow);
    try {
        driver::order_cuda_streams(device_, queue(), stream_);
    } catch (const Error &) {  // NOLINT(bugprone-empty-catch): a stream that is gone waits for nothing
    }
}

// In which the calls of this thread work.
void *JoinedStream::queue() const {
    const driver::Current current(device_);
    return driver::own_queue();
}

}  // namespace tilewright
