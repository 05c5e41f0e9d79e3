#pragma once
// The target of a kind of pictures.
#include "runtime/files/pictures/orientation.h"
#include "runtime/files/readers.h"
#include "tests/fuzz/fuzz.h"
#include <memory>

namespace tilewright::fuzz {

// Reads a picture as read_file() does once it knows the kind, and looks at each byte of it.
inline void read_picture(const uint8_t *data, size_t size,
    std::unique_ptr<RowReader> (*open)(InputFile &file, const PngLimits &limits)) {
    returns_or_refuses([&] {
        const MemoryFile memory(data, size);
        InputFile file(memory.path());
        const PngLimits limits{.side = most_side, .pixels = most_pixels, .bytes = most_bytes};
        const std::unique_ptr<RowReader> reader = open(file, limits);
        const Array stored = tilewright::read_picture(*reader, file, limits, Array::uninitialized),
                    pixels = upright(stored, reader->orientation);
        const auto *bytes = static_cast<const unsigned char *>(pixels.data());
        int64_t last = (int64_t)size_of(pixels.type()) - 1;
        for (int i = 0; i < pixels.dimensions(); i++) {
            last += (pixels.shape()[i] - 1) * pixels.strides()[i] * (int64_t)size_of(pixels.type());
        }
        unsigned sum = 0;
        for (int64_t i = 0; i <= last; i++) {
            sum += bytes[i];
        }
        [[maybe_unused]] const volatile unsigned used = sum;
    });
}

}  // namespace tilewright::fuzz
