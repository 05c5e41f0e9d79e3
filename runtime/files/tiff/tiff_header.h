#pragma once
// What a TIFF file says of its picture besides the pixels. Not installed.
#include "runtime/files/input_file.h"
#include "runtime/files/tiff/libtiff.h"
#include "tilewright/png.h"
#include <cstdint>

namespace tilewright {

struct TiffHeader {
    uint32_t w = 0, h = 0;
    uint16_t depth = 1, samples = 1, photometric = 0, planar = PLANARCONFIG_CONTIG,
             format = SAMPLEFORMAT_UINT, orientation = ORIENTATION_TOPLEFT;
    uint16_t compression = COMPRESSION_NONE;
    uint16_t alpha = EXTRASAMPLE_UNSPECIFIED;  // what the only sample besides the colours says that it is

    bool is_grey() const {
        return photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE;
    }
    bool is_float() const {
        return format == SAMPLEFORMAT_IEEEFP;
    }
    // Whether the samples in the file are those of the array; else libtiff converts them to 8-bit RGB.
    bool is_plain() const {
        const bool is_type = is_float() ? depth == 32 : depth == 8 || depth == 16;
        return is_type && (is_grey() || photometric == PHOTOMETRIC_RGB);
    }
    bool has_alpha() const {
        return alpha != EXTRASAMPLE_UNSPECIFIED;
    }
    int colours() const {
        return is_grey() ? 1 : 3;
    }
    int channels() const {
        return colours() + (has_alpha() ? 1 : 0);
    }
    Type type() const {
        return !is_plain() ? Type::u8 : is_float() ? Type::f32 : depth == 16 ? Type::u16 : Type::u8;
    }
};

// Errors: input, for a picture that is not taken.
TiffHeader header_of(TIFF *tiff, const InputFile &file);

// What decoding keeps besides the array, in bytes: a row, strip or tile, as it is in the file and decoded,
// and the pixels that libtiff converts.
double decoding_bytes(TIFF *tiff, const TiffHeader &header, const InputFile &file);

// Density and ICC profile. Errors: input, for a profile over the limit.
PngMetadata metadata_of(TIFF *tiff, const InputFile &file, const PngLimits &limits);

}  // namespace tilewright
