// PNG files of every kind: read as PNG defines them and as a second decoder reads them, and refused when a
// byte is wrong.
#include "tests/runtime/files/png/png_pictures.h"
#include "tests/runtime/files/png/png_test.h"
#include "tests/runtime/files/png/second_decoder.h"

namespace tilewright {
namespace {

class PngKind : public PngTest, public testing::WithParamInterface<Kind> {};

TEST_P(PngKind, IsReadAsDefinedAndAsAnotherDecoderReadsIt) {
    // Sizes at which passes of the interlacing are empty or partial, and rows end inside a byte.
    for (const auto &[w, h] : {std::pair(1, 1), {2, 1}, {1, 2}, {3, 3}, {4, 5}, {5, 4}, {5, 5}, {7, 9},
             {8, 8}, {9, 8}, {16, 17}, {33, 31}, {67, 64}, {1, 40}, {40, 1}, {301, 7}}) {
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
        expect_refused(Bytes(bytes.begin(), bytes.begin() + long(length)),
            length == 0 ? "empty" : "the file ends too early");
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

INSTANTIATE_TEST_SUITE_P(
    All, PngKind, testing::ValuesIn(all_kinds()), [](const auto &info) { return name_of(info.param); });

}  // namespace
}  // namespace tilewright
