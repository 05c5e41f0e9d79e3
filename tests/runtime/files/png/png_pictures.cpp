// Pictures as PNG defines them.
#include "tests/runtime/files/png/png_pictures.h"
#include "tests/support/arrays.h"
#include <algorithm>
#include <csetjmp>
#include <gtest/gtest.h>
#include <map>

namespace tilewright {

namespace {

// Row y as the file packs it.
std::vector<uint8_t> packed_row(const Picture &picture, int y) {
    const int count = picture.w * picture.samples_per_pixel, depth = picture.kind.depth;
    std::vector<uint8_t> row(size_t(count * depth + 7) / 8);
    for (int i = 0; i < count; i++) {
        const uint16_t sample = picture.samples[size_t(y) * count + i];
        if (depth == 16) {
            row[2 * i] = uint8_t(sample >> 8);
            row[2 * i + 1] = uint8_t(sample);
        } else {
            const int bit = i * depth;
            row[bit / 8] |= uint8_t(sample << (8 - depth - bit % 8));
        }
    }
    return row;
}

}  // namespace

std::string name_of(const Kind &kind) {
    static const std::map<int, std::string> colours = {{PNG_COLOR_TYPE_GRAY, "grey"},
        {PNG_COLOR_TYPE_GRAY_ALPHA, "grey_alpha"}, {PNG_COLOR_TYPE_RGB, "rgb"},
        {PNG_COLOR_TYPE_RGB_ALPHA, "rgb_alpha"}, {PNG_COLOR_TYPE_PALETTE, "palette"}};
    return colours.at(kind.colour_type) + "_" + std::to_string(kind.depth) +
           (kind.is_transparent ? "_tRNS" : "") + (kind.is_interlaced ? "_interlaced" : "");
}

void PrintTo(const Kind &kind, std::ostream *out) {
    *out << name_of(kind);
}

std::vector<Kind> all_kinds() {
    static const struct {
        int colour_type;
        std::vector<int> depths;
        bool may_have_trns;
    } table[] = {
        {PNG_COLOR_TYPE_GRAY, {1, 2, 4, 8, 16}, true},
        {PNG_COLOR_TYPE_RGB, {8, 16}, true},
        {PNG_COLOR_TYPE_PALETTE, {1, 2, 4, 8}, true},
        {PNG_COLOR_TYPE_GRAY_ALPHA, {8, 16}, false},
        {PNG_COLOR_TYPE_RGB_ALPHA, {8, 16}, false},
    };
    std::vector<Kind> kinds;
    for (const auto &line : table) {
        for (const int depth : line.depths) {
            for (const bool is_interlaced : {false, true}) {
                kinds.push_back({line.colour_type, depth, is_interlaced, false});
                if (line.may_have_trns) {
                    kinds.push_back({line.colour_type, depth, is_interlaced, true});
                }
            }
        }
    }
    return kinds;
}

Picture random_picture(const Kind &kind, int w, int h, std::mt19937 &random) {
    Picture picture{kind, w, h, 1, {}, {}, {}, {}};
    switch (kind.colour_type) {
    case PNG_COLOR_TYPE_GRAY_ALPHA: picture.samples_per_pixel = 2; break;
    case PNG_COLOR_TYPE_RGB: picture.samples_per_pixel = 3; break;
    case PNG_COLOR_TYPE_RGB_ALPHA: picture.samples_per_pixel = 4; break;
    default: break;
    }

    // A palette that is not full, and of alphas that are fewer than its colours.
    uint32_t largest = (1u << kind.depth) - 1;
    if (kind.colour_type == PNG_COLOR_TYPE_PALETTE) {
        largest = std::max(1u, largest - largest / 5);
        for (uint32_t i = 0; i <= largest; i++) {
            picture.palette.push_back({uint8_t(random()), uint8_t(random()), uint8_t(random())});
        }
        if (kind.is_transparent) {
            for (uint32_t i = 0; i < largest / 2 + 1; i++) {
                picture.alphas.push_back(uint8_t(random()));
            }
        }
    }
    for (int i = 0; i < w * h * picture.samples_per_pixel; i++) {
        picture.samples.push_back(uint16_t(random() % (largest + 1)));
    }

    // One colour is transparent. It occurs twice or more where there is room, and so do colours that differ
    // from it in one sample, or in the lower byte of one.
    if (kind.is_transparent && kind.colour_type != PNG_COLOR_TYPE_PALETTE) {
        const int c = picture.samples_per_pixel;
        auto copy = [&](int to) {
            std::copy_n(picture.samples.begin(), c, picture.samples.begin() + to * c);
        };
        if (w * h > 3) {
            copy(w * h / 2);
            copy(w * h - 1);
            picture.samples[size_t(w * h - 1) * c] ^= 1;
        }
        picture.transparent.gray = picture.samples[0];
        picture.transparent.red = picture.samples[0];
        picture.transparent.green = picture.samples[c == 3 ? 1 : 0];
        picture.transparent.blue = picture.samples[c == 3 ? 2 : 0];
    }
    return picture;
}

Bytes encode(const Picture &picture) {
    Bytes bytes;
    std::vector<std::vector<uint8_t>> rows;
    std::vector<png_bytep> pointers;
    for (int y = 0; y < picture.h; y++) {
        rows.push_back(packed_row(picture, y));
    }
    for (auto &row : rows) {
        pointers.push_back(row.data());
    }
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    if (setjmp(png_jmpbuf(png)) != 0) {
        ADD_FAILURE() << "libpng cannot write the sample";
        return {};
    }
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_write_fn(
        png, &bytes,
        [](png_structp handle, png_bytep from, size_t count) {
            auto *to = static_cast<Bytes *>(png_get_io_ptr(handle));
            to->insert(to->end(), from, from + count);
        },
        nullptr);
    png_set_IHDR(png, info, png_uint_32(picture.w), png_uint_32(picture.h), picture.kind.depth,
        picture.kind.colour_type, picture.kind.is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (!picture.palette.empty()) {
        png_set_PLTE(png, info, picture.palette.data(), int(picture.palette.size()));
    }
    if (!picture.alphas.empty()) {
        png_set_tRNS(png, info, picture.alphas.data(), int(picture.alphas.size()), nullptr);
    } else if (picture.kind.is_transparent) {
        png_set_tRNS(png, info, nullptr, 0, &picture.transparent);
    }
    png_set_filter(png, 0, PNG_ALL_FILTERS);
    png_write_info(png, info);
    png_write_image(png, pointers.data());
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return bytes;
}

Expected definition_of(const Picture &picture) {
    const Kind &kind = picture.kind;
    const bool is_palette = kind.colour_type == PNG_COLOR_TYPE_PALETTE;
    Expected expected{kind.depth == 16 ? Type::u16 : Type::u8,
        (is_palette ? 3 : picture.samples_per_pixel) + (kind.is_transparent ? 1 : 0), {}};
    const uint32_t white = expected.type == Type::u16 ? 65535 : 255;
    const uint32_t largest = (1u << kind.depth) - 1;
    for (int i = 0; i < picture.w * picture.h; i++) {
        const uint16_t *pixel = &picture.samples[size_t(i) * picture.samples_per_pixel];
        if (is_palette) {
            const png_color colour = picture.palette[*pixel];
            expected.values.insert(expected.values.end(), {colour.red, colour.green, colour.blue});
            if (kind.is_transparent) {
                expected.values.push_back(*pixel < picture.alphas.size() ? picture.alphas[*pixel] : 255);
            }
            continue;
        }
        for (int c = 0; c < picture.samples_per_pixel; c++) {
            expected.values.push_back(uint16_t(pixel[c] * white / largest));
        }
        if (kind.is_transparent) {
            const bool is_transparent = picture.samples_per_pixel == 1 ?
                                            pixel[0] == picture.transparent.gray :
                                            pixel[0] == picture.transparent.red &&
                                                pixel[1] == picture.transparent.green &&
                                                pixel[2] == picture.transparent.blue;
            expected.values.push_back(uint16_t(is_transparent ? 0 : white));
        }
    }
    return expected;
}

std::vector<uint16_t> values_of(const Array &image) {
    const int64_t row_values = image.size() / image.shape()[0];
    std::vector<uint16_t> values;
    for (int64_t y = 0; y < image.shape()[0]; y++) {
        if (image.type() == Type::u16) {
            const uint16_t *row = row_of<uint16_t>(image, y);
            values.insert(values.end(), row, row + row_values);
        } else {
            const uint8_t *row = row_of<uint8_t>(image, y);
            values.insert(values.end(), row, row + row_values);
        }
    }
    return values;
}

std::vector<int64_t> shape_of(int64_t w, int64_t h, int channels) {
    return channels == 1 ? std::vector<int64_t>{h, w} : std::vector<int64_t>{h, w, channels};
}

}  // namespace tilewright
