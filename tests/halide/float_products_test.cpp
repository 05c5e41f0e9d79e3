// The form of gaussian_blur by products of pairs of 16-bit floats, with a model of the instructions in place
// of them.
#include "generators/algorithms/float_bits.h"
#include "generators/algorithms/gaussian_blur/products/floats.h"
#include "generators/algorithms/gaussian_blur/weights.h"
#include "tests/halide/modelled_products.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace tilewright {
namespace {

using Halide::Expr;

const FloatBits halves{"f16"};

Expr pair_of(const Expr &low, const Expr &high) {
    return Halide::cast<uint32_t>(halves.bits_of(low)) | (Halide::cast<uint32_t>(halves.bits_of(high)) << 16);
}

std::vector<Expr> modelled(
    const LaneWord &a, const LaneWord &b, Expr g, Expr q, const std::vector<Expr> &sums) {
    return modelled_product(a, b, g, q, sums, [](const Expr &left, const Expr &right, const Expr &sum) {
        return sum + (halves.number(left & 0xffff) * halves.number(right & 0xffff) +
                         halves.number(left >> 16) * halves.number(right >> 16));
    });
}

// The form as a function of this process.
class ModelledBlur {
public:
    explicit ModelledBlur(int steps)
        : steps_(steps), blur_(image_, image_.width(), image_.height(), border_.map(Expr()), taps_, weights_,
                             weights_.dim(0).extent(), {steps, 2, band_}, modelled, pair_of) {
        for (Halide::Func f : {blur_.most, blur_.scale, blur_.source, blur_.pieces, blur_.along, blur_.ring,
                 blur_.down, blur_.lost, blur_.column_sum, blur_.plain_sum, blur_.value}) {
            f.compute_root();
        }
        blur_.out.compile_jit(Halide::get_jit_target_from_environment());
    }

    Halide::Buffer<float> operator()(
        const Halide::Buffer<float> &image, const GaussianWeights &numbers, BorderRule rule, int band) {
        Halide::Buffer<float> weights(2 * numbers.radius + 1), out(image.width(), image.height());
        weights.for_each_element(
            [&](int i) { weights(i) = numbers.real[(size_t)std::abs(i - numbers.radius)]; });
        image_.set(image);
        taps_.set(lane_table(steps_, [&](int v, int lane, int part, int step) {
            return FloatFragments::word(numbers.real, steps_, v, lane, part, step);
        }));
        weights_.set(weights);
        band_.set(band);
        border_.set(rule, image.width(), image.height());
        blur_.out.realize(out);
        return out;
    }

private:
    const int steps_;
    Halide::ImageParam image_{Halide::Float(32), 2}, taps_{Halide::UInt(32), 4},
        weights_{Halide::Float(32), 1};
    Halide::Param<int> band_;
    BorderArguments border_;
    GaussianBlurFloatProducts blur_;
};

// The blur in f64, by the definition: down columns, then along rows.
std::vector<double> blurred(
    const Halide::Buffer<float> &image, const GaussianWeights &weights, BorderRule rule) {
    const int w = image.width(), h = image.height();
    std::vector<double> from, to((size_t)w * (size_t)h);
    for (int i = 0; i < w * h; i++) {
        from.push_back(image(i % w, i / w));
    }
    for (const bool is_down : {true, false}) {
        for (int i = 0; i < w * h; i++) {
            const int x = i % w, y = i / w;
            double sum = 0;
            for (int t = -weights.radius; t <= weights.radius; t++) {
                const int at = is_down ? inside(rule, y + t, h) : inside(rule, x + t, w);
                sum += (double)weights.real[(size_t)std::abs(t)] *
                       from[(size_t)(is_down ? at * w + x : y * w + at)];
            }
            to[(size_t)i] = sum;
        }
        from = to;
    }
    return to;
}

Halide::Buffer<float> noise(int w, int h, double factor) {
    std::mt19937 random(1);
    Halide::Buffer<float> image(w, h);
    image.for_each_value([&](float &v) { v = (float)(((double)random() / 4294967296. - .25) * factor); });
    return image;
}

void expect_definition(
    ModelledBlur &blur, const Halide::Buffer<float> &image, double sigma, BorderRule rule, int band) {
    const std::shared_ptr<const GaussianWeights> weights = GaussianWeights::of(sigma);
    const std::vector<double> wanted = blurred(image, *weights, rule);
    const Halide::Buffer<float> made = blur(image, *weights, rule, band);
    double largest = 0, worst = 0;
    image.for_each_value([&](float v) { largest = std::max(largest, std::abs((double)v)); });
    made.for_each_element([&](int x, int y) {
        const double off = std::abs(made(x, y) - wanted[(size_t)(y * image.width() + x)]);
        worst = std::isnan(off) ? INFINITY : std::max(worst, off);
    });
    EXPECT_LE(worst, .5 * 2 * (2 * weights->radius + 3) * 0x1p-24 * largest)
        << "sigma " << sigma << ", " << image.width() << " x " << image.height() << ", border " << (int)rule;
}

TEST(FloatProducts, AreWithinTheBoundOfTheDefinition) {
    ModelledBlur narrow(3), wide(5);
    for (const BorderRule rule : {BorderRule::reflect, BorderRule::mirror, BorderRule::nearest}) {
        expect_definition(narrow, noise(134, 40, 1), 4, rule, 2);
        expect_definition(wide, noise(98, 83, 255), 7.5, rule, 6);
    }
    expect_definition(wide, noise(300, 40, 1), 7.5, BorderRule::reflect, 3);
}

// The scale follows from 64 pixels of the image.
TEST(FloatProducts, ServeNumbersOfEverySize) {
    ModelledBlur blur(3);
    for (const double factor : {1e-37, 1e-20, 1e20, 3e38}) {
        expect_definition(blur, noise(64, 48, factor), 4, BorderRule::reflect, 3);
    }
    // Numbers that none of these pixels shows: 0, and far larger ones.
    for (const float others : {0.f, 1.f}) {
        for (const float one : {1e-30f, 1.f, 1e6f, 1e30f}) {
            Halide::Buffer<float> image(64, 48);
            image.fill(others);
            image(30, 20) = one;
            expect_definition(blur, image, 4, BorderRule::reflect, 3);
        }
    }
}

TEST(FloatProducts, InfinityAndNaNReachTheirRadiusAndNoFurther) {
    ModelledBlur blur(3);
    const std::shared_ptr<const GaussianWeights> weights = GaussianWeights::of(3.9);
    for (const float one : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
        Halide::Buffer<float> image = noise(80, 60, 1);
        image(41, 30) = one;
        const Halide::Buffer<float> made = blur(image, *weights, BorderRule::reflect, 2);
        made.for_each_element([&](int x, int y) {
            const bool is_near = std::abs(x - 41) <= weights->radius && std::abs(y - 30) <= weights->radius;
            EXPECT_EQ(std::isfinite(made(x, y)), !is_near) << x << ", " << y;
            EXPECT_EQ(std::isinf(made(x, y)), is_near && std::isinf(one)) << x << ", " << y;
        });
    }
}

}  // namespace
}  // namespace tilewright
