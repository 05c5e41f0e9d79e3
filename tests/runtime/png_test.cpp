// PNG files: read against a picture's definition and against a second decoder (libspng), written and read by it, and every
// way of being broken that we could think of.
#include "tilewright/png.h"
#include "tests/files.h"
#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <map>
#include <memory>
#include <png.h>
#include <random>
#include <spng.h>
#include <zlib.h>

namespace tilewright {
namespace {

// --- pictures as PNG defines them -----------------------------------------------------------------------------------------

struct Kind {
    int colour_type, depth;
    bool is_interlaced, is_transparent;  // transparent: by a tRNS chunk
};

std::string name_of(const Kind &kind) {
    static const std::map<int, std::string> colours = {{PNG_COLOR_TYPE_GRAY, "grey"},
                                                       {PNG_COLOR_TYPE_GRAY_ALPHA, "grey_alpha"},
                                                       {PNG_COLOR_TYPE_RGB, "rgb"},
                                                       {PNG_COLOR_TYPE_RGB_ALPHA, "rgb_alpha"},
                                                       {PNG_COLOR_TYPE_PALETTE, "palette"}};
    return colours.at(kind.colour_type) + "_" + std::to_string(kind.depth) + (kind.is_transparent ? "_tRNS" : "") +
           (kind.is_interlaced ? "_interlaced" : "");
}

void PrintTo(const Kind &kind, std::ostream *out) {
    *out << name_of(kind);
}

std::vector<Kind> all_kinds() {
    static const struct {
        int colour_type;
        std::vector<int> depths;
        bool may_have_trns;
    } table[] = {
        {PNG_COLOR_TYPE_GRAY, {1, 2, 4, 8, 16}, true},    {PNG_COLOR_TYPE_RGB, {8, 16}, true},
        {PNG_COLOR_TYPE_PALETTE, {1, 2, 4, 8}, true},     {PNG_COLOR_TYPE_GRAY_ALPHA, {8, 16}, false},
        {PNG_COLOR_TYPE_RGB_ALPHA, {8, 16}, false},
    };
    std::vector<Kind> kinds;
    for (const auto &line : table) {
        for (const int depth : line.depths) {
            for (const bool is_interlaced : {false, true}) {
                kinds.push_back({line.colour_type, depth, is_interlaced, false});
                if (line.may_have_trns) {
                    kinds.push_back({line.colour_type, depth, is_interlaced, true});
                }
            }
        }
    }
    return kinds;
}

struct Picture {
    Kind kind;
    int w, h;
    int samples_per_pixel;
    std::vector<uint16_t> samples;  // as the file holds them
    std::vector<png_color> palette;
    std::vector<uint8_t> alphas;    // of the palette
    png_color_16 transparent = {};  // otherwise
};

Picture random_picture(const Kind &kind, int w, int h, std::mt19937 &random) {
    Picture picture{kind, w, h, 1, {}, {}, {}, {}};
    switch (kind.colour_type) {
    case PNG_COLOR_TYPE_GRAY_ALPHA:
        picture.samples_per_pixel = 2;
        break;
    case PNG_COLOR_TYPE_RGB:
        picture.samples_per_pixel = 3;
        break;
    case PNG_COLOR_TYPE_RGB_ALPHA:
        picture.samples_per_pixel = 4;
        break;
    default:
        break;
    }

    // A palette that is not full, and of alphas that are fewer than its colours.
    uint32_t largest = (1u << kind.depth) - 1;
    if (kind.colour_type == PNG_COLOR_TYPE_PALETTE) {
        largest = std::max(1u, largest - largest / 5);
        for (uint32_t i = 0; i <= largest; i++) {
            picture.palette.push_back({uint8_t(random()), uint8_t(random()), uint8_t(random())});
        }
        if (kind.is_transparent) {
            for (uint32_t i = 0; i < largest / 2 + 1; i++) {
                picture.alphas.push_back(uint8_t(random()));
            }
        }
    }
    for (int i = 0; i < w * h * picture.samples_per_pixel; i++) {
        picture.samples.push_back(uint16_t(random() % (largest + 1)));
    }

    // One colour is transparent. It occurs twice or more where there is room, and so do colours that differ from it in one
    // sample, or in the lower byte of one.
    if (kind.is_transparent && kind.colour_type != PNG_COLOR_TYPE_PALETTE) {
        const int c = picture.samples_per_pixel;
        auto copy = [&](int to) {
            std::copy_n(picture.samples.begin(), c, picture.samples.begin() + to * c);
        };
        if (w * h > 3) {
            copy(w * h / 2);
            copy(w * h - 1);
            picture.samples[size_t(w * h - 1) * c] ^= 1;
        }
        picture.transparent.gray = picture.samples[0];
        picture.transparent.red = picture.samples[0];
        picture.transparent.green = picture.samples[c == 3 ? 1 : 0];
        picture.transparent.blue = picture.samples[c == 3 ? 2 : 0];
    }
    return picture;
}

// Row y as the file packs it.
std::vector<uint8_t> packed_row(const Picture &picture, int y) {
    const int count = picture.w * picture.samples_per_pixel, depth = picture.kind.depth;
    std::vector<uint8_t> row(size_t(count * depth + 7) / 8);
    for (int i = 0; i < count; i++) {
        const uint16_t sample = picture.samples[size_t(y) * count + i];
        if (depth == 16) {
            row[2 * i] = uint8_t(sample >> 8);
            row[2 * i + 1] = uint8_t(sample);
        } else {
            const int bit = i * depth;
            row[bit / 8] |= uint8_t(sample << (8 - depth - bit % 8));
        }
    }
    return row;
}

// Encodes with libpng.
Bytes encode(const Picture &picture) {
    Bytes bytes;
    std::vector<std::vector<uint8_t>> rows;
    std::vector<png_bytep> pointers;
    for (int y = 0; y < picture.h; y++) {
        rows.push_back(packed_row(picture, y));
    }
    for (auto &row : rows) {
        pointers.push_back(row.data());
    }
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    if (setjmp(png_jmpbuf(png)) != 0) {
        ADD_FAILURE() << "libpng cannot write the sample";
        return {};
    }
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_write_fn(
        png, &bytes,
        [](png_structp handle, png_bytep from, size_t count) {
            auto *to = static_cast<Bytes *>(png_get_io_ptr(handle));
            to->insert(to->end(), from, from + count);
        },
        nullptr);
    png_set_IHDR(png, info, png_uint_32(picture.w), png_uint_32(picture.h), picture.kind.depth, picture.kind.colour_type,
                 picture.kind.is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (!picture.palette.empty()) {
        png_set_PLTE(png, info, picture.palette.data(), int(picture.palette.size()));
    }
    if (!picture.alphas.empty()) {
        png_set_tRNS(png, info, picture.alphas.data(), int(picture.alphas.size()), nullptr);
    } else if (picture.kind.is_transparent) {
        png_set_tRNS(png, info, nullptr, 0, &picture.transparent);
    }
    png_set_filter(png, 0, PNG_ALL_FILTERS);
    png_write_info(png, info);
    png_write_image(png, pointers.data());
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return bytes;
}

// The picture by its definition: channels and values as read_png promises them.
struct Expected {
    Type type;
    int channels;
    std::vector<uint16_t> values;
};

Expected definition_of(const Picture &picture) {
    const Kind &kind = picture.kind;
    const bool is_palette = kind.colour_type == PNG_COLOR_TYPE_PALETTE;
    Expected expected{kind.depth == 16 ? Type::u16 : Type::u8,
                      (is_palette ? 3 : picture.samples_per_pixel) + (kind.is_transparent ? 1 : 0),
                      {}};
    const uint32_t white = expected.type == Type::u16 ? 65535 : 255;
    const uint32_t largest = (1u << kind.depth) - 1;
    for (int i = 0; i < picture.w * picture.h; i++) {
        const uint16_t *pixel = &picture.samples[size_t(i) * picture.samples_per_pixel];
        if (is_palette) {
            const png_color colour = picture.palette[*pixel];
            expected.values.insert(expected.values.end(), {colour.red, colour.green, colour.blue});
            if (kind.is_transparent) {
                expected.values.push_back(*pixel < picture.alphas.size() ? picture.alphas[*pixel] : 255);
            }
            continue;
        }
        for (int c = 0; c < picture.samples_per_pixel; c++) {
            expected.values.push_back(uint16_t(pixel[c] * white / largest));
        }
        if (kind.is_transparent) {
            const bool is_transparent =
                picture.samples_per_pixel == 1 ?
                    pixel[0] == picture.transparent.gray :
                    pixel[0] == picture.transparent.red && pixel[1] == picture.transparent.green &&
                        pixel[2] == picture.transparent.blue;
            expected.values.push_back(uint16_t(is_transparent ? 0 : white));
        }
    }
    return expected;
}

std::vector<uint16_t> values_of(const Array &image) {
    const int64_t row_values = image.size() / image.shape()[0];
    std::vector<uint16_t> values;
    for (int64_t y = 0; y < image.shape()[0]; y++) {
        if (image.type() == Type::u16) {
            const uint16_t *row = row_of<uint16_t>(image, y);
            values.insert(values.end(), row, row + row_values);
        } else {
            const uint8_t *row = row_of<uint8_t>(image, y);
            values.insert(values.end(), row, row + row_values);
        }
    }
    return values;
}

std::vector<int64_t> shape_of(int64_t w, int64_t h, int channels) {
    return channels == 1 ? std::vector<int64_t>{h, w} : std::vector<int64_t>{h, w, channels};
}

// --- the second decoder ---------------------------------------------------------------------------------------------------

using Spng = std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)>;

Spng open_spng(const Bytes &bytes) {
    Spng spng(spng_ctx_new(0), spng_ctx_free);
    spng_set_png_buffer(spng.get(), bytes.data(), bytes.size());
    return spng;
}

// Red, green, blue and alpha of every pixel, 8 or 16 bits each; empty when libspng refuses the file.
std::vector<uint16_t> decode_with_spng(const Bytes &bytes) {
    const Spng spng = open_spng(bytes);
    spng_ihdr header = {};
    if (spng_get_ihdr(spng.get(), &header) != 0) {
        return {};
    }
    const bool is_deep = header.bit_depth == 16;
    const int format = is_deep ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8;
    const size_t count = size_t(header.width) * header.height * 4;
    std::vector<uint8_t> pixels(count * (is_deep ? 2 : 1));
    size_t needed = 0;
    if (spng_decoded_image_size(spng.get(), format, &needed) != 0 || needed != pixels.size() ||
        spng_decode_image(spng.get(), pixels.data(), pixels.size(), format, SPNG_DECODE_TRNS) != 0) {
        return {};
    }
    std::vector<uint16_t> values(count);
    for (size_t i = 0; i < count; i++) {
        if (is_deep) {
            std::memcpy(&values[i], &pixels[2 * i], 2);
        } else {
            values[i] = pixels[i];
        }
    }
    return values;
}

// Our pixels in the same form.
std::vector<uint16_t> as_rgba(const Array &image) {
    const int channels = image.dimensions() == 3 ? int(image.shape()[2]) : 1;
    const uint16_t white = image.type() == Type::u16 ? 65535 : 255;
    const std::vector<uint16_t> values = values_of(image);
    std::vector<uint16_t> rgba;
    for (size_t i = 0; i < values.size(); i += size_t(channels)) {
        const uint16_t *pixel = &values[i];
        for (int c = 0; c < 3; c++) {
            rgba.push_back(channels < 3 ? pixel[0] : pixel[c]);
        }
        rgba.push_back(channels % 2 == 0 ? pixel[channels - 1] : white);
    }
    return rgba;
}

// --- PNG files made by hand -----------------------------------------------------------------------------------------------

void append_u32(Bytes &bytes, uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes.push_back(uint8_t(value >> shift));
    }
}

uint32_t read_u32(const uint8_t *from) {
    return uint32_t(from[0]) << 24 | uint32_t(from[1]) << 16 | uint32_t(from[2]) << 8 | from[3];
}

struct Chunk {
    std::string name;
    Bytes data;
};

const Bytes signature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

Bytes file_of(const std::vector<Chunk> &chunks) {
    Bytes bytes = signature;
    for (const Chunk &chunk : chunks) {
        append_u32(bytes, uint32_t(chunk.data.size()));
        const size_t begin = bytes.size();
        bytes.insert(bytes.end(), chunk.name.begin(), chunk.name.end());
        bytes.insert(bytes.end(), chunk.data.begin(), chunk.data.end());
        append_u32(bytes, uint32_t(crc32(0, bytes.data() + begin, uInt(bytes.size() - begin))));
    }
    return bytes;
}

// The chunks of a whole file.
std::vector<Chunk> chunks_of(const Bytes &bytes) {
    std::vector<Chunk> chunks;
    for (size_t at = 8; at + 12 <= bytes.size();) {
        const size_t length = read_u32(&bytes[at]);
        const auto name = bytes.begin() + long(at) + 4;
        chunks.push_back({std::string(name, name + 4), Bytes(name + 4, name + 4 + long(length))});
        at += 12 + length;
    }
    return chunks;
}

Chunk header(uint32_t w, uint32_t h, uint8_t depth = 8, uint8_t colour_type = PNG_COLOR_TYPE_GRAY) {
    Chunk chunk{"IHDR", {}};
    append_u32(chunk.data, w);
    append_u32(chunk.data, h);
    chunk.data.insert(chunk.data.end(), {depth, colour_type, 0, 0, 0});
    return chunk;
}

Bytes deflated(const Bytes &bytes) {
    uLongf length = compressBound(uLong(bytes.size()));
    Bytes packed(length);
    EXPECT_EQ(compress(packed.data(), &length, bytes.data(), uLong(bytes.size())), Z_OK);
    packed.resize(length);
    return packed;
}

const Chunk end_chunk = {"IEND", {}};

// 2 x 2 grey pixels: rows of a filter byte and two samples.
const Bytes four_pixels = {0, 10, 20, 0, 30, 40};

class PngTest : public testing::Test {
protected:
    TemporaryFolder folder;
    std::mt19937 random{2026};

    // Reads bytes as a file.
    Png read(const Bytes &bytes, const PngLimits &limits = {}) {
        const std::string path = folder.file("sample.png");
        write_bytes(path, bytes);
        return read_png(path, limits);
    }

    std::string expect_refused(const Bytes &bytes, const std::string &words, const PngLimits &limits = {}) {
        const std::string line = expect_error(Fault::input, words, [&] { read(bytes, limits); });
        EXPECT_NE(line.find("sample.png"), std::string::npos) << line;
        return line;
    }
};

// --- every kind -----------------------------------------------------------------------------------------------------------

class PngKind : public PngTest, public testing::WithParamInterface<Kind> {};

TEST_P(PngKind, IsReadAsDefinedAndAsAnotherDecoderReadsIt) {
    // Sizes at which passes of the interlacing are empty or partial, and rows end inside a byte.
    for (const auto &[w, h] : {std::pair(1, 1), {2, 1}, {1, 2}, {3, 3}, {4, 5}, {5, 4}, {5, 5}, {7, 9}, {8, 8}, {9, 8},
                               {16, 17}, {33, 31}, {67, 64}, {1, 40}, {40, 1}, {301, 7}}) {
        SCOPED_TRACE(testing::Message() << w << " x " << h);
        const Picture picture = random_picture(GetParam(), w, h, random);
        const Bytes bytes = encode(picture);
        const Expected expected = definition_of(picture);
        const Png png = read(bytes);
        ASSERT_EQ(png.pixels.type(), expected.type);
        ASSERT_EQ(png.pixels.shape(), shape_of(w, h, expected.channels));
        EXPECT_EQ(png.metadata.depth, GetParam().depth);
        EXPECT_EQ(values_of(png.pixels), expected.values);

        const std::vector<uint16_t> second = decode_with_spng(bytes);
        ASSERT_FALSE(second.empty()) << "libspng does not read the sample";
        EXPECT_EQ(as_rgba(png.pixels), second);
    }
}

TEST_P(PngKind, IsRefusedWhereverItIsCutOff) {
    const Bytes bytes = encode(random_picture(GetParam(), 13, 11, random));
    for (size_t length = 0; length < bytes.size(); length += length + 20 < bytes.size() ? 7 : 1) {
        SCOPED_TRACE(length);
        expect_refused(Bytes(bytes.begin(), bytes.begin() + long(length)), length == 0 ? "empty" : "the file ends too early");
    }
}

TEST_P(PngKind, IsRefusedWhenAnyByteIsFlipped) {
    const Bytes bytes = encode(random_picture(GetParam(), 5, 6, random));
    for (size_t i = 0; i < bytes.size(); i++) {
        SCOPED_TRACE(i);
        Bytes broken = bytes;
        broken[i] ^= uint8_t(1u << random() % 8);
        expect_refused(broken, "");
    }
}

INSTANTIATE_TEST_SUITE_P(All, PngKind, testing::ValuesIn(all_kinds()),
                         [](const auto &info) { return name_of(info.param); });

// --- broken files ---------------------------------------------------------------------------------------------------------

TEST_F(PngTest, AFileByHandIsRead) {
    const Png png = read(file_of({header(2, 2), {"IDAT", deflated(four_pixels)}, end_chunk}));
    EXPECT_EQ(values_of(png.pixels), (std::vector<uint16_t>{10, 20, 30, 40}));
}

TEST_F(PngTest, WhatFollowsTheEndIsIgnored) {
    Bytes bytes = file_of({header(2, 2), {"IDAT", deflated(four_pixels)}, end_chunk});
    bytes.insert(bytes.end(), 1000, 'x');
    EXPECT_EQ(values_of(read(bytes).pixels), (std::vector<uint16_t>{10, 20, 30, 40}));
}

TEST_F(PngTest, WhatIsNoPngIsRefused) {
    expect_error(Fault::input, "No such file", [&] { read_png(folder.file("absent.png")); });
    expect_error(Fault::input, "it is a directory", [&] { read_png(folder.path()); });
    expect_refused({}, "the file is empty");
    expect_refused({0x89, 'P'}, "the file ends too early, after 2 bytes");
    expect_refused(bytes_of("hello, this is text"), "it is no PNG file");
    expect_refused({0xff, 0xd8, 0xff, 0xe0, 0, 16, 'J', 'F', 'I', 'F'}, "looks like a JPEG");
    expect_refused(bytes_of("\x93NUMPY..."), "looks like a NumPy array");
    expect_refused(signature, "the file ends too early, after 8 bytes");
    expect_refused(Bytes(5000, 0), "it is no PNG file");
}

TEST_F(PngTest, AnErrorIsOneLineWhateverThePath) {
    expect_error(Fault::input, "a?b.png", [&] { read_png(folder.file("a\nb.png")); });
}

TEST_F(PngTest, WrongSizesAreRefused) {
    const Chunk data = {"IDAT", deflated(four_pixels)};
    expect_refused(file_of({header(0, 2), data, end_chunk}), "width is zero");
    expect_refused(file_of({header(2, 0), data, end_chunk}), "height is zero");
    expect_refused(file_of({header(0x80000000u, 2), data, end_chunk}), "broken PNG");
    expect_refused(file_of({header(0x7fffffff, 0x7fffffff), data, end_chunk}), "the limit is 1048576 a side");
    expect_refused(file_of({header(1 << 20, (1 << 20) + 1), data, end_chunk}), "the limit is 1048576 a side");
    expect_refused(file_of({header(1 << 20, 1 << 20), data, end_chunk}), "the limit is 1073741824 in all");
    expect_refused(file_of({header(1 << 15, 1 << 15, 16, PNG_COLOR_TYPE_RGB_ALPHA), data, end_chunk}), "cannot hold");
    expect_refused(file_of({header(2, 3), data, end_chunk}), "broken PNG");
    expect_refused(file_of({header(3, 2), data, end_chunk}), "broken PNG");
    expect_refused(file_of({header(2, 1), data, end_chunk}), "broken PNG");
    expect_refused(file_of({header(2, 2, 3), data, end_chunk}), "bit depth");
    expect_refused(file_of({header(2, 2, 8, 5), data, end_chunk}), "color type");
}

TEST_F(PngTest, LimitsCanBeSet) {
    const Bytes bytes = encode(random_picture({PNG_COLOR_TYPE_RGB, 16, false, false}, 10, 7, random));
    PngLimits exact;
    exact.side = 10;
    exact.pixels = 70;
    exact.bytes = 70 * 6;
    EXPECT_EQ(read(bytes, exact).pixels.size(), 210);
    for (int64_t PngLimits::*limit : {&PngLimits::side, &PngLimits::pixels, &PngLimits::bytes}) {
        PngLimits lower = exact;
        (lower.*limit)--;
        expect_refused(bytes, "the limit is " + std::to_string(lower.*limit), lower);
    }
    // More than the default is read when the caller says so.
    const int w = (1 << 20) + 1;
    const Bytes wide = encode(random_picture({PNG_COLOR_TYPE_GRAY, 1, false, false}, w, 1, random));
    expect_refused(wide, "a side");
    PngLimits higher;
    higher.side = w;
    EXPECT_EQ(read(wide, higher).pixels.size(), w);
}

TEST_F(PngTest, BrokenChunksAreRefused) {
    const Chunk data = {"IDAT", deflated(four_pixels)};
    expect_refused(file_of({header(2, 2), end_chunk}), "broken PNG");
    expect_refused(file_of({data, header(2, 2), end_chunk}), "broken PNG");
    expect_refused(file_of({header(2, 2), header(2, 2), data, end_chunk}), "broken PNG");
    expect_refused(file_of({header(2, 2), {"ABCD", {}}, data, end_chunk}), "broken PNG");
    expect_refused(file_of({header(2, 2), {"IDAT", {}}, end_chunk}), "broken PNG");
    expect_refused(file_of({header(2, 2), {"IDAT", bytes_of("no zlib stream")}, end_chunk}), "broken PNG");
    expect_refused(file_of({header(2, 2, 8, PNG_COLOR_TYPE_PALETTE), data, end_chunk}), "broken PNG");
    expect_refused(file_of({header(2, 2), data}), "the file ends too early");
    Chunk filter{"IDAT", deflated({9, 10, 20, 0, 30, 40})};
    expect_refused(file_of({header(2, 2), filter, end_chunk}), "filter");

    // The checksum of the zlib stream, with a chunk whose own is right.
    Chunk checksum = data;
    checksum.data.back() ^= 1;
    expect_refused(file_of({header(2, 2), checksum, end_chunk}), "incorrect data check");
    // The same where a text is broken that nobody reads.
    Bytes text = file_of({header(2, 2), {"tEXt", bytes_of("Title")}, data, end_chunk});
    EXPECT_EQ(read(text).pixels.size(), 4);
    text[8 + 25 + 8] ^= 1;
    expect_refused(text, "CRC");
}

TEST_F(PngTest, AColourOutsideThePaletteIsRefused) {
    const Chunk palette = {"PLTE", {1, 2, 3, 4, 5, 6}};
    const Bytes good = file_of({header(2, 2, 8, PNG_COLOR_TYPE_PALETTE), palette, {"IDAT", deflated({0, 0, 1, 0, 1, 0})}, end_chunk});
    EXPECT_EQ(values_of(read(good).pixels), (std::vector<uint16_t>{1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3}));
    expect_refused(file_of({header(2, 2, 8, PNG_COLOR_TYPE_PALETTE), palette, {"IDAT", deflated({0, 0, 1, 0, 2, 0})}, end_chunk}),
                   "pixel (0, 1) has colour 2 of a palette of 2");
}

TEST_F(PngTest, ATextThatUnpacksToGigabytesIsPassedOver) {
    Bytes text = bytes_of("Comment");
    text.insert(text.end(), {0, 0});
    const Bytes packed = deflated(Bytes(64 << 20, 'x'));
    text.insert(text.end(), packed.begin(), packed.end());
    std::vector<Chunk> chunks = {header(2, 2)};
    chunks.insert(chunks.end(), 100, Chunk{"zTXt", text});
    chunks.insert(chunks.end(), {{"IDAT", deflated(four_pixels)}, end_chunk});
    EXPECT_EQ(read(file_of(chunks)).pixels.size(), 4);
}

// Whether a transparent colour has more bits than the samples. PNG says that decoders ignore them; libspng does not.
bool has_bits_too_many(const std::vector<Chunk> &chunks) {
    int depth = 16;
    bool is_palette = false, found = false;
    for (const Chunk &chunk : chunks) {
        if (chunk.name == "IHDR" && chunk.data.size() == 13) {
            depth = chunk.data[8];
            is_palette = chunk.data[9] == PNG_COLOR_TYPE_PALETTE;
        } else if (chunk.name == "tRNS" && !is_palette) {
            for (size_t i = 0; i + 2 <= chunk.data.size(); i += 2) {
                found = found || (chunk.data[i] * 256 + chunk.data[i + 1]) >> depth != 0;
            }
        }
    }
    return found;
}

// Valid checksums around damaged contents: whatever comes out is either an error of the right class or, where the second
// decoder takes the file too, the same pixels.
TEST_F(PngTest, DamageUnderRightChecksumsIsHarmless) {
    int read_by_both = 0, refused = 0;
    for (int round = 0; round < 4000; round++) {
        const auto kinds = all_kinds();
        const Kind kind = kinds[random() % kinds.size()];
        std::vector<Chunk> chunks = chunks_of(encode(random_picture(kind, 1 + int(random() % 12), 1 + int(random() % 12), random)));
        for (int damage = 0; damage < 1 + int(random() % 2); damage++) {
            Chunk &chunk = chunks[random() % chunks.size()];
            switch (random() % 8) {
            case 0:
                std::swap(chunk, chunks[random() % chunks.size()]);
                break;
            case 1:
                chunks.insert(chunks.begin() + long(random() % chunks.size()), Chunk(chunk));
                break;
            case 2:
                chunk.data.resize(random() % (chunk.data.size() + 8));
                break;
            case 3:
                chunk.name[random() % 4] ^= char(1 << random() % 6);
                break;
            default:
                if (!chunk.data.empty()) {
                    chunk.data[random() % chunk.data.size()] ^= uint8_t(1u << random() % 8);
                }
            }
        }
        const Bytes bytes = file_of(chunks);
        try {
            PngLimits limits;
            limits.bytes = 1 << 20;
            const Png png = read(bytes, limits);
            const std::vector<uint16_t> second = decode_with_spng(bytes);
            if (!second.empty() && !has_bits_too_many(chunks)) {
                read_by_both++;
                ASSERT_EQ(as_rgba(png.pixels), second) << name_of(kind) << ", round " << round;
            }
        } catch (const Error &error) {
            refused++;
            ASSERT_EQ(error.fault(), Fault::input) << error.what();
        }
    }
    EXPECT_GT(read_by_both, 100);
    EXPECT_GT(refused, 100);
}

// Damage anywhere in the file, checksums included.
TEST_F(PngTest, DamageAnywhereIsAnErrorOrAPicture) {
    for (int round = 0; round < 2000; round++) {
        const auto kinds = all_kinds();
        Bytes bytes = encode(random_picture(kinds[random() % kinds.size()], 9, 10, random));
        for (int damage = 0; damage < 1 + int(random() % 5); damage++) {
            const size_t at = random() % bytes.size();
            switch (random() % 3) {
            case 0:
                bytes[at] = uint8_t(random());
                break;
            case 1:
                bytes.erase(bytes.begin() + long(at), bytes.begin() + long(std::min(bytes.size(), at + 1 + random() % 9)));
                break;
            default:
                bytes.insert(bytes.begin() + long(at), random() % 9, uint8_t(random()));
            }
            if (bytes.empty()) {
                break;
            }
        }
        try {
            EXPECT_GT(read(bytes).pixels.size(), 0);
        } catch (const Error &error) {
            ASSERT_EQ(error.fault(), Fault::input) << error.what();
        }
    }
}

// --- writing --------------------------------------------------------------------------------------------------------------

Array random_array(Type type, std::vector<int64_t> shape, std::mt19937 &random, int64_t row_bytes = Array::padded) {
    Array array(type, std::move(shape), row_bytes);
    auto *bytes = static_cast<uint8_t *>(array.data());
    const int64_t pitch = array.strides()[0] * int64_t(size_of(type)) * (array.dimensions() > 1 ? array.shape()[0] : 1);
    for (int64_t i = 0; i < pitch; i++) {
        bytes[i] = uint8_t(random());
    }
    return array;
}

TEST_F(PngTest, WritesWhatAnotherDecoderReads) {
    static constexpr int colour_types[] = {0, SPNG_COLOR_TYPE_GRAYSCALE, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA,
                                           SPNG_COLOR_TYPE_TRUECOLOR, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA};
    const std::string path = folder.file("written.png");
    for (const Type type : {Type::u8, Type::u16}) {
        for (int channels = 1; channels <= 4; channels++) {
            for (const auto &[w, h] : {std::pair(1, 1), {5, 3}, {31, 33}, {200, 2}, {2, 200}}) {
                const Array whole = random_array(type, shape_of(w + 3, h + 2, channels), random);
                for (const Array &image : {random_array(type, shape_of(w, h, channels), random), whole.crop(1, 2, h, w),
                                           random_array(type, shape_of(w, h, channels), random, 0)}) {
                    SCOPED_TRACE(image.describe());
                    write_png(path, image);
                    const Bytes bytes = read_bytes(path);
                    spng_ihdr ihdr = {};
                    ASSERT_EQ(spng_get_ihdr(open_spng(bytes).get(), &ihdr), 0);
                    EXPECT_EQ(ihdr.bit_depth, type == Type::u16 ? 16 : 8);
                    EXPECT_EQ(ihdr.color_type, colour_types[channels]);
                    EXPECT_EQ(decode_with_spng(bytes), as_rgba(image));

                    const Png again = read_png(path);
                    EXPECT_EQ(again.pixels.shape(), image.shape());
                    EXPECT_EQ(again.pixels.type(), type);
                    EXPECT_EQ(values_of(again.pixels), values_of(image));
                }
            }
        }
    }
    write_png(path, random_array(Type::u8, {4, 5, 1}, random));
    EXPECT_EQ(read_png(path).pixels.shape(), (std::vector<int64_t>{4, 5}));
    EXPECT_EQ(folder.names(), std::vector<std::string>{"written.png"});
}

TEST_F(PngTest, RefusesWhatPngCannotHold) {
    const std::string path = folder.file("kept.png");
    write_bytes(path, bytes_of("the older file"));
    auto expect_usage = [&](const Array &array, const std::string &words) {
        expect_error(Fault::usage, words, [&] { write_png(path, array); });
    };
    expect_usage(Array(Type::f32, {3, 4}), "f32 (3, 4): PNG holds u8 and u16; write .npy instead");
    expect_usage(Array(Type::u32, {3, 4}), "u8 and u16");
    expect_usage(Array(Type::u8, {12}), "images (h, w) and (h, w, c)");
    expect_usage(Array(Type::u8, {3, 4, 5}), "1 to 4 channels");
    expect_usage(Array(), "write_png");

    const Array image(Type::u8, {3, 4, 3});
    auto expect_bad = [&](const std::string &words, PngMetadata metadata) {
        expect_error(Fault::usage, words, [&] { write_png(path, image, metadata); });
    };
    PngMetadata metadata;
    metadata.gamma = 0;
    expect_bad("gamma", metadata);
    metadata.gamma = NAN;
    expect_bad("gamma", metadata);
    metadata = {};
    metadata.srgb_intent = 4;
    expect_bad("srgb_intent = 4", metadata);
    metadata = {};
    metadata.density = {0x80000000u, 1, true};
    expect_bad("density", metadata);
    metadata = {};
    metadata.icc_profile = PngMetadata::Profile{std::string(80, 'n'), Bytes(200)};
    std::memcpy(metadata.icc_profile->bytes.data() + 16, "RGB ", 4);
    expect_bad("icc_profile name", metadata);
    EXPECT_EQ(read_bytes(path), bytes_of("the older file"));
    expect_error(Fault::failed, "No such file", [&] { write_png(folder.file("absent/a.png"), image); });
    EXPECT_EQ(folder.names(), std::vector<std::string>{"kept.png"});
}

// --- metadata -------------------------------------------------------------------------------------------------------------

Bytes profile_for(const char *space, size_t size, std::mt19937 &random) {
    Bytes profile(size);
    for (uint8_t &byte : profile) {
        byte = uint8_t(random());
    }
    std::memcpy(profile.data() + 16, space, 4);
    return profile;
}

TEST_F(PngTest, MetadataCarriesOver) {
    for (int channels = 1; channels <= 4; channels++) {
        for (const bool has_profile : {false, true}) {
            PngMetadata metadata;
            metadata.gamma = .45455;
            metadata.density = {2835, 11811, true};
            metadata.srgb_intent = 2;
            if (has_profile) {
                metadata.icc_profile = {"my profile", profile_for(channels < 3 ? "GRAY" : "RGB ", 70000, random)};
            }
            const std::string first = folder.file("first.png"), second = folder.file("second.png");
            write_png(first, random_array(Type::u8, shape_of(6, 5, channels), random), metadata);
            const Png png = read_png(first);
            write_png(second, png.pixels, png.metadata);
            const Bytes bytes = read_bytes(second);
            EXPECT_EQ(bytes, read_bytes(first));

            const Spng spng = open_spng(bytes);
            uint32_t gamma = 0;
            ASSERT_EQ(spng_get_gama_int(spng.get(), &gamma), 0);
            EXPECT_EQ(gamma, 45455u);
            spng_phys phys = {};
            ASSERT_EQ(spng_get_phys(spng.get(), &phys), 0);
            EXPECT_EQ(phys.ppu_x, 2835u);
            EXPECT_EQ(phys.ppu_y, 11811u);
            EXPECT_EQ(phys.unit_specifier, 1);
            uint8_t intent = 0;
            spng_iccp iccp = {};
            if (has_profile) {
                ASSERT_EQ(spng_get_iccp(spng.get(), &iccp), 0);
                EXPECT_STREQ(iccp.profile_name, "my profile");
                const auto *profile = reinterpret_cast<const uint8_t *>(iccp.profile);
                EXPECT_EQ(Bytes(profile, profile + iccp.profile_len), metadata.icc_profile->bytes);
                EXPECT_NE(spng_get_srgb(spng.get(), &intent), 0) << "PNG allows only one of iCCP and sRGB";
            } else {
                ASSERT_EQ(spng_get_srgb(spng.get(), &intent), 0);
                EXPECT_EQ(intent, 2);
                EXPECT_NE(spng_get_iccp(spng.get(), &iccp), 0);
            }
        }
    }
}

TEST_F(PngTest, MetadataIsWhatTheFileSaysAndNoMore) {
    const Chunk data = {"IDAT", deflated(four_pixels)};
    PngMetadata none = read(file_of({header(2, 2), data, end_chunk})).metadata;
    EXPECT_FALSE(none.gamma || none.srgb_intent || none.icc_profile || none.density);

    // An sRGB chunk brings no gAMA, and after the pixels no chunk counts.
    PngMetadata srgb = read(file_of({header(2, 2), {"sRGB", {1}}, data, {"pHYs", {0, 0, 0, 1, 0, 0, 0, 2, 0}}, end_chunk})).metadata;
    EXPECT_EQ(srgb.srgb_intent, 1);
    EXPECT_FALSE(srgb.gamma || srgb.icc_profile || srgb.density);

    PngMetadata phys = read(file_of({header(2, 2), {"pHYs", {0, 0, 0, 1, 0, 0, 0, 2, 0}}, data, end_chunk})).metadata;
    ASSERT_TRUE(phys.density);
    EXPECT_EQ(phys.density->x, 1u);
    EXPECT_EQ(phys.density->y, 2u);
    EXPECT_FALSE(phys.density->per_metre);

    // Malformed chunks are left out, and the pixels are read all the same.
    for (const Chunk &chunk : std::vector<Chunk>{{"gAMA", {0, 0, 0, 0}},
                                                 {"gAMA", {0, 0, 1}},
                                                 {"sRGB", {4}},
                                                 {"sRGB", {}},
                                                 {"pHYs", {0, 0, 0, 1, 0, 0, 0, 2, 2}},
                                                 {"iCCP", {}},
                                                 {"iCCP", bytes_of("name without end")},
                                                 {"iCCP", {'n', 0, 0, 'n', 'o', ' ', 'z', 'l', 'i', 'b'}}}) {
        SCOPED_TRACE(chunk.name);
        const Png png = read(file_of({header(2, 2), chunk, data, end_chunk}));
        EXPECT_EQ(png.pixels.size(), 4);
        EXPECT_FALSE(png.metadata.gamma || png.metadata.srgb_intent || png.metadata.icc_profile || png.metadata.density);
    }
}

TEST_F(PngTest, AChunkMayBeOfAnyLength) {
    const Chunk data = {"IDAT", deflated(four_pixels)};
    const Bytes much(9000000, 1);
    for (const char *name : {"prVt", "eXIf", "tEXt", "caBX"}) {
        SCOPED_TRACE(name);
        EXPECT_EQ(read(file_of({header(2, 2), {name, much}, data, end_chunk})).pixels.size(), 4);
        EXPECT_EQ(read(file_of({header(2, 2), data, {name, much}, end_chunk})).pixels.size(), 4);
    }
    // A profile that no compression makes smaller.
    Bytes profile(12000000);
    std::generate(profile.begin(), profile.end(), [&] { return uint8_t(random()); });
    Bytes chunk = {'n', 0, 0};
    const Bytes packed = deflated(profile);
    chunk.insert(chunk.end(), packed.begin(), packed.end());
    ASSERT_GT(chunk.size(), profile.size());
    const Bytes bytes = file_of({header(2, 2), {"iCCP", chunk}, data, end_chunk});
    PngLimits limits;
    limits.profile_bytes = int64_t(profile.size());
    const PngMetadata metadata = read(bytes, limits).metadata;
    ASSERT_TRUE(metadata.icc_profile);
    EXPECT_EQ(metadata.icc_profile->bytes, profile);

    // One that is longer than the limit explains is refused before memory is taken for it: the file need not hold it.
    Bytes claim = file_of({header(2, 2)});
    append_u32(claim, 0x7fffffff);
    for (const char *name : {"iCCP", "gAMA"}) {
        Bytes cut = claim;
        cut.insert(cut.end(), name, name + 4);
        expect_refused(cut, "a chunk of its metadata has 2147483647 bytes, and the limit is 1678");
    }
    claim.insert(claim.end(), {'p', 'r', 'V', 't'});
    expect_refused(claim, "the file ends too early");
}

TEST_F(PngTest, OnlyTheFirstProfileCounts) {
    const Chunk data = {"IDAT", deflated(four_pixels)};
    auto profile = [](const Bytes &content) {
        Bytes chunk = {'n', 0, 0};
        const Bytes packed = deflated(content);
        chunk.insert(chunk.end(), packed.begin(), packed.end());
        return Chunk{"iCCP", chunk};
    };
    const Chunk first = profile(Bytes(1000, 1)), second = profile(Bytes(1000, 2));
    Chunk broken = profile(Bytes(100000, 3));
    broken.data.resize(broken.data.size() - 4);  // of the checksum
    const PngMetadata metadata = read(file_of({header(2, 2), first, second, data, end_chunk})).metadata;
    ASSERT_TRUE(metadata.icc_profile);
    EXPECT_EQ(metadata.icc_profile->bytes, Bytes(1000, 1));
    // Were the second inflated as well, it would be over the limit.
    PngLimits limits;
    limits.profile_bytes = 100000;
    const Chunk large = profile(Bytes(200000, 4));
    EXPECT_FALSE(read(file_of({header(2, 2), broken, large, data, end_chunk}), limits).metadata.icc_profile);
    EXPECT_FALSE(read(file_of({header(2, 2), broken, first, data, end_chunk}), limits).metadata.icc_profile);
}

TEST_F(PngTest, AProfileIsLimitedAndKeptFromPixelsItDoesNotFit) {
    Bytes chunk = {'n', 0, 0};
    const Bytes packed = deflated(Bytes(100000, 7));
    chunk.insert(chunk.end(), packed.begin(), packed.end());
    const Bytes bytes = file_of({header(2, 2), {"iCCP", chunk}, {"IDAT", deflated(four_pixels)}, end_chunk});
    PngLimits limits;
    limits.profile_bytes = 100000;
    Png png = read(bytes, limits);
    ASSERT_TRUE(png.metadata.icc_profile);
    EXPECT_EQ(png.metadata.icc_profile->bytes, Bytes(100000, 7));
    limits.profile_bytes--;
    expect_refused(bytes, "ICC profile is larger than 99999 bytes", limits);

    png.metadata.icc_profile->bytes = profile_for("RGB ", 500, random);
    const std::string path = folder.file("grey.png");
    write_png(path, png.pixels, png.metadata);
    EXPECT_FALSE(read_png(path).metadata.icc_profile);
}

}  // namespace
}  // namespace tilewright
