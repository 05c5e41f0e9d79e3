// The filters of PNG, in loops that compilers make vector code of.
#include "runtime/files/png/png_filter.h"
#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

namespace tilewright {

namespace {

// What each filter subtracts from a byte. The names are those of the standard: a is the byte of the pixel to
// the left, b the one above, and c the one above a. Numbers have 8 and 16 bits, because a vector holds more
// of them than of wider ones.
uint8_t none(uint8_t, uint8_t, uint8_t) {
    return 0;
}
uint8_t sub(uint8_t a, uint8_t, uint8_t) {
    return a;
}
uint8_t up(uint8_t, uint8_t b, uint8_t) {
    return b;
}
uint8_t average(uint8_t a, uint8_t b, uint8_t) {
    return static_cast<uint8_t>((a & b) + ((a ^ b) >> 1));
}
uint8_t paeth(uint8_t a, uint8_t b, uint8_t c) {
    const auto magnitude = [](int16_t x) { return static_cast<int16_t>(x < 0 ? -x : x); };
    const auto by_b = static_cast<int16_t>(b - c), by_a = static_cast<int16_t>(a - c);
    const int16_t from_a = magnitude(by_b), from_b = magnitude(by_a),
                  from_c = magnitude(static_cast<int16_t>(by_a + by_b));
    const uint8_t of_b_or_c = from_b <= from_c ? b : c;
    return from_a <= from_b && from_a <= from_c ? a : of_b_or_c;
}

// Filters a row, and returns the sum of absolute values. The loops have no branches, so that compilers make
// vector code of them, and few bytes at a time, so that the sum of these fits 16 bits.
template<uint8_t (*predicted)(uint8_t a, uint8_t b, uint8_t c)>
uint64_t filter(const uint8_t *row, const uint8_t *above, size_t bytes, size_t pixel, uint8_t *to) {
    constexpr size_t at_a_time = 256;
    uint64_t all = 0;
    for (size_t begin = 0; begin < bytes; begin += at_a_time) {
        const size_t end = std::min(bytes, begin + at_a_time);
        uint16_t sum = 0;
        for (size_t i = begin; i < end; i++) {
            const auto value =
                static_cast<uint8_t>(row[pixel + i] - predicted(row[i], above[pixel + i], above[i]));
            to[i] = value;
            sum = static_cast<uint16_t>(sum + std::min(value, static_cast<uint8_t>(-value)));
        }
        all += sum;
    }
    return all;
}

}  // namespace

const PngFilter::Filter PngFilter::filters[5] = {
    filter<none>, filter<sub>, filter<up>, filter<average>, filter<paeth>};

PngFilter::PngFilter(size_t row_bytes, size_t pixel_bytes)
    : row_bytes_(row_bytes), pixel_bytes_(pixel_bytes), row_(pixel_bytes + row_bytes),
      above_(pixel_bytes + row_bytes), filtered_(1 + row_bytes), best_(1 + row_bytes) {}

std::span<const uint8_t> PngFilter::operator()(const uint8_t *row) {
    std::memcpy(row_.data() + pixel_bytes_, row, row_bytes_);
    uint64_t least = std::numeric_limits<uint64_t>::max();
    for (size_t number = 0; number < std::size(filters); number++) {
        const uint64_t sum =
            filters[number](row_.data(), above_.data(), row_bytes_, pixel_bytes_, filtered_.data() + 1);
        if (sum < least) {
            least = sum;
            filtered_[0] = static_cast<uint8_t>(number);
            std::swap(filtered_, best_);
        }
    }
    std::swap(row_, above_);
    return best_;
}

}  // namespace tilewright
