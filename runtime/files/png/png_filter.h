#pragma once
// The filters of PNG, by which rows compress better (Portable Network Graphics, third edition, 9). Not
// installed.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilewright {

// Filters the rows of an image, from top to bottom. Each row gets the filter whose bytes, as signed numbers,
// have the least sum of absolute values: the rule that section 12.7 recommends.
class PngFilter {
public:
    PngFilter(size_t row_bytes, size_t pixel_bytes);

    // `row`: as the file has it, 16-bit numbers with their high byte first. The result, the number of the
    // filter and the filtered bytes, is good until the next call.
    std::span<const uint8_t> operator()(const uint8_t *row);

private:
    using Filter = uint64_t (*)(
        const uint8_t *row, const uint8_t *above, size_t bytes, size_t pixel_bytes, uint8_t *to);
    static const Filter filters[5];

    const size_t row_bytes_, pixel_bytes_;
    std::vector<uint8_t> row_, above_;  // with a pixel of zeros before them
    std::vector<uint8_t> filtered_, best_;
};

}  // namespace tilewright
