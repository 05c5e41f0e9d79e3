// Puts an explanation into words.
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/explanation/explanation.h"
#include "apps/tilewright/explanation/ptx.h"
#include "apps/tilewright/explanation/warp_accesses.h"
#include "apps/tilewright/terminal/printing.h"
#include <HalideRuntime.h>
#include <fmt/format.h>
#include <set>

namespace tilewright::app {

namespace {

using Lines = std::vector<std::vector<std::string>>;

const char *const not_said = "not said by the driver";

std::string milliseconds(double ms) {
    return fmt::format("{:.4g} ms", ms);
}

std::string said(const std::optional<int64_t> &number, const char *unit) {
    return number ? fmt::format("{}{}", *number, unit) : not_said;
}

std::string extents(const std::array<uint64_t, 3> &of) {
    return fmt::format("{} x {} x {}", of[0], of[1], of[2]);
}

std::string variants_of(const Explanation &e) {
    Lines lines = {{"variant", "serves", "predicted", "why"}};
    for (const VariantAnswer &answer : e.variants) {
        const bool chosen = answer.variant == e.chosen;
        lines.push_back({answer.variant->name(),
            chosen        ? "chosen" :
            answer.serves ? "yes" :
                            "no",
            answer.predicted_ms ? milliseconds(*answer.predicted_ms) : "-",
            answer.serves ? answer.variant->summary : answer.why_not});
    }
    return wrapped_table(lines) +
           (e.other_variants == 0 ?
                   "" :
                   fmt::format("Variants of other types and backends: {} (`tilewright list {}`)\n",
                       e.other_variants, e.op->name()));
}

// How full a multiprocessor is.
void add_occupancy(Lines &lines, const KernelLaunch &kernel, int units) {
    if (!kernel.blocks_per_unit) {
        lines.push_back({"  per multiprocessor", not_said});
        return;
    }
    const auto at_once = (uint64_t)*kernel.blocks_per_unit;
    std::string text = fmt::format(
        "{} at a time, {}", plural(at_once, "block"), plural(at_once * kernel.threads_of_block(), "thread"));
    if (const auto occupancy = kernel.occupancy()) {
        text += fmt::format(" of {}: occupancy {:.0f} %", *kernel.most_threads_of_unit, *occupancy * 100);
    }
    lines.push_back({"  per multiprocessor", text});
    if (units > 0 && at_once > 0) {
        lines.push_back({"  waves", fmt::format("{:.2f}: {} on {} multiprocessors of {} each",
                                        (double)kernel.blocks() / ((double)at_once * units),
                                        plural(kernel.blocks(), "block"), units, at_once)});
    }
}

void add_ptx(Lines &lines, const KernelLaunch &kernel) {
    if (kernel.ptx.empty()) {
        lines.push_back({"  memory accesses", "not known: the module was loaded before the recording"});
        return;
    }
    std::vector<std::string> kinds;
    for (const PtxAccess &access : accesses_in(kernel.ptx)) {
        kinds.push_back(
            fmt::format("{} x {} of {}", access.count, access.kind, plural((uint64_t)access.bytes, "byte")));
    }
    lines.push_back({"  memory accesses", (kinds.empty() ? "none" : joined(kinds, ", ")) + " (in the PTX)"});
}

void add_accesses(Lines &lines, const LibraryAccesses &accesses, const std::string &kernel) {
    if (!accesses.why_not.empty()) {
        lines.push_back({"  warps and memory", "not computed: " + accesses.why_not});
        return;
    }
    const auto found = accesses.of_kernel.find(kernel);
    if (found == accesses.of_kernel.end()) {
        lines.push_back({"  warps and memory", "not computed: the statements have no kernel of this name"});
        return;
    }
    const char *heading = "  warps and memory";
    for (const WarpAccess &access : found->second) {
        lines.push_back({heading, words_of(access)});
        heading = "";
    }
}

void add_kernel(
    Lines &lines, const Explanation &e, size_t library, const KernelLaunch &kernel, size_t number) {
    const bool cuda = e.device.backend == Backend::cuda;
    lines.push_back({fmt::format("launch {}", number),
        fmt::format(
            "{} of {}", kernel.name.empty() ? "a kernel" : kernel.name, e.libraries[library].variant)});
    lines.push_back({"  grid",
        fmt::format("{} blocks of {} threads: {} of {}", extents(kernel.grid), extents(kernel.block),
            plural(kernel.blocks(), "block"), plural(kernel.threads_of_block(), "thread"))});
    if (cuda) {
        add_occupancy(lines, kernel, device_info(e.device).units);
        lines.push_back({"  registers", said(kernel.registers, " per thread")});
        lines.push_back({"  spills", said(kernel.spill_bytes, " bytes of local memory per thread")});
        lines.push_back({"  shared memory", said(kernel.shared_bytes, " bytes per block")});
        add_ptx(lines, kernel);
    } else {
        lines.push_back({"  work-group",
            fmt::format("at most {}, best a multiple of {}", said(kernel.most_threads, " work-items"),
                said(kernel.preferred_multiple, ""))});
        lines.push_back({"  local memory", said(kernel.shared_bytes, " bytes per work-group")});
        lines.push_back({"  private memory", said(kernel.spill_bytes, " bytes per work-item")});
    }
    add_accesses(lines, e.accesses[library], kernel.name);
    lines.push_back({"  time", kernel.ms ? milliseconds(*kernel.ms) + ", alone" : not_said});
}

// The most memory at a time, beside that of the arguments.
void add_memory(Lines &lines, const Explanation &e) {
    const auto text = [&](uint64_t peak) {
        return fmt::format("{} at most, {:.2f} times inputs and output ({})", bytes((double)peak),
            (double)peak / (double)e.argument_bytes, bytes((double)e.argument_bytes));
    };
    lines.push_back({"host memory", text(e.host_peak)});
    if (e.device.backend != Backend::cpu) {
        lines.push_back({"device memory", text(e.device_peak)});
    }
}

// What ran, one kernel after another.
std::string launches_of(const Explanation &e) {
    Lines lines;
    size_t number = 1;
    for (size_t i = 0; i < e.libraries.size(); i++) {
        const LibraryRun &library = e.libraries[i];
        if (library.kernels.empty()) {
            lines.push_back({fmt::format("library {}", i + 1), library.variant});
            lines.push_back({"  time", milliseconds(library.ms)});
        }
        for (const KernelLaunch &kernel : library.kernels) {
            add_kernel(lines, e, i, kernel, number++);
        }
    }
    return wrapped_table(lines);
}

std::string rate(double bytes_per_second) {
    return bytes(bytes_per_second) + "/s";
}

std::string costs_of(const Explanation &e) {
    const double seconds = e.call_ms / 1000;
    Lines lines = {{"unavoidable", fmt::format("{}: each input read once, each output written once",
                                       bytes(e.work.bytes))},
        {"moved",
            fmt::format("{} at least ({:.2f} times that): the libraries' arguments once, values between "
                        "kernels written and read",
                bytes((double)e.moved_bytes), (double)e.moved_bytes / e.work.bytes)},
        {"first call", milliseconds(e.first_ms) + ", with loading or compiling, copies and waiting"},
        {"time", fmt::format("{} per call (median, {}): {} of the unavoidable bytes", milliseconds(e.call_ms),
                     plural((uint64_t)e.calls, "call"), rate(e.work.bytes / seconds))}};
    if (e.work.flops > 0) {
        lines.push_back({"", fmt::format("{:.4g} Gflop/s", e.work.flops / seconds / 1e9)});
    }
    if (e.copy_rate) {
        const double floor = e.work.bytes / *e.copy_rate;
        lines.push_back({"copy rate",
            fmt::format("{} on this device, measured now, reads and writes counted", rate(*e.copy_rate))});
        lines.push_back(
            {"", fmt::format("at that rate the unavoidable bytes take {}, which is {:.0f} % of the "
                             "call's time{}",
                     milliseconds(floor * 1000), floor / seconds * 100,
                     floor > seconds ? " (caches hold data of this size)" : "")});
    } else {
        lines.push_back({"copy rate", "not measured: " + e.no_copy_rate});
    }
    add_memory(lines, e);
    if (e.device.backend == Backend::cpu) {
        lines.push_back({"threads", std::to_string(halide_get_num_threads())});
    }
    return wrapped_table(lines);
}

// How the data became what the operator takes.
std::string conversions_of(const Explanation &e) {
    std::string text;
    for (const std::string &conversion : e.conversions) {
        text += fmt::format("converted: {}\n", conversion);
    }
    if (e.calls_of_command > 1) {
        text += fmt::format("explained: the first of {} calls\n", e.calls_of_command);
    }
    return text;
}

// How the work was done: the summary of the chosen variant, and of each other library that ran.
void add_what_ran(Lines &lines, const Explanation &e) {
    if (!e.chosen->summary.empty()) {
        lines.push_back({"how", e.chosen->summary});
    }
    if (e.values_decided) {
        lines.push_back(
            {"but", "the values of the data decided which libraries ran; the predicted time is of "
                    "the data that was measured"});
    }
    std::set<std::string> said = {e.chosen->name()};
    for (const LibraryRun &library : e.libraries) {
        const Variant *const variant = variant_called(*e.op, library.variant);
        if (said.insert(library.variant).second) {
            const std::string summary = variant ? variant->summary : "";
            lines.push_back({"ran", library.variant + (summary.empty() ? "" : ": ") + summary});
        }
    }
}

}  // namespace

std::string text_of(const Explanation &e) {
    Lines choice = {{"chosen", e.chosen->name()}, {"why", e.why_chosen}};
    add_what_ran(choice, e);
    return fmt::format("{} on {} ({}): {}\n{}\nVariants for {} on {}\n{}\n{}\n{}\n{}", e.op->name(),
        e.device.str(), device_info(e.device).name, e.data, conversions_of(e), e.type,
        name_of(e.device.backend), variants_of(e), wrapped_table(choice), launches_of(e), costs_of(e));
}

}  // namespace tilewright::app
