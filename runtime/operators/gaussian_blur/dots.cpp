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

struct DotsForm : BlurForm<GaussianBlurRequest> {
    using BlurForm::BlurForm;

    // The row's channels and radius, and taps that its sums hold.
    bool serves(const Variant &variant, const GaussianBlurRequest &request, const Array &) const override {
        const auto serves = variant.configuration<GaussianBlurDotsConfiguration>();
        const GaussianWeights &numbers = request.numbers();
        return request.channels() == serves.channels && is_within(numbers.radius, serves.most_radius) &&
               (request.image().type() == Type::u16 ? fits_split_taps(numbers.words16) :
                                                      serves.group == 4 || numbers.bytes.fits_pairs());
    }

    bool is_meant_for(const Variant &variant, const Measures &measures) const override {
        const auto serves = variant.configuration<GaussianBlurDotsConfiguration>();
        return is_within(columns_with_halo(measures), serves.most_columns);
    }
    void bind(Launch &launch, const Variant &variant, const GaussianBlurRequest &request,
        Array &output) const override {
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
};

// It reads the image in order, and keeps several rows.
struct DotRowsForm final : DotsForm {
    using DotsForm::DotsForm;

    bool serves(
        const Variant &variant, const GaussianBlurRequest &request, const Array &output) const override {
        return can_keep_rows(request) && DotsForm::serves(variant, request, output);
    }
};

constexpr DotsForm dots("gaussian_blur_dots");
constexpr DotRowsForm dot_rows("gaussian_blur_dot_rows");

}  // namespace

std::vector<const Form *> forms_by_dots() {
    return {&dots, &dot_rows};
}

}  // namespace tilewright
