// The definition as a plain loop, which `verify` and --check compare results with. It shares nothing with the
// rest.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <tilewright/plain.h>

namespace tilewright::plain {

Array sobel(std::span<const Array> inputs, const Settings &, Backend) {
    const Array &image = inputs[0];
    const int64_t h = image.shape()[0], w = image.shape()[1];
    Array output(Type::u8, {h, w});
    const uint8_t *in = image.as<uint8_t>();
    uint8_t *out = output.as<uint8_t>();
    const auto at = [&](int64_t x, int64_t y) {
        return (int)in[std::clamp<int64_t>(y, 0, h - 1) * image.strides()[0] +
                       std::clamp<int64_t>(x, 0, w - 1) * image.strides()[1]];
    };
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < w; x++) {
            const int gx = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) -
                           2 * at(x - 1, y) - at(x - 1, y + 1);
            const int gy = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) -
                           2 * at(x, y - 1) - at(x + 1, y - 1);
            out[y * output.strides()[0] + x * output.strides()[1]] =
                (uint8_t)std::min(std::abs(gx) + std::abs(gy), 255);
        }
    }
    return output;
}

}  // namespace tilewright::plain
