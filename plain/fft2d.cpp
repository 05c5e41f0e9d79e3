// The definition of fft2d as plain loops: the transform of the rows, then of the columns.
#include "plain/elements.h"
#include "plain/fft.h"
#include "tilewright/plain.h"
#include <algorithm>
#include <bit>

namespace tilewright::plain {

Array fft2d(std::span<const Array> inputs, const Settings &settings, Backend) {
    const bool inverse = settings.text("direction", "forward") == "inverse";
    const bool pads = settings.text("pad", "no") == "yes";
    const auto side = [&](int64_t n) { return pads ? (int64_t)std::bit_ceil((uint64_t)n) : n; };
    const int64_t h = side(height(inputs[0])), w = side(width(inputs[0]));
    Array field = complex_field(inputs[0], h, w);
    for_rows(field, Fft(w, inverse ? 1 : -1));
    for_columns(field, Fft(h, inverse ? 1 : -1));
    if (inverse) {
        std::for_each_n(numbers(field), h * w, [&](Complex &u) { u /= (double)(h * w); });
    }
    return field;
}

}  // namespace tilewright::plain
