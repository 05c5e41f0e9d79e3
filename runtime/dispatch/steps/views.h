#pragma once
// How libraries see arrays: windows of Halide's shape on their memory. Not installed.
#include "tilewright/array.h"
#include <HalideRuntime.h>
#include <vector>

namespace tilewright {

// A window on an array's memory in Halide's order (the first dimension is innermost).
struct View {
    struct Dim {
        int64_t extent, stride;  // stride in elements of `type`
        int64_t min = 0;         // the coordinate of the first element
        bool operator==(const Dim &) const = default;
    };
    halide_type_t type;
    std::vector<Dim> dims;
    int64_t offset = 0;        // bytes from the start of the storage
    bool in_elements = false;  // the library computes no offsets of bytes: it addresses most_bytes elements
    bool operator==(const View &) const = default;
};

// The most bytes that a buffer of a library may span: 2047 MiB. Libraries count elements in 31 bits, some of
// them bytes, and round the size of an image up to their tiles in these 31 bits. The last MiB is the room for
// that; no tile of a schedule has as many elements along an axis.
constexpr int64_t most_bytes = (int64_t(1) << 31) - (1 << 20);

halide_type_t halide_type(Type type);

// (n) -> x; (h, w) -> x, y; (h, w, c) -> x, y, c, interleaved.
View image(const Array &array);

// (h, w) or (h, w, c) as rows of w * c elements: x, y.
View rows_of(const Array &array);

// The whole storage as one row of aligned words of 32 bits, whatever the array's type; the array begins at
// byte array.offset_bytes(). May end up to 15 bytes after the last byte of the array, inside the allocation:
// the device's, and the host's where the library owns it. `type` other than u32: the same memory in other
// units.
View words(const Array &array, halide_type_t type = halide_type_t(halide_type_uint, 32));

// A c64 array, (n) or (h, w), as words of 64 bits, the real part low: x[, y]. In elements.
View complex_words(const Array &array);

// The same as pairs of f32, or a c128 array as pairs of f64: part, x[, y].
View complex_parts(const Array &array);

// A view of words of such an array, whatever its dimensions, as pairs of its parts.
View parts_of(View words, Type type);

// The view of complex numbers that a library takes: words of 64 bits for c64, pairs of f64 for c128.
View complex_numbers(View words, Type type);

// Whether its library cannot address all that a view spans.
bool spans_too_much(const View &view);

// A copy of the array for OpenCL, which addresses parts of a buffer at multiples of 512 bytes at best; the
// view becomes one on the copy.
Array bounced(const Array &array, View &view);

}  // namespace tilewright
