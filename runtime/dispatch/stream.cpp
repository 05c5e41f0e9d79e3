// Calls on threads of their own, each of which has a queue of the device.
#include "tilewright/stream.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/cuda/cuda.h"
#include "runtime/devices/own_queue.h"
#include "runtime/devices/thread_context.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace tilewright {

struct Stream::State {
    // A call of an operator, as it was started.
    struct OperatorCall {
        const Operator *op;
        std::vector<Array> inputs;
        Settings settings;
        std::string schedule;
    };

    // The calls of operators that one thread makes, one after another. Where a short call on CUDA is that of
    // before on other arrays of the same types and shapes, it is prepared, and so are those behind it.
    class CallsOfThread {
    public:
        Array run(const OperatorCall &call, Call how) {
            how.schedule = call.schedule;
            const bool is_again = is_as_before(call);
            Array output;
            if (is_again && prepared_) {
                (*prepared_)(call.inputs, output);
                return output;
            }
            prepared_.reset();
            before_ = {};
            if (is_again) {
                prepared_.emplace(call.op->prepare(call.inputs, output, call.settings, how));
            } else {
                (*call.op)(call.inputs, output, call.settings, how);
            }
            if (how.device->backend == Backend::cuda && is_short(call)) {
                before_ = {call.op, {}, call.settings, call.schedule};
                shapes_.clear();
                for (const Array &input : call.inputs) {
                    shapes_.emplace_back(input.type(), input.shape());
                }
            }
            return output;
        }

    private:
        // Launches count in short calls alone, and a prepared call keeps memory on the device.
        static bool is_short(const OperatorCall &call) {
            constexpr int64_t most_bytes = 16 << 20;
            int64_t bytes = 0;
            for (const Array &input : call.inputs) {
                bytes += input.size() * (int64_t)size_of(input.type());
            }
            return bytes <= most_bytes;
        }

        bool is_as_before(const OperatorCall &call) const {
            return call.op == before_.op && call.schedule == before_.schedule &&
                   call.settings.all() == before_.settings.all() &&
                   std::ranges::equal(call.inputs, shapes_, [](const Array &input, const auto &shape) {
                       return input.type() == shape.first && input.shape() == shape.second;
                   });
        }

        OperatorCall before_ = {};  // without its inputs
        std::vector<std::pair<Type, std::vector<int64_t>>> shapes_;
        std::optional<Prepared> prepared_;
    };

    struct Started {
        std::function<Array(const Call &, CallsOfThread &)> work;
        std::promise<Array> result;
    };

    explicit State(Device where) : device(where) {}

    void run_calls(const driver::OwnQueue &queue);
    void run(Started &call, CallsOfThread &calls);
    std::future<Array> add(Started call);
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
    CallsOfThread calls;
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
        run(call, calls);
        lock.lock();
        running--;
        changed.notify_all();
    }
}

void Stream::State::run(Started &call, CallsOfThread &calls) {
    try {
        Array result = call.work({.device = device, .pinned = device.backend == Backend::cuda}, calls);
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

std::future<Array> Stream::State::add(Started call) {
    std::future<Array> result = call.result.get_future();
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return waiting.size() < threads.size(); });
    waiting.push_back(std::move(call));
    changed.notify_all();
    return result;
}

std::future<Array> Stream::start(Work work) try {
    return state_->add(
        {[work = std::move(work)](const Call &how, State::CallsOfThread &) { return work(how); }, {}});
} catch (...) {
    leave_with_error();
}

std::future<Array> Stream::start(
    const Operator &op, std::vector<Array> inputs, Settings settings, std::string schedule) try {
    State::OperatorCall call{&op, std::move(inputs), std::move(settings), std::move(schedule)};
    return state_->add({[call = std::move(call)](
                            const Call &how, State::CallsOfThread &calls) { return calls.run(call, how); },
        {}});
} catch (...) {
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
    const Inside inside;
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
