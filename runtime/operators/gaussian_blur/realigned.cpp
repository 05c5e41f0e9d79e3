// The form of gaussian_blur that blurs copies whose rows are aligned.
#include "runtime/operators/gaussian_blur/forms.h"

namespace tilewright {

namespace {

bool is_aligned(const Array &array) {
    return in_words(array, Backend::cuda, 16);
}

// Copies the image, runs the variant that `tuned` takes for the copy, and copies its result. An array that is
// aligned already is not copied, and none is where that variant takes the arrays as they are.
struct RealignedForm final : BlurForm<GaussianBlurRequest> {
    using BlurForm::BlurForm;

    // So no variant is chosen for the copies that would copy them again.
    bool serves(const Variant &, const GaussianBlurRequest &request, const Array &output) const override {
        return !is_aligned(request.image()) || !is_aligned(output);
    }

    Plan plan(const OperatorOf<GaussianBlurRequest> &op, const Variant &variant, Device device,
        const GaussianBlurRequest &request, Array &output) const override {
        const auto like = [](const Array &array) {
            return is_aligned(array) ? array : Array::uninitialized(array.type(), array.shape());
        };
        GaussianBlurRequest inner = request;
        inner.inputs[0] = like(request.image());
        Array result = like(output);
        const Variant &chosen = op.choose(inner, result, "tuned", device);
        if (op.serves(chosen, request, output)) {
            return op.plan(chosen, device, request, output);
        }
        Plan plan;
        const auto copy = [&](const Array &from, Array &to) {
            plan.launch(variant, device).in("image", from, rows_of(from)).out("output", to, rows_of(to));
        };
        if (!is_aligned(request.image())) {
            copy(request.image(), inner.inputs[0]);
        }
        plan.append(op.plan(chosen, device, inner, result));
        if (!is_aligned(output)) {
            copy(result, output);
        }
        return plan;
    }
};

constexpr RealignedForm realigned("gaussian_blur_realigned");

}  // namespace

std::vector<const Form *> forms_by_copies() {
    return {&realigned};
}

}  // namespace tilewright
