#pragma once
// PNG files that are made by hand, chunk by chunk.
#include "tests/support/files.h"
#include <cstdint>
#include <png.h>
#include <string>
#include <vector>

namespace tilewright {

// Not `Chunk`, which the runtime has: two classes of one name in a program are one to the linker.
struct MadeChunk {
    std::string name;
    Bytes data;
};

inline const Bytes signature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
inline const MadeChunk end_chunk = {"IEND", {}};

// 2 x 2 grey pixels: rows of a filter byte and two samples.
inline const Bytes four_pixels = {0, 10, 20, 0, 30, 40};

void append_u32(Bytes &bytes, uint32_t value);

// A file of these chunks, each with the right checksum.
Bytes file_of(const std::vector<MadeChunk> &chunks);

// The chunks of a whole file.
std::vector<MadeChunk> chunks_of(const Bytes &bytes);

// The chunk IHDR.
MadeChunk header(uint32_t w, uint32_t h, uint8_t depth = 8, uint8_t colour_type = PNG_COLOR_TYPE_GRAY);

// The bytes as a zlib stream.
Bytes deflated(const Bytes &bytes);

}  // namespace tilewright
