// A second decoder of PNG.
#include "tests/runtime/files/png/second_decoder.h"
#include "tests/runtime/files/png/png_pictures.h"
#include <cstring>

namespace tilewright {

Spng open_spng(const Bytes &bytes) {
    Spng spng(spng_ctx_new(0), spng_ctx_free);
    spng_set_png_buffer(spng.get(), bytes.data(), bytes.size());
    return spng;
}

std::vector<uint16_t> decode_with_spng(const Bytes &bytes) {
    const Spng spng = open_spng(bytes);
    spng_ihdr header = {};
    if (spng_get_ihdr(spng.get(), &header) != 0) {
        return {};
    }
    const bool is_deep = header.bit_depth == 16;
    const int format = is_deep ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8;
    const size_t count = size_t(header.width) * header.height * 4;
    std::vector<uint8_t> pixels(count * (is_deep ? 2 : 1));
    size_t needed = 0;
    if (spng_decoded_image_size(spng.get(), format, &needed) != 0 || needed != pixels.size() ||
        spng_decode_image(spng.get(), pixels.data(), pixels.size(), format, SPNG_DECODE_TRNS) != 0) {
        return {};
    }
    std::vector<uint16_t> values(count);
    for (size_t i = 0; i < count; i++) {
        if (is_deep) {
            std::memcpy(&values[i], &pixels[2 * i], 2);
        } else {
            values[i] = pixels[i];
        }
    }
    return values;
}

std::vector<uint16_t> as_rgba(const Array &image) {
    const int channels = image.dimensions() == 3 ? int(image.shape()[2]) : 1;
    const uint16_t white = image.type() == Type::u16 ? 65535 : 255;
    const std::vector<uint16_t> values = values_of(image);
    std::vector<uint16_t> rgba;
    for (size_t i = 0; i < values.size(); i += size_t(channels)) {
        const uint16_t *pixel = &values[i];
        for (int c = 0; c < 3; c++) {
            rgba.push_back(channels < 3 ? pixel[0] : pixel[c]);
        }
        rgba.push_back(channels % 2 == 0 ? pixel[channels - 1] : white);
    }
    return rgba;
}

}  // namespace tilewright
