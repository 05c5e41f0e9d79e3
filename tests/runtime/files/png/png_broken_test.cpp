// PNG files that are broken, each in a way of its own: made by hand.
#include "tests/runtime/files/png/png_chunks.h"
#include "tests/runtime/files/png/png_pictures.h"
#include "tests/runtime/files/png/png_test.h"

namespace tilewright {
namespace {

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
    const MadeChunk data = {"IDAT", deflated(four_pixels)};
    expect_refused(file_of({header(0, 2), data, end_chunk}), "width is zero");
    expect_refused(file_of({header(2, 0), data, end_chunk}), "height is zero");
    expect_refused(file_of({header(0x80000000u, 2), data, end_chunk}), "broken PNG");
    expect_refused(
        file_of({header(0x7fffffff, 0x7fffffff), data, end_chunk}), "the limit is 1048576 per side");
    expect_refused(
        file_of({header(1 << 20, (1 << 20) + 1), data, end_chunk}), "the limit is 1048576 per side");
    expect_refused(file_of({header(1 << 20, 1 << 20), data, end_chunk}), "the limit is 1073741824 in all");
    expect_refused(
        file_of({header(1 << 15, 1 << 15, 16, PNG_COLOR_TYPE_RGB_ALPHA), data, end_chunk}), "cannot hold");
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
    exact.bytes = 7 * 64;  // rows of 60 bytes are padded
    EXPECT_EQ(read(bytes, exact).pixels.size(), 210);
    for (int64_t PngLimits::*limit : {&PngLimits::side, &PngLimits::pixels, &PngLimits::bytes}) {
        PngLimits lower = exact;
        (lower.*limit)--;
        expect_refused(bytes, "the limit is " + std::to_string(lower.*limit), lower);
    }
    // More than the default is read when the caller says so.
    const int w = (1 << 20) + 1;
    const Bytes wide = encode(random_picture({PNG_COLOR_TYPE_GRAY, 1, false, false}, w, 1, random));
    expect_refused(wide, "per side");
    PngLimits higher;
    higher.side = w;
    EXPECT_EQ(read(wide, higher).pixels.size(), w);
}

TEST_F(PngTest, BrokenChunksAreRefused) {
    const MadeChunk data = {"IDAT", deflated(four_pixels)};
    expect_refused(file_of({header(2, 2), end_chunk}), "broken PNG");
    expect_refused(file_of({data, header(2, 2), end_chunk}), "broken PNG");
    expect_refused(file_of({header(2, 2), header(2, 2), data, end_chunk}), "broken PNG");
    expect_refused(file_of({header(2, 2), {"ABCD", {}}, data, end_chunk}), "broken PNG");
    expect_refused(file_of({header(2, 2), {"IDAT", {}}, end_chunk}), "broken PNG");
    expect_refused(file_of({header(2, 2), {"IDAT", bytes_of("no zlib stream")}, end_chunk}), "broken PNG");
    expect_refused(file_of({header(2, 2, 8, PNG_COLOR_TYPE_PALETTE), data, end_chunk}), "broken PNG");
    expect_refused(file_of({header(2, 2), data}), "the file ends too early");
    MadeChunk filter{"IDAT", deflated({9, 10, 20, 0, 30, 40})};
    expect_refused(file_of({header(2, 2), filter, end_chunk}), "filter");

    // The checksum of the zlib stream, with a chunk whose own is right.
    MadeChunk checksum = data;
    checksum.data.back() ^= 1;
    expect_refused(file_of({header(2, 2), checksum, end_chunk}), "incorrect data check");
    // The same where a text is broken that nobody reads.
    Bytes text = file_of({header(2, 2), {"tEXt", bytes_of("Title")}, data, end_chunk});
    EXPECT_EQ(read(text).pixels.size(), 4);
    text[8 + 25 + 8] ^= 1;
    expect_refused(text, "CRC");
}

TEST_F(PngTest, AColourOutsideThePaletteIsRefused) {
    const MadeChunk palette = {"PLTE", {1, 2, 3, 4, 5, 6}};
    const Bytes good = file_of({header(2, 2, 8, PNG_COLOR_TYPE_PALETTE), palette,
        {"IDAT", deflated({0, 0, 1, 0, 1, 0})}, end_chunk});
    EXPECT_EQ(values_of(read(good).pixels), (std::vector<uint16_t>{1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3}));
    expect_refused(file_of({header(2, 2, 8, PNG_COLOR_TYPE_PALETTE), palette,
                       {"IDAT", deflated({0, 0, 1, 0, 2, 0})}, end_chunk}),
        "pixel (0, 1) has colour 2 of a palette of 2");
}

TEST_F(PngTest, ATextThatUnpacksToGigabytesIsPassedOver) {
    Bytes text = bytes_of("Comment");
    text.insert(text.end(), {0, 0});
    const Bytes packed = deflated(Bytes(64 << 20, 'x'));
    text.insert(text.end(), packed.begin(), packed.end());
    std::vector<MadeChunk> chunks = {header(2, 2)};
    chunks.insert(chunks.end(), 100, MadeChunk{"zTXt", text});
    chunks.insert(chunks.end(), {{"IDAT", deflated(four_pixels)}, end_chunk});
    EXPECT_EQ(read(file_of(chunks)).pixels.size(), 4);
}

}  // namespace
}  // namespace tilewright
