// PNG files that are written: a second decoder reads them, and what PNG cannot hold is refused.
#include "runtime/files/deflate/deflate.h"
#include "tests/runtime/files/png/png_pictures.h"
#include "tests/runtime/files/png/png_test.h"
#include "tests/runtime/files/png/second_decoder.h"
#include "tests/support/arrays.h"
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace tilewright {
namespace {

// An image of random samples, with random bytes between its rows.
Array random_image(Type type, std::vector<int64_t> shape, unsigned seed, int64_t row_bytes = Array::padded) {
    Array image(type, std::move(shape), row_bytes);
    fill_bytes(image, seed);
    return image;
}

// What zlib refuses is an error, so that no file ends early.
TEST(Deflater, RefusesWhatItsLibraryRefuses) {
    EXPECT_THROW(create_deflater(10, [](const uint8_t *, size_t) {}), std::logic_error);
}

TEST_F(PngTest, WritesWhatAnotherDecoderReads) {
    static constexpr int colour_types[] = {0, SPNG_COLOR_TYPE_GRAYSCALE, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA,
        SPNG_COLOR_TYPE_TRUECOLOR, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA};
    const std::string path = folder.file("written.png");
    for (const Type type : {Type::u8, Type::u16}) {
        for (int channels = 1; channels <= 4; channels++) {
            for (const auto &[w, h] : {std::pair(1, 1), {5, 3}, {31, 33}, {200, 2}, {2, 200}}) {
                const Array whole = random_image(type, shape_of(w + 3, h + 2, channels), random());
                for (const Array &image : {random_image(type, shape_of(w, h, channels), random()),
                         whole.crop(1, 2, h, w), random_image(type, shape_of(w, h, channels), random(), 0)}) {
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
    write_png(path, random_image(Type::u8, {4, 5, 1}, random()));
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

}  // namespace
}  // namespace tilewright
