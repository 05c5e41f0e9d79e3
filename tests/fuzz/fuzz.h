#pragma once
// What the fuzz targets share. A target gives bytes to one reader; libFuzzer makes the bytes. Sanitizers end
// the program at a wrong access, and abort() does where a reader breaks a promise of its own: it returns, or
// throws an Error of the user's file or of memory, whose message is one line without control characters.
#include "tilewright/error.h"
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace tilewright::fuzz {

// Bounds of what one input may ask for, so that inputs that are only large are not what is found.
constexpr int64_t most_side = 1 << 14, most_pixels = 1 << 20, most_bytes = 4 << 20;

// The bytes as a file that has a path.
class MemoryFile {
public:
    MemoryFile(const uint8_t *data, size_t size) : descriptor_(memfd_create("fuzz", 0)) {
        if (descriptor_ < 0 || write(descriptor_, data, size) != (ssize_t)size ||
            lseek(descriptor_, 0, SEEK_SET) != 0) {
            std::perror("memfd_create");
            std::abort();
        }
    }
    ~MemoryFile() {
        close(descriptor_);
    }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;

    std::string path() const {
        return "/dev/fd/" + std::to_string(descriptor_);
    }

private:
    int descriptor_;
};

inline void require(bool kept, const char *promise, std::string_view what = "") {
    if (!kept) {
        std::fprintf(stderr, "broken promise: %s: %.*s\n", promise, (int)what.size(), what.data());
        std::abort();
    }
}

inline void require_one_line(std::string_view message) {
    require(!message.empty(), "a message has words");
    for (const char c : message) {
        require((unsigned char)c >= 32 && c != 127, "a message is one line", message);
    }
}

// Calls `read`, which may throw such an Error and no other.
template<typename Read>
void returns_or_refuses(Read read) {
    try {
        read();
    } catch (const Error &error) {
        require_one_line(error.what());
        require(
            error.fault() == Fault::input || error.fault() == Fault::usage || error.fault() == Fault::memory,
            "the file is at fault, or memory", error.what());
    }
}

// Whole numbers that readers forget.
constexpr uint64_t edges[] = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 32, 64, 255, 256, 4096, 65535, 65536,
    0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff, uint64_t(1) << 40, uint64_t(1) << 63, ~uint64_t(0)};

// Random numbers of a mutation, from the number that libFuzzer gives for it.
class Random {
public:
    explicit Random(unsigned seed) : state_(seed * uint64_t(6364136223846793005) + 1442695040888963407) {}
    size_t below(size_t n) {
        state_ = state_ * 6364136223846793005 + 1442695040888963407;
        return (size_t)(state_ >> 33) % n;
    }
    uint64_t edge() {
        return edges[below(std::size(edges))];
    }

private:
    uint64_t state_;
};

}  // namespace tilewright::fuzz

// libFuzzer calls the two, and has the third. A mutator changes `data`, which may grow to `most` bytes, and
// returns the new size.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
