// The definition of fft2d as plain loops: the transform of the rows, then of the columns. With `half`, real
// values, or the columns 0 ... width / 2 of their spectrum.
#include "plain/elements.h"
#include "plain/fft.h"
#include "tilewright/plain.h"
#include <algorithm>
#include <bit>

namespace tilewright::plain {

// The first columns of a field.
static Array first_columns(Array &field, int64_t columns) {
    const int64_t h = field.shape()[0], w = field.shape()[1];
    Array part(Type::f64, {h, columns, 2}, 0);
    for (int64_t y = 0; y < h; y++) {
        std::copy_n(numbers(field) + y * w, columns, numbers(part) + y * columns);
    }
    return part;
}

// Columns first; then a row is the spectrum of real values, whose other half follows from this one.
static Array real_values(const Array &spectrum, int64_t w) {
    const int64_t h = height(spectrum), n = width(spectrum);
    Array field = complex_field(spectrum, h, w), values(Type::f64, {h, w}, 0);
    for_columns(field, Fft(h, 1));
    for_rows(field, [&](Complex *row) {
        row[0] = row[0].real();
        for (int64_t k = n; k < w; k++) {
            row[k] = std::conj(row[w - k]);
        }
        if (w % 2 == 0) {
            row[w / 2] = row[w / 2].real();
        }
    });
    for_rows(field, Fft(w, 1));
    std::transform(numbers(field), numbers(field) + h * w, values.as<double>(),
        [&](const Complex &u) { return u.real() / (double)(h * w); });
    return values;
}

Array fft2d(std::span<const Array> inputs, const Settings &settings, Backend) {
    const bool inverse = settings.text("direction", "forward") == "inverse";
    const bool pads = settings.text("pad", "no") == "yes", half = settings.text("half", "no") == "yes";
    const auto side = [&](int64_t n) { return pads ? (int64_t)std::bit_ceil((uint64_t)n) : n; };
    const int64_t h = side(height(inputs[0])), w = side(width(inputs[0]));
    if (half && inverse) {
        const auto given = (int64_t)settings.number("width", 0);
        return real_values(inputs[0], given > 0 ? given : std::max<int64_t>(2 * w - 2, 1));
    }
    Array field = complex_field(inputs[0], h, w);
    for_rows(field, Fft(w, inverse ? 1 : -1));
    for_columns(field, Fft(h, inverse ? 1 : -1));
    if (inverse) {
        std::for_each_n(numbers(field), h * w, [&](Complex &u) { u /= (double)(h * w); });
    }
    return half ? first_columns(field, w / 2 + 1) : field;
}

}  // namespace tilewright::plain
