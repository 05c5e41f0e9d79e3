// JPEG and TIFF pictures: what is written is read, what is damaged is refused, and pictures become upright.
#include "runtime/files/pictures/orientation.h"
#include "runtime/files/writers.h"
#include "tests/runtime/files/files_test.h"
#include "tests/support/arrays.h"
#include "tilewright/bands.h"
#include <cstdlib>
#include <cstring>
#include <limits>

namespace tilewright {
namespace {

// A smooth picture, of which a JPEG keeps nearly all.
Array smooth(Type type, const std::vector<int64_t> &shape) {
    Array image(type, shape);
    const int64_t channels = shape.size() == 3 ? shape[2] : 1;
    for (int64_t y = 0; y < shape[0]; y++) {
        for (int64_t x = 0; x < shape[1] * channels; x++) {
            const int64_t value = y + x / channels + 40 * (x % channels), at = y * image.strides()[0] + x;
            type == Type::u8 ? image.as<uint8_t>()[at] = (uint8_t)value :
                               image.as<uint16_t>()[at] = (uint16_t)(257 * value);
        }
    }
    return image;
}

// The greatest difference of two arrays of u8 or u16.
int difference(const Array &a, const Array &b) {
    EXPECT_EQ(a.describe(), b.describe());
    int most = 0;
    const int64_t row = a.size() / a.shape()[0];
    for (int64_t y = 0; y < a.shape()[0]; y++) {
        for (int64_t x = 0; x < row; x++) {
            const int one = a.type() == Type::u8 ? row_of<uint8_t>(a, y)[x] : row_of<uint16_t>(a, y)[x];
            const int other = b.type() == Type::u8 ? row_of<uint8_t>(b, y)[x] : row_of<uint16_t>(b, y)[x];
            most = std::max(most, std::abs(one - other));
        }
    }
    return most;
}

bool is_built(const std::string &kind) {
    try {
        check_kind(*kind_of_name(kind), Type::u8, {1, 1});
        return true;
    } catch (const Error &) {
        return false;
    }
}

#define NEEDS(kind)                                                                                          \
    if (!is_built(kind)) {                                                                                   \
        GTEST_SKIP() << "this build reads no " << (kind);                                                    \
    }

PngMetadata metadata() {
    PngMetadata metadata;
    metadata.density = {11800, 5900, true};
    metadata.icc_profile = {"name", Bytes(5000, 'x')};
    const std::string space = "RGB ";
    std::copy(space.begin(), space.end(), metadata.icc_profile->bytes.begin() + 16);
    return metadata;
}

TEST_F(FilesTest, TiffKeepsEveryPixelAndItsMetadata) {
    NEEDS("a.tif");
    for (const Type type : {Type::u8, Type::u16}) {
        for (const std::vector<int64_t> &shape :
            std::vector<std::vector<int64_t>>{{1, 1}, {37, 53}, {37, 53, 2}, {37, 53, 3}, {37, 53, 4}}) {
            const Array image = smooth(type, shape);
            SCOPED_TRACE(image.describe());
            write_array(folder.file("a.tif"), image, metadata());
            const FileContents read = read_file(folder.file("a.tif"));
            EXPECT_EQ(difference(read.array, image), 0);
            EXPECT_EQ(read.kind, FileKind::tiff);
            EXPECT_EQ(read.has_alpha, shape.size() == 3 && shape[2] % 2 == 0);
            ASSERT_TRUE(read.metadata.density);
            EXPECT_EQ(read.metadata.density->x, 11800u);
            EXPECT_EQ(read.metadata.density->y, 5900u);
            EXPECT_EQ(read.metadata.icc_profile.has_value(), shape.size() == 3 && shape[2] >= 3);
        }
    }
}

TEST_F(FilesTest, TiffKeepsFloatsBitByBit) {
    NEEDS("a.tif");
    for (const std::vector<int64_t> &shape :
        std::vector<std::vector<int64_t>>{{1, 1}, {37, 53}, {300, 211, 3}}) {
        Array image(Type::f32, shape);
        fill_random<float>(image);
        image.as<float>()[0] = -std::numeric_limits<float>::infinity();
        SCOPED_TRACE(image.describe());
        write_array(folder.file("a.tif"), image, metadata());
        const FileContents read = read_file(folder.file("a.tif"));
        ASSERT_EQ(read.array.describe(), image.describe());
        for (int64_t y = 0; y < shape[0]; y++) {
            const size_t bytes = (size_t)(image.size() / shape[0]) * sizeof(float);
            EXPECT_EQ(memcmp(row_of<float>(read.array, y), row_of<float>(image, y), bytes), 0) << "row " << y;
        }
        EXPECT_FALSE(read.has_alpha);
        EXPECT_TRUE(read.metadata.density);
    }
    expect_error(Fault::usage, "1 or 3 channels",
        [&] { write_array(folder.file("b.tif"), Array(Type::f32, {4, 4, 4})); });
    expect_error(Fault::usage, "u8, u16 and f32",
        [&] { write_array(folder.file("b.tif"), Array(Type::f64, {4, 4})); });
    EXPECT_EQ(folder.names(), Names{"a.tif"});
}

TEST_F(FilesTest, EveryCompressionKeepsEveryPixel) {
    for (const std::string name : {"a.png", "a.tif"}) {
        NEEDS(name);
        for (const Type type : {Type::u8, Type::u16}) {
            // More bytes than a chunk of PNG or a strip of TIFF has here; numbers of few bits, as of a
            // photograph, and of all bits, which no compression makes smaller.
            for (const int bits : {3, type == Type::u8 ? 8 : 16}) {
                Array image(type, {201, 500, 3});
                type == Type::u8 ? fill_random<uint8_t>(image) : fill_random<uint16_t>(image);
                for (int64_t i = 0; i < image.strides()[0] * image.shape()[0]; i++) {
                    type == Type::u8 ? image.as<uint8_t>()[i] >>= 8 - bits :
                                       image.as<uint16_t>()[i] >>= 16 - bits;
                }
                std::vector<uintmax_t> sizes;
                for (const std::optional<int> level : {std::optional<int>(), {0}, {1}, {6}, {9}}) {
                    SCOPED_TRACE(name + " " + image.describe() + " " + std::to_string(level.value_or(-1)));
                    write_array(folder.file(name), image, {}, level);
                    EXPECT_EQ(difference(read_file(folder.file(name)).array, image), 0);
                    sizes.push_back(fs::file_size(folder.file(name)));
                }
                const auto bytes = (uintmax_t)image.size() * size_of(type);
                EXPECT_GE(sizes[1], bytes);
                EXPECT_LE(sizes[0], bits == 3 ? bytes * 3 / 4 : bytes + bytes / 50);
                EXPECT_LE(sizes[4], sizes[2]);
            }
        }
    }
}

TEST_F(FilesTest, ACompressionThatAKindDoesNotHaveIsRefused) {
    const Array image(Type::u8, {3, 5});
    for (const int level : {-1, 10}) {
        expect_error(Fault::usage, "it is 0, not compressed, to 9",
            [&] { write_array(folder.file("a.png"), image, {}, level); });
    }
    for (const char *name : {"a.npy", "a.jpg", "a.csv"}) {
        expect_error(Fault::usage, "have no level of compression",
            [&] { write_array(folder.file(name), image, {}, 3); });
        expect_error(Fault::usage, "have no level of compression",
            [&] { rows_to_file(folder.file(name), *kind_of_name(name), {}, 3)->begin(Type::u8, {3, 5}); });
    }
    EXPECT_EQ(folder.names(), Names{});
}

// 2^30 pixels of 4 channels are more bytes per row than 32 bits count.
TEST_F(FilesTest, RowsOfMoreThan4GiBHaveAllTheirBytes) {
    EXPECT_EQ(row_bytes_of(Type::u8, {1, int64_t(1) << 30, 4}), int64_t(1) << 32);
    EXPECT_EQ(row_bytes_of(Type::u16, {2, 5, 3}), 30);
    EXPECT_EQ(row_bytes_of(Type::u8, {2, 5}), 5);
}

TEST_F(FilesTest, JpegKeepsNearlyEveryPixelAndItsMetadata) {
    NEEDS("a.jpg");
    for (const std::vector<int64_t> &shape :
        std::vector<std::vector<int64_t>>{{1, 1}, {37, 53}, {37, 53, 3}}) {
        const Array image = smooth(Type::u8, shape);
        SCOPED_TRACE(image.describe());
        write_array(folder.file("a.JPEG"), image, metadata());
        const FileContents read = read_file(folder.file("a.JPEG"));
        EXPECT_LE(difference(read.array, image), 6);
        EXPECT_EQ(read.kind, FileKind::jpeg);
        ASSERT_TRUE(read.metadata.density);
        EXPECT_EQ(read.metadata.density->x, 11800u);
        ASSERT_EQ(read.metadata.icc_profile.has_value(), shape.size() == 3);
        if (shape.size() == 3) {
            EXPECT_EQ(read.metadata.icc_profile->bytes, metadata().icc_profile->bytes);
        }
    }
    expect_error(Fault::usage, "JPEG holds u8 images",
        [&] { write_array(folder.file("b.jpg"), smooth(Type::u16, {4, 4})); });
    expect_error(Fault::usage, "JPEG holds u8 images",
        [&] { write_array(folder.file("b.jpg"), smooth(Type::u8, {4, 4, 4})); });
    EXPECT_EQ(folder.names(), Names{"a.JPEG"});
}

TEST_F(FilesTest, APictureThatIsCutOffAnywhereIsRefused) {
    for (const char *name : {"a.jpg", "a.tif"}) {
        if (!is_built(name)) {
            continue;
        }
        write_array(folder.file(name), smooth(Type::u8, {40, 50, 3}));
        const Bytes whole = read_bytes(folder.file(name));
        for (size_t size = 4; size < whole.size(); size += 97) {
            SCOPED_TRACE(std::string(name) + " of " + std::to_string(size) + " bytes");
            write_bytes(folder.file("cut"), Bytes(whole.begin(), whole.begin() + (int64_t)size));
            expect_error(Fault::input, "cannot read", [&] { read_array(folder.file("cut")); });
        }
    }
}

// Segments that we do not read, of more bytes than are read from the file at a time.
TEST_F(FilesTest, OtherSegmentsOfAJpegArePassedOver) {
    NEEDS("a.jpg");
    write_array(folder.file("a.jpg"), smooth(Type::u8, {40, 50, 3}));
    const Bytes picture = read_bytes(folder.file("a.jpg"));
    Bytes with(picture.begin(), picture.begin() + 2);
    for (const uint8_t marker : {0xe3, 0xed, 0xfe, 0xe3}) {  // APP3, APP13, a comment
        with.insert(with.end(), {0xff, marker, 0xff, 0xff});
        with.insert(with.end(), 0xffff - 2, 0xff);
    }
    const size_t begin = with.size();
    with.insert(with.end(), picture.begin() + 2, picture.end());
    write_bytes(folder.file("b.jpg"), with);
    EXPECT_EQ(difference(read_array(folder.file("b.jpg")), read_array(folder.file("a.jpg"))), 0);
    with.resize(begin - 1000);
    write_bytes(folder.file("b.jpg"), with);
    expect_error(Fault::input, "cannot read", [&] { read_array(folder.file("b.jpg")); });
}

TEST_F(FilesTest, AColourProfileOverTheLimitIsRefused) {
    for (const char *name : {"a.jpg", "a.tif"}) {
        NEEDS(name);
        write_array(folder.file(name), smooth(Type::u8, {40, 50, 3}), metadata());
        FileLimits limits;
        limits.png.profile_bytes = 5000;
        EXPECT_TRUE(read_file(folder.file(name), limits).metadata.icc_profile);
        limits.png.profile_bytes = 4999;
        expect_error(Fault::input, "PngLimits::profile_bytes", [&] { read_file(folder.file(name), limits); });
    }
}

TEST_F(FilesTest, TheLimitsAreThoseOfEveryPicture) {
    FileLimits limits;
    limits.png.pixels = 99;
    for (const char *name : {"a.jpg", "a.tif"}) {
        if (is_built(name)) {
            write_array(folder.file(name), smooth(Type::u8, {10, 10}));
            expect_error(Fault::input, "the limit is 99",
                [&, name = name] { read_array(folder.file(name), nullptr, limits); });
        }
    }
}

// A JPEG with EXIF data of that orientation.
Bytes with_orientation(const Bytes &jpeg, uint8_t orientation, bool big_endian) {
    Bytes exif = bytes_of(std::string("Exif\0\0", 6));
    const auto put = [&](std::initializer_list<uint8_t> bytes) {
        exif.insert(exif.end(), bytes.begin(), bytes.end());
    };
    if (big_endian) {
        put({'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0});
    } else {
        put({'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 18, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0});
    }
    Bytes marked = {0xff, 0xd8, 0xff, 0xe1, 0, (uint8_t)(exif.size() + 2)};
    marked.insert(marked.end(), exif.begin(), exif.end());
    marked.insert(marked.end(), jpeg.begin() + 2, jpeg.end());
    return marked;
}

// The corners of a picture whose top left corner alone is white: where that corner is seen.
TEST_F(FilesTest, PicturesAreTurnedUpright) {
    NEEDS("a.jpg");
    Array image(Type::u8, {16, 32});
    for (int64_t y = 0; y < 8; y++) {
        std::fill_n(image.as<uint8_t>() + y * image.strides()[0], 8, 255);
    }
    write_array(folder.file("a.jpg"), image);
    const Bytes jpeg = read_bytes(folder.file("a.jpg"));
    struct Seen {
        bool is_tall, is_right, is_low;
    };
    // Source: Exif 2.3, 4.6.4: the visual side that row 0 and column 0 stand for.
    const Seen seen[] = {{false, false, false}, {false, true, false}, {false, true, true},
        {false, false, true}, {true, false, false}, {true, true, false}, {true, true, true},
        {true, false, true}};
    for (int orientation = 1; orientation <= 8; orientation++) {
        for (const bool big_endian : {false, true}) {
            SCOPED_TRACE(orientation);
            write_bytes(folder.file("turned"), with_orientation(jpeg, (uint8_t)orientation, big_endian));
            const FileContents read = read_file(folder.file("turned"));
            const auto [is_tall, is_right, is_low] = seen[orientation - 1];
            EXPECT_EQ(read.orientation, orientation);
            ASSERT_EQ(read.array.shape(),
                is_tall ? (std::vector<int64_t>{32, 16}) : (std::vector<int64_t>{16, 32}));
            const int64_t bottom = read.array.shape()[0] - 1, right = read.array.shape()[1] - 1;
            for (const bool x : {false, true}) {
                for (const bool y : {false, true}) {
                    const bool is_white = x == is_right && y == is_low;
                    EXPECT_NEAR(
                        read.array.at<uint8_t>({y ? bottom : 0, x ? right : 0}), is_white ? 255 : 0, 8);
                }
            }
        }
    }
}

TEST(Orientation, OfDamagedExifIsNone) {
    const Bytes whole = with_orientation({0xff, 0xd8}, 6, false);
    const Bytes exif(whole.begin() + 6, whole.end());
    EXPECT_EQ(exif_orientation(exif.data(), exif.size()), 6);
    for (size_t size = 0; size < exif.size() - 3; size++) {
        const Bytes cut(exif.begin(), exif.begin() + (int64_t)size);
        EXPECT_EQ(exif_orientation(cut.data(), cut.size()), 1) << size;
    }
}

}  // namespace
}  // namespace tilewright
