#pragma once
// What fft2d and fresnel share: both transform a field, into which they write what they are given. Not
// installed.
#include "generators/algorithms/fft2d/mixed_shape.h"
#include "runtime/dispatch/operator_of.h"
#include "runtime/operators/fft_passes.h"
#include <span>
#include <type_traits>

namespace tilewright {

// Writes the inputs into a field of zeros, c64 or c128: from its first element on, or into its middle. They
// are a field of the same type, or an amplitude u8, u16, f32 or f64 and, where there are two, its phase. Full
// scale of integers is amplitude 1 and phase 2 pi.
void write_field(std::span<const Array> inputs, Array &field, bool in_the_middle);

// Adds passes to a plan. Kernels of GPUs load and store whole numbers: a copy takes the place of an array
// that begins between two of them, as memory of another library may.
void add_passes(const PassPlan &passes, Plan &plan, const Array &field, Array &output);

struct FieldRequest : Request {
    int64_t height = 0, width = 0;  // of the field that is transformed, with the zeros that are added
    bool in_the_middle = false;     // where the inputs are among the zeros
    Type field_type = Type::c64;

    int64_t bytes() const {
        return height * width * (int64_t)size_of(Type::c64);
    }
    bool pads() const {
        return inputs[0].shape() != std::vector<int64_t>{height, width};
    }
};

// `R` derives from FieldRequest. A form is given a request whose input is the field.
template<typename R>
class FieldOperator : public OperatorOf<R> {
public:
    using OperatorOf<R>::OperatorOf;
    using OperatorOf<R>::plan;

    Plan plan(const Variant &variant, Device device, const R &request, Array &output) const override {
        const bool pads = request.pads();
        if (request.inputs[0].type() == request.field_type && !pads) {
            return OperatorOf<R>::plan(variant, device, request, output);
        }
        const std::vector<int64_t> shape = {request.height, request.width};
        Array field =
            pads ? Array(request.field_type, shape) : Array::uninitialized(request.field_type, shape);
        R of_field = request;
        of_field.inputs = {field};
        Plan plan;
        plan.host([inputs = request.inputs, field, in_the_middle = request.in_the_middle]() mutable {
            write_field(inputs, field, in_the_middle);
        });
        plan.append(OperatorOf<R>::plan(variant, device, of_field, output));
        return plan;
    }
};

// A form of fft2d or fresnel. The rows of one call are of several forms: `passes` says which they are.
template<typename R>
class FieldForm : public FormOf<R> {
public:
    using Passes = PassPlan (*)(const Variant &variant, Device device, const R &request);
    constexpr FieldForm(std::string_view name, Passes passes) : FormOf<R>(name), passes_(passes) {}

    // The variants are passes that the same plan puts together, and documented steps.
    bool equals_tuned(const Variant &) const override {
        return false;
    }

    Plan plan(const OperatorOf<R> &, const Variant &variant, Device device, const R &request,
        Array &output) const override {
        Plan plan;
        add_passes(passes_(variant, device, request), plan, request.inputs[0], output);
        return plan;
    }

protected:
    // Whether the variant takes part on a device of this machine. Devices of one name run the same passes.
    bool takes_part(const Variant &variant, const R &request) const {
        const auto on = [&](Device device) { return passes_(variant, device, request).uses(variant); };
        const std::string *asked = nullptr;
        for (const DeviceInfo &info : devices(variant.backend)) {
            if (!info.usable || (asked && *asked == info.name)) {
                continue;
            }
            asked = &info.name;
            if (on(info.device)) {
                return true;
            }
        }
        return !asked && on({variant.backend, 0});
    }

private:
    const Passes passes_;
};

// A step serves the fields whose transform it takes part in, and one of a `Shape` with `serves_all` all.
template<typename R, typename Shape = void>
class FftStepForm : public FieldForm<R> {
public:
    using FieldForm<R>::FieldForm;

    bool serves(const Variant &variant, const R &request, const Array &) const override {
        if constexpr (!std::is_void_v<Shape>) {
            if (variant.configuration<Shape>().serves_all) {
                return true;
            }
        }
        return this->takes_part(variant, request);
    }
};

template<typename R>
using FftMixedForm = FftStepForm<R, FftMixedShape>;

// `Arguments` derives from FftArguments.
template<typename R, typename Arguments>
struct FftPassForm final : FftStepForm<R, FftPassShape>, Arguments {
    using FftStepForm<R, FftPassShape>::FftStepForm;
};

// The transpose between passes over rows. As a variant of its own it serves whole tiles.
template<typename R>
class FftTransposeForm : public FieldForm<R> {
public:
    using FieldForm<R>::FieldForm;

    bool serves(const Variant &variant, const R &request, const Array &) const override {
        const int64_t tile = variant.tunable("tile");
        return request.height % tile == 0 && request.width % tile == 0;
    }
};

}  // namespace tilewright
