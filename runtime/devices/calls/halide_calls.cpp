#include "runtime/devices/calls/halide_calls.h"
#include "generators/algorithms/integers.h"
#include "runtime/devices/calls/watch.h"
#include "runtime/devices/cpu.h"
#include "runtime/devices/memory/host_memory.h"
#include "runtime/devices/own_queue.h"
#include "runtime/process/environment.h"
#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include <HalideRuntime.h>
#include <HalideRuntimeCuda.h>
#include <HalideRuntimeOpenCL.h>
#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <new>

extern "C" int halide_reuse_device_allocations(void *user_context, bool flag);

namespace tilewright {

namespace {

// The first message of Halide since the last call of this thread. It is the cause; one fault can bring more
// messages. No std::string: Halide may report errors until the process ends, when this thread's strings would
// be destroyed.
thread_local char first_message[4096];

void keep_message(void *, const char *message) {
    if (!first_message[0]) {
        strncpy(first_message, message, sizeof first_message - 1);
    }
}

// A loop of one iteration runs in the thread that asks, without a look at the pool of threads.
int parallel_loop(void *user_context, halide_task_t task, int begin, int count, uint8_t *closure) {
    const InsideLoop inside;
    if (Watch *watch = driver::this_thread.watch) {
        return watch->run_loop(user_context, task, begin, count, closure);
    }
    return count == 1 ? task(user_context, begin, closure) :
                        halide_default_do_par_for(user_context, task, begin, count, closure);
}

bool mentions(const std::string &message, std::initializer_list<const char *> words) {
    return std::any_of(words.begin(), words.end(),
        [&](const char *word) { return message.find(word) != std::string::npos; });
}

}  // namespace

void prepare_halide() {
    first_message[0] = 0;
    static const bool done = [] {
        halide_set_error_handler(keep_message);
        halide_set_custom_malloc(
            [](void *, size_t bytes) -> void * { return driver::host_memory().take(bytes).begin; });
        halide_set_custom_free([](void *, void *memory) { driver::host_memory().give_back(memory); });
        halide_set_custom_do_par_for(parallel_loop);
        halide_set_custom_can_use_target_features(driver::can_use_features);
        if (const std::string threads = environment_value("TILEWRIGHT_THREADS"); !threads.empty()) {
            try {
                halide_set_num_threads(threads_in(threads, "TILEWRIGHT_THREADS"));
            } catch (const Error &) {  // NOLINT(bugprone-empty-catch): check_threads() tells it
            }
        }
        // Halide's cache for CUDA has no bound, and MemoryPool has one.
        halide_reuse_device_allocations(nullptr, false);
        return true;
    }();
    (void)done;
}

// Before main(), so that an error does not abort the program when it calls a library without
// prepare_halide().
[[maybe_unused]] static const bool prepared = (prepare_halide(), true);

int threads_in(const std::string &text, const char *origin) {
    int threads = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
    if (error != std::errc() || end != text.data() + text.size() || threads < 1 || threads > most_threads) {
        throw Error(Fault::usage, fmt::format("takes a whole number from 1 to {}", most_threads),
            {.argument = origin, .value = text});
    }
    return threads;
}

void check_threads() {
    static const bool is_right = [] {
        const std::string threads = environment_value("TILEWRIGHT_THREADS");
        return threads.empty() || threads_in(threads, "TILEWRIGHT_THREADS") > 0;
    }();
    (void)is_right;
}

const halide_device_interface_t *device_interface(Backend backend) {
    return backend == Backend::cuda ? halide_cuda_device_interface() : halide_opencl_device_interface();
}

int wait_for_device(Backend backend) {
    halide_buffer_t anything = {};
    anything.device_interface = device_interface(backend);
    anything.device = 1;  // Halide checks only that it is not 0
    return halide_device_sync(nullptr, &anything);
}

int ended_in_own_queue(int code, Backend backend) {
    return code == 0 && backend != Backend::cpu && driver::has_own_queues() ? wait_for_device(backend) : code;
}

void by_rows(int64_t h, int64_t row_bytes, const std::function<void(int64_t first, int64_t last)> &work) {
    constexpr int64_t bytes_of_part = 1 << 18;  // copying so much takes longer than starting a thread
    const int64_t rows = std::max<int64_t>(1, bytes_of_part / row_bytes), parts = ceil_div(h, rows);
    if (parts < 2) {
        return work(0, h);
    }
    auto part = [&](int64_t i) { work(i * rows, std::min(h, (i + 1) * rows)); };
    const auto run = [](void *, int i, uint8_t *self) {
        const InsideTask inside;
        try {
            (*reinterpret_cast<decltype(part) *>(self))(i);
            return 0;
        } catch (const std::bad_alloc &) {
            return 1;
        }
    };
    if (halide_default_do_par_for(nullptr, run, 0, (int)parts, reinterpret_cast<uint8_t *>(&part)) != 0) {
        throw std::bad_alloc();
    }
}

bool halide_spoke() {
    return first_message[0];
}

void throw_halide_error(int code, const char *operation, const char *schedule, Device device) {
    const std::string message = first_message;
    first_message[0] = 0;
    Fault fault = device.backend == Backend::cpu ? Fault::failed : Fault::device;
    std::string words = message.empty() ? fmt::format("Halide error {}", code) : message;
    // Only the driver's message tells that it has no memory left; Halide's code is that of any failure.
    // OpenCL's OUT_OF_RESOURCES is not in the list: it means memory when a buffer is created, and nearly
    // anything after a kernel.
    const bool memory = code == halide_error_code_out_of_memory ||
                        mentions(message, {"OUT_OF_MEMORY", "OUT_OF_HOST_MEMORY",
                                              "MEM_OBJECT_ALLOCATION_FAILURE", "clCreateBuffer failed"}) ||
                        (code == halide_error_code_device_malloc_failed && message.empty());
    if (memory) {
        fault = Fault::memory;
        words =
            fmt::format("out of memory on {}; use smaller data or another device ({})", device.str(), words);
    }
    throw Error(fault, words, {.operation = operation, .schedule = schedule, .device = device.str()});
}

}  // namespace tilewright
