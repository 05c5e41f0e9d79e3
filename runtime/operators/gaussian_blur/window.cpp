// The forms of gaussian_blur with a fixed radius (generators/gaussian_blur_window_generators.h): their
// weights are numbers in place of an array, and u8 images are rows of words.
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/integers.h"
#include "runtime/operators/gaussian_blur/forms.h"
#include <algorithm>
#include <string>

namespace tilewright {

// OpenCL has no views on parts of a buffer in other units than the array's own.
bool in_words(const Array &array, Backend backend, int bytes) {
    const int64_t pitch = array.strides()[0] * (int64_t)size_of(array.type());
    const bool whole = backend != Backend::opencl || array.type() != Type::u8 || array.offset_bytes() == 0;
    return whole && pitch % bytes == 0 && array.offset_bytes() % bytes == 0;
}

View window_view(const Array &array) {
    if (array.type() != Type::u8) {
        return rows_of(array);
    }
    return {halide_type(Type::u32),
        {{ceil_div(array.shape()[1] * BlurRequest::channels_of(array), 4), 1},
            {array.shape()[0], array.strides()[0] / 4}},
        array.offset_bytes()};
}

void bind_border(Launch &launch, const GaussianBlurRequest &request, bool with_zero) {
    const Border border = request.border;
    const bool mirrors = border == Border::reflect || border == Border::mirror;
    const auto high = [=](int64_t n) {
        return (int32_t)(border == Border::reflect ? 2 * n - 1 :
                         border == Border::mirror  ? 2 * n - 2 :
                                                     n - 1);
    };
    launch.value("turn", mirrors ? -1 : 0)
        .value("low", border == Border::reflect ? -1 : 0)
        .value("high_x", high(request.image().shape()[1]))
        .value("high_y", high(request.image().shape()[0]));
    if (with_zero) {
        launch.value("zero", border == Border::zero ? 1 : 0);
    }
}

namespace {

// A form whose weights are numbers, one per tap.
struct WindowForm : BlurForm<GaussianBlurRequest> {
    using BlurForm::BlurForm;

    bool serves(
        const Variant &variant, const GaussianBlurRequest &request, const Array &output) const override {
        const Array &image = request.image();
        const GaussianBlurWindowVariant window(variant.configuration<GaussianBlurWindowConfiguration>(),
            [&](const char *name) { return variant.tunable(name); });
        const int64_t radius = request.numbers().radius, h = image.shape()[0], w = image.shape()[1];
        return radius < std::min(h, w) && h <= window.most_height() && in_words(image, variant.backend, 16) &&
               in_words(output, variant.backend, 16) && (!window.table || request.border != Border::zero) &&
               serves_taps(window, request);
    }

protected:
    virtual bool serves_taps(const GaussianBlurWindowVariant &, const GaussianBlurRequest &) const {
        return true;
    }

    void bind(Launch &launch, const Variant &variant, const GaussianBlurRequest &request,
        Array &output) const override {
        const Array &image = request.image();
        launch.in("image", image, window_view(image));
        if (image.type() == Type::u8) {
            launch.value("width", (int32_t)image.shape()[1])
                .value("multiplier", request.numbers().bytes.multiplier);
        }
        bind_border(launch, request);
        bind_weights(launch, variant.configuration<GaussianBlurWindowConfiguration>(), request);
        launch.out("output", output, window_view(output));
    }

    // The weights of the taps 0 ... radius, zero beyond the radius of the blur: weight0, weight1 ... They are
    // floats, doubles for f64, or integers for u16 beside the same as fractions.
    virtual void bind_weights(Launch &launch, const GaussianBlurWindowConfiguration &window,
        const GaussianBlurRequest &request) const {
        const Type pixel = request.image().type();
        const GaussianWeights &numbers = request.numbers();
        const double *exact = pixel == Type::f64 ? request.weights->integers(pixel).as<double>() : nullptr;
        for (int i = 0; i <= window.radius; i++) {
            const std::string number = std::to_string(i);
            if (pixel == Type::u16) {
                const uint32_t weight = numbers.words16.at(i);
                launch.value("weight" + number, weight).value("fraction" + number, (float)weight * 0x1p-24f);
                continue;
            }
            if (pixel == Type::f64) {
                launch.value("weight" + number, i > numbers.radius ? 0. : exact[numbers.radius + i]);
                continue;
            }
            launch.value("weight" + number, i > numbers.radius ? 0.f : numbers.real[(size_t)i]);
        }
    }
};

// A form for u8, whose weights are words of taps.
struct TapWindowForm final : WindowForm {
    using WindowForm::WindowForm;

    bool serves_taps(
        const GaussianBlurWindowVariant &window, const GaussianBlurRequest &request) const override {
        const IntegerTaps &taps = request.numbers().bytes;
        const bool whole_words = request.image().shape()[1] % 4 == 0 && request.border == Border::reflect;
        return taps.fits_f32() && taps.reach() <= window.radius && taps.high <= window.high &&
               (window.any_width || whole_words);
    }

    void bind_weights(Launch &launch, const GaussianBlurWindowConfiguration &window,
        const GaussianBlurRequest &request) const override {
        const IntegerTaps &taps = request.numbers().bytes;
        bind_words(launch, taps, window.radius, {.name = "lower", .limit = window.radius + 1});
        bind_words(launch, taps, window.radius, {.name = "upper", .limit = window.high, .high = true});
    }

private:
    // One byte of the taps |i| < limit: the lower one, or the higher one.
    struct Bytes {
        const char *name;
        int limit;
        bool high = false;
    };

    // The words of each phase that meet these taps: lowerPHASE_K or upperPHASE_K.
    static void bind_words(Launch &launch, const IntegerTaps &taps, int radius, const Bytes &bytes) {
        const int rounded = round_up(radius, 4);
        for (int phase = 0; phase < 4; phase++) {
            for (int k = 0; k <= rounded / 2; k++) {
                const int first = 4 * k - rounded - phase;  // the tap that byte 0 of the word meets
                if (bytes.limit > 0 && first < bytes.limit && first + 3 > -bytes.limit) {
                    launch.value(bytes.name + std::to_string(phase) + "_" + std::to_string(k),
                        tap_word(taps, radius, phase, k, bytes.high));
                }
            }
        }
    }
};

constexpr WindowForm window("gaussian_blur_window");
constexpr TapWindowForm window_dot("gaussian_blur_window_dot"), colours("gaussian_blur_window_colours");

}  // namespace

std::vector<const Form *> forms_with_windows() {
    return {&window, &window_dot, &colours};
}

}  // namespace tilewright
