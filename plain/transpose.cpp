// The definition of transpose as plain loops: output(x, y) = input(y, x), for pixels of any bytes.
#include "plain/elements.h"
#include "tilewright/plain.h"
#include <cstring>
#include <utility>

namespace tilewright::plain {

namespace {

// For pixels of N bytes: a copy of a known length is one instruction or two.
template<size_t N>
void transpose_pixels(const Array &image, Array &output) {
    const auto element = (int64_t)size_of(image.type()), in_pitch = image.strides()[0] * element,
               out_pitch = output.strides()[0] * element;
    const int64_t h = height(output), w = width(output);
    const auto *from = static_cast<const char *>(image.data());
    auto *to = static_cast<char *>(output.data());
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < w; x++) {
            memcpy(to + y * out_pitch + x * (int64_t)N, from + x * in_pitch + y * (int64_t)N, N);
        }
    }
}

}  // namespace

Array transpose(std::span<const Array> inputs, const Settings &, Backend) {
    const Array &image = inputs[0];
    std::vector<int64_t> shape = image.shape();
    std::swap(shape[0], shape[1]);
    Array output(image.type(), shape, 0);
    switch (channels(image) * (int64_t)size_of(image.type())) {
    case 1: transpose_pixels<1>(image, output); break;
    case 2: transpose_pixels<2>(image, output); break;
    case 3: transpose_pixels<3>(image, output); break;
    case 4: transpose_pixels<4>(image, output); break;
    case 6: transpose_pixels<6>(image, output); break;
    case 8: transpose_pixels<8>(image, output); break;
    default: throw std::logic_error("transpose has no pixels of this size");
    }
    return output;
}

}  // namespace tilewright::plain
