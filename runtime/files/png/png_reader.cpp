// The reader of PNG files.
#include "runtime/files/attempt.h"
#include "runtime/files/file_errors.h"
#include "runtime/files/pictures/picture_limits.h"
#include "runtime/files/png/libpng.h"
#include "runtime/files/png/png_chunks.h"
#include "runtime/files/readers.h"
#include "tilewright/png.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <png.h>
#include <string_view>
#include <zlib.h>

namespace tilewright {

namespace {

// The most bytes of all chunks of metadata: those of the largest profile within the limit, compressed, and
// the few of the others.
uLong most_metadata_bytes(const PngLimits &limits) {
    return compressBound(static_cast<uLong>(std::max<int64_t>(limits.profile_bytes, 0))) + 1024;
}

// libpng's state while a file is read.
class Reader {
public:
    Reader(InputFile &file, const PngLimits &limits)
        : file_(file), most_metadata_bytes_(most_metadata_bytes(limits)) {
        png = libpng::create_reader(messages_);
        info = png != nullptr ? png_create_info_struct(png) : nullptr;
        if (info == nullptr) {
            png_destroy_read_struct(&png, nullptr, nullptr);
            throw_no_memory("read", file.path());
        }
        png_set_read_fn(png, this, [](png_structp handle, png_bytep to, size_t bytes) {
            auto *reader = static_cast<Reader *>(png_get_io_ptr(handle));
            if (reader->file_.read(to, bytes) != bytes) {
                reader->is_truncated_ = true;
                png_error(handle, "truncated");
            }
            // These are a chunk's length and name. libpng has not taken memory for it yet.
            const bool is_head =
                png_get_io_state(handle) == (PNG_IO_READING | PNG_IO_CHUNK_HDR) && bytes == 8;
            if (is_head && is_metadata_chunk(to + 4)) {
                reader->metadata_bytes_ += read_u32(to);
                if (reader->metadata_bytes_ > reader->most_metadata_bytes_) {
                    reader->too_long_ = read_u32(to);
                    png_error(handle, "too long");
                }
            }
        });
    }
    ~Reader() {
        png_destroy_read_struct(&png, &info, nullptr);
    }
    Reader(const Reader &) = delete;
    Reader &operator=(const Reader &) = delete;

    // Runs libpng calls, as attempt() does. Errors: input; memory.
    template<typename Step>
    void operator()(const Step &step) {
        if (attempt(png_jmpbuf(png), step)) {
            return;
        }
        if (is_truncated_) {
            file_.refuse_truncated();
        }
        if (too_long_ > 0) {
            file_.refuse(fmt::format("a chunk of its metadata has {} bytes, and the limit is {} for all such "
                                     "chunks",
                             too_long_, most_metadata_bytes_),
                "raise PngLimits::profile_bytes if the file is to be trusted, or remove the profile");
        }
        if (messages_.is_out_of_memory) {
            throw_no_memory("read", file_.path());
        }
        file_.refuse("it is a broken PNG: " + messages_.text(), "get a whole copy of it, or write it again");
    }

    png_structp png;
    png_infop info = nullptr;

private:
    InputFile &file_;
    const uLong most_metadata_bytes_;
    libpng::Messages messages_;
    bool is_truncated_ = false;
    uint64_t metadata_bytes_ = 0;
    uint32_t too_long_ = 0;  // the bytes of the chunk of metadata that is too much
};

// Refuses what is not a PNG, and says what it looks like.
void check_signature(InputFile &file) {
    static constexpr uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static constexpr struct {
        std::string_view start, kind;
    } kinds[] = {
        {"\xff\xd8", "a JPEG image"},
        {"GIF8", "a GIF image"},
        {"BM", "a BMP image"},
        {"II*", "a TIFF image"},
        {"MM", "a TIFF image"},
        {"RIFF", "a WebP image"},
        {"\x93NUMPY", "a NumPy array"},
        {"P", "a PNM image"},
    };
    uint8_t first[8] = {};
    const size_t count = file.read(first, sizeof(first));
    if (count > 0 && std::memcmp(first, signature, count) != 0) {
        std::string why = "it is no PNG file";
        const std::string_view start(reinterpret_cast<const char *>(first), count);
        for (const auto &kind : kinds) {
            if (start.starts_with(kind.start)) {
                why += " but looks like " + std::string(kind.kind);
                break;
            }
        }
        file.refuse(why, "convert it to PNG first");
    }
    if (count < sizeof(first)) {
        file.refuse_truncated();
    }
}

// The image as the file's header describes it, and as it will be in memory.
struct ImageHeader {
    int64_t w = 0, h = 0;
    int depth = 0;          // as in the file
    int channels = 0;       // in memory
    int file_channels = 0;  // a palette's index counts as one
    bool is_palette = false;

    Type type() const {
        return depth == 16 ? Type::u16 : Type::u8;
    }
};

void check_limits(const ImageHeader &header, const InputFile &file, const PngLimits &limits) {
    check_picture_size(header.w, header.h, file, limits);
    // deflate makes at most 1032 bytes of one byte, so a short file cannot hold a large image. This is
    // checked before memory is taken for the image.
    const auto packed_bytes =
        static_cast<double>(header.w * header.h) * header.file_channels * header.depth / 8;
    if (file.size() && packed_bytes > 1032. * static_cast<double>(*file.size())) {
        file.refuse(fmt::format("its header says {} x {} pixels, which a file of {} bytes cannot hold",
                        header.w, header.h, *file.size()),
            "get a whole copy of it, or write it again");
    }
}

struct Palette {
    png_colorp colours = nullptr;
    int size = 0;
    png_bytep alphas = nullptr;
    int alphas_size = 0;
};

// Replaces a row's palette indices by colours, in place. The row has room for the colours, and from right to
// left no index is overwritten before it is read.
void expand(
    uint8_t *row, int64_t y, const ImageHeader &header, const Palette &palette, const InputFile &file) {
    for (int64_t x = header.w - 1; x >= 0; x--) {
        const int index = row[x];
        if (index >= palette.size) {
            file.refuse(fmt::format("it is a broken PNG: pixel ({}, {}) has colour {} of a palette of {}", x,
                            y, index, palette.size),
                "write it again");
        }
        const png_color colour = palette.colours[index];
        uint8_t *pixel = row + x * header.channels;
        pixel[0] = colour.red;
        pixel[1] = colour.green;
        pixel[2] = colour.blue;
        if (header.channels == 4) {
            pixel[3] = index < palette.alphas_size ? palette.alphas[index] : 255;
        }
    }
}

// Reads everything before the pixels. The palette's memory belongs to `reader`.
ImageHeader read_header(Reader &reader, Palette &palette) {
    ImageHeader header;
    reader([&] {
        // A CRC error in any chunk is an error, and so are errors that libpng would pass over. libpng's own
        // limits are lifted: check_limits() has ours.
        png_set_crc_action(reader.png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
        png_set_benign_errors(reader.png, 0);
        png_set_user_limits(reader.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
        // libpng's limit for chunks, 8,000,000 bytes, is also for those that are skipped: none.
        png_set_chunk_malloc_max(reader.png, 0);
        // Other chunks than those of the pixels and of metadata are skipped unread, so that no text
        // decompresses into memory.
        png_set_keep_unknown_chunks(reader.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
        png_set_keep_unknown_chunks(reader.png, PNG_HANDLE_CHUNK_ALWAYS,
            reinterpret_cast<png_const_bytep>(metadata_chunks), metadata_chunks_count);
        png_set_check_for_invalid_index(reader.png, 0);  // expand() checks, and says where
        png_set_sig_bytes(reader.png, 8);
        png_read_info(reader.png, reader.info);

        const int colour_type = png_get_color_type(reader.png, reader.info);
        header.w = png_get_image_width(reader.png, reader.info);
        header.h = png_get_image_height(reader.png, reader.info);
        header.depth = png_get_bit_depth(reader.png, reader.info);
        header.file_channels = png_get_channels(reader.png, reader.info);
        header.is_palette = colour_type == PNG_COLOR_TYPE_PALETTE;
        const bool has_transparency = png_get_valid(reader.png, reader.info, PNG_INFO_tRNS) != 0;
        header.channels = (header.is_palette ? 3 : header.file_channels) + (has_transparency ? 1 : 0);
        if (header.is_palette) {
            png_get_PLTE(reader.png, reader.info, &palette.colours, &palette.size);
            png_get_tRNS(reader.png, reader.info, &palette.alphas, &palette.alphas_size, nullptr);
        }
    });
    return header;
}

class PngRows final : public RowReader {
public:
    PngRows(InputFile &file, const PngLimits &limits) : file_(file), reader_(file, limits) {
        header_ = read_header(reader_, palette_);
        check_limits(header_, file, limits);
        type = header_.type();
        shape = shape_of(header_.h, header_.w, header_.channels);
        has_alpha = header_.channels % 2 == 0;
        png_unknown_chunkp chunks = nullptr;
        const int count = png_get_unknown_chunks(reader_.png, reader_.info, &chunks);
        metadata = metadata_of(chunks, count, file, limits);
        metadata.depth = header_.depth;
        is_by_rows = png_get_interlace_type(reader_.png, reader_.info) == PNG_INTERLACE_NONE;
    }

    void read(Array &rows) override {
        auto *pixels = static_cast<uint8_t *>(rows.data());
        const int64_t row_bytes = rows.strides()[0] * static_cast<int64_t>(size_of(type)),
                      n = rows.shape()[0], first = row_;
        reader_([&] {
            if (first == 0) {
                begin();
            }
            for (int pass = 0; pass < passes_; pass++) {
                for (int64_t y = 0; y < n; y++) {
                    png_read_row(reader_.png, pixels + y * row_bytes, nullptr);
                }
            }
            if (first + n == header_.h) {
                png_read_end(reader_.png, nullptr);
            }
        });
        row_ += n;
        for (int64_t y = 0; y < n && header_.is_palette; y++) {
            expand(pixels + y * row_bytes, first + y, header_, palette_, file_);
        }
    }

private:
    // Before the first row; inside attempt().
    void begin() {
        if (header_.is_palette) {
            png_set_packing(reader_.png);
        } else {
            png_set_expand(reader_.png);  // fewer than 8 bits to 8, and tRNS to alpha
        }
        if constexpr (std::endian::native == std::endian::little) {
            png_set_swap(reader_.png);
        }
        passes_ = png_set_interlace_handling(reader_.png);
        png_read_update_info(reader_.png, reader_.info);

        const int64_t decoded_bytes =
            header_.w * (header_.is_palette ? 1 : header_.channels) * (header_.depth == 16 ? 2 : 1);
        if (static_cast<int64_t>(png_get_rowbytes(reader_.png, reader_.info)) != decoded_bytes) {
            png_error(reader_.png, "libpng decodes it in another form than expected");
        }
    }

    InputFile &file_;
    Reader reader_;
    Palette palette_;
    ImageHeader header_;
    int passes_ = 1;
    int64_t row_ = 0;
};

}  // namespace

Png read_png(const std::string &path, const PngLimits &limits) {
    InputFile file(path);
    const std::unique_ptr<RowReader> reader = open_png(file, limits);
    Array pixels = read_picture(*reader, file, limits, Array::uninitialized);
    return {std::move(pixels), std::move(reader->metadata)};
}

std::unique_ptr<RowReader> open_png(InputFile &file, const PngLimits &limits) {
    check_signature(file);
    return std::make_unique<PngRows>(file, limits);
}

}  // namespace tilewright
