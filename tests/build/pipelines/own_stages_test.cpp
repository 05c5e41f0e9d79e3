// A generator that composes stages by "generators/pipelines/pipeline.h" and goes on with Funcs of its own
// (edges_generator.cpp).
#include "edges_cpu.h"
#include "tests/operators/variants.h"
#include "tilewright/gaussian_blur.h"
#include "tilewright/transpose.h"
#include <HalideBuffer.h>
#include <cstdlib>

namespace tilewright {
namespace {

TEST(OwnStages, GoOnWithFuncsOfOnesOwn) {
    for (const auto &[h, w] : std::vector<std::pair<int, int>>{{1, 1}, {3, 5}, {37, 53}, {130, 257}}) {
        const Array image = random_array<uint8_t>({h, w}, 3, 0);
        Array soft;
        transpose(
            gaussian_blur(image, 1.5, Border::reflect, {.device = Device{}}), soft, {.device = Device{}});
        Halide::Runtime::Buffer<const uint8_t, 2> input(image.as<uint8_t>(), w, h);
        Halide::Runtime::Buffer<uint8_t, 2> output(h, w);
        ASSERT_EQ(edges_cpu(input, output), 0);
        for (int y = 0; y < w; y++) {
            for (int x = 0; x < h; x++) {
                const int expected =
                    std::abs(soft.at<uint8_t>({y, x}) - soft.at<uint8_t>({std::min(y + 1, w - 1), x}));
                ASSERT_EQ(output(x, y), expected) << x << ", " << y << " of " << h << " x " << w;
            }
        }
    }
}

}  // namespace
}  // namespace tilewright
