#include "python/src/call.h"
#include "python/src/lock.h"
#include "python/src/types.h"
#include "tilewright/forks.h"
#include "tilewright/stream.h"
#include <chrono>
#include <deque>
#include <set>
#include <unistd.h>

namespace nb = nanobind;

namespace tilewright::python {

namespace {

// Where the work is done: on the named device, or for "auto" on that of the first array that is on one, or
// else on the one that the work itself chooses.
Device device_of(const Work &work, const How &how, const std::vector<Argument> &inputs,
    std::span<const Array> given, const Argument &output) {
    if (how.device != "auto") {
        return Device::parse(how.device);
    }
    for (const Argument &input : inputs) {
        if (const std::optional<Device> device = input.array.newest_on()) {
            return *device;
        }
    }
    if (output.array.is_wrapped()) {
        return *output.array.newest_on();
    }
    return work.device_for(given);
}

// The caller's stream, or each stream in which a library of the arrays works.
std::set<void *> streams_of(const How &how, const std::vector<Argument> &inputs, const Argument &output) {
    if (how.stream != 0) {
        return {reinterpret_cast<void *>(how.stream)};
    }
    std::set<void *> streams = {output.stream};
    for (const Argument &input : inputs) {
        streams.insert(input.stream);
    }
    return streams;
}

void fill(nb::dict stats, const Statistics &statistics, const std::vector<Argument> &inputs,
    const Argument &output, std::span<const std::string> names) {
    nb::list libraries, copied;
    for (const std::string &library : statistics.libraries) {
        libraries.append(library);
    }
    for (size_t i = 0; i < inputs.size(); i++) {
        if (inputs[i].copied) {
            copied.append(names[i]);
        }
    }
    if (output.copied) {
        copied.append("out");
    }
    stats["variant"] = statistics.variant;
    stats["libraries"] = libraries;
    stats["device"] = statistics.device;
    stats["total_ms"] = statistics.total_ms;
    stats["copied"] = copied;
    const Counters &counters = statistics.counters;
    stats["kernels"] = counters.kernels;
    stats["bytes_to_device"] = counters.bytes_to_device;
    stats["bytes_to_host"] = counters.bytes_to_host;
    stats["modules"] = counters.modules;
    stats["module_ms"] = counters.module_ms;
}

}  // namespace

How how_of(nb::object out, nb::handle device, nb::object stats, nb::handle stream, nb::object progress) {
    How how{std::move(out), {}, std::move(stats), 0, std::move(progress)};
    how.device = nb::isinstance<DeviceInfo>(device) ? nb::cast<DeviceInfo &>(device).device.str() :
                                                      word_of(device, "device");
    if (!how.stats.is_none() && !nb::isinstance<nb::dict>(how.stats)) {
        refuse_argument("stats", "a dict, which is filled", how.stats);
    }
    if (!nb::try_cast(stream, how.stream)) {
        refuse_argument("stream", "the address of a CUDA stream, 0 or more", stream);
    }
    if (!how.progress.is_none() && !PyCallable_Check(how.progress.ptr())) {
        refuse_argument("progress", "a function of one number", how.progress);
    }
    return how;
}

// Signals are handled by the main thread alone, so no other thread takes the lock to look for them. One that
// wants the lock when the interpreter ends (a daemon thread) never comes back from there, and the end of the
// program would wait for its call.
std::function<bool(double)> progress_of(const How &how, Device device) {
    using Clock = std::chrono::steady_clock;
    const bool is_main = gettid() == getpid();
    if (how.progress.is_none() && (device.backend != Backend::cpu || !is_main)) {
        return {};
    }
    return [function = nb::handle(how.progress), is_main, last = Clock::now()](double done) mutable {
        const Clock::time_point now = Clock::now();
        if (now - last < std::chrono::milliseconds(50) || (!is_main && is_ending()) ||
            (function.is_none() && a_fork_waits())) {
            return true;
        }
        last = now;
        const Locked locked;
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
        return function.is_none() || function(done).ptr() != Py_False;
    };
}

nb::object call(
    const Work &work, const nb::tuple &arrays, std::span<const std::string> names, const How &how) {
    std::vector<Argument> inputs;
    std::vector<Array> given;
    inputs.reserve(arrays.size());
    for (size_t i = 0; i < arrays.size(); i++) {
        inputs.push_back(read_input(arrays[i], names[i], reinterpret_cast<void *>(how.stream)));
        given.push_back(inputs.back().array);
    }
    Argument output;
    if (how.out.is_none()) {
        // What is refused is refused before memory is taken.
        const auto [type, shape] = work.output_of(given);
        output = new_output(type, shape, inputs[0]);
    } else {
        output = read_output(how.out, reinterpret_cast<void *>(how.stream));
    }
    Statistics statistics;
    Statistics *const counted = how.stats.is_none() ? nullptr : &statistics;
    const std::set<void *> streams = streams_of(how, inputs, output);
    const bool on_host = output.kind == Argument::Kind::numpy || output.kind == Argument::Kind::host;
    {
        const Unlocked released;
        const Device device = device_of(work, how, inputs, given, output);
        std::deque<JoinedStream> joined;
        for (void *stream : streams) {
            joined.emplace_back(device, stream);
        }
        work.run(given, output.array, device, counted);
        if (on_host) {
            output.array.sync();
        }
    }
    write_back(output);
    if (counted) {
        fill(nb::cast<nb::dict>(how.stats), statistics, inputs, output, names);
    }
    return how.out.is_none() ? result_of(output, inputs[0]) : how.out;
}

}  // namespace tilewright::python
