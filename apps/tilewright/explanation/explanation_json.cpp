// An explanation as JSON.
#include "apps/tilewright/explanation/explanation.h"
#include "apps/tilewright/explanation/ptx.h"
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

template<typename Number>
Json or_null(const std::optional<Number> &number) {
    return number ? Json(*number) : Json();
}

Json json(const std::vector<WarpAccess> &accesses) {
    Json all = Json::array();
    for (const WarpAccess &a : accesses) {
        Json one = {{"space", a.space}, {"what", a.what}, {"buffer", a.buffer}, {"bytes", a.bytes},
            {"count", a.count}};
        if (a.depends_on.empty()) {
            one[a.space == "global" ? "sectors_per_warp" : "passes"] = a.passes;
            one["least"] = a.least;
        } else {
            one["depends_on"] = a.depends_on;
        }
        all.push_back(one);
    }
    return all;
}

Json json(const KernelLaunch &kernel, const LibraryAccesses &accesses) {
    Json widths = Json::array();
    for (const PtxAccess &a : accesses_in(kernel.ptx)) {
        widths.push_back({{"kind", a.kind}, {"bytes", a.bytes}, {"count", a.count}});
    }
    Json one = {{"kernel", kernel.name}, {"grid", kernel.grid}, {"block", kernel.block},
        {"ms", or_null(kernel.ms)}, {"registers", or_null(kernel.registers)},
        {"spill_bytes", or_null(kernel.spill_bytes)}, {"shared_bytes", or_null(kernel.shared_bytes)},
        {"most_threads", or_null(kernel.most_threads)}, {"blocks_per_unit", or_null(kernel.blocks_per_unit)},
        {"most_threads_of_unit", or_null(kernel.most_threads_of_unit)},
        {"occupancy", or_null(kernel.occupancy())},
        {"preferred_multiple", or_null(kernel.preferred_multiple)}, {"instructions", widths}};
    const auto found = accesses.of_kernel.find(kernel.name);
    if (found != accesses.of_kernel.end()) {
        one["warp_accesses"] = json(found->second);
    } else {
        one["warp_accesses_not_computed"] =
            accesses.why_not.empty() ? "the statements have no kernel of this name" : accesses.why_not;
    }
    return one;
}

}  // namespace

Json json(const Explanation &e) {
    Json variants = Json::array(), libraries = Json::array();
    for (const VariantAnswer &answer : e.variants) {
        Json one = json(*answer.variant);
        one.update(
            {{"serves", answer.serves}, {"chosen", answer.variant == e.chosen}, {"why_not", answer.why_not},
                {"predicted_ms", or_null(answer.predicted_ms)}, {"summary", answer.variant->summary}});
        variants.push_back(one);
    }
    for (size_t i = 0; i < e.libraries.size(); i++) {
        const LibraryRun &library = e.libraries[i];
        Json kernels = Json::array();
        for (const KernelLaunch &kernel : library.kernels) {
            kernels.push_back(json(kernel, e.accesses[i]));
        }
        libraries.push_back({{"variant", library.variant}, {"argument_bytes", library.argument_bytes},
            {"scratch_bytes", library.scratch_bytes}, {"ms", library.ms}, {"kernels", kernels}});
    }
    return {{"version", json_version}, {"operator", e.op->name()}, {"device", json(device_info(e.device))},
        {"schedule", e.schedule}, {"data", e.data}, {"conversions", e.conversions},
        {"calls_of_command", e.calls_of_command}, {"type", e.type}, {"variants", variants},
        {"other_variants", e.other_variants}, {"chosen", e.chosen->name()}, {"why_chosen", e.why_chosen},
        {"predicted_from", e.predicted_from},
        {"predicted_within", {{"median", e.median_factor}, {"p90", e.most_factor}}},
        {"values_decided", e.values_decided}, {"libraries", libraries}, {"unavoidable_bytes", e.work.bytes},
        {"moved_bytes", e.moved_bytes}, {"flops", e.work.flops}, {"host_peak_bytes", e.host_peak},
        {"device_peak_bytes", e.device_peak}, {"argument_bytes", e.argument_bytes}, {"first_ms", e.first_ms},
        {"call_ms", e.call_ms}, {"calls", e.calls}, {"copy_rate", or_null(e.copy_rate)},
        {"copy_rate_not_measured", e.no_copy_rate}};
}

}  // namespace tilewright::app
