// The reader of TIFF files. Source: TIFF 6.0 (Adobe, 1992); libtiff decodes.
#include "runtime/arrays/divided_by_alpha.h"
#include "runtime/files/file_errors.h"
#include "runtime/files/pictures/orientation.h"
#include "runtime/files/pictures/picture_limits.h"
#include "runtime/files/readers.h"
#include "runtime/files/tiff/libtiff.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <vector>

namespace tilewright {

namespace {

// ------------------------------------------------------------------------------ libtiff's way to the file

tmsize_t read_bytes(thandle_t file, void *to, tmsize_t bytes) {
    return static_cast<tmsize_t>(static_cast<InputFile *>(file)->read(to, static_cast<size_t>(bytes)));
}

tmsize_t write_nothing(thandle_t, void *, tmsize_t) {
    return 0;
}

toff_t seek(thandle_t handle, toff_t offset, int whence) {
    auto &file = *static_cast<InputFile *>(handle);
    const int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file.position() : *file.size();
    return file.seek(from + static_cast<int64_t>(offset)) ? static_cast<toff_t>(file.position()) :
                                                            static_cast<toff_t>(-1);
}

toff_t size_of_file(thandle_t file) {
    return static_cast<toff_t>(*static_cast<InputFile *>(file)->size());
}

// --------------------------------------------------------------------------------------- the picture

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

// Whether libtiff decodes the rows of a strip one after another; else it keeps all of them, and all bytes of
// the strip in the file.
bool is_decoded_by_rows(const TiffHeader &header) {
    constexpr uint16_t known[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_DEFLATE,
        COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS, COMPRESSION_ZSTD, COMPRESSION_LZMA,
        COMPRESSION_JPEG};
    return header.is_plain() &&
           std::find(std::begin(known), std::end(known), header.compression) != std::end(known);
}

// What decoding keeps besides the array, in bytes: a row, strip or tile, as it is in the file and decoded,
// and the pixels that libtiff converts.
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

// Copies one row of samples from the file's order into the picture's: `stride` samples lie between two pixels
// of `from`, of which `count` are taken, and the picture's pixel gets them at `channel`.
template<typename T>
void copy_samples(const void *from, int64_t stride, void *to, int64_t channels, int64_t channel,
    int64_t count, int64_t pixels) {
    const T *in = static_cast<const T *>(from);
    T *out = static_cast<T *>(to) + channel;
    for (int64_t x = 0; x < pixels; x++) {
        for (int64_t c = 0; c < count; c++) {
            out[x * channels + c] = in[x * stride + c];
        }
    }
}

// Decodes samples that are stored as they are in memory.
class PlainDecoder {
public:
    PlainDecoder(TIFF *tiff, const TiffHeader &header, Array &pixels)
        : tiff_(tiff), header_(header), is_separate_(header.planar == PLANARCONFIG_SEPARATE),
          channels_(header.channels()), element_(static_cast<int64_t>(size_of(header.type()))),
          pixels_(static_cast<uint8_t *>(pixels.data())), row_bytes_(pixels.strides()[0] * element_) {}

    // False when libtiff reported an error.
    bool decode() {
        for (int plane = 0; plane < (is_separate_ ? channels_ : 1); plane++) {
            if (!decode(plane)) {
                return false;
            }
        }
        return true;
    }

private:
    void take(const uint8_t *from, int64_t y, int64_t x, int64_t count, int plane) {
        uint8_t *to = pixels_ + y * row_bytes_ + x * channels_ * element_;
        const auto copy = element_ == 4 ? copy_samples<float> :
                          element_ == 2 ? copy_samples<uint16_t> :
                                          copy_samples<uint8_t>;
        copy(from, is_separate_ ? 1 : header_.samples, to, channels_, plane, is_separate_ ? 1 : channels_,
            count);
    }

    // Row by row, or tile by tile.
    bool decode(int plane) {
        const bool is_tiled = TIFFIsTiled(tiff_) != 0;
        uint32_t width = header_.w, height = 1;
        if (is_tiled) {
            TIFFGetField(tiff_, TIFFTAG_TILEWIDTH, &width);
            TIFFGetField(tiff_, TIFFTAG_TILELENGTH, &height);
        }
        const tmsize_t bytes = is_tiled ? TIFFTileSize(tiff_) : TIFFScanlineSize(tiff_),
                       row_bytes = is_tiled ? TIFFTileRowSize(tiff_) : bytes;
        const int64_t needed = int64_t{width} * (is_separate_ ? 1 : header_.samples) * element_;
        if (width == 0 || height == 0 || row_bytes < needed || bytes / row_bytes < height) {
            return false;
        }
        // Memory that decoding_bytes() has counted. What is never decoded is never written.
        const auto part = std::make_unique_for_overwrite<uint8_t[]>(static_cast<size_t>(bytes));
        const auto sample = static_cast<uint16_t>(plane);
        for (uint32_t y0 = 0; y0 < header_.h; y0 += height) {
            for (uint32_t x0 = 0; x0 < header_.w; x0 += width) {
                if ((is_tiled ? TIFFReadTile(tiff_, part.get(), x0, y0, 0, sample) :
                                TIFFReadScanline(tiff_, part.get(), y0, sample)) < 0) {
                    return false;
                }
                for (uint32_t y = y0; y < std::min(header_.h, y0 + height); y++) {
                    take(part.get() + (y - y0) * row_bytes, y, x0, std::min(header_.w - x0, width), plane);
                }
            }
        }
        return true;
    }

    TIFF *tiff_;
    const TiffHeader &header_;
    const bool is_separate_;
    const int channels_;
    const int64_t element_;
    uint8_t *pixels_;
    const int64_t row_bytes_;
};

// Black becomes white where 0 is white; colours that were multiplied by alpha are divided by it.
template<typename T>
void normalize(const TiffHeader &header, Array &pixels) {
    const bool is_inverted = header.photometric == PHOTOMETRIC_MINISWHITE;
    const bool is_multiplied = header.has_alpha() && header.alpha == EXTRASAMPLE_ASSOCALPHA;
    if (!is_inverted && !is_multiplied) {
        return;
    }
    constexpr uint32_t top = static_cast<T>(-1);
    const int channels = header.channels(), colours = header.colours();
    T *data = pixels.as<T>();
    for (int64_t y = 0; y < header.h; y++) {
        for (int64_t x = 0; x < header.w; x++) {
            T *pixel = data + y * pixels.strides()[0] + x * channels;
            for (int c = 0; c < colours; c++) {
                uint32_t value = is_inverted ? top - pixel[c] : pixel[c];
                if (is_multiplied) {
                    value = static_cast<uint32_t>(divided_by_alpha(value, pixel[colours], top));
                }
                pixel[c] = static_cast<T>(value);
            }
        }
    }
}

// Decodes anything that libtiff knows, as 8-bit colours.
bool decode_by_libtiff(TIFF *tiff, const TiffHeader &header, Array &pixels, libtiff::Messages &messages) {
    // Made first: an exception between Begin and End would leave what libtiff keeps of the image.
    std::vector<uint32_t> raster(size_t{header.w} * header.h);
    TIFFRGBAImage image;
    char message[1024] = "";
    if (TIFFRGBAImageBegin(&image, tiff, 1, message) == 0) {
        if (messages.error[0] == 0) {
            std::snprintf(messages.error, sizeof(messages.error), "%.199s", message);
        }
        return false;
    }
    // As it is stored: upright() turns it afterwards.
    image.orientation = image.req_orientation = ORIENTATION_TOPLEFT;
    const bool is_decoded = TIFFRGBAImageGet(&image, raster.data(), header.w, header.h) != 0;
    TIFFRGBAImageEnd(&image);
    const int channels = header.channels();
    auto *data = static_cast<uint8_t *>(pixels.data());
    for (int64_t y = 0; y < header.h && is_decoded; y++) {
        for (int64_t x = 0; x < header.w; x++) {
            const uint32_t colour = raster[static_cast<size_t>(y * header.w + x)];
            uint8_t *pixel = data + y * pixels.strides()[0] + x * channels;
            for (int c = 0; c < channels; c++) {
                pixel[c] = static_cast<uint8_t>(colour >> (8 * c));  // red is in the lowest byte
            }
        }
    }
    return is_decoded;
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

}  // namespace

StoredPicture read_tiff(InputFile &file, const PngLimits &limits) {
    file.make_seekable(limits.bytes);
    libtiff::Messages messages;
    const auto refuse = [&] {
        if (messages.is_out_of_memory()) {
            throw_no_memory("read", file.path());
        }
        if (file.has_failed()) {
            file.refuse_truncated();
        }
        file.refuse("it is a broken TIFF: " + messages.text(), "get a whole copy of it, or write it again");
    };
    const libtiff::Handle tiff =
        libtiff::open("rm", &file, {read_bytes, write_nothing, seek, size_of_file}, limits.bytes, messages);
    if (!tiff) {
        refuse();
    }
    const TiffHeader header = header_of(tiff.get(), file);
    const int channels = header.channels();
    const int64_t pixel_bytes = channels * static_cast<int64_t>(size_of(header.type()));
    check_picture_size(header.w, header.h, file, limits);
    check_picture_memory(header.w, header.h,
        static_cast<double>(file.kept_bytes()) + picture_bytes(header.w, header.h, pixel_bytes) +
            std::max(decoding_bytes(tiff.get(), header, file),
                upright_bytes(header.w, header.h, pixel_bytes, header.orientation)),
        file, limits);

    StoredPicture picture;
    picture.metadata = metadata_of(tiff.get(), file, limits);
    picture.orientation = header.orientation;
    picture.has_alpha = header.has_alpha();
    picture.pixels = Array::uninitialized(header.type(), shape_of(header.h, header.w, channels));
    const bool is_decoded = header.is_plain() ?
                                PlainDecoder(tiff.get(), header, picture.pixels).decode() :
                                decode_by_libtiff(tiff.get(), header, picture.pixels, messages);
    if (!is_decoded || messages.error[0] != 0) {
        refuse();
    }
    if (header.is_plain() && !header.is_float()) {
        header.type() == Type::u16 ? normalize<uint16_t>(header, picture.pixels) :
                                     normalize<uint8_t>(header, picture.pixels);
    }
    return picture;
}

}  // namespace tilewright
