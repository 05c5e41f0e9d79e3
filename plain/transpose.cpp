// The definition of transpose as plain loops: output(x, y) = input(y, x), for pixels of any bytes.
#include "plain/elements.h"
#include "tilewright/plain.h"
#include <cstring>
#include <type_traits>
#include <utility>

namespace tilewright::plain {

namespace {

// `bytes`: of a pixel. A copy of a length that is known to the compiler is one instruction or two.
template<typename Bytes>
void transpose_pixels(const Array &image, Array &output, Bytes bytes) {
    const auto element = (int64_t)size_of(image.type()), in_pitch = image.strides()[0] * element,
               out_pitch = output.strides()[0] * element;
    const int64_t h = height(output), w = width(output);
    const auto *from = static_cast<const char *>(image.data());
    auto *to = static_cast<char *>(output.data());
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < w; x++) {
            memcpy(to + y * out_pitch + x * bytes, from + x * in_pitch + y * bytes, (size_t)bytes);
        }
    }
}

}  // namespace

Array transpose(std::span<const Array> inputs, const Settings &, Backend) {
    const Array &image = inputs[0];
    std::vector<int64_t> shape = image.shape();
    std::swap(shape[0], shape[1]);
    Array output(image.type(), shape, 0);
    const int64_t bytes = channels(image) * (int64_t)size_of(image.type());
    switch (bytes) {
    case 1: transpose_pixels(image, output, std::integral_constant<int64_t, 1>()); break;
    case 2: transpose_pixels(image, output, std::integral_constant<int64_t, 2>()); break;
    case 4: transpose_pixels(image, output, std::integral_constant<int64_t, 4>()); break;
    case 8: transpose_pixels(image, output, std::integral_constant<int64_t, 8>()); break;
    default: transpose_pixels(image, output, bytes);
    }
    return output;
}

}  // namespace tilewright::plain
