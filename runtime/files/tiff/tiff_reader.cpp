// The reader of TIFF files. Source: TIFF 6.0 (Adobe, 1992); libtiff decodes.
#include "runtime/arrays/copy.h"
#include "runtime/arrays/divided_by_alpha.h"
#include "runtime/files/file_errors.h"
#include "runtime/files/pictures/picture_limits.h"
#include "runtime/files/readers.h"
#include "runtime/files/tiff/libtiff.h"
#include "runtime/files/tiff/tiff_header.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
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
    PlainDecoder(TIFF *tiff, const TiffHeader &header)
        : tiff_(tiff), header_(header), is_tiled_(TIFFIsTiled(tiff) != 0),
          is_separate_(header.planar == PLANARCONFIG_SEPARATE), channels_(header.channels()),
          element_(static_cast<int64_t>(size_of(header.type()))), width_(header.w) {
        if (is_tiled_) {
            TIFFGetField(tiff_, TIFFTAG_TILEWIDTH, &width_);
            TIFFGetField(tiff_, TIFFTAG_TILELENGTH, &height_);
        }
        bytes_ = is_tiled_ ? TIFFTileSize(tiff_) : TIFFScanlineSize(tiff_);
        row_bytes_ = is_tiled_ ? TIFFTileRowSize(tiff_) : bytes_;
    }

    // The rows that are decoded together: those of a tile, or one.
    int64_t height() const {
        return height_;
    }

    // The next rows. False when libtiff reported an error.
    bool decode(Array &rows) {
        const int64_t needed = int64_t{width_} * (is_separate_ ? 1 : header_.samples) * element_;
        if (width_ == 0 || height_ == 0 || row_bytes_ < needed || bytes_ / row_bytes_ < height_) {
            return false;
        }
        if (!part_) {
            // Memory that decoding_bytes() has counted. What is never decoded is never written.
            part_ = std::make_unique_for_overwrite<uint8_t[]>(static_cast<size_t>(bytes_));
        }
        const int64_t first = row_, n = rows.shape()[0];
        for (int plane = 0; plane < (is_separate_ ? channels_ : 1); plane++) {
            row_ = first;
            if (!decode(rows, n, plane)) {
                return false;
            }
        }
        return true;
    }

private:
    // Rows of tiles of which not all are asked for are kept for the next call; that is never so with planes.
    bool decode(Array &rows, int64_t n, int plane) {
        for (int64_t done = 0; done < n;) {
            const int64_t from = row_ / height_ * height_, in_part = row_ - from,
                          there = std::min<int64_t>(height_, header_.h - from),
                          count = std::min(there - in_part, n - done);
            if (count == there) {
                if (!decode_part(rows, done, from, there, plane)) {
                    return false;
                }
            } else {
                if (in_part == 0) {
                    kept_ = Array::uninitialized(header_.type(), shape_of(there, header_.w, channels_));
                    if (!decode_part(kept_, 0, from, there, plane)) {
                        return false;
                    }
                }
                Array to = rows.crop(done, 0, count, header_.w);
                copy(kept_.crop(in_part, 0, count, header_.w), to);
            }
            done += count;
            row_ += count;
        }
        return true;
    }

    // A row, or a row of tiles: `count` rows of the file from `y0` on become those of `rows` from `to` on.
    bool decode_part(Array &rows, int64_t to, int64_t y0, int64_t count, int plane) {
        const auto y = static_cast<uint32_t>(y0);
        const auto sample = static_cast<uint16_t>(plane);
        for (uint32_t x0 = 0; x0 < header_.w; x0 += width_) {
            if ((is_tiled_ ? TIFFReadTile(tiff_, part_.get(), x0, y, 0, sample) :
                             TIFFReadScanline(tiff_, part_.get(), y, sample)) < 0) {
                return false;
            }
            for (int64_t i = 0; i < count; i++) {
                take(part_.get() + i * row_bytes_, rows, to + i, x0, std::min(header_.w - x0, width_), plane);
            }
        }
        return true;
    }

    void take(const uint8_t *from, Array &rows, int64_t y, int64_t x, int64_t count, int plane) const {
        uint8_t *to =
            static_cast<uint8_t *>(rows.data()) + (y * rows.strides()[0] + x * channels_) * element_;
        if (!is_separate_ && header_.samples == channels_) {
            std::memcpy(to, from, static_cast<size_t>(count * channels_ * element_));
            return;
        }
        const auto copy = element_ == 4 ? copy_samples<float> :
                          element_ == 2 ? copy_samples<uint16_t> :
                                          copy_samples<uint8_t>;
        copy(from, is_separate_ ? 1 : header_.samples, to, channels_, plane, is_separate_ ? 1 : channels_,
            count);
    }

    TIFF *tiff_;
    const TiffHeader &header_;
    const bool is_tiled_, is_separate_;
    const int channels_;
    const int64_t element_;
    uint32_t width_, height_ = 1;  // of a tile, or of a row
    tmsize_t bytes_ = 0, row_bytes_ = 0;
    std::unique_ptr<uint8_t[]> part_;  // a tile or a row
    Array kept_;                       // a row of tiles
    int64_t row_ = 0;
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
    for (int64_t y = 0; y < pixels.shape()[0]; y++) {
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

class TiffRows final : public RowReader {
public:
    TiffRows(InputFile &file, const PngLimits &limits) : file_(file) {
        file.make_seekable(limits.bytes);
        tiff_ = libtiff::open(
            "rm", &file, {read_bytes, write_nothing, seek, size_of_file}, limits.bytes, messages_);
        if (!tiff_) {
            messages_.warning[0] = 0;  // which is no reason to refuse it
            refuse();
        }
        header_ = header_of(tiff_.get(), file);
        type = header_.type();
        shape = shape_of(header_.h, header_.w, header_.channels());
        orientation = header_.orientation;
        has_alpha = header_.has_alpha();
        check_picture_size(header_.w, header_.h, file, limits);
        decoding_bytes = tilewright::decoding_bytes(tiff_.get(), header_, file);
        metadata = metadata_of(tiff_.get(), file, limits);
        decoder_.emplace(tiff_.get(), header_);
        is_by_rows = header_.is_plain() && (header_.planar != PLANARCONFIG_SEPARATE || header_.samples == 1);
        buffer_bytes = decoder_->height() == 1 ?
                           0 :
                           picture_bytes(header_.w, decoder_->height(),
                               header_.channels() * static_cast<int64_t>(size_of(type)));
    }

    void read(Array &rows) override {
        messages_.warning[0] = 0;  // those about the header say nothing about the data
        const bool is_decoded = header_.is_plain() ? decoder_->decode(rows) :
                                                     decode_by_libtiff(tiff_.get(), header_, rows, messages_);
        if (!is_decoded || messages_.error[0] != 0) {
            refuse();
        }
        if (header_.is_plain() && !header_.is_float()) {
            type == Type::u16 ? normalize<uint16_t>(header_, rows) : normalize<uint8_t>(header_, rows);
        }
    }

private:
    [[noreturn]] void refuse() const {
        // libtiff 4.5 says nothing where some of its allocations fail. Where it decodes fax data that end too
        // early, it gives a warning and no error.
        const bool is_silent = messages_.error[0] == 0 && messages_.warning[0] == 0;
        if (messages_.is_out_of_memory() || (is_silent && !file_.has_failed())) {
            throw_no_memory("read", file_.path());
        }
        if (file_.has_failed()) {
            file_.refuse_truncated();
        }
        file_.refuse("it is a broken TIFF: " + messages_.text(), "get a whole copy of it, or write it again");
    }

    InputFile &file_;
    libtiff::Messages messages_;
    libtiff::Handle tiff_;
    TiffHeader header_;
    std::optional<PlainDecoder> decoder_;
};

}  // namespace

std::unique_ptr<RowReader> open_tiff(InputFile &file, const PngLimits &limits) {
    return std::make_unique<TiffRows>(file, limits);
}

}  // namespace tilewright
