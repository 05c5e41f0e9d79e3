#include "runtime/arrays/channels.h"
#include "runtime/arrays/copy.h"
#include <cstring>

namespace tilewright {

namespace {

// A row of elements in memory, `step` elements apart.
template<typename Byte>
struct Line {
    Byte *begin;
    int64_t step;
};

template<size_t Size>
void copy_elements(Line<const std::byte> from, Line<std::byte> to, int64_t count) {
    for (int64_t x = 0; x < count; x++) {
        memcpy(to.begin + x * to.step * (int64_t)Size, from.begin + x * from.step * (int64_t)Size, Size);
    }
}

// Rows of an image whose elements have `size` bytes.
void copy_elements(int64_t size, Line<const std::byte> from, Line<std::byte> to, int64_t count) {
    switch (size) {
    case 1: return copy_elements<1>(from, to, count);
    case 2: return copy_elements<2>(from, to, count);
    case 4: return copy_elements<4>(from, to, count);
    case 8: return copy_elements<8>(from, to, count);
    default: return copy_elements<16>(from, to, count);
    }
}

}  // namespace

std::vector<Array> empty_channels_of(const Array &image) {
    std::vector<Array> channels;
    for (int64_t c = 0; c < image.shape()[2]; c++) {
        channels.push_back(Array::uninitialized(image.type(), {image.shape()[0], image.shape()[1]}));
    }
    return channels;
}

void split_channels(const Array &image, std::vector<Array> &channels) {
    const int64_t size = (int64_t)size_of(image.type()), count = (int64_t)channels.size();
    const auto *from = static_cast<const std::byte *>(image.data());
    for (int64_t c = 0; c < count; c++) {
        Array &channel = channels[(size_t)c];
        auto *to = static_cast<std::byte *>(channel.data());
        for (int64_t y = 0; y < image.shape()[0]; y++) {
            copy_elements(size, {from + (y * image.strides()[0] + c) * size, count},
                {to + y * channel.strides()[0] * size, 1}, image.shape()[1]);
        }
    }
}

void join_channels(const std::vector<Array> &channels, Array &image) {
    // Another library's memory is written by copy() alone.
    Array made = image.is_wrapped() ? Array::uninitialized(image.type(), image.shape()) : image;
    const int64_t size = (int64_t)size_of(image.type()), count = (int64_t)channels.size();
    auto *to = static_cast<std::byte *>(made.data());
    for (int64_t c = 0; c < count; c++) {
        const Array &channel = channels[(size_t)c];
        const auto *from = static_cast<const std::byte *>(channel.data());
        for (int64_t y = 0; y < image.shape()[0]; y++) {
            copy_elements(size, {from + y * channel.strides()[0] * size, 1},
                {to + (y * made.strides()[0] + c) * size, count}, image.shape()[1]);
        }
    }
    if (image.is_wrapped()) {
        copy(made, image);
    }
}

}  // namespace tilewright
