// The form of gaussian_blur by products of bytes, with an exact model of the instruction in place of it: a
// lane's result is computed from the words that all lanes of its warp have.
#include "generators/algorithms/gaussian_blur/products.h"
#include "generators/algorithms/gaussian_blur/weights.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace tilewright {
namespace {

using Halide::Expr;

// The rows of A and the columns of B are as ByteProductCall says.
std::vector<Expr> modelled(
    const LaneWord &a, const LaneWord &b, Expr g, Expr q, const std::vector<Expr> &sums) {
    const WordOperations word;
    std::vector<Expr> results;
    for (int r = 0; r < 4; r++) {
        Expr sum = Halide::cast<uint32_t>(sums[(size_t)r]);
        for (int lane = 0; lane < 4; lane++) {
            for (int half = 0; half < 2; half++) {
                sum = word.dot(a(r / 2 + 2 * half, g, lane), b(half, 2 * q + r % 2, lane), sum);
            }
        }
        results.push_back(Halide::cast<int32_t>(sum));
    }
    return results;
}

// The form as a function of this process.
class ModelledBlur {
public:
    ModelledBlur() {
        for (Halide::Func f : {blur_.words.source, blur_.columns, blur_.down.sums, blur_.between,
                 blur_.along.sums, blur_.along_words}) {
            f.compute_root();
        }
        blur_.out.compile_jit(Halide::get_jit_target_from_environment());
    }

    std::vector<uint8_t> operator()(
        const std::vector<uint8_t> &image, int w, int h, const IntegerTaps &taps, BorderRule rule) {
        const int words = ceil_div(w, 4);
        Halide::Buffer<uint32_t> in(words, h), out(words, h);
        in.fill(0xa5a5a5a5);
        out.fill(behind_rows);
        for (int y = 0; y < h; y++) {
            std::memcpy(&in(0, y), &image[(size_t)y * w], (size_t)w);
        }
        const TapFragments low = TapFragments::low(taps), high = TapFragments::high(taps);
        image_.set(in);
        low_.set(table(taps, low, false));
        high_.set(table(taps, high, true));
        width_.set(w);
        band_.set(1);
        reach_.set(low.reach);
        high_first_.set(high.first);
        factor_.set(border_factor(rule));
        border_low_.set(border_low(rule));
        high_x_.set(border_high(rule, w));
        high_y_.set(border_high(rule, h));
        zero_.set(rule == BorderRule::zero);
        multiplier_.set(taps.multiplier);
        blur_.out.realize(out);
        std::vector<uint8_t> made(image.size());
        for (int y = 0; y < h; y++) {
            const auto *row = reinterpret_cast<const uint8_t *>(&out(0, y));
            std::memcpy(&made[(size_t)y * w], row, (size_t)w);
            EXPECT_EQ(std::count(row + w, row + 4 * words, behind_rows & 255), 4 * words - w) << "row " << y;
        }
        return made;
    }

private:
    static constexpr uint32_t behind_rows = 0x5a5a5a5a;

    Halide::ImageParam image_{Halide::UInt(32), 2}, low_{Halide::UInt(32), 4}, high_{Halide::UInt(32), 4};
    Halide::Param<int> width_, band_, reach_, high_first_, factor_, border_low_, high_x_, high_y_, zero_;
    Halide::Param<uint32_t> multiplier_;
    GaussianBlurProducts blur_{image_, width_, image_.height(),
        {factor_, border_low_, high_x_, high_y_, zero_}, plane(high_, high_first_), plane(low_, 0), reach_,
        multiplier_, {2, 8}, band_, modelled, WordOperations()};

    static TapPlane plane(Halide::ImageParam &taps, const Expr &first) {
        Halide::Var v, q, g, m, k;
        Halide::Func words;
        words(v, q, g, m, k) = taps(v, 4 * g + q, m, k);
        return {words, first, taps.dim(3).extent()};
    }

    static Halide::Buffer<uint32_t> table(const IntegerTaps &taps, const TapFragments &fragments, bool high) {
        Halide::Buffer<uint32_t> words(4, 32, 2, fragments.steps);
        words.for_each_element([&](int v, int lane, int m, int step) {
            words(v, lane, m, step) = fragments.word(taps, high, v, lane, m, step);
        });
        return words;
    }
};

std::vector<uint8_t> random_bytes(size_t size) {
    std::mt19937 random(1);
    std::vector<uint8_t> bytes(size);
    std::generate(bytes.begin(), bytes.end(), [&] { return random() % 3 == 0 ? 255 : (uint8_t)random(); });
    return bytes;
}

// The index in 0 ... n - 1 whose value is at i; -1 where that is 0. One reflection is enough.
int inside(BorderRule rule, int i, int n) {
    if (i >= 0 && i < n) {
        return i;
    }
    switch (rule) {
    case BorderRule::reflect: return i < 0 ? -1 - i : 2 * n - 1 - i;
    case BorderRule::mirror: return i < 0 ? -i : 2 * n - 2 - i;
    case BorderRule::nearest: return std::clamp(i, 0, n - 1);
    default: return -1;
    }
}

// One pass along rows, which gives the transpose.
std::vector<uint8_t> pass(
    const std::vector<uint8_t> &image, int w, int h, const IntegerTaps &taps, BorderRule rule) {
    const int radius = (int)taps.taps.size() - 1;
    std::vector<uint8_t> blurred(image.size());
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            uint32_t sum = 0;
            for (int i = -radius; i <= radius; i++) {
                const int from = inside(rule, x + i, w);
                sum += from < 0 ? 0 : taps.at(i) * image[(size_t)y * w + from];
            }
            blurred[(size_t)x * h + y] = (uint8_t)((sum * taps.multiplier + (1 << 23)) >> 24);
        }
    }
    return blurred;
}

std::vector<uint8_t> transpose(const std::vector<uint8_t> &image, int w, int h) {
    std::vector<uint8_t> transposed(image.size());
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            transposed[(size_t)x * h + y] = image[(size_t)y * w + x];
        }
    }
    return transposed;
}

// Small taps without high bytes, taps up to 16 bits (sigma 40), sides around those of tiles, and the largest
// radii that an image of its size has.
TEST(ByteProducts, GiveTheBytesOfTheDefinition) {
    ModelledBlur blur;
    const struct {
        double sigma;
        int w, h;
        BorderRule rule;
    } cases[] = {{1, 64, 40, BorderRule::reflect}, {.3, 33, 35, BorderRule::zero},
        {3.25, 133, 40, BorderRule::mirror}, {7.5, 98, 95, BorderRule::zero},
        {10, 75, 66, BorderRule::reflect}, {25, 102, 101, BorderRule::reflect},
        {40, 161, 165, BorderRule::nearest}};
    for (const auto &c : cases) {
        const IntegerTaps &taps = GaussianWeights::of(c.sigma)->bytes;
        const std::vector<uint8_t> image = random_bytes((size_t)c.w * (size_t)c.h);
        const std::vector<uint8_t> down = pass(transpose(image, c.w, c.h), c.h, c.w, taps, c.rule),
                                   both = pass(down, c.w, c.h, taps, c.rule);
        EXPECT_EQ(blur(image, c.w, c.h, taps, c.rule), transpose(both, c.h, c.w))
            << "sigma " << c.sigma << ", " << c.w << " x " << c.h << ", border " << (int)c.rule;
    }
}

}  // namespace
}  // namespace tilewright
