// PNG files that are made by hand.
#include "tests/runtime/files/png/png_chunks.h"
#include <gtest/gtest.h>
#include <zlib.h>

namespace tilewright {

namespace {

uint32_t read_u32(const uint8_t *from) {
    return uint32_t(from[0]) << 24 | uint32_t(from[1]) << 16 | uint32_t(from[2]) << 8 | from[3];
}

}  // namespace

void append_u32(Bytes &bytes, uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes.push_back(uint8_t(value >> shift));
    }
}

Bytes file_of(const std::vector<MadeChunk> &chunks) {
    Bytes bytes = signature;
    for (const MadeChunk &chunk : chunks) {
        append_u32(bytes, uint32_t(chunk.data.size()));
        const size_t begin = bytes.size();
        bytes.insert(bytes.end(), chunk.name.begin(), chunk.name.end());
        bytes.insert(bytes.end(), chunk.data.begin(), chunk.data.end());
        append_u32(bytes, uint32_t(crc32(0, bytes.data() + begin, uInt(bytes.size() - begin))));
    }
    return bytes;
}

std::vector<MadeChunk> chunks_of(const Bytes &bytes) {
    std::vector<MadeChunk> chunks;
    for (size_t at = 8; at + 12 <= bytes.size();) {
        const size_t length = read_u32(&bytes[at]);
        const auto name = bytes.begin() + long(at) + 4;
        chunks.push_back({std::string(name, name + 4), Bytes(name + 4, name + 4 + long(length))});
        at += 12 + length;
    }
    return chunks;
}

MadeChunk header(uint32_t w, uint32_t h, uint8_t depth, uint8_t colour_type) {
    MadeChunk chunk{"IHDR", {}};
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

}  // namespace tilewright
