// Calls the operator: the edges of a square.
#include "sobel.h"
#include <cstdio>
#include <tilewright/error.h>

namespace tw = tilewright;

int main() {
    try {
        constexpr int64_t side = 64, begin = 16, end = 48;
        tw::Array image(tw::Type::u8, {side, side}), edges;
        uint8_t *pixels = image.as<uint8_t>();
        for (int64_t y = 0; y < side; y++) {
            for (int64_t x = 0; x < side; x++) {
                pixels[y * image.strides()[0] + x] = x >= begin && x < end && y >= begin && y < end ? 40 : 0;
            }
        }
        tw::Statistics statistics;
        tw::sobel(image, edges, {.statistics = &statistics});
        const uint8_t *found = edges.as<uint8_t>();
        const auto at = [&](int64_t x, int64_t y) {
            return (int)found[y * edges.strides()[0] + x * edges.strides()[1]];
        };
        std::printf("by %s: outside %d, edge %d, inside %d\n", statistics.variant.c_str(), at(4, 32),
            at(begin, 32), at(32, 32));
        return at(4, 32) == 0 && at(begin, 32) == 160 && at(32, 32) == 0 ? 0 : 1;
    } catch (const tw::Error &error) {
        std::fprintf(stderr, "gradient: %s\n", error.what());
        return (int)error.fault();
    }
}
