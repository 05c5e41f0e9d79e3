#pragma once
// Pictures as PNG defines them: of every kind, written by libpng, and what reading them must give.
#include "tests/support/files.h"
#include "tilewright/array.h"
#include <cstdint>
#include <png.h>
#include <random>
#include <string>
#include <vector>

namespace tilewright {

// What a PNG can hold.
struct Kind {
    int colour_type, depth;
    bool is_interlaced, is_transparent;  // transparent: by a tRNS chunk
};

std::string name_of(const Kind &kind);
void PrintTo(const Kind &kind, std::ostream *out);
std::vector<Kind> all_kinds();

struct Picture {
    Kind kind;
    int w, h;
    int samples_per_pixel;
    std::vector<uint16_t> samples;  // as the file holds them
    std::vector<png_color> palette;
    std::vector<uint8_t> alphas;    // of the palette
    png_color_16 transparent = {};  // otherwise
};

Picture random_picture(const Kind &kind, int w, int h, std::mt19937 &random);

// The picture as a file, written by libpng.
Bytes encode(const Picture &picture);

// The picture by its definition: channels and values as read_png promises them.
struct Expected {
    Type type;
    int channels;
    std::vector<uint16_t> values;
};

Expected definition_of(const Picture &picture);

// The samples of an image, row after row.
std::vector<uint16_t> values_of(const Array &image);

std::vector<int64_t> shape_of(int64_t w, int64_t h, int channels);

}  // namespace tilewright
