// The writer of PNG files.
#include "runtime/files/attempt.h"
#include "runtime/files/deflate/deflate.h"
#include "runtime/files/file_errors.h"
#include "runtime/files/output/output_file.h"
#include "runtime/files/png/libpng.h"
#include "runtime/files/png/png_chunks.h"
#include "runtime/files/png/png_filter.h"
#include "runtime/files/writers.h"
#include "tilewright/error.h"
#include "tilewright/png.h"
#include <bit>
#include <png.h>
#include <span>

namespace tilewright {

namespace {

// libpng's state while a file is written.
class Writer {
public:
    Writer(OutputFile &file, const std::string &name) : file_(file), name_(name) {
        png = libpng::create_writer(messages_);
        info = png != nullptr ? png_create_info_struct(png) : nullptr;
        if (info == nullptr) {
            png_destroy_write_struct(&png, nullptr);
            throw_no_memory("write", name);
        }
        png_set_write_fn(
            png, this,
            [](png_structp handle, png_bytep from, size_t bytes) {
                auto *writer = static_cast<Writer *>(png_get_io_ptr(handle));
                if (!writer->file_.write(from, bytes)) {
                    writer->is_disk_error_ = true;
                    png_error(handle, "disk");
                }
            },
            nullptr);
    }
    ~Writer() {
        png_destroy_write_struct(&png, &info);
    }
    Writer(const Writer &) = delete;
    Writer &operator=(const Writer &) = delete;

    // Runs libpng calls, as attempt() does. Errors: failed; memory.
    template<typename Step>
    void operator()(const Step &step) {
        if (attempt(png_jmpbuf(png), step)) {
            return;
        }
        if (is_disk_error_) {
            file_.fail();
        }
        if (messages_.is_out_of_memory) {
            throw_no_memory("write", name_);
        }
        throw Error(Fault::failed,
            "cannot write " + in_quotes(name_) + ": " + messages_.text() + "; write .npy instead");
    }

    png_structp png;
    png_infop info = nullptr;

private:
    OutputFile &file_;
    const std::string &name_;
    libpng::Messages messages_;
    bool is_disk_error_ = false;
};

}  // namespace

void check_png(Type type, const std::vector<int64_t> &shape) {
    const auto refuse = [&](const char *why) {
        refuse_array(why, "write .npy instead", "write_png", type, shape);
    };
    if (type != Type::u8 && type != Type::u16) {
        refuse("PNG holds u8 and u16");
    }
    if (shape.size() < 2 || shape.size() > 3) {
        refuse("PNG holds images (h, w) and (h, w, c)");
    }
    if (shape.size() == 3 && (shape[2] < 1 || shape[2] > 4)) {
        refuse("PNG holds 1 to 4 channels");
    }
    for (const int64_t extent : {shape[0], shape[1]}) {
        if (extent < 1 || extent > PNG_UINT_31_MAX) {
            refuse("PNG holds 1 to 2^31 - 1 pixels per side");
        }
    }
}

namespace {

// libpng writes the chunks. It compresses by zlib alone, so the pixels are filtered and compressed here.
class PngWriter final : public RowWriter {
public:
    PngWriter(
        const std::string &path, Type type, const std::vector<int64_t> &shape, const WriteOptions &options)
        : path_(path), chunks_(chunks_of(options.metadata, channels_of(shape), path)), file_(path),
          writer_(file_, path_), row_(static_cast<size_t>(row_bytes_of(type, shape))),
          element_(static_cast<int64_t>(size_of(type))),
          filter_(row_.size(), static_cast<size_t>(pixel_bytes_of(type, shape))),
          deflater_(create_deflater(options.compression,
              [this](const uint8_t *from, size_t bytes) { write_chunk("IDAT", from, bytes); })) {
        static constexpr int colour_types[] = {
            0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
        writer_([&] {
            png_set_user_limits(writer_.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
            png_set_IHDR(writer_.png, writer_.info, static_cast<png_uint_32>(shape[1]),
                static_cast<png_uint_32>(shape[0]), static_cast<int>(8 * element_),
                colour_types[channels_of(shape)], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                PNG_FILTER_TYPE_DEFAULT);
            png_write_info_before_PLTE(writer_.png, writer_.info);
        });
        for (const Chunk &chunk : chunks_) {
            write_chunk(chunk.name, chunk.data.data(), chunk.data.size());
        }
        writer_([&] { png_write_info(writer_.png, writer_.info); });
    }

    void write(const Array &rows) override {
        const auto *pixels = static_cast<const uint8_t *>(rows.data());
        const int64_t row_bytes = rows.strides()[0] * element_;
        for (int64_t y = 0; y < rows.shape()[0]; y++) {
            const std::span<const uint8_t> filtered = filter_(in_order_of_file(pixels + y * row_bytes));
            deflater_->add(filtered.data(), filtered.size());
        }
    }

    void finish() override {
        deflater_->finish();
        write_chunk("IEND", nullptr, 0);
        file_.commit();
    }

private:
    void write_chunk(const char *name, const uint8_t *from, size_t bytes) {
        writer_([&] { png_write_chunk(writer_.png, reinterpret_cast<png_const_bytep>(name), from, bytes); });
    }

    // PNG has the high byte of 16-bit numbers first.
    const uint8_t *in_order_of_file(const uint8_t *row) {
        if (element_ == 1 || std::endian::native == std::endian::big) {
            return row;
        }
        for (size_t i = 0; i < row_.size(); i += 2) {
            row_[i] = row[i + 1];
            row_[i + 1] = row[i];
        }
        return row_.data();
    }

    const std::string path_;
    const std::vector<Chunk> chunks_;
    OutputFile file_;
    Writer writer_;
    std::vector<uint8_t> row_;
    const int64_t element_;
    PngFilter filter_;
    const std::unique_ptr<Deflater> deflater_;
};

}  // namespace

std::unique_ptr<RowWriter> create_png(
    const std::string &path, Type type, const std::vector<int64_t> &shape, const WriteOptions &options) {
    check_png(type, shape);
    return std::make_unique<PngWriter>(path, type, shape, options);
}

void write_png(const std::string &path, const Array &image, const PngMetadata &metadata) {
    write_whole(create_png, path, image, {metadata});
}

}  // namespace tilewright
