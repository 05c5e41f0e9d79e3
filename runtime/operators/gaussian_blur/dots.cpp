// The forms of gaussian_blur by dot products.
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "runtime/operators/gaussian_blur/forms.h"

namespace tilewright {

namespace {

// The taps as a library reads them: element, group, phase.
View by_phases(const Array &taps, int64_t group) {
    const halide_type_t type = group == 4 ? halide_type_of<uint8_t>() : halide_type_of<int16_t>();
    const int64_t n = taps.size() / (group * group);
    return {type, {{group, 1}, {n, group}, {group, group * n}}};
}

// Whether the sums of the variant hold the taps.
bool holds_taps(const Variant &variant, const GaussianBlurRequest &request, const Array &) {
    const GaussianWeights &numbers = request.numbers();
    return request.image().type() == Type::u16 ? fits_split_taps(numbers.words16) :
           variant.configuration<GaussianBlurDotsConfiguration>().group == 4 ?
                                                 numbers.bytes.fits_two_bytes() :
                                                 numbers.bytes.fits_pairs();
}

void bind(Launch &launch, const Variant &variant, const GaussianBlurRequest &request, Array &output) {
    const BlurWeights &weights = *request.weights;
    const IntegerTaps &bytes = request.numbers().bytes;
    const int group = variant.configuration<GaussianBlurDotsConfiguration>().group;
    const bool is_u16 = request.image().type() == Type::u16;
    const Array &low = is_u16     ? weights.low16() :
                       group == 4 ? weights.low() :
                                    weights.pairs(),
                &high = is_u16     ? weights.high16() :
                        group == 4 ? weights.high() :
                                     weights.pairs();
    bind_image(launch, request, output);
    launch.in("low", low, by_phases(low, group))
        .in("high", high, by_phases(high, group))
        .value("rounding", bytes.half() + 128 * bytes.sum)
        .value("multiplier", bytes.multiplier);
}

constexpr BlurForm<GaussianBlurRequest> dots("gaussian_blur_dots", bind, holds_taps),
    dot_rows("gaussian_blur_dot_rows", bind, holds_taps);

}  // namespace

std::vector<const Form *> forms_by_dots() {
    return {&dots, &dot_rows};
}

}  // namespace tilewright
