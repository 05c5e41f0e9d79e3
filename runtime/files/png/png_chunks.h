#pragma once
// The metadata of a PNG file as its chunks. The four chunks are read and written here as they are in the
// file, not through libpng's colour management: that would add a gAMA to each sRGB, and drop profiles that
// other programs accept. Not installed.
#include "runtime/files/input_file.h"
#include "tilewright/png.h"
#include <cstdint>
#include <png.h>
#include <string>
#include <vector>

namespace tilewright {

// The names of these chunks, each with its end, as libpng takes them.
constexpr char metadata_chunks[] = "gAMA\0sRGB\0iCCP\0pHYs";
constexpr int metadata_chunks_count = sizeof(metadata_chunks) / 5;

bool is_metadata_chunk(const uint8_t *name);

// Whether an ICC profile is for pixels of that many channels: its bytes 16 to 19 name its colour space.
bool profile_fits(const PngMetadata::Profile &profile, int channels);

// A number as PNG stores it, big-endian.
uint32_t read_u32(const uint8_t *from);

// The metadata of a file's chunks, without its depth. Errors: input, for a profile over the limit; memory.
PngMetadata metadata_of(
    const png_unknown_chunk *chunks, int count, const InputFile &file, const PngLimits &limits);

struct Chunk {
    char name[5];
    std::vector<uint8_t> data;
};

// The chunks of an image's metadata, in the order in which PNG wants them. `path` is the output's, for
// errors. Errors: usage, for metadata that PNG cannot hold; memory.
std::vector<Chunk> chunks_of(const PngMetadata &metadata, int channels, const std::string &path);

}  // namespace tilewright
