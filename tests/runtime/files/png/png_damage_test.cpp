// PNG files with random damage: an error, or a picture.
#include "tests/runtime/files/png/png_chunks.h"
#include "tests/runtime/files/png/png_pictures.h"
#include "tests/runtime/files/png/png_test.h"
#include "tests/runtime/files/png/second_decoder.h"
#include <algorithm>
#include <utility>

namespace tilewright {
namespace {

// Whether a transparent colour has more bits than the samples. PNG says that decoders ignore them; libspng
// does not.
bool has_bits_too_many(const std::vector<MadeChunk> &chunks) {
    int depth = 16;
    bool is_palette = false, found = false;
    for (const MadeChunk &chunk : chunks) {
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

// Valid checksums around damaged contents: whatever comes out is either an error of the right class or, where
// the second decoder takes the file too, the same pixels.
TEST_F(PngTest, DamageUnderRightChecksumsIsHarmless) {
    int read_by_both = 0, refused = 0;
    for (int round = 0; round < 4000; round++) {
        const auto kinds = all_kinds();
        const Kind kind = kinds[random() % kinds.size()];
        std::vector<MadeChunk> chunks =
            chunks_of(encode(random_picture(kind, 1 + int(random() % 12), 1 + int(random() % 12), random)));
        for (int damage = 0; damage < 1 + int(random() % 2); damage++) {
            MadeChunk &chunk = chunks[random() % chunks.size()];
            switch (random() % 8) {
            case 0: std::swap(chunk, chunks[random() % chunks.size()]); break;
            case 1: chunks.insert(chunks.begin() + long(random() % chunks.size()), MadeChunk(chunk)); break;
            case 2: chunk.data.resize(random() % (chunk.data.size() + 8)); break;
            case 3: chunk.name[random() % 4] ^= char(1 << random() % 6); break;
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
            case 0: bytes[at] = uint8_t(random()); break;
            case 1:
                bytes.erase(bytes.begin() + long(at),
                    bytes.begin() + long(std::min(bytes.size(), at + 1 + random() % 9)));
                break;
            default: bytes.insert(bytes.begin() + long(at), random() % 9, uint8_t(random()));
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

}  // namespace
}  // namespace tilewright
