// A pipeline in a program that has Halide's own runtime and nothing of Tilewright's.
#include "alone.h"
#include <cstdio>

int main() {
    for (const int w : {1, 5, 300}) {
        const int h = 2 * w + 1;
        Halide::Runtime::Buffer<uint8_t, 2> image(w, h), output(h, w);
        image.for_each_element([&](int x, int y) { image(x, y) = (uint8_t)(x * 7 + y * 13); });
        if (const int code = alone_cpu(image, output)) {
            std::printf("%d x %d: Halide's code %d\n", w, h, code);
            return 1;
        }
        int wrong = 0;
        output.for_each_element([&](int x, int y) { wrong += output(x, y) != 255 - image(y, x); });
        if (wrong) {
            std::printf("%d x %d: %d pixels are wrong\n", w, h, wrong);
            return 1;
        }
        Halide::Runtime::Buffer<uint8_t, 2> other(h + 1, w);
        if (alone_cpu(image, other) == 0) {
            std::printf("%d x %d: an output of another size was taken\n", w, h);
            return 1;
        }
    }
    return 0;
}
