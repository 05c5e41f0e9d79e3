#include "runtime/files/png/png_chunks.h"
#include "runtime/files/file_errors.h"
#include "runtime/files/pictures/picture_limits.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <zlib.h>

namespace tilewright {

namespace {

void append_u32(std::vector<uint8_t> &to, uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        to.push_back(uint8_t(value >> shift));
    }
}

enum class Inflated { whole, malformed, over_limit, out_of_memory };

// Decompresses a zlib stream in pieces, so that a small stream cannot take more memory than the limit.
Inflated inflate_into(std::vector<uint8_t> &to, const uint8_t *from, size_t bytes, int64_t limit) {
    z_stream stream = {};
    if (inflateInit(&stream) != Z_OK) {
        return Inflated::out_of_memory;
    }
    struct End {
        z_stream &stream;
        ~End() {
            inflateEnd(&stream);
        }
    } end{stream};

    stream.next_in = const_cast<uint8_t *>(from);
    stream.avail_in = static_cast<uInt>(bytes);
    uint8_t piece[4096];
    for (;;) {
        stream.next_out = piece;
        stream.avail_out = sizeof(piece);
        const int result = inflate(&stream, Z_NO_FLUSH);
        to.insert(to.end(), piece, stream.next_out);
        if (static_cast<int64_t>(to.size()) > limit) {
            return Inflated::over_limit;
        }
        if (result == Z_STREAM_END) {
            return Inflated::whole;
        }
        if (result != Z_OK) {
            return result == Z_MEM_ERROR ? Inflated::out_of_memory : Inflated::malformed;
        }
    }
}

// The content of iCCP: name, 0, compression method 0, zlib stream. Nothing when it is malformed.
std::optional<PngMetadata::Profile> profile_of(
    const png_unknown_chunk &chunk, const InputFile &file, const PngLimits &limits) {
    const uint8_t *end = chunk.data + chunk.size;
    const uint8_t *zero = std::find<const uint8_t *>(chunk.data, end, 0);
    const auto name_length = zero - chunk.data;
    if (name_length < 1 || name_length > 79 || end - zero < 2 || zero[1] != 0) {
        return std::nullopt;
    }
    PngMetadata::Profile profile;
    profile.name.assign(reinterpret_cast<const char *>(chunk.data), static_cast<size_t>(name_length));
    const uint8_t *stream = zero + 2;
    switch (inflate_into(profile.bytes, stream, static_cast<size_t>(end - stream), limits.profile_bytes)) {
    case Inflated::malformed: return std::nullopt;
    case Inflated::out_of_memory: throw_no_memory("read", file.path());
    case Inflated::over_limit: refuse_profile(file, limits);
    case Inflated::whole: break;
    }
    return profile;
}

void check(bool is_right, const char *argument, const std::string &value, const char *message) {
    if (!is_right) {
        throw Error(Fault::usage, message, {.operation = "write_png", .argument = argument, .value = value});
    }
}

Chunk profile_chunk(const PngMetadata::Profile &profile, const std::string &path) {
    const auto &[name, bytes] = profile;
    check(!name.empty() && name.size() <= 79 && name.find('\0') == std::string::npos, "icc_profile name",
        in_quotes(name), "PNG holds 1 to 79 bytes, none of them 0");
    Chunk chunk = {"iCCP", {name.begin(), name.end()}};
    std::vector<uint8_t> &data = chunk.data;
    data.insert(data.end(), {0, 0});  // the name's end, and the compression method
    const size_t before = data.size();
    uLongf length = compressBound(bytes.size());
    data.resize(before + length);
    if (compress2(data.data() + before, &length, bytes.data(), bytes.size(), 9) != Z_OK) {
        throw_no_memory("write", path);
    }
    data.resize(before + length);
    return chunk;
}

}  // namespace

bool profile_fits(const PngMetadata::Profile &profile, int channels) {
    const char *space = channels <= 2 ? "GRAY" : "RGB ";
    return profile.bytes.size() >= 20 && std::memcmp(profile.bytes.data() + 16, space, 4) == 0;
}

bool is_metadata_chunk(const uint8_t *name) {
    for (int i = 0; i < metadata_chunks_count; i++) {
        if (std::memcmp(name, metadata_chunks + 5 * i, 4) == 0) {
            return true;
        }
    }
    return false;
}

uint32_t read_u32(const uint8_t *from) {
    return uint32_t(from[0]) << 24 | uint32_t(from[1]) << 16 | uint32_t(from[2]) << 8 | from[3];
}

// Chunks of a wrong length or value are passed over; of several valid chunks of a kind the first counts. Of
// profiles only the first chunk is looked at, valid or not: each may inflate to the limit, and a file has
// room for many.
PngMetadata metadata_of(
    const png_unknown_chunk *chunks, int count, const InputFile &file, const PngLimits &limits) {
    PngMetadata metadata;
    bool has_profile = false;
    for (const png_unknown_chunk *chunk = chunks; chunk < chunks + count; chunk++) {
        const std::string_view name(reinterpret_cast<const char *>(chunk->name), 4);
        const uint8_t *data = chunk->data;
        if (name == "gAMA" && chunk->size == 4 && !metadata.gamma) {
            const uint32_t value = read_u32(data);
            if (value > 0 && value <= PNG_UINT_31_MAX) {
                metadata.gamma = value / 1e5;
            }
        } else if (name == "sRGB" && chunk->size == 1 && data[0] <= 3 && !metadata.srgb_intent) {
            metadata.srgb_intent = data[0];
        } else if (name == "pHYs" && chunk->size == 9 && data[8] <= 1 && !metadata.density) {
            metadata.density = {read_u32(data), read_u32(data + 4), data[8] == 1};
        } else if (name == "iCCP" && !has_profile) {
            has_profile = true;
            metadata.icc_profile = profile_of(*chunk, file, limits);
        }
    }
    return metadata;
}

std::vector<Chunk> chunks_of(const PngMetadata &metadata, int channels, const std::string &path) {
    std::vector<Chunk> chunks;
    if (metadata.gamma) {
        const double value = std::round(*metadata.gamma * 1e5);
        check(value >= 1 && value <= PNG_UINT_31_MAX, "gamma", std::to_string(*metadata.gamma),
            "PNG holds .00001 to 21474");
        append_u32(chunks.emplace_back(Chunk{"gAMA", {}}).data, uint32_t(value));
    }
    if (metadata.icc_profile && profile_fits(*metadata.icc_profile, channels)) {
        chunks.push_back(profile_chunk(*metadata.icc_profile, path));
    } else if (metadata.srgb_intent) {
        const int intent = *metadata.srgb_intent;
        check(intent >= 0 && intent <= 3, "srgb_intent", std::to_string(intent), "PNG holds 0 to 3");
        chunks.push_back({"sRGB", {uint8_t(intent)}});
    }
    if (metadata.density) {
        const auto [x, y, per_metre] = *metadata.density;
        check(std::max(x, y) <= PNG_UINT_31_MAX, "density", std::to_string(std::max(x, y)),
            "PNG holds up to 2^31 - 1");
        std::vector<uint8_t> &data = chunks.emplace_back(Chunk{"pHYs", {}}).data;
        append_u32(data, x);
        append_u32(data, y);
        data.push_back(per_metre ? 1 : 0);
    }
    return chunks;
}

}  // namespace tilewright
