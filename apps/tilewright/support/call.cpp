// Options and output that the commands of operators and `pipeline` share.
#include "apps/tilewright/support/call.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/streams.h"
#include <fmt/format.h>

namespace tilewright::app {

std::vector<Parameter> add_limits(Command &command, FileLimits &limits) {
    const std::string group = "Limits for PNG inputs";
    return {command.add("--max-side", limits.png.side, "Pixels along x and y").show_default().group(group),
        command.add("--max-pixels", limits.png.pixels, "Pixels in all").show_default().group(group),
        command.add("--max-bytes", limits.png.bytes, "Decoded bytes").show_default().group(group)};
}

void print_warnings(const Operator &op, const Remarks &remarks) {
    for (const std::string &warning : remarks.warnings) {
        print_error(fmt::format("tilewright: warning: {}: {}\n", op.name(), warning));
    }
}

std::string copies(uint64_t count, uint64_t size, const char *where) {
    return fmt::format("{} to the {} ({})", count, where, bytes((double)size));
}

void print_costs(const Device &device, const Counters &before, const Counters &after, double total_ms) {
    const uint64_t modules = after.modules - before.modules;
    print_error(fmt::format("device      {} ({})\n", device.str(), device_info(device).name));
    print_error(fmt::format("total       {:.3f} ms, the result on the host\n", total_ms));
    print_error(fmt::format("first call  {} module{} loaded or compiled in {:.3f} ms\n", modules,
        modules == 1 ? "" : "s", after.module_ms - before.module_ms));
    print_error(fmt::format("kernels     {} launched\n", after.kernels - before.kernels));
    print_error(fmt::format("copies      {}, {}\n",
        copies(after.copies_to_device - before.copies_to_device,
            after.bytes_to_device - before.bytes_to_device, "device"),
        copies(after.copies_to_host - before.copies_to_host, after.bytes_to_host - before.bytes_to_host,
            "host")));
    print_error(fmt::format("allocations {} on the device\n", after.allocations - before.allocations));
}

void print_facts(const Remarks &remarks) {
    for (const auto &[name, value] : remarks.facts) {
        print_error(fmt::format("{:<11} {}\n", name, value));
    }
}

}  // namespace tilewright::app
