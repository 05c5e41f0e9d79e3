#pragma once
// Streams in the format of zlib (RFC 1950), whose bytes come in pieces. Not installed.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tilewright {

// Gets compressed bytes as they are ready. It may throw.
using CompressedBytes = std::function<void(const uint8_t *from, size_t bytes)>;

class Deflater {
public:
    explicit Deflater(CompressedBytes to);
    virtual ~Deflater() = default;
    Deflater(const Deflater &) = delete;
    Deflater &operator=(const Deflater &) = delete;

    // Errors of both: what the receiver throws.
    void add(const uint8_t *from, size_t bytes);

    // Ends the stream. What is added next begins another one.
    void finish();

private:
    // Compresses what it can of `bytes` bytes, which later calls with 0 bytes go on with, into `room` bytes.
    // Returns how much of the room is left. `ends`: the stream ends behind them.
    virtual uint32_t compress(const uint8_t *from, uint32_t bytes, bool ends, uint8_t *to, uint32_t room) = 0;
    virtual void begin_another() = 0;

    void run(const uint8_t *from, uint32_t bytes, bool ends);

    const CompressedBytes to_;
    std::vector<uint8_t> ready_;
};

// `level`: 0, not compressed, to 9, the smallest files, as zlib counts; nothing for the default, which is
// ISA-L's level 1 where that library is linked, and zlib's 2 elsewhere. Errors: std::bad_alloc.
std::unique_ptr<Deflater> create_deflater(std::optional<int> level, CompressedBytes to);

// By ISA-L; nullptr in a build without it.
std::unique_ptr<Deflater> create_isal_deflater(CompressedBytes to);

}  // namespace tilewright
