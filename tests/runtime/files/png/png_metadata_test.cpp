// Metadata of PNG files: what is read, what carries over, and its limits.
#include "tests/runtime/files/png/png_chunks.h"
#include "tests/runtime/files/png/png_pictures.h"
#include "tests/runtime/files/png/png_test.h"
#include "tests/runtime/files/png/second_decoder.h"
#include "tests/support/arrays.h"
#include <algorithm>
#include <cstring>

namespace tilewright {
namespace {

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
                metadata.icc_profile = {
                    "my profile", profile_for(channels < 3 ? "GRAY" : "RGB ", 70000, random)};
            }
            const std::string first = folder.file("first.png"), second = folder.file("second.png");
            write_png(first, random_array<uint8_t>(shape_of(6, 5, channels), random()), metadata);
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
    const MadeChunk data = {"IDAT", deflated(four_pixels)};
    PngMetadata none = read(file_of({header(2, 2), data, end_chunk})).metadata;
    EXPECT_FALSE(none.gamma || none.srgb_intent || none.icc_profile || none.density);

    // An sRGB chunk brings no gAMA, and after the pixels no chunk counts.
    PngMetadata srgb =
        read(file_of({header(2, 2), {"sRGB", {1}}, data, {"pHYs", {0, 0, 0, 1, 0, 0, 0, 2, 0}}, end_chunk}))
            .metadata;
    EXPECT_EQ(srgb.srgb_intent, 1);
    EXPECT_FALSE(srgb.gamma || srgb.icc_profile || srgb.density);

    PngMetadata phys =
        read(file_of({header(2, 2), {"pHYs", {0, 0, 0, 1, 0, 0, 0, 2, 0}}, data, end_chunk})).metadata;
    ASSERT_TRUE(phys.density);
    EXPECT_EQ(phys.density->x, 1u);
    EXPECT_EQ(phys.density->y, 2u);
    EXPECT_FALSE(phys.density->per_metre);

    // Malformed chunks are left out, and the pixels are read all the same.
    for (const MadeChunk &chunk :
        std::vector<MadeChunk>{{"gAMA", {0, 0, 0, 0}}, {"gAMA", {0, 0, 1}}, {"sRGB", {4}}, {"sRGB", {}},
            {"pHYs", {0, 0, 0, 1, 0, 0, 0, 2, 2}}, {"iCCP", {}}, {"iCCP", bytes_of("name without end")},
            {"iCCP", {'n', 0, 0, 'n', 'o', ' ', 'z', 'l', 'i', 'b'}}}) {
        SCOPED_TRACE(chunk.name);
        const Png png = read(file_of({header(2, 2), chunk, data, end_chunk}));
        EXPECT_EQ(png.pixels.size(), 4);
        EXPECT_FALSE(png.metadata.gamma || png.metadata.srgb_intent || png.metadata.icc_profile ||
                     png.metadata.density);
    }
}

TEST_F(PngTest, AChunkMayBeOfAnyLength) {
    const MadeChunk data = {"IDAT", deflated(four_pixels)};
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

    // One that is longer than the limit explains is refused before memory is taken for it: the file need not
    // hold it.
    Bytes claim = file_of({header(2, 2)});
    append_u32(claim, 0x7fffffff);
    for (const char *name : {"iCCP", "gAMA"}) {
        Bytes cut = claim;
        cut.insert(cut.end(), name, name + 4);
        expect_refused(cut, "a chunk of its metadata has 2147483647 bytes, and the limit is 1678");
    }
    // All of them are kept until the pixels come.
    std::vector<MadeChunk> many = {header(2, 2)};
    many.insert(many.end(), 20, {"iCCP", Bytes(1000000)});
    many.insert(many.end(), {data, end_chunk});
    expect_refused(file_of(many), "a chunk of its metadata has 1000000 bytes, and the limit is 1678");
    claim.insert(claim.end(), {'p', 'r', 'V', 't'});
    expect_refused(claim, "the file ends too early");
}

TEST_F(PngTest, OnlyTheFirstProfileCounts) {
    const MadeChunk data = {"IDAT", deflated(four_pixels)};
    auto profile = [](const Bytes &content) {
        Bytes chunk = {'n', 0, 0};
        const Bytes packed = deflated(content);
        chunk.insert(chunk.end(), packed.begin(), packed.end());
        return MadeChunk{"iCCP", chunk};
    };
    const MadeChunk first = profile(Bytes(1000, 1)), second = profile(Bytes(1000, 2));
    MadeChunk broken = profile(Bytes(100000, 3));
    broken.data.resize(broken.data.size() - 4);  // of the checksum
    const PngMetadata metadata = read(file_of({header(2, 2), first, second, data, end_chunk})).metadata;
    ASSERT_TRUE(metadata.icc_profile);
    EXPECT_EQ(metadata.icc_profile->bytes, Bytes(1000, 1));
    // Were the second inflated as well, it would be over the limit.
    PngLimits limits;
    limits.profile_bytes = 100000;
    const MadeChunk large = profile(Bytes(200000, 4));
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
