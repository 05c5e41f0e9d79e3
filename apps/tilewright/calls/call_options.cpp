// Options and output that the commands of operators and `pipeline` share.
#include "apps/tilewright/calls/call_options.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include <fmt/format.h>
#include <limits>

namespace tilewright::app {

std::vector<Parameter> add_limits(Command &command, FileLimits &limits) {
    const std::string group = "Limits for pictures";
    const auto add = [&](const std::string &name, int64_t &limit, const std::string &help) {
        return command.add(name, limit, help)
            .range(int64_t(1), std::numeric_limits<int64_t>::max())
            .value_name("NUMBER")
            .show_default()
            .group(group);
    };
    return {add("--max-side", limits.png.side, "Pixels along x and y"),
        add("--max-pixels", limits.png.pixels, "Pixels in all"),
        add("--max-bytes", limits.png.bytes, "Bytes of memory that decoding takes")};
}

std::vector<Parameter> add_fitting(Command &command, FitOptions &fit) {
    const std::string group = "Pictures";
    return {command.add("--channel", fit.channel, "Take this channel alone, counted from 0")
                .range(0, std::numeric_limits<int>::max())
                .value_name("NUMBER")
                .group(group),
        command.add_flag("--grey", fit.grey, "Take grey values: .299 R + .587 G + .114 B").group(group),
        command.add_flag("--crop", fit.crop, "Take the largest middle part whose sides the operator takes")
            .group(group)};
}

void check_fitting(const FitOptions &fit, const std::string &operation) {
    if (fit.grey && fit.channel >= 0) {
        throw Error(Fault::usage, "grey values are made of all channels; leave one of the two out",
            {.operation = operation, .argument = "--channel"});
    }
}

void add_format(Command &command, std::string &format, int &compression) {
    command
        .add("--format", format,
            "What is written: png, jpeg, tiff, npy, csv or txt; without it what the output's ending says, "
            "or, for standard output, the kind of the first input where that can hold the result, or npy")
        .value_name("KIND")
        .offer({"png", "jpeg", "tiff", "npy", "csv", "txt"});
    command
        .add("--compression", compression,
            "Of PNG and TIFF: 0, not compressed, to 9, the smallest file; without it what is fast")
        .range(0, 9)
        .value_name("LEVEL");
}

void print_warnings(const Operator &op, const Remarks &remarks) {
    for (const std::string &warning : remarks.warnings) {
        print_remark(fmt::format("tilewright: warning: {}: {}\n", op.name(), warning));
    }
}

std::string copies(uint64_t count, uint64_t size, const char *where) {
    return fmt::format("{} to the {} ({})", count, where, bytes((double)size));
}

double ms_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void print_costs(const Device &device, const Counters &counted, const CallTimes &times) {
    print_error(fmt::format("device      {} ({})\n", device.str(), device_info(device).name));
    print_error(fmt::format("read        {:.3f} ms\n", times.read_ms));
    print_error(fmt::format("compute     {:.3f} ms, the result on the host\n", times.compute_ms));
    print_error(fmt::format("write       {:.3f} ms\n", times.write_ms));
    print_error(fmt::format("total       {:.3f} ms\n", times.read_ms + times.compute_ms + times.write_ms));
    if (counted.modules > 0) {
        print_error(fmt::format("first call  {} loaded or compiled in {:.3f} ms\n",
            plural(counted.modules, "module"), counted.module_ms));
    }
    if (counted.kernels > 0) {
        print_error(fmt::format("kernels     {} launched\n", counted.kernels));
    }
    if (counted.copies_to_device + counted.copies_to_host > 0) {
        print_error(fmt::format("copies      {}, {}\n",
            copies(counted.copies_to_device, counted.bytes_to_device, "device"),
            copies(counted.copies_to_host, counted.bytes_to_host, "host")));
    }
    if (counted.allocations > 0) {
        print_error(fmt::format("allocations {} on the device\n", counted.allocations));
    }
    if (counted.modules + counted.kernels + counted.copies_to_device + counted.copies_to_host +
            counted.allocations ==
        0) {
        print_error("drivers     no kernels, copies or allocations\n");
    }
}

void print_facts(const Remarks &remarks) {
    for (const auto &[name, value] : remarks.facts) {
        print_error(fmt::format("{:<11} {}\n", name, value));
    }
}

}  // namespace tilewright::app
