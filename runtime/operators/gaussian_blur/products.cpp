// The form of gaussian_blur by products of bytes, for the tensor cores of NVIDIA's GPUs.
#include "generators/algorithms/integers.h"
#include "runtime/operators/gaussian_blur/forms.h"
#include <algorithm>

namespace tilewright {

namespace {

// Its tiles are of 32 outputs of 32 lines.
constexpr int side = 32;

// Word, lane, half, step.
View fragments_view(const Array &fragments) {
    return {halide_type(Type::u32), {{4, 1}, {32, 4}, {2, 128}, {fragments.size() / 256, 256}}};
}

// Image and output are rows of words.
struct ProductsForm final : BlurForm<GaussianBlurRequest> {
    using BlurForm::BlurForm;

    // A reflection reaches as far as the image is large.
    bool serves(
        const Variant &variant, const GaussianBlurRequest &request, const Array &output) const override {
        const Array &image = request.image();
        return request.numbers().radius < std::min(image.shape()[0], image.shape()[1]) &&
               in_words(image, variant.backend, 4) && in_words(output, variant.backend, 4) &&
               fits_shared(variant, request);
    }

    void bind(Launch &launch, const Variant &variant, const GaussianBlurRequest &request,
        Array &output) const override {
        const BlurWeights &weights = *request.weights;
        const IntegerTaps &taps = request.numbers().bytes;
        launch.in("image", request.image(), window_view(request.image()))
            .value("width", (int32_t)request.image().shape()[1])
            .value("band", groups_of_band(variant, request))
            .value("reach", TapFragments::low(taps).reach)
            .value("high_first", TapFragments::high(taps).first);
        bind_border(launch, request);
        launch.value("multiplier", taps.multiplier)
            .in("low_taps", weights.low_fragments(), fragments_view(weights.low_fragments()))
            .in("high_taps", weights.high_fragments(), fragments_view(weights.high_fragments()))
            .out("output", output, window_view(output));
    }

private:
    // Whether a block has the shared memory for the words of its lines, and for its outputs: on CUDA, GPUs of
    // compute capability 8.0 and above have 99 KB or more.
    static bool fits_shared(const Variant &variant, const GaussianBlurRequest &request) {
        const int64_t most_bytes_of_block = (variant.backend == Backend::cuda ? 99 : 48) << 10;
        const int64_t lines = variant.tunable("lines"), outputs = variant.tunable("outputs"),
                      words = side / 4 * (outputs - 1 + TapFragments::low(request.numbers().bytes).steps);
        return 4 * (words * (side * lines + 8) + side * side / 4 * lines * outputs) <= most_bytes_of_block;
    }

    // Groups of lines in a band: the rows are divided into as many equal bands as there must be for one to
    // have about `band` * 2^20 pixels.
    static int32_t groups_of_band(const Variant &variant, const GaussianBlurRequest &request) {
        const int64_t rows = request.image().shape()[0], lines = side * variant.tunable("lines"),
                      outputs = side * variant.tunable("outputs"), pixels = rows * request.image().shape()[1],
                      bands = ceil_div(pixels, (int64_t)variant.tunable("band") << 20);
        const int64_t rows_of_band = bands > 1 ? round_up(ceil_div(rows, bands), outputs) : rows;
        return (int32_t)ceil_div(rows_of_band, lines);
    }
};

constexpr ProductsForm products("gaussian_blur_products");

}  // namespace

std::vector<const Form *> forms_by_products() {
    return {&products};
}

}  // namespace tilewright
