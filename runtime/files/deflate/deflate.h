#pragma once
// Streams in the format of zlib (RFC 1950), whose bytes come in pieces. Not installed.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace tilewright {

// Gets compressed bytes as they are ready. It may throw.
using CompressedBytes = std::function<void(const uint8_t *from, size_t bytes)>;

class Deflater {
public:
    Deflater() = default;
    virtual ~Deflater() = default;
    Deflater(const Deflater &) = delete;
    Deflater &operator=(const Deflater &) = delete;

    // Errors of both: what the receiver throws.
    virtual void add(const uint8_t *from, size_t bytes) = 0;

    // Ends the stream. What is added next begins another one.
    virtual void finish() = 0;
};

// `level`: 0, not compressed, to 9, the smallest files, as zlib counts; nothing for the default, which is
// ISA-L's level 1 where that library is linked, and zlib's 2 elsewhere. Errors: std::bad_alloc.
std::unique_ptr<Deflater> create_deflater(std::optional<int> level, CompressedBytes to);

// By ISA-L; nullptr in a build without it.
std::unique_ptr<Deflater> create_isal_deflater(CompressedBytes to);

}  // namespace tilewright
