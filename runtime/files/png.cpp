#include "tilewright/png.h"
#include "runtime/files/input_file.h"
#include "runtime/files/output_file.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <png.h>
#include <string_view>
#include <type_traits>
#include <zlib.h>

namespace tilewright {

namespace {

// --- libpng without surprises ---------------------------------------------------------------------------------------------
// libpng reports an error by longjmp, which must not pass over a C++ object that wants to be destroyed. So all calls go
// through attempt(): the step that it is given may hold pointers, numbers and references, but no object with a destructor,
// and what it returns false about becomes an exception outside.

// What libpng said last, and whether it was ever refused memory: it and zlib have several words for that.
struct Words {
    char error[200] = "";
    char warning[200] = "";
    bool is_out_of_memory = false;
};

void keep(char (&place)[200], const char *message) {
    std::strncpy(place, message, sizeof(place) - 1);
}

[[noreturn]] void on_error(png_structp png, const char *message) {
    keep(static_cast<Words *>(png_get_error_ptr(png))->error, message);
    png_longjmp(png, 1);
}

void on_warning(png_structp png, const char *message) {
    keep(static_cast<Words *>(png_get_error_ptr(png))->warning, message);
}

png_voidp take_memory(png_structp png, png_alloc_size_t bytes) {
    void *memory = std::malloc(bytes);
    if (memory == nullptr) {
        static_cast<Words *>(png_get_mem_ptr(png))->is_out_of_memory = true;
    }
    return memory;
}

void give_memory_back(png_structp, png_voidp memory) {
    std::free(memory);
}

template<typename Step>
[[gnu::noinline]] bool attempt(png_structp png, const Step &step) {
    static_assert(std::is_trivially_destructible_v<Step>);
    if (setjmp(png_jmpbuf(png)) != 0) {
        return false;
    }
    step();
    return true;
}

// libpng's own words, which people can search for. Where the error is only "Invalid IHDR data", the warning before it says
// what is invalid.
std::string sentence(const Words &words) {
    std::string text = words.error;
    if (text == "Invalid IHDR data" && words.warning[0] != 0) {
        text += std::string(" (") + words.warning + ")";
    }
    return text.empty() ? "libpng gives no reason" : text;
}

uint32_t read_u32(const uint8_t *from) {
    return uint32_t(from[0]) << 24 | uint32_t(from[1]) << 16 | uint32_t(from[2]) << 8 | from[3];
}

// The chunks of metadata that are kept, each name with its end, as libpng takes them.
constexpr char kept_chunks[] = "gAMA\0sRGB\0iCCP\0pHYs";
constexpr int kept_chunks_count = sizeof(kept_chunks) / 5;

bool is_kept(const uint8_t *name) {
    for (int i = 0; i < kept_chunks_count; i++) {
        if (std::memcmp(name, kept_chunks + 5 * i, 4) == 0) {
            return true;
        }
    }
    return false;
}

class Reader {
public:
    // A chunk that is kept may be as long as a compressed profile within the limit; others are skipped unread.
    Reader(InputFile &file, const PngLimits &limits)
        : file_(file), most_kept_bytes_(compressBound(static_cast<uLong>(std::max<int64_t>(limits.profile_bytes, 0))) + 81) {
        png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &words_, on_error, on_warning, &words_, take_memory, give_memory_back);
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
            // A chunk's length and name, before libpng takes memory for it.
            const bool is_head = png_get_io_state(handle) == (PNG_IO_READING | PNG_IO_CHUNK_HDR) && bytes == 8;
            if (is_head && is_kept(to + 4) && read_u32(to) > reader->most_kept_bytes_) {
                reader->kept_bytes_ = read_u32(to);
                png_error(handle, "too long");
            }
        });
    }
    ~Reader() {
        png_destroy_read_struct(&png, &info, nullptr);
    }
    Reader(const Reader &) = delete;
    Reader &operator=(const Reader &) = delete;

    // Runs libpng calls; their error becomes ours.
    template<typename Step>
    void operator()(const Step &step) {
        if (attempt(png, step)) {
            return;
        }
        if (is_truncated_) {
            file_.refuse_truncated();
        }
        if (kept_bytes_ > 0) {
            file_.refuse("a chunk of its metadata has " + std::to_string(kept_bytes_) + " bytes, and the limit is " +
                             std::to_string(most_kept_bytes_),
                         "raise PngLimits::profile_bytes if the file is to be trusted, or remove the profile");
        }
        if (words_.is_out_of_memory) {
            throw_no_memory("read", file_.path());
        }
        file_.refuse("it is a broken PNG: " + sentence(words_), "get a whole copy of it, or write it again");
    }

    png_structp png;
    png_infop info = nullptr;

private:
    InputFile &file_;
    const uLong most_kept_bytes_;
    Words words_;
    bool is_truncated_ = false;
    uint32_t kept_bytes_ = 0;  // of a chunk that was too long
};

class Writer {
public:
    Writer(OutputFile &file, const std::string &name) : file_(file), name_(name) {
        png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &words_, on_error, on_warning, &words_, take_memory, give_memory_back);
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
                    writer->is_disk_ = true;
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

    template<typename Step>
    void operator()(const Step &step) {
        if (attempt(png, step)) {
            return;
        }
        if (is_disk_) {
            file_.fail();
        }
        if (words_.is_out_of_memory) {
            throw_no_memory("write", name_);
        }
        throw Error(Fault::failed, "cannot write " + in_quotes(name_) + ": " + sentence(words_) + "; write .npy instead");
    }

    png_structp png;
    png_infop info = nullptr;

private:
    OutputFile &file_;
    const std::string &name_;
    Words words_;
    bool is_disk_ = false;
};

// --- metadata -------------------------------------------------------------------------------------------------------------
// The four chunks are carried as they are in the file, not through libpng's colour management: that would add a gAMA to
// each sRGB, and drop profiles that other programs are happy with.

void append_u32(std::vector<uint8_t> &to, uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        to.push_back(uint8_t(value >> shift));
    }
}

enum class Inflated { whole, malformed, over_limit, out_of_memory };

// Decompresses a zlib stream, piece by piece, so that a small stream cannot take more memory than the limit.
Inflated inflate_into(std::vector<uint8_t> &to, const uint8_t *from, size_t bytes, int64_t limit) {
    z_stream stream = {};
    if (inflateInit(&stream) != Z_OK) {
        return Inflated::out_of_memory;
    }
    struct End {
        z_stream &stream;
        ~End() {
            inflateEnd(&stream);
        }
    } end{stream};

    stream.next_in = const_cast<uint8_t *>(from);
    stream.avail_in = static_cast<uInt>(bytes);
    uint8_t piece[4096];
    for (;;) {
        stream.next_out = piece;
        stream.avail_out = sizeof(piece);
        const int result = inflate(&stream, Z_NO_FLUSH);
        to.insert(to.end(), piece, stream.next_out);
        if (static_cast<int64_t>(to.size()) > limit) {
            return Inflated::over_limit;
        }
        if (result == Z_STREAM_END) {
            return Inflated::whole;
        }
        if (result != Z_OK) {
            return result == Z_MEM_ERROR ? Inflated::out_of_memory : Inflated::malformed;
        }
    }
}

// iCCP: name, 0, compression method 0, zlib stream.
std::optional<PngMetadata::Profile> profile_of(const png_unknown_chunk &chunk, const InputFile &file, const PngLimits &limits) {
    const uint8_t *end = chunk.data + chunk.size;
    const uint8_t *zero = std::find<const uint8_t *>(chunk.data, end, 0);
    const auto name_length = zero - chunk.data;
    if (name_length < 1 || name_length > 79 || end - zero < 2 || zero[1] != 0) {
        return std::nullopt;
    }
    PngMetadata::Profile profile;
    profile.name.assign(reinterpret_cast<const char *>(chunk.data), static_cast<size_t>(name_length));
    const uint8_t *stream = zero + 2;
    switch (inflate_into(profile.bytes, stream, static_cast<size_t>(end - stream), limits.profile_bytes)) {
    case Inflated::malformed:
        return std::nullopt;
    case Inflated::out_of_memory:
        throw_no_memory("read", file.path());
    case Inflated::over_limit:
        file.refuse("its ICC profile is larger than " + std::to_string(limits.profile_bytes) + " bytes",
                    "raise PngLimits::profile_bytes if it is to be trusted, or remove the profile");
    case Inflated::whole:
        break;
    }
    return profile;
}

// Chunks of a wrong length or value are passed over; of several of a kind the first counts. Of profiles that is the first of
// all, right or not: each may inflate to the limit, and a file has room for many.
PngMetadata metadata_of(const png_unknown_chunk *chunks, int count, const InputFile &file, const PngLimits &limits) {
    PngMetadata metadata;
    bool has_profile = false;
    for (const png_unknown_chunk *chunk = chunks; chunk < chunks + count; chunk++) {
        const std::string_view name(reinterpret_cast<const char *>(chunk->name), 4);
        const uint8_t *data = chunk->data;
        if (name == "gAMA" && chunk->size == 4 && !metadata.gamma) {
            const uint32_t value = read_u32(data);
            if (value > 0 && value <= PNG_UINT_31_MAX) {
                metadata.gamma = value / 1e5;
            }
        } else if (name == "sRGB" && chunk->size == 1 && data[0] <= 3 && !metadata.srgb_intent) {
            metadata.srgb_intent = data[0];
        } else if (name == "pHYs" && chunk->size == 9 && data[8] <= 1 && !metadata.density) {
            metadata.density = {read_u32(data), read_u32(data + 4), data[8] == 1};
        } else if (name == "iCCP" && !has_profile) {
            has_profile = true;
            metadata.icc_profile = profile_of(*chunk, file, limits);
        }
    }
    return metadata;
}

struct Chunk {
    char name[5];
    std::vector<uint8_t> data;
};

// Whether the profile describes pixels of that many channels. (Bytes 16 to 19 of an ICC profile name its colour space.)
bool fits(const PngMetadata::Profile &profile, int channels) {
    const char *space = channels <= 2 ? "GRAY" : "RGB ";
    return profile.bytes.size() >= 20 && std::memcmp(profile.bytes.data() + 16, space, 4) == 0;
}

std::vector<Chunk> chunks_of(const PngMetadata &metadata, int channels, const std::string &path) {
    auto check = [](bool is_right, const char *argument, const std::string &value, const char *message) {
        if (!is_right) {
            Place place;
            place.operation = "write_png";
            place.argument = argument;
            place.value = value;
            throw Error(Fault::usage, message, place);
        }
    };

    std::vector<Chunk> chunks;
    if (metadata.gamma) {
        const double value = std::round(*metadata.gamma * 1e5);
        check(value >= 1 && value <= PNG_UINT_31_MAX, "gamma", std::to_string(*metadata.gamma), "PNG holds .00001 to 21474");
        append_u32(chunks.emplace_back(Chunk{"gAMA", {}}).data, uint32_t(value));
    }
    if (metadata.icc_profile && fits(*metadata.icc_profile, channels)) {
        const auto &[name, profile] = *metadata.icc_profile;
        check(!name.empty() && name.size() <= 79 && name.find('\0') == std::string::npos, "icc_profile name",
              in_quotes(name), "PNG holds 1 to 79 bytes, none of them 0");
        std::vector<uint8_t> &data = chunks.emplace_back(Chunk{"iCCP", {}}).data;
        data.assign(name.begin(), name.end());
        data.insert(data.end(), {0, 0});  // the name's end, and the compression method
        const size_t before = data.size();
        uLongf length = compressBound(profile.size());
        data.resize(before + length);
        if (compress2(data.data() + before, &length, profile.data(), profile.size(), 9) != Z_OK) {
            throw_no_memory("write", path);
        }
        data.resize(before + length);
    } else if (metadata.srgb_intent) {
        const int intent = *metadata.srgb_intent;
        check(intent >= 0 && intent <= 3, "srgb_intent", std::to_string(intent), "PNG holds 0 to 3");
        chunks.push_back({"sRGB", {uint8_t(intent)}});
    }
    if (metadata.density) {
        const auto [x, y, per_metre] = *metadata.density;
        check(std::max(x, y) <= PNG_UINT_31_MAX, "density", std::to_string(std::max(x, y)), "PNG holds up to 2^31 - 1");
        std::vector<uint8_t> &data = chunks.emplace_back(Chunk{"pHYs", {}}).data;
        append_u32(data, x);
        append_u32(data, y);
        data.push_back(per_metre ? 1 : 0);
    }
    return chunks;
}

// --- reading --------------------------------------------------------------------------------------------------------------

// Refuses what is no PNG, with a word on what it is instead.
void check_signature(InputFile &file) {
    static constexpr uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static constexpr struct {
        std::string_view start, kind;
    } kinds[] = {
        {"\xff\xd8", "a JPEG image"}, {"GIF8", "a GIF image"},  {"BM", "a BMP image"},           {"II*", "a TIFF image"},
        {"MM", "a TIFF image"},       {"RIFF", "a WebP image"}, {"\x93NUMPY", "a NumPy array"}, {"P", "a PNM image"},
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

// The picture as the file's header describes it, and as it will lie in memory.
struct Frame {
    int64_t w = 0, h = 0;
    int depth = 0;          // as in the file
    int channels = 0;       // in memory
    int file_channels = 0;  // a palette's index counts as one
    bool is_palette = false;

    Type type() const {
        return depth == 16 ? Type::u16 : Type::u8;
    }
};

std::string describe(const Frame &frame) {
    return std::to_string(frame.w) + " x " + std::to_string(frame.h) + " pixels";
}

void check_limits(const Frame &frame, const InputFile &file, const PngLimits &limits) {
    const std::string claims = "its header says " + describe(frame);
    auto check = [&](int64_t value, int64_t limit, const char *unit, const char *name) {
        if (value > limit) {
            file.refuse(claims + ", and the limit is " + std::to_string(limit) + unit,
                        std::string("raise PngLimits::") + name + " (--max-" + name + " of the program) if the file is to be trusted");
        }
    };
    check(std::max(frame.w, frame.h), limits.side, " a side", "side");
    const int64_t pixels = frame.w * frame.h;  // below 2^62
    check(pixels, limits.pixels, " in all", "pixels");
    const int64_t pixel_bytes = frame.channels * static_cast<int64_t>(size_of(frame.type()));
    if (pixels > std::numeric_limits<int64_t>::max() / pixel_bytes) {
        file.refuse(claims, "such an image fits into no memory");
    }
    check(pixels * pixel_bytes, limits.bytes, " bytes decoded", "bytes");

    // deflate makes at most 1032 bytes of one, so a short file cannot hold a large picture. Better said before memory is
    // taken for it.
    const auto packed_bytes = static_cast<double>(pixels) * frame.file_channels * frame.depth / 8;
    if (file.size() && packed_bytes > 1032. * static_cast<double>(*file.size())) {
        file.refuse(claims + ", which a file of " + std::to_string(*file.size()) + " bytes cannot hold",
                    "get a whole copy of it, or write it again");
    }
}

struct Palette {
    png_colorp colours = nullptr;
    int size = 0;
    png_bytep alphas = nullptr;
    int alphas_size = 0;
};

// Turns rows of palette indices into colours, in place: the rows have room for them, and from the right no index is
// overwritten before it is read.
void expand(uint8_t *row, int64_t y, const Frame &frame, const Palette &palette, const InputFile &file) {
    for (int64_t x = frame.w - 1; x >= 0; x--) {
        const int index = row[x];
        if (index >= palette.size) {
            file.refuse("it is a broken PNG: pixel (" + std::to_string(x) + ", " + std::to_string(y) + ") has colour " +
                            std::to_string(index) + " of a palette of " + std::to_string(palette.size),
                        "write it again");
        }
        const png_color colour = palette.colours[index];
        uint8_t *pixel = row + x * frame.channels;
        pixel[0] = colour.red;
        pixel[1] = colour.green;
        pixel[2] = colour.blue;
        if (frame.channels == 4) {
            pixel[3] = index < palette.alphas_size ? palette.alphas[index] : 255;
        }
    }
}

// Reads everything before the pixels.
Frame read_header(Reader &reader, Palette &palette) {
    Frame frame;
    reader([&] {
        // A CRC error is an error in any chunk; errors that libpng would pass over count; limits are ours.
        png_set_crc_action(reader.png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
        png_set_benign_errors(reader.png, 0);
        png_set_user_limits(reader.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
        png_set_chunk_malloc_max(reader.png, 0);  // else none may be over 8,000,000 bytes, not even one that is skipped
        // Chunks that nothing here needs are skipped unread, so that no text can decompress into memory.
        png_set_keep_unknown_chunks(reader.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
        png_set_keep_unknown_chunks(reader.png, PNG_HANDLE_CHUNK_ALWAYS, reinterpret_cast<png_const_bytep>(kept_chunks),
                                    kept_chunks_count);
        png_set_check_for_invalid_index(reader.png, 0);  // expand() checks, and says where
        png_set_sig_bytes(reader.png, 8);
        png_read_info(reader.png, reader.info);

        const int colour_type = png_get_color_type(reader.png, reader.info);
        frame.w = png_get_image_width(reader.png, reader.info);
        frame.h = png_get_image_height(reader.png, reader.info);
        frame.depth = png_get_bit_depth(reader.png, reader.info);
        frame.file_channels = png_get_channels(reader.png, reader.info);
        frame.is_palette = colour_type == PNG_COLOR_TYPE_PALETTE;
        const bool has_transparency = png_get_valid(reader.png, reader.info, PNG_INFO_tRNS) != 0;
        frame.channels = (frame.is_palette ? 3 : frame.file_channels) + (has_transparency ? 1 : 0);
        if (frame.is_palette) {
            png_get_PLTE(reader.png, reader.info, &palette.colours, &palette.size);
            png_get_tRNS(reader.png, reader.info, &palette.alphas, &palette.alphas_size, nullptr);
        }
    });
    return frame;
}

void read_pixels(Reader &reader, const Frame &frame, uint8_t *pixels, int64_t row_bytes) {
    reader([&] {
        if (frame.is_palette) {
            png_set_packing(reader.png);
        } else {
            png_set_expand(reader.png);  // fewer than 8 bits to 8, and tRNS to alpha
        }
        if constexpr (std::endian::native == std::endian::little) {
            png_set_swap(reader.png);
        }
        const int passes = png_set_interlace_handling(reader.png);
        png_read_update_info(reader.png, reader.info);

        const int64_t decoded_bytes =
            frame.w * (frame.is_palette ? 1 : frame.channels) * (frame.depth == 16 ? 2 : 1);
        if (static_cast<int64_t>(png_get_rowbytes(reader.png, reader.info)) != decoded_bytes) {
            png_error(reader.png, "libpng decodes it in another form than expected");
        }
        for (int pass = 0; pass < passes; pass++) {
            for (int64_t y = 0; y < frame.h; y++) {
                png_read_row(reader.png, pixels + y * row_bytes, nullptr);
            }
        }
        png_read_end(reader.png, nullptr);
    });
}

}  // namespace

Png read_png(const std::string &path, const PngLimits &limits) {
    InputFile file(path);
    check_signature(file);
    Reader reader(file, limits);
    Palette palette;
    const Frame frame = read_header(reader, palette);
    check_limits(frame, file, limits);

    Png png;
    png_unknown_chunkp chunks = nullptr;
    const int count = png_get_unknown_chunks(reader.png, reader.info, &chunks);
    png.metadata = metadata_of(chunks, count, file, limits);
    png.metadata.depth = frame.depth;

    std::vector<int64_t> shape = {frame.h, frame.w};
    if (frame.channels > 1) {
        shape.push_back(frame.channels);
    }
    png.pixels = Array(frame.type(), shape);
    auto *pixels = static_cast<uint8_t *>(png.pixels.data());
    const int64_t row_bytes = png.pixels.strides()[0] * static_cast<int64_t>(size_of(frame.type()));
    read_pixels(reader, frame, pixels, row_bytes);
    if (frame.is_palette) {
        for (int64_t y = 0; y < frame.h; y++) {
            expand(pixels + y * row_bytes, y, frame, palette, file);
        }
    }
    return png;
}

void check_png(Type type, const std::vector<int64_t> &shape) {
    auto refuse = [&](const std::string &why) {
        Place place;
        place.operation = "write_png";
        place.argument = "image";
        place.value = std::string(name_of(type)) + " (";
        for (const int64_t extent : shape) {
            place.value += (place.value.back() == '(' ? "" : ", ") + std::to_string(extent);
        }
        place.value += ")";
        throw Error(Fault::usage, why + "; write .npy instead", place);
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
            refuse("PNG holds 1 to 2^31 - 1 pixels a side");
        }
    }
}

void write_png(const std::string &path, const Array &image, const PngMetadata &metadata) {
    check_png(image.type(), image.shape());
    const int64_t h = image.shape()[0], w = image.shape()[1];
    const int channels = image.dimensions() == 3 ? static_cast<int>(image.shape()[2]) : 1;
    const std::vector<Chunk> chunks = chunks_of(metadata, channels, path);
    const auto *pixels = static_cast<const uint8_t *>(image.data());
    const int64_t row_bytes = image.strides()[0] * static_cast<int64_t>(size_of(image.type()));
    const int depth = image.type() == Type::u16 ? 16 : 8;
    static constexpr int colour_types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                           PNG_COLOR_TYPE_RGB_ALPHA};

    OutputFile file(path);
    Writer writer(file, path);
    writer([&] {
        png_set_user_limits(writer.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
        png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(w), static_cast<png_uint_32>(h), depth,
                     colour_types[channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        // On a smooth picture with camera-like noise 37 MB/s where zlib's own choice, 6, makes 8; its file is 15 % larger.
        png_set_compression_level(writer.png, 2);
        png_write_info_before_PLTE(writer.png, writer.info);
        for (const Chunk &chunk : chunks) {
            png_write_chunk(writer.png, reinterpret_cast<png_const_bytep>(chunk.name), chunk.data.data(), chunk.data.size());
        }
        png_write_info(writer.png, writer.info);
        if constexpr (std::endian::native == std::endian::little) {
            png_set_swap(writer.png);
        }
        for (int64_t y = 0; y < h; y++) {
            png_write_row(writer.png, pixels + y * row_bytes);
        }
        png_write_end(writer.png, nullptr);
    });
    file.commit();
}

}  // namespace tilewright
