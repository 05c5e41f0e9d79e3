// Every variant of the family `tuned` is needed. A call that was measured takes it, or it alone serves some
// sample, or the plan of another variant runs it; or its table says for which calls or machines it stays,
// none of which was measured (kept_for() in schedules/schedule.h). And every variant with measured times is
// there: predictions would compare with the times of one that is gone.
#include "runtime/dispatch/choice/choice.h"
#include "runtime/dispatch/steps/plan.h"
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace tilewright {
namespace {

using Variants = std::set<const Variant *>;

// The time of a variant at a measured call; 0 where it has none, because it does not serve such a call.
float time_of(const MeasuredTimes &times, const std::string &schedule, size_t call) {
    const auto at = std::ranges::find(times.variants, schedule);
    return at == times.variants.end() ?
               0 :
               times.ms[(size_t)(at - times.variants.begin()) * times.count() + call];
}

// Adds the variants that `tuned` takes at the calls that were measured on a device.
void add_taken(
    const Operator &op, const MeasuredDevice &device, const MeasuredTimes &times, Variants &needed) {
    const std::string type(times.type);
    std::vector<const Variant *> variants = variants_for_tuned(op, device.backend, type);
    if (device.capability.find("VNNI") == std::string_view::npos) {
        std::erase_if(variants, [](const Variant *variant) { return variant->needs_vnni; });
    }
    const VariantOrder order(op, std::move(variants), {.own = &device}, type);
    for (size_t call = 0; call < times.count(); call++) {
        Measures measures;
        for (const float number : times.calls.subspan(call * times.numbers, times.numbers)) {
            measures.add(number);
        }
        for (const auto &[variant, ms] : order.order(measures)->by_times) {
            if (time_of(times, variant->schedule, call) > 0) {
                needed.insert(variant);
                break;
            }
        }
    }
}

// CPUs differ by the instructions that variants need, GPUs by none.
constexpr struct Machine {
    Backend backend;
    bool avx2 = true, vnni = true;

    bool runs(const Variant &variant) const {
        return variant.backend == backend && (avx2 || !variant.needs.avx2) && (vnni || !variant.needs_vnni);
    }
} machines[] = {{Backend::cpu}, {Backend::cpu, true, false}, {Backend::cpu, false, false}, {Backend::cuda},
    {Backend::opencl}};

// Adds the variants that serve a sample alone on some machine, and those that plans of others run.
void add_needed_for(const Operator &op, const Sample &sample, Variants &needed) {
    const auto request = op.parse(sample.inputs, sample.settings);
    Array output = Array::uninitialized(request->output_type, request->output_shape);
    Variants serving;
    for (const Variant &variant : op.variants()) {
        if (variant.belongs_to("tuned") && op.serves(variant, *request, output)) {
            serving.insert(&variant);
            for (const Variant *part : op.plan(variant, {variant.backend, 0}, *request, output).variants()) {
                if (part != &variant) {
                    needed.insert(part);
                }
            }
        }
    }
    for (const Machine &machine : machines) {
        const auto runs = [&](const Variant *variant) { return machine.runs(*variant); };
        if (std::ranges::count_if(serving, runs) == 1) {
            needed.insert(*std::ranges::find_if(serving, runs));
        }
    }
}

// Whether calls of the variant's operator, type and backend were measured at all.
bool is_measured(const Variant &variant) {
    return std::ranges::any_of(built_in_measurements(), [&](const MeasuredDevice &device) {
        return device.backend == variant.backend &&
               std::ranges::any_of(device.times, [&](const MeasuredTimes &times) {
                   return times.op == variant.op && times.type == variant.type;
               });
    });
}

Variants needed_of(const Operator &op) {
    Variants needed;
    for (const MeasuredDevice &device : built_in_measurements()) {
        for (const MeasuredTimes &times : device.times) {
            if (times.op == op.name()) {
                add_taken(op, device, times, needed);
            }
        }
    }
    std::set<std::string> types;
    for (const Variant &variant : op.variants()) {
        types.insert(variant.type);
    }
    for (const std::string &type : types) {
        for (const Sample &sample : workload_of(op).samples(type)) {
            add_needed_for(op, sample, needed);
        }
    }
    return needed;
}

TEST(Cover, EveryVariantOfTunedIsNeededOrSaysForWhatItStays) {
    for (const Operator *op : operators()) {
        const Variants needed = needed_of(*op);
        std::map<std::string, bool> reasons;  // whether some library needs the reason
        for (const Variant &variant : op->variants()) {
            const bool is_needed = needed.contains(&variant);
            if (variant.family == "tuned" && is_measured(variant)) {
                EXPECT_TRUE(is_needed || !variant.kept_for.empty())
                    << variant.name()
                    << ": no measured call takes it, and other variants serve each sample that it serves. "
                       "Remove it, or say by kept_for() for what it stays";
            }
            if (!variant.kept_for.empty()) {
                reasons[variant.kept_for] |= !is_needed;
            }
        }
        for (const auto &[reason, is_needed] : reasons) {
            EXPECT_TRUE(is_needed) << op->name() << ": each variant that is kept for " << reason
                                   << " is needed without that; remove its kept_for()";
        }
    }
}

TEST(Cover, EveryVariantWithMeasuredTimesIsInATable) {
    std::set<std::string> known;
    const auto name = [](std::string_view op, std::string_view schedule, std::string_view type,
                          Backend backend) {
        return std::string(op) + "/" + std::string(schedule) + "/" + std::string(type) + "/" +
               name_of(backend);
    };
    for (const Operator *op : operators()) {
        for (const Variant &variant : op->variants()) {
            known.insert(name(op->name(), variant.schedule, variant.type, variant.backend));
        }
    }
    for (const MeasuredDevice &device : built_in_measurements()) {
        for (const MeasuredTimes &times : device.times) {
            for (const std::string_view schedule : times.variants) {
                const std::string full = name(times.op, schedule, times.type, device.backend);
                EXPECT_TRUE(known.contains(full)) << device.file << ": remove the times of " << full;
            }
        }
    }
}

}  // namespace
}  // namespace tilewright
