// Calls the library: the sums of the rows of an image in which row y is all y.
#include "HalideBuffer.h"
#include "sums_of_rows.h"
#include <cstdio>

int main() {
    constexpr int width = 100, height = 40;
    Halide::Runtime::Buffer<uint8_t, 2> image(width, height);
    Halide::Runtime::Buffer<uint32_t, 1> sums(height);
    image.for_each_element([&](int x, int y) { image(x, y) = (uint8_t)y; });
    const int error = sums_of_rows(image, sums);
    if (error) {
        std::fprintf(stderr, "sums_of_rows failed with Halide's code %d\n", error);
        return 1;
    }
    std::printf("sums of rows: %u, %u, ... %u\n", sums(0), sums(1), sums(height - 1));
    for (int y = 0; y < height; y++) {
        if (sums(y) != (uint32_t)(y * width)) {
            return 1;
        }
    }
    return 0;
}
