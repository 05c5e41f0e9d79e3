// The writer of TIFF files. Sources: TIFF 6.0 (Adobe, 1992), and its supplement of 2002 for deflate. libtiff
// writes the directory. Strips are compressed here, because libtiff cannot use ISA-L, which is faster.
#include "runtime/files/deflate/deflate.h"
#include "runtime/files/file_errors.h"
#include "runtime/files/output/output_file.h"
#include "runtime/files/png/png_chunks.h"
#include "runtime/files/tiff/libtiff.h"
#include "runtime/files/writers.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace tilewright {

namespace {

// libtiff goes back in what it writes, which a pipe cannot: what has no places is kept in memory first.
struct Target {
    OutputFile &file;
    int64_t position = 0, size = 0;
    std::string kept = {};
    bool is_out_of_memory = false;
};

tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t count) {
    auto &to = *static_cast<Target *>(handle);
    const auto size = static_cast<size_t>(count), position = static_cast<size_t>(to.position);
    if (to.file.has_places()) {
        if (!to.file.write_at(to.position, from, size)) {
            return -1;
        }
    } else {
        try {
            to.kept.resize(std::max(to.kept.size(), position + size));
        } catch (const std::bad_alloc &) {  // must not pass through libtiff's functions
            to.is_out_of_memory = true;
            return -1;
        }
        std::memcpy(to.kept.data() + position, from, size);
    }
    to.position += count;
    to.size = std::max(to.size, to.position);
    return count;
}

tmsize_t read_nothing(thandle_t, void *, tmsize_t) {
    return 0;
}

toff_t seek_target(thandle_t handle, toff_t offset, int whence) {
    auto &to = *static_cast<Target *>(handle);
    to.position = static_cast<int64_t>(offset) + (whence == SEEK_SET    ? 0 :
                                                     whence == SEEK_CUR ? to.position :
                                                                          to.size);
    return static_cast<toff_t>(to.position);
}

toff_t size_of_target(thandle_t handle) {
    return static_cast<toff_t>(static_cast<Target *>(handle)->size);
}

void set_metadata(TIFF *tiff, const PngMetadata &metadata, int channels) {
    if (metadata.density) {
        const auto [x, y, per_metre] = *metadata.density;
        const double unit = per_metre ? 100 : 1;
        TIFFSetField(tiff, TIFFTAG_XRESOLUTION, x / unit);
        TIFFSetField(tiff, TIFFTAG_YRESOLUTION, y / unit);
        TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, per_metre ? RESUNIT_CENTIMETER : RESUNIT_NONE);
    }
    if (metadata.icc_profile && profile_fits(*metadata.icc_profile, channels)) {
        TIFFSetField(tiff, TIFFTAG_ICCPROFILE, static_cast<uint32_t>(metadata.icc_profile->bytes.size()),
            metadata.icc_profile->bytes.data());
    }
}

void set_header(TIFF *tiff, Type type, const std::vector<int64_t> &shape, uint32_t rows_per_strip,
    const WriteOptions &options) {
    const int channels = channels_of(shape);
    const bool is_compressed = options.compression != 0;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<uint32_t>(shape[1]));
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<uint32_t>(shape[0]));
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * size_of(type)));
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, channels);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, channels <= 2 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, is_compressed ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE);
    if (type == Type::f32) {  // without the predictor of floats, which many readers do not know
        TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
    } else if (is_compressed) {
        TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    }
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows_per_strip);
    if (channels % 2 == 0) {
        const uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
    }
    set_metadata(tiff, options.metadata, channels);
}

// Horizontal differences (TIFF 6.0, 14): each number less that of the pixel to the left.
template<typename T>
void subtract_left(const uint8_t *row, size_t bytes, size_t channels, uint8_t *to) {
    const auto *from = reinterpret_cast<const T *>(row);
    auto *differences = reinterpret_cast<T *>(to);
    const size_t n = bytes / sizeof(T);
    std::copy_n(from, std::min(channels, n), differences);
    for (size_t i = channels; i < n; i++) {
        differences[i] = static_cast<T>(from[i] - from[i - channels]);
    }
}

// Rows of a strip, which is decoded as a whole.
uint32_t rows_per_strip(size_t row_bytes, int64_t rows) {
    constexpr size_t worth = size_t(128) << 10;  // bytes; with shorter strips, files grow by some percent
    return static_cast<uint32_t>(std::min<int64_t>(std::max<size_t>(1, worth / row_bytes), rows));
}

class TiffWriter final : public RowWriter {
public:
    TiffWriter(
        const std::string &path, Type type, const std::vector<int64_t> &shape, const WriteOptions &options)
        : path_(path), file_(path), type_(type), channels_(static_cast<size_t>(channels_of(shape))),
          row_(static_cast<size_t>(row_bytes_of(type, shape))),
          rows_per_strip_(rows_per_strip(row_.size(), shape[0])),
          deflater_(options.compression == 0 ?
                        nullptr :
                        create_deflater(options.compression,
                            [this](const uint8_t *from, size_t bytes) { append(from, bytes); })) {
        // BigTIFF: offsets in other files have 32 bits, and deflate makes noise a little larger.
        const bool is_big = static_cast<int64_t>(row_.size()) * shape[0] > int64_t(2) << 30;
        tiff_ = libtiff::open(is_big ? "w8" : "w", &target_,
            {read_nothing, write_bytes, seek_target, size_of_target}, std::numeric_limits<int64_t>::max(),
            messages_);
        check(tiff_ != nullptr);
        set_header(tiff_.get(), type, shape, rows_per_strip_, options);
    }

    void write(const Array &rows) override {
        const auto *pixels = static_cast<const uint8_t *>(rows.data());
        const int64_t row_bytes = rows.strides()[0] * static_cast<int64_t>(size_of(rows.type()));
        for (int64_t y = 0; y < rows.shape()[0]; y++) {
            add(pixels + y * row_bytes);
        }
    }

    void finish() override {
        end_strip();
        check(TIFFFlush(tiff_.get()) == 1);
        tiff_.reset();
        check(true);
        if (!file_.has_places()) {
            file_.put(target_.kept);
        }
        file_.commit();
    }

private:
    void add(const uint8_t *row) {
        if (!deflater_) {
            append(row, row_.size());
        } else if (type_ == Type::f32) {
            deflater_->add(row, row_.size());
        } else {
            type_ == Type::u8 ? subtract_left<uint8_t>(row, row_.size(), channels_, row_.data()) :
                                subtract_left<uint16_t>(row, row_.size(), channels_, row_.data());
            deflater_->add(row_.data(), row_.size());
        }
        if (++rows_ == rows_per_strip_) {
            end_strip();
        }
    }

    void append(const uint8_t *from, size_t bytes) {
        strip_.insert(strip_.end(), from, from + bytes);
    }

    void end_strip() {
        if (rows_ == 0) {
            return;
        }
        if (deflater_) {
            deflater_->finish();
        }
        const auto size = static_cast<tmsize_t>(strip_.size());
        check(TIFFWriteRawStrip(tiff_.get(), strips_++, strip_.data(), size) == size);
        strip_.clear();
        rows_ = 0;
    }

    void check(bool is_done) const {
        if (file_.has_failed()) {
            file_.fail();
        }
        if (target_.is_out_of_memory || messages_.is_out_of_memory()) {
            throw_no_memory("write", path_);
        }
        if (!is_done || messages_.error[0] != 0) {
            throw Error(Fault::failed,
                "cannot write " + in_quotes(path_) + ": " + messages_.text() + "; write a PNG instead");
        }
    }

    const std::string path_;
    OutputFile file_;
    Target target_{file_};
    libtiff::Messages messages_;
    libtiff::Handle tiff_;
    const Type type_;
    const size_t channels_;
    std::vector<uint8_t> row_, strip_;  // differences; what is written
    const uint32_t rows_per_strip_;
    uint32_t rows_ = 0, strips_ = 0;            // rows of this strip, and the strips before it
    const std::unique_ptr<Deflater> deflater_;  // nullptr: no compression
};

}  // namespace

void check_tiff(Type type, const std::vector<int64_t> &shape) {
    const auto refuse = [&](const char *why) {
        refuse_array(why, "write .npy instead", "write_tiff", type, shape);
    };
    if (type != Type::u8 && type != Type::u16 && type != Type::f32) {
        refuse("TIFF is written of u8, u16 and f32");
    }
    if (type == Type::f32 && shape.size() == 3 && shape[2] != 1 && shape[2] != 3) {
        refuse("TIFF of f32 is written of 1 or 3 channels");
    }
    const bool is_image = shape.size() == 2 || (shape.size() == 3 && shape[2] >= 1 && shape[2] <= 4);
    if (!is_image) {
        refuse("TIFF is written of images (h, w) and (h, w, c) of 1 to 4 channels");
    }
    const auto [least, most] = std::minmax(shape[0], shape[1]);
    if (least < 1 || most > std::numeric_limits<int32_t>::max()) {
        refuse("TIFF is written of 1 to 2^31 - 1 pixels per side");
    }
}

std::unique_ptr<RowWriter> create_tiff(
    const std::string &path, Type type, const std::vector<int64_t> &shape, const WriteOptions &options) {
    check_tiff(type, shape);
    return std::make_unique<TiffWriter>(path, type, shape, options);
}

}  // namespace tilewright
