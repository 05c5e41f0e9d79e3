// The forms of gaussian_blur that add one tap after another, for blurs of any radius and for some.
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/integers.h"
#include "runtime/operators/gaussian_blur/forms.h"
#include <algorithm>
#include <cstdint>

namespace tilewright {

void bind_image(Launch &launch, const GaussianBlurRequest &request, Array &output) {
    launch.in("image", request.image(), rows_of(request.image()))
        .value("border", (int32_t)request.border)
        .out("output", output, rows_of(output));
}

namespace {

// The weights of both passes.
void bind_passes(Launch &launch, const GaussianBlurRequest &request) {
    const Type pixel = request.image().type();
    launch.in("weights", request.weights->integers(pixel))
        .in("weights_y", request.weights_y->integers(pixel))
        .value("multiplier", request.numbers().bytes.multiplier)
        .value("multiplier_y", request.numbers_y().bytes.multiplier);
}

}  // namespace

// The sides of the image between the passes are whole tiles: a column of pixels is as wide as one.
bool GaussianBlurTaps::serves(
    const Variant &variant, const GaussianBlurRequest &request, const Array &output) const {
    const int64_t width = variant.tunable("width", 1),
                  height = (int64_t)variant.tunable("height", 1) * variant.tunable("rows", 1);
    const bool counts =
        variant.backend == Backend::cpu ||
        round_up(request.elements_of_row(), width) * round_up(request.image().shape()[0], height) < INT32_MAX;
    return counts && BlurForm::serves(variant, request, output);
}

void bind_taps(Launch &launch, const Variant &, const GaussianBlurRequest &request, Array &output) {
    bind_image(launch, request, output);
    launch.value("channels", (int32_t)request.channels());
    bind_passes(launch, request);
}

namespace {

constexpr GaussianBlurTaps definition("gaussian_blur"), lines("gaussian_blur_lines");

constexpr GaussianBlurTaps terms("gaussian_blur_terms", nullptr, {},
    [](Launch &launch, const Variant &, const GaussianBlurRequest &request, Array &output) {
        bind_image(launch, request, output);
        launch.value("channels", (int32_t)request.channels())
            .in("weights", request.weights->integers(request.image().type()));
    });

// Sums of 16 bits.
constexpr BlurForm<GaussianBlurRequest> short_sums(
    "gaussian_blur_short_sums",
    [](Launch &launch, const Variant &, const GaussianBlurRequest &request, Array &output) {
        const IntegerTaps &bytes = request.numbers().bytes;
        bind_image(launch, request, output);
        launch.value("channels", (int32_t)request.channels())
            .in("taps", request.weights->short_taps())
            .value("start", bytes.short_sums.start)
            .value("sum", bytes.sum)
            .value("multiplier", bytes.multiplier);
    },
    [](const Variant &variant, const GaussianBlurRequest &request, const Array &) {
        return request.numbers().bytes.short_sums.means ==
               variant.configuration<GaussianBlurShortSumsConfiguration>().means;
    });

// Image and output have the dimensions x, y and channel, also where there is one channel alone. A band of the
// image between the passes has whole tiles of rows.
constexpr BlurForm<GaussianBlurRequest> by_chunks(
    "gaussian_blur_chunks",
    [](Launch &launch, const Variant &, const GaussianBlurRequest &request, Array &output) {
        const auto pixels_of = [&](const Array &array) {
            const int64_t channels = request.channels();
            return View{halide_type(array.type()),
                {{array.shape()[1], channels}, {array.shape()[0], array.strides()[0]}, {channels, 1}},
                array.offset_bytes()};
        };
        launch.in("image", request.image(), pixels_of(request.image()))
            .value("border", (int32_t)request.border)
            .out("output", output, pixels_of(output));
        bind_passes(launch, request);
    },
    [](const Variant &variant, const GaussianBlurRequest &request, const Array &) {
        const int64_t own = variant.tunable("own"),
                      rows = std::min(
                          round_up(request.image().shape()[0], own), int64_t(gaussian_blur_lines_of_tile)),
                      elements = request.elements_of_row() + 2 * request.elements_of_halo();
        return rows * (elements + own * request.channels()) < INT32_MAX;
    },
    {.two_sigmas = true});

}  // namespace

std::vector<const Form *> forms_by_taps() {
    return {&definition, &lines, &by_chunks, &terms, &short_sums};
}

}  // namespace tilewright
