// Reads what `OP.generator show accesses` prints.
#include "apps/tilewright/explanation/warp_accesses.h"
#include "apps/tilewright/built_variants/generator_programs.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/dispatch/steps/plan.h"
#include "tilewright/error.h"
#include <fmt/format.h>
#include <sstream>

namespace tilewright::app {

namespace {

const Variant *variant_of_any_operator(const std::string &name) {
    for (const Operator *op : operators()) {
        if (const Variant *variant = variant_called(*op, name)) {
            return variant;
        }
    }
    return nullptr;
}

// The extents, strides and numbers of the call and its launches, which the addresses depend on.
std::string values_of(const LibraryRun &library) {
    std::vector<std::string> values;
    for (const auto &[name, value] : library.arguments) {
        values.push_back(fmt::format("{}={}", name, value));
    }
    for (const KernelLaunch &kernel : library.kernels) {
        const char *const axes[] = {"x", "y", "z"};
        for (size_t d = 0; d < kernel.grid.size(); d++) {
            values.push_back(fmt::format("{}.grid.{}={}", kernel.name, axes[d], kernel.grid[d]));
            values.push_back(fmt::format("{}.block.{}={}", kernel.name, axes[d], kernel.block[d]));
        }
    }
    return "values=" + joined(values, ",");
}

// Halide joins buffers that live one after the other, and their names: long ones are cut.
std::string short_name(std::string name) {
    const std::string joined_by_halide = "allocgroup__";
    constexpr size_t most = 40;
    if (name.starts_with(joined_by_halide)) {
        name = name.substr(joined_by_halide.size());
    }
    return name.size() > most ? name.substr(0, most) + "..." : name;
}

}  // namespace

LibraryAccesses accesses_of(const LibraryRun &library, const Variant &built, const Variant &built_from) {
    LibraryAccesses accesses;
    const bool is_built = library.variant == built.name();
    const Variant *variant = is_built ? &built : variant_of_any_operator(library.variant);
    if (!variant || variant->backend == Backend::cpu || !variant->autoscheduler.empty()) {
        accesses.why_not = "only kernels of our own schedules are looked at";
        return accesses;
    }
    std::string text;
    try {
        text = generated(
            generator_of(is_built ? built_from : *variant), *variant, "accesses", {values_of(library)});
    } catch (const Error &error) {
        accesses.why_not = one_line(error.what());
        return accesses;
    }
    // Lines of: kernel, space, what, buffer, bytes, count, passes, least, what it depends on.
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> cells = parted(line, '\t');
        constexpr size_t least = 8;
        if (cells.size() >= least) {
            const auto number = [&](size_t cell) { return number_in<int>(cells[cell]).value_or(0); };
            accesses.of_kernel[cells[0]].push_back({cells[1], cells[2], cells[3], number(4), number(5),
                number(6), number(7), cells.size() > least ? cells[least] : ""});
        }
    }
    return accesses;
}

std::string words_of(const WarpAccess &access) {
    const std::string what = fmt::format("{} x {} {} of {} {} {}", access.count, access.space, access.what,
        plural((uint64_t)access.bytes, "byte"), access.what == "store" ? "to" : "from",
        short_name(access.buffer));
    const bool least = access.passes == access.least;
    if (!access.depends_on.empty()) {
        return fmt::format("{}: not computed: the address depends on {}", what, access.depends_on);
    }
    if (access.space == "global") {
        return fmt::format("{}: {} of 32 bytes per warp, {}", what, plural((uint64_t)access.passes, "sector"),
            least ? "the least" : fmt::format("where neighbours would need {}", access.least));
    }
    return least ? fmt::format("{}: no bank conflict", what) :
                   fmt::format(
                       "{}: bank conflicts, {} passes where {} would do", what, access.passes, access.least);
}

std::string accesses_of_call(
    const Operator &op, const Request &request, Variant built, const Variant &in_table) {
    Array output(request.output_type, request.output_shape);
    built.metadata = in_table.metadata;
    const tilewright::Plan plan = op.plan(built, {built.backend, 0}, request, output);
    std::string text;
    for (const Launch *launch : plan.launches()) {
        const LibraryRun library = launch->described();
        const LibraryAccesses found = accesses_of(library, built, in_table);
        if (!found.why_not.empty()) {
            text += fmt::format("{}: not computed: {}\n", library.variant, found.why_not);
        }
        for (const auto &[kernel, kinds] : found.of_kernel) {
            text += kernel + "\n";
            for (const WarpAccess &access : kinds) {
                text += "    " + words_of(access) + "\n";
            }
        }
    }
    return text;
}

}  // namespace tilewright::app
