// The forms of gaussian_blur for radii below the image's width and height.
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/integers.h"
#include "runtime/operators/gaussian_blur/forms.h"
#include <algorithm>

namespace tilewright {

namespace {

bool is_near(const Variant &, const GaussianBlurRequest &request, const Array &) {
    const std::vector<int64_t> &shape = request.image().shape();
    return request.numbers_y().radius < shape[0] && request.numbers().radius < shape[1];
}

// Images of a device hold the rows and what continues them beyond the border.
bool fits_texture(const Variant &variant, const GaussianBlurRequest &request) {
    const int64_t across =
        request.elements_of_row() + 2 * request.elements_of_halo() + variant.tunable("width");
    return std::max(across, request.image().shape()[0] + variant.tunable("height")) <= most_of_device_image;
}

// Whether a block has the shared memory for its tile with the halo, and for the same blurred down columns.
bool fits_shared(const Variant &variant, const GaussianBlurRequest &request) {
    constexpr int64_t most_bytes_of_block = 48 << 10;
    const int64_t width = variant.tunable("width"), height = variant.tunable("height");
    const int64_t across = width + round_up(2 * request.elements_of_halo(), width),
                  down = height + 2 * (int64_t)request.numbers_y().radius;
    return 2 * (across * (down + height - 1) / height * height) * (int64_t)size_of(request.image().type()) <=
           most_bytes_of_block;
}

// The image between the passes is where the variant says.
bool fits_between(const Variant &variant, const GaussianBlurRequest &request, const Array &output) {
    using Between = GaussianBlurNearConfiguration::Between;
    const Between between = variant.configuration<GaussianBlurNearConfiguration>().between;
    return is_near(variant, request, output) &&
           (between == Between::textures ? fits_texture(variant, request) :
               between == Between::tiles ? fits_shared(variant, request) :
                                           true);
}

constexpr GaussianBlurTaps near("gaussian_blur_near", fits_between), branch("gaussian_blur_branch", is_near),
    half("gaussian_blur_half", fits_between,
        {.two_sigmas = true, .own_error = [](const Variant &) { return BlurError{.bits = 11}; }});

// Libraries that compute the weights, of a window that is not folded. The standard leaves the error of
// native_exp open, so the device's own exp() may have that of half_exp: 8192 units in the last place per
// weight.
constexpr GaussianBlurTaps by_exp(
    "gaussian_blur_exp",
    [](const Variant &variant, const GaussianBlurRequest &request, const Array &output) {
        return request.numbers().folding == Folding() && is_near(variant, request, output);
    },
    {.own_error =
            [](const Variant &variant) {
                const bool own = variant.configuration<GaussianBlurExpConfiguration>().own_exp;
                return BlurError{.weights = own ? 2 * 2 * 8192 : 64};
            }},
    [](Launch &launch, const Variant &variant, const GaussianBlurRequest &request, Array &output) {
        bind_taps(launch, variant, request, output);
        // -1 / 2 sigma^2, and finite: the middle weight is exp(0).
        launch.value("exponent", (float)std::max(-.5 / (request.sigma * request.sigma), -1e30));
    });

}  // namespace

std::vector<const Form *> forms_of_near_blurs() {
    return {&near, &half, &branch, &by_exp};
}

}  // namespace tilewright
