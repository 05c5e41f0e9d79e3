// Turns an image by the library's own schedule, on the best device of this machine, and by the runtime-free
// function on the CPU.
#include "my_turn.h"
#include "my_turn_functions.h"
#include <cstdio>

namespace tw = tilewright;

int main() {
    constexpr int width = 300, height = 200;
    try {
        tw::Array image(tw::Type::u8, {height, width}), turned;
        auto *pixels = image.as<uint8_t>();
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                pixels[y * image.strides()[0] + x] = (uint8_t)(x + 3 * y);
            }
        }
        tw::Statistics statistics;
        my_turn({image}, turned, {}, {.statistics = &statistics});
        const uint8_t *result = static_cast<const tw::Array &>(turned).as<uint8_t>();

        Halide::Runtime::Buffer<uint8_t, 2> in(width, height), out(height, width);
        in.for_each_element([&](int x, int y) { in(x, y) = (uint8_t)(x + 3 * y); });
        if (int code = my_turn_strips_u8_cpu(in, out)) {
            fprintf(stderr, "turn: Halide error %d\n", code);
            return 1;
        }
        for (int y = 0; y < width; y++) {
            for (int x = 0; x < height; x++) {
                if (result[y * turned.strides()[0] + x] != (uint8_t)(y + 3 * x) ||
                    out(x, y) != (uint8_t)(y + 3 * x)) {
                    fprintf(stderr, "turn: wrong at (%d, %d)\n", x, y);
                    return 1;
                }
            }
        }
        printf("turned %d x %d pixels by %s on %s\n", width, height, statistics.variant.c_str(),
            statistics.device.c_str());
    } catch (const tw::Error &error) {
        fprintf(stderr, "turn: %s\n", error.what());
        return (int)error.fault();
    }
}
