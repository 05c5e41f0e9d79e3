#include "runtime/files/tiff/tiff_header.h"
#include "runtime/files/pictures/picture_limits.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <string>

namespace tilewright {

namespace {

// Refuses samples besides the colours, but for alpha alone, and says where that is: TIFF 6.0 has a number for
// each such sample, and 0 is none that is known.
void read_alpha(TIFF *tiff, TiffHeader &header, const InputFile &file) {
    uint16_t count = 0, *kinds = nullptr;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds);
    const int more = header.is_plain() ? header.samples - header.colours() : count;
    if (more == 1 && count == 1 && header.is_plain() && !header.is_float()) {
        header.alpha = kinds[0];
    }
    if (more > 0 && !header.has_alpha()) {
        file.refuse(fmt::format("its pixels have {} besides their colours, which {} not one alpha channel",
                        more == 1 ? "1 sample" : fmt::format("{} samples", more), more == 1 ? "is" : "are"),
            "save the colours alone, or all samples as .npy");
    }
    if (more < 0) {
        file.refuse("it is a broken TIFF: it has fewer samples than colours", "write it again");
    }
}

// Whether libtiff decodes the rows of a strip one after another; else it keeps all of them, and all bytes of
// the strip in the file.
bool is_decoded_by_rows(const TiffHeader &header) {
    constexpr uint16_t known[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_DEFLATE,
        COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS, COMPRESSION_ZSTD, COMPRESSION_LZMA,
        COMPRESSION_JPEG};
    return header.is_plain() &&
           std::find(std::begin(known), std::end(known), header.compression) != std::end(known);
}

}  // namespace

TiffHeader header_of(TIFF *tiff, const InputFile &file) {
    TiffHeader header;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &header.w);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &header.h);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &header.depth);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &header.samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &header.planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &header.format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &header.orientation);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &header.compression);
    if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &header.photometric) == 0 || header.w == 0 || header.h == 0) {
        file.refuse("it is a broken TIFF: its header is not complete", "write it again");
    }
    if (header.format != SAMPLEFORMAT_UINT && header.format != SAMPLEFORMAT_VOID && !header.is_float()) {
        file.refuse("its samples are neither unsigned integers nor floats", "save them as .npy");
    }
    if (header.is_float() && (!header.is_plain() || header.photometric == PHOTOMETRIC_MINISWHITE)) {
        file.refuse("of floats, it takes those of 32 bits, grey (0 is black) or RGB, without alpha",
            "save it so, or as .npy");
    }
    constexpr uint16_t depths[] = {1, 2, 4, 8, 16, 32};
    if (std::find(std::begin(depths), std::end(depths), header.depth) == std::end(depths) ||
        (header.depth == 32 && !header.is_float())) {
        file.refuse(fmt::format("its samples have {} bits", header.depth),
            "save it with 8 or 16 bits per sample, or as .npy");
    }
    if (TIFFIsCODECConfigured(header.compression) == 0) {
        file.refuse(fmt::format("the libtiff of this program does not know its compression (number {})",
                        header.compression),
            "save it with another one, or without");
    }
    read_alpha(tiff, header, file);
    char why_not[1024] = "";
    if (!header.is_plain() && TIFFRGBAImageOK(tiff, why_not) == 0) {
        file.refuse(std::string("libtiff does not convert its kind of colours: ") + why_not,
            "save it as grey or RGB, with 8 or 16 bits per sample, or as .npy");
    }
    return header;
}

double decoding_bytes(TIFF *tiff, const TiffHeader &header, const InputFile &file) {
    const bool is_tiled = TIFFIsTiled(tiff) != 0, is_by_rows = is_decoded_by_rows(header);
    if (!is_tiled && is_by_rows) {
        return static_cast<double>(TIFFScanlineSize(tiff));
    }
    uint64_t most = 0;
    for (uint32_t i = 0, count = is_tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff); i < count;
        i++) {
        most = std::max(most, TIFFGetStrileByteCount(tiff, i));
    }
    most = std::min(most, static_cast<uint64_t>(*file.size()));
    const auto part = static_cast<double>(is_tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff));
    const double pixels = static_cast<double>(header.w) * header.h;
    constexpr double small = 16 << 20;
    if (is_tiled && part > std::max(small, 4 * pixels * header.samples * header.depth / 8)) {
        file.refuse(fmt::format("its header says that a tile has {:.0f} bytes, more than four times those of "
                                "the picture",
                        part),
            "write it again");
    }
    // One decoded part per plane; and those of few kinds of compression keep two more of their own.
    const double parts = header.is_plain() ? 1 : header.planar == PLANARCONFIG_SEPARATE ? header.samples : 1;
    return static_cast<double>(most) + part * (parts + (is_by_rows || !header.is_plain() ? 0 : 2)) +
           (header.is_plain() ? 0 : pixels * sizeof(uint32_t));
}

PngMetadata metadata_of(TIFF *tiff, const InputFile &file, const PngLimits &limits) {
    PngMetadata metadata;
    float x = 0, y = 0;
    uint16_t unit = RESUNIT_INCH;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x) != 0 &&
        TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y) != 0) {
        const double per_metre = unit == RESUNIT_INCH ? 1 / .0254 : unit == RESUNIT_CENTIMETER ? 100 : 1;
        constexpr double most = 1e9;
        if (x > 0 && y > 0 && x * per_metre < most && y * per_metre < most) {
            metadata.density = {static_cast<uint32_t>(std::lround(x * per_metre)),
                static_cast<uint32_t>(std::lround(y * per_metre)), unit != RESUNIT_NONE};
        }
    }
    uint32_t count = 0;
    const uint8_t *bytes = nullptr;
    if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &count, &bytes) != 0 && count > 0) {
        if (count > limits.profile_bytes) {
            refuse_profile(file, limits);
        }
        metadata.icc_profile = PngMetadata::Profile{"icc", {bytes, bytes + count}};
    }
    return metadata;
}

}  // namespace tilewright
