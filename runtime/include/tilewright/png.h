#pragma once
#include "tilewright/array.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#pragma GCC visibility push(default)

namespace tilewright {

// What a PNG file may hold before it is refused. A file's header can claim any size, so these limits are
// checked before memory is taken for the pixels.
struct PngLimits {
    int64_t side = int64_t(1) << 20;    // pixels along x and along y
    int64_t pixels = int64_t(1) << 30;  // in all
    int64_t bytes = int64_t(8) << 30;   // of memory: for the array, and for what decoding keeps besides
    // Of the ICC profile, decompressed. It also bounds each chunk of metadata.
    int64_t profile_bytes = int64_t(16) << 20;
};

// What a PNG file says about its pixels besides their values.
struct PngMetadata {
    // Which colours the values are.
    struct Profile {
        std::string name;            // 1 to 79 bytes, Latin-1
        std::vector<uint8_t> bytes;  // an ICC profile
    };

    // How large a pixel is.
    struct Density {
        uint32_t x = 0, y = 0;  // pixels per unit
        bool per_metre = true;  // false: only the ratio x : y has a meaning
    };

    int depth = 8;                // bits per sample of the file read: 1, 2, 4, 8 or 16; ignored by write_png
    std::optional<double> gamma;  // gAMA: the exponent, for example .45455
    std::optional<int> srgb_intent;      // sRGB: the rendering intent, 0 to 3
    std::optional<Profile> icc_profile;  // iCCP
    std::optional<Density> density;      // pHYs
};

// An image and its metadata.
struct Png {
    Array pixels;  // (h, w) or (h, w, channels)
    PngMetadata metadata;
};

// Reads any valid PNG: grey as (h, w), grey and alpha as (h, w, 2), colour as (h, w, 3), colour and alpha as
// (h, w, 4). Samples of up to 8 bits become u8 (of fewer bits, scaled so that white is 255), of 16 bits u16.
// A palette becomes its colours, and a transparent colour (tRNS) an alpha channel. Interlaced files are
// decoded whole. Bytes after the end of the PNG are ignored. Metadata that is malformed is left out.
//
// Errors: input, when there is no such file, or it is no PNG, broken, truncated, or over a limit; memory.
//
// Source: the PNG specification (ISO/IEC 15948); libpng decodes and encodes.
Png read_png(const std::string &path, const PngLimits &limits = {});

// Writes an image (h, w), or (h, w, c) with c from 1 to 4, of u8 or u16, with the bits per sample of its
// type. The metadata is written, too, except its depth, an ICC profile made for another number of colours,
// and an sRGB intent beside a profile (PNG allows one of them). The file is whole or absent; an existing one
// is replaced only once the new one is complete.
//
// Errors: usage, for another type or shape, or metadata that PNG cannot hold; failed, when the file cannot be
// written; memory; those of Array::data().
void write_png(const std::string &path, const Array &image, const PngMetadata &metadata = {});

// Checks that write_png takes such an array. Errors: usage, with the reason, when it does not.
void check_png(Type type, const std::vector<int64_t> &shape);

}  // namespace tilewright
#pragma GCC visibility pop
