// The form of gaussian_blur that blurs the channels of an image as planes.
#include "runtime/dispatch/parts.h"
#include "runtime/operators/gaussian_blur/forms.h"

namespace tilewright {

namespace {

// The rows of all planes of an image, and of one more: the result of a plane lies one plane before it, where
// no plane is that is still to be blurred.
std::vector<int64_t> shape_of_planes(const Array &image) {
    return {(BlurRequest::channels_of(image) + 1) * image.shape()[0], image.shape()[1]};
}

// Copies the channels to planes, runs for each the variant that `tuned` takes for one channel, and copies the
// results back. Where that variant takes several channels as well, it does so without copies.
struct PlanesForm final : BlurForm<GaussianBlurRequest> {
    using BlurForm::BlurForm;

    // A library addresses all planes at once.
    bool serves(const Variant &, const GaussianBlurRequest &request, const Array &) const override {
        const std::vector<int64_t> shape = shape_of_planes(request.image());
        return shape[0] <= most_bytes / pitch_in_bytes(request.image().type(), shape);
    }

    Plan plan(const OperatorOf<GaussianBlurRequest> &op, const Variant &variant, Device device,
        const GaussianBlurRequest &request, Array &output) const override {
        const Array &image = request.image();
        const int64_t h = image.shape()[0], w = image.shape()[1], channels = request.channels();
        Array planes = Array::uninitialized(image.type(), shape_of_planes(image));
        const auto plane = [&](int64_t number) { return planes.crop(number * h, 0, h, w); };
        GaussianBlurRequest inner = request;
        inner.output_shape = {h, w};
        inner.inputs = {plane(1)};
        Array result = plane(0);
        const Variant &chosen = op.choose(inner, result, "tuned", device);
        if (op.serves(chosen, request, output)) {
            return op.plan(chosen, device, request, output);
        }
        const auto view_from = [&](int64_t number) {
            View view = tilewright::image(plane(number));
            view.dims.push_back({channels, h * planes.strides()[0]});
            return view;
        };
        Plan plan;
        plan.launch(variant, device).in("image", image).out("output", planes, view_from(1));
        for (int64_t number = 0; number < channels; number++) {
            inner.inputs = {plane(number + 1)};
            result = plane(number);
            plan.append(op.plan(chosen, device, inner, result));
        }
        plan.launch(variant, device).in("image", planes, view_from(0)).out("output", output);
        return plan;
    }
};

constexpr PlanesForm planes("gaussian_blur_planes");

}  // namespace

std::vector<const Form *> forms_by_planes() {
    return {&planes};
}

}  // namespace tilewright
