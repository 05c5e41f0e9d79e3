// The frame of every call: what is the same for all operators.
#include "generators/algorithms/integers.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/calls/watch.h"
#include "runtime/devices/opencl/ptx_memory.h"
#include "runtime/dispatch/arrays_of_call.h"
#include "runtime/dispatch/kept_calls.h"
#include "runtime/dispatch/measurement.h"
#include "runtime/dispatch/steps/plan.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/inside.h"
#include "tilewright/operator.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace tilewright {

void Operator::execute(const Variant &variant, Device device, const Request &request, Array &output,
    Statistics *statistics) const try {
    const Inside inside;
    const Measurement measurement(statistics);
    check_elements(request);
    measurement.write(device, variant, run(variant, device, request, output));
} catch (...) {
    leave_with_error([&] { return name(); });
}

void Operator::operator()(
    std::span<const Array> inputs, Array &output, const Settings &settings, const Call &call) const try {
    const Inside inside;
    if (call.layout.empty()) {
        kept_->call(*this, inputs, output, settings, call);
    } else {
        place_of_images(inputs, output, settings, call);
    }
} catch (...) {
    leave_with_error([&] { return name(); });
}

// One column is dense: padded, it would span up to 64 times the memory, and writing it would take most of the
// time of a call.
Array Operator::output_of_call(Type type, const std::vector<int64_t> &shape, std::span<const Array> inputs,
    const Array &output, const Call &how) const {
    if (output.empty()) {
        const auto make = how.pinned ? Array::pinned : Array::uninitialized;
        return make(type, shape, shape.size() == 2 && shape[1] == 1 ? 0 : Array::padded);
    }
    if (output.type() != type || output.shape() != shape) {
        refuse(Fault::input, fmt::format("must be {} ({})", name_of(type), fmt::join(shape, ", ")), "output",
            output.describe());
    }
    refuse_shared_memory(output, inputs, name());
    return output;
}

// Half of the rows at a time, then a quarter of them, and so on, until there is memory for as many.
std::vector<const Variant *> Operator::run_in_memory(
    const Variant &variant, Device device, const Request &request, Array &output, const Call &how) const {
    std::optional<Request::Parts> parts;
    for (int64_t rows = request.inputs[0].shape()[0];; rows = ceil_div(rows, 2)) {
        try {
            return parts ? plan_of_parts(variant, device, request, *parts, output).run() :
                           run(variant, device, request, output);
        } catch (const Error &error) {
            const bool may_divide = error.fault() == Fault::memory && how.schedule == "tuned" &&
                                    !how.variants && !request.parts && rows > 1;
            parts = may_divide ? parts_of(request, ceil_div(rows, 2)) : std::nullopt;
            if (!parts) {
                throw;
            }
        }
    }
}

std::vector<const Variant *> Operator::run_chosen(
    const Variant *&variant, Device device, const Request &request, Array &output, const Call &how) const {
    for (;;) {
        const int refusals = driver::refusals_of_ptx_memory();
        variant = variant ? variant : &choose(request, output, how.schedule, device, how.variants);
        try {
            return run_in_memory(*variant, device, request, output, how);
        } catch (const Error &error) {
            if (error.fault() != Fault::device || driver::refusals_of_ptx_memory() == refusals) {
                throw;
            }
            variant = nullptr;
        }
    }
}

Operator::Place Operator::place_of_call(const Request &request, Array &output, const Call &how) const try {
    const Inside inside;
    const Measurement measurement(how.statistics);
    Watch watch(how.progress, how.progress ? name() : "");
    // A call that fails leaves an empty output empty.
    Array result = output_of_call(request.output_type, request.output_shape, request.inputs, output, how);
    const std::optional<Device> known = how.device ? how.device : wrapped_device(request.inputs, result);
    auto [device, variant] =
        known ? Place{*known} : choose_place(request, result, how.schedule, how.variants);
    driver::open(device);
    check_elements(request);
    const std::vector<const Variant *> ran = run_chosen(variant, device, request, result, how);
    watch.finish();
    output = std::move(result);
    measurement.write(device, *variant, ran);
    return {device, variant};
} catch (...) {
    leave_with_error([&] { return name(); });
}

}  // namespace tilewright
