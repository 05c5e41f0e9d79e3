// Which rows of a fixed radius serve a blur, and the arguments of their libraries
// (generators/gaussian_blur_window_generators.h).
#include "runtime/operators/gaussian_blur/window.h"
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/integers.h"
#include <algorithm>
#include <string>

namespace tilewright {

namespace {

// Whether rows begin at multiples of 16 bytes. OpenCL has no views on parts of a buffer in other units than
// the array's own.
bool in_words(const Array &array, const Row &row) {
    const int64_t pitch = array.strides()[0] * (int64_t)size_of(array.type());
    const bool whole =
        row.backend != Backend::opencl || array.type() != Type::u8 || array.offset_bytes() == 0;
    return whole && pitch % 16 == 0 && array.offset_bytes() % 16 == 0;
}

// Whether the weights are words of taps.
bool has_tap_words(const Row &row) {
    return row.form == "gaussian_blur_window_dot" || row.form == "gaussian_blur_window_colours";
}

bool accepts_elements(const GaussianBlurWindowRow &window, const GaussianBlurRequest &request) {
    const Array &image = request.image();
    return !window.large ||
           (request.border != Border::zero && image.shape()[1] >= window.least_width(window.radius) &&
               image.shape()[0] >= window.least_height(window.radius));
}

bool accepts_bytes(
    const Row &row, const GaussianBlurWindowConfiguration &window, const GaussianBlurRequest &request) {
    const IntegerTaps &taps = request.numbers().bytes;
    if (!taps.fits_f32()) {
        return false;
    }
    if (!has_tap_words(row)) {
        return true;
    }
    const bool whole_words = request.image().shape()[1] % 4 == 0 && request.border == Border::reflect;
    return taps.high <= window.high && (window.any_width || whole_words);
}

// The rows of an image as they are, or of bytes as words; a word may end after the last byte of its row.
View window_view(const Array &array) {
    if (array.type() != Type::u8) {
        return rows_of(array);
    }
    return {halide_type(Type::u32),
        {{ceil_div(array.shape()[1] * BlurRequest::channels_of(array), 4), 1},
            {array.shape()[0], array.strides()[0] / 4}},
        array.offset_bytes()};
}

// How coordinates outside the image are brought inside: the numbers of BorderMap
// (generators/algorithms/gaussian_blur/window.h).
void bind_border(Launch &launch, Border border, int32_t w, int32_t h) {
    const bool mirrors = border == Border::reflect || border == Border::mirror;
    const auto high = [=](int32_t n) {
        return border == Border::reflect ? 2 * n - 1 : border == Border::mirror ? 2 * n - 2 : n - 1;
    };
    launch.value("turn", mirrors ? -1 : 0)
        .value("low", border == Border::reflect ? -1 : 0)
        .value("high_x", high(w))
        .value("high_y", high(h))
        .value("zero", border == Border::zero ? 1 : 0);
}

// The tap words of each phase that meet taps |i| < limit: lowerPHASE_K or upperPHASE_K.
void bind_tap_words(
    Launch &launch, const std::string &name, const IntegerTaps &taps, int radius, int limit, bool high) {
    const int rounded = round_up(radius, 4);
    for (int phase = 0; phase < 4; phase++) {
        for (int k = 0; k <= rounded / 2; k++) {
            const int first = 4 * k - rounded - phase;  // the tap that byte 0 of the word meets
            if (limit > 0 && first < limit && first + 3 > -limit) {
                launch.value(name + std::to_string(phase) + "_" + std::to_string(k),
                    tap_word(taps, radius, phase, k, high));
            }
        }
    }
}

// The weights of the taps 0 ... radius, zero beyond the radius of the blur: weight0, weight1 ... They are
// floats, or integers for u16.
void bind_weights(Launch &launch, Type pixel, const GaussianWeights &numbers, int radius) {
    for (int i = 0; i <= radius; i++) {
        const std::string name = "weight" + std::to_string(i);
        if (pixel == Type::u16) {
            launch.value(name, numbers.words16.at(i));
            continue;
        }
        const float weight = i > numbers.radius ? 0.f :
                             pixel == Type::u8  ? (float)numbers.bytes.at(i) :
                                                  numbers.real[(size_t)i];
        launch.value(name, weight);
    }
}

}  // namespace

bool is_window(const Row &row) {
    return row.form.starts_with("gaussian_blur_window");
}

bool window_accepts(const Row &row, const GaussianBlurRequest &request, const Array &output) {
    const Array &image = request.image();
    const GaussianBlurWindowRow window(row.configuration<GaussianBlurWindowConfiguration>(),
        [&](const char *name) { return row.tunable(name); });
    const int64_t radius = request.numbers().radius, smallest = std::min(image.shape()[0], image.shape()[1]);
    const bool fits = radius <= window.radius && radius < smallest && request.channels() == window.channels &&
                      image.shape()[0] <= window.most_height();
    return fits && in_words(image, row) && in_words(output, row) &&
           (image.type() == Type::u8 ? accepts_bytes(row, window, request) :
                                       accepts_elements(window, request));
}

void bind_window(Launch &launch, const Row &row, const GaussianBlurRequest &request, Array &output) {
    const Array &image = request.image();
    const GaussianWeights &numbers = request.numbers();
    const int32_t w = (int32_t)image.shape()[1], h = (int32_t)image.shape()[0];
    const auto window = row.configuration<GaussianBlurWindowConfiguration>();
    launch.in("image", image, window_view(image));
    if (image.type() == Type::u8) {
        launch.value("width", w).value("multiplier", numbers.bytes.multiplier);
    }
    bind_border(launch, request.border, w, h);
    if (has_tap_words(row)) {
        bind_tap_words(launch, "lower", numbers.bytes, window.radius, window.radius + 1, false);
        bind_tap_words(launch, "upper", numbers.bytes, window.radius, window.high, true);
    } else {
        bind_weights(launch, image.type(), numbers, window.radius);
    }
    launch.out("output", output, window_view(output));
}

}  // namespace tilewright
