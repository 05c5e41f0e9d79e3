// The form of gaussian_blur by products of bytes, with an exact model of the instruction in place of it.
#include "generators/algorithms/gaussian_blur/products/fused.h"
#include "generators/algorithms/gaussian_blur/products/halves.h"
#include "generators/algorithms/gaussian_blur/products/ring.h"
#include "generators/algorithms/gaussian_blur/products/two_kernels.h"
#include "generators/algorithms/gaussian_blur/weights.h"
#include "generators/algorithms/gaussian_blur/word_sums.h"
#include "tests/halide/modelled_products.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace tilewright {
namespace {

using Halide::Expr;

std::vector<Expr> modelled(
    const LaneWord &a, const LaneWord &b, Expr g, Expr q, const std::vector<Expr> &sums) {
    const WordOperations word;
    return modelled_product(a, b, g, q, sums, [&](const Expr &left, const Expr &right, const Expr &sum) {
        return Halide::cast<int32_t>(word.dot(left, right, Halide::cast<uint32_t>(sum)));
    });
}

std::vector<Halide::Func> stages(GaussianBlurProducts &blur) {
    return {blur.words.source, blur.columns, blur.down.sums, blur.between, blur.along.sums, blur.along_words};
}

std::vector<Halide::Func> stages(GaussianBlurFusedProducts &blur) {
    return {blur.zero, blur.source, blur.columns, blur.down.sums, blur.between, blur.along.sums,
        blur.along_words};
}

// Images of so many interleaved channels of so many bytes.
struct Pixel {
    int channels = 1, bytes = 1;

    int all() const {
        return channels * bytes;
    }
};

// A form as a function of this process.
template<typename Form>
class ModelledBlur {
public:
    ModelledBlur(typename Form::Group group, const Pixel &pixel)
        : pixel_(pixel), blur_(image_, width_, image_.height(), border_.map(zero_), planes(), reach_,
                             multiplier_, with_band(group), modelled, WordOperations()) {
        for (Halide::Func f : stages(blur_)) {
            f.compute_root();
        }
        blur_.out.compile_jit(Halide::get_jit_target_from_environment());
    }

    std::vector<uint8_t> operator()(
        const std::vector<uint8_t> &image, int w, int h, const IntegerTaps &taps, BorderRule rule) {
        const int row = w * pixel_.all(), words = ceil_div(row, 4);
        Halide::Buffer<uint32_t> in(words, h), out(words, h);
        in.fill(0xa5a5a5a5);
        out.fill(behind_rows);
        for (int y = 0; y < h; y++) {
            std::memcpy(&in(0, y), &image[(size_t)y * row], (size_t)row);
        }
        image_.set(in);
        for (int byte = 0; byte <= pixel_.bytes; byte++) {
            const TapFragments fragments = TapFragments::of(
                taps, byte, pixel_.bytes == 1 && std::is_same_v<Form, GaussianBlurFusedProducts>);
            taps_[byte].set(lane_table(fragments.steps,
                [&](int v, int lane, int m, int step) { return fragments.word(taps, v, lane, m, step); }));
            firsts_[byte].set(fragments.first);
        }
        width_.set(w);
        band_.set(1);
        reach_.set(TapFragments::of(taps, 0).reach);
        border_.set(rule, w, h);
        zero_.set(rule == BorderRule::zero);
        multiplier_.set(taps.multiplier);
        blur_.out.realize(out);
        std::vector<uint8_t> made(image.size());
        for (int y = 0; y < h; y++) {
            const auto *bytes = reinterpret_cast<const uint8_t *>(&out(0, y));
            std::memcpy(&made[(size_t)y * row], bytes, (size_t)row);
            EXPECT_EQ(std::count(bytes + row, bytes + 4 * words, behind_rows & 255), 4 * words - row)
                << "row " << y;
        }
        return made;
    }

private:
    static constexpr uint32_t behind_rows = 0x5a5a5a5a;

    const Pixel pixel_;
    Halide::ImageParam image_{Halide::UInt(32), 2};
    Halide::ImageParam taps_[3] = {{Halide::UInt(32), 4}, {Halide::UInt(32), 4}, {Halide::UInt(32), 4}};
    Halide::Param<int> firsts_[3];
    BorderArguments border_;
    Halide::Param<int> width_, band_, reach_, zero_;
    Halide::Param<uint32_t> multiplier_;
    Form blur_;

    typename Form::Group with_band(typename Form::Group group) const {
        group.band = band_;
        return group;
    }

    std::vector<TapPlane> planes() const {
        std::vector<TapPlane> all;
        for (int byte = 0; byte <= pixel_.bytes; byte++) {
            Halide::Var v, q, g, m, k;
            Halide::Func words;
            words(v, q, g, m, k) = taps_[byte](v, 4 * g + q, m, k);
            all.push_back({words, firsts_[byte], taps_[byte].dim(3).extent()});
        }
        return all;
    }
};

std::vector<uint8_t> random_bytes(size_t size) {
    std::mt19937 random(1);
    std::vector<uint8_t> bytes(size);
    std::generate(bytes.begin(), bytes.end(), [&] { return random() % 3 == 0 ? 255 : (uint8_t)random(); });
    return bytes;
}

// The blur of an image of `pixel`, by the definition: down columns, then along rows.
std::vector<uint8_t> blurred(const std::vector<uint8_t> &image, int w, int h, const Pixel &pixel,
    const IntegerTaps &taps, BorderRule rule) {
    const int radius = (int)taps.taps.size() - 1;
    std::vector<uint8_t> from = image, to(image.size());
    for (const bool is_down : {true, false}) {
        const auto number = [&](int x, int y, int c) {
            const size_t at = (size_t)(((size_t)y * w + x) * pixel.channels + c) * pixel.bytes;
            return pixel.bytes == 1 ? from[at] : from[at] | from[at + 1] << 8;
        };
        for (int i = 0; i < w * h * pixel.channels; i++) {
            const int c = i % pixel.channels, x = i / pixel.channels % w, y = i / pixel.channels / w;
            uint64_t sum = 0;
            for (int t = -radius; t <= radius; t++) {
                const int at = is_down ? inside(rule, y + t, h) : inside(rule, x + t, w);
                sum += at < 0 ? 0 : (uint64_t)taps.at(t) * number(is_down ? x : at, is_down ? at : y, c);
            }
            const uint64_t result = (sum * taps.multiplier + (1 << 23)) >> 24;
            for (int byte = 0; byte < pixel.bytes; byte++) {
                to[(size_t)i * pixel.bytes + byte] = (uint8_t)(result >> (8 * byte));
            }
        }
        from = to;
    }
    return to;
}

struct Case {
    double sigma;
    int w, h;
    BorderRule rule;
};

template<typename Form>
void expect_definition(
    const typename Form::Group &group, const Pixel &pixel, const std::vector<Case> &cases) {
    ModelledBlur<Form> blur(group, pixel);
    for (const Case &c : cases) {
        const std::shared_ptr<const GaussianWeights> weights = GaussianWeights::of(c.sigma);
        const IntegerTaps &taps = pixel.bytes == 1 ? weights->bytes : weights->words16;
        const std::vector<uint8_t> image = random_bytes((size_t)c.w * (size_t)c.h * pixel.all());
        EXPECT_EQ(blur(image, c.w, c.h, taps, c.rule), blurred(image, c.w, c.h, pixel, taps, c.rule))
            << "sigma " << c.sigma << ", " << c.w << " x " << c.h << ", border " << (int)c.rule;
    }
}

// Each product of a window adds an error of at most 1 to a sum that may be 127 beside the result.
TEST(WordSums, AreRefusedWhereTheyAreNotExact) {
    EXPECT_EQ(WordSums::why_not(WordSums::most_radius), "");
    EXPECT_NE(WordSums::why_not(WordSums::most_radius + 1).find("radii up to 62"), std::string::npos);
    EXPECT_LT(2 * WordSums::most_radius + 1, 127);
}

// Small taps without high bytes, taps up to 16 bits (sigma 40), sides around those of tiles, and the largest
// radii that an image of its size has; several channels, and numbers of two bytes.
TEST(ByteProducts, GiveTheBytesOfTheDefinition) {
    const std::vector<Case> some = {{1, 64, 40, BorderRule::reflect}, {.3, 33, 35, BorderRule::zero},
        {3.25, 133, 40, BorderRule::mirror}, {25, 102, 101, BorderRule::reflect}};
    expect_definition<GaussianBlurProducts>({1, 1, 2, 8, {}}, {1, 1}, some);
    expect_definition<GaussianBlurProducts>({1, 1, 2, 8, {}}, {1, 1},
        {{7.5, 98, 95, BorderRule::zero}, {10, 75, 66, BorderRule::reflect},
            {40, 161, 165, BorderRule::nearest}});
    for (const Pixel &pixel : {Pixel{3, 1}, {4, 1}, {1, 2}}) {
        SCOPED_TRACE(std::to_string(pixel.channels) + " channels of " + std::to_string(pixel.bytes));
        expect_definition<GaussianBlurProducts>({pixel.channels, pixel.bytes, 1, 4, {}}, pixel, some);
    }
}

// Strips that end inside the image and behind it, one to four channels of one byte, and numbers of two.
TEST(ByteProducts, GiveTheBytesOfTheDefinitionInOneKernel) {
    const std::vector<Case> cases = {{1, 33, 35, BorderRule::zero}, {3.25, 133, 40, BorderRule::mirror},
        {7.5, 61, 67, BorderRule::reflect}};
    for (const Pixel &pixel : {Pixel{1, 1}, {3, 1}, {4, 1}, {1, 2}}) {
        SCOPED_TRACE(std::to_string(pixel.channels) + " channels of " + std::to_string(pixel.bytes));
        expect_definition<GaussianBlurFusedProducts>(
            {pixel.channels, pixel.bytes, 8, 4, false, {}}, pixel, cases);
    }
}

// The form whose warps share nothing, as a function of this process.
class ModelledHalves {
public:
    explicit ModelledHalves(const HalfBands &bands)
        : bands_(bands), blur_(image_, width_, image_.height(), border_.map(Expr()), taps_, {bands, 2, band_},
                             modelled, WordOperations()) {
        for (Halide::Func f :
            {blur_.source, blur_.columns, blur_.down.sums, blur_.ring, blur_.along.sums, blur_.value}) {
            f.compute_root();
        }
        blur_.out.compile_jit(Halide::get_jit_target_from_environment());
    }

    std::vector<uint8_t> operator()(
        const std::vector<uint8_t> &image, int w, int h, const IntegerTaps &taps, BorderRule rule, int band) {
        EXPECT_TRUE(bands_.fit(taps));
        const int words = w / 2;
        Halide::Buffer<uint32_t> in(words, h), out(words, h);
        std::memcpy(in.data(), image.data(), image.size());
        image_.set(in);
        const std::vector<HalfBands::Entry> entries = bands_.entries();
        Halide::Buffer<uint32_t> fragments(4, 32, (int)entries.size());
        fragments.for_each_element([&](int v, int lane, int entry) {
            fragments(v, lane, entry) = bands_.word(taps, v, lane, entries[(size_t)entry]);
        });
        taps_.set(fragments);
        width_.set(w);
        band_.set(band);
        border_.set(rule, w, h);
        blur_.out.realize(out);
        std::vector<uint8_t> made(image.size());
        std::memcpy(made.data(), out.data(), image.size());
        return made;
    }

private:
    const HalfBands bands_;
    Halide::ImageParam image_{Halide::UInt(32), 2}, taps_{Halide::UInt(32), 3};
    BorderArguments border_;
    Halide::Param<int> width_, band_;
    GaussianBlurHalfProducts blur_;
};

// Strips and segments that end inside of the image and behind it, and taps that reach as far as the variant
// serves.
TEST(ByteProducts, GiveTheBytesOfTheDefinitionByWarpsAlone) {
    const struct {
        HalfBands bands;
        std::vector<Case> cases;
    } forms[] = {
        {{8}, {{1, 68, 35, BorderRule::reflect}, {2, 40, 70, BorderRule::mirror}}},
        {{16}, {{2.25, 100, 66, BorderRule::nearest}, {4, 36, 33, BorderRule::reflect}}},
    };
    for (const auto &form : forms) {
        ModelledHalves blur(form.bands);
        for (const Case &c : form.cases) {
            const std::shared_ptr<const GaussianWeights> weights = GaussianWeights::of(c.sigma);
            const IntegerTaps &taps = weights->words16;
            const Pixel pixel{1, 2};
            const std::vector<uint8_t> image = random_bytes((size_t)c.w * (size_t)c.h * pixel.all());
            for (const int band : {1, 3}) {
                EXPECT_EQ(
                    blur(image, c.w, c.h, taps, c.rule, band), blurred(image, c.w, c.h, pixel, taps, c.rule))
                    << "sigma " << c.sigma << ", " << c.w << " x " << c.h << ", border " << (int)c.rule;
            }
        }
    }
}

// The form with a ring, as a function of this process.
class ModelledRing {
public:
    explicit ModelledRing(const UnitBands &bands)
        : bands_(bands),
          blur_(image_, width_, image_.height(), border_.map(zero_), taps_, multiplier_, {bands, 4, band_},
              modelled, GaussianBlurRingProducts::exchanged, WordOperations()) {
        for (Halide::Func f : {blur_.places, blur_.source, blur_.ring, blur_.down, blur_.between, blur_.along,
                 blur_.words, blur_.value}) {
            f.compute_root();
        }
        blur_.out.compile_jit(Halide::get_jit_target_from_environment());
    }

    std::vector<uint8_t> operator()(
        const std::vector<uint8_t> &image, int w, int h, const IntegerTaps &taps, BorderRule rule, int band) {
        EXPECT_TRUE(bands_.fit(taps));
        Halide::Buffer<uint32_t> in(w / 4, h), out(w / 4, h);
        std::memcpy(in.data(), image.data(), image.size());
        image_.set(in);
        const std::vector<UnitBands::Entry> entries = bands_.entries();
        Halide::Buffer<uint32_t> fragments(4, 32, (int)entries.size(), 2);
        fragments.for_each_element([&](int v, int lane, int entry, int pass) {
            fragments(v, lane, entry, pass) = bands_.word(taps, pass == 1, v, lane, entries[(size_t)entry]);
        });
        taps_.set(fragments);
        width_.set(w);
        band_.set(band);
        border_.set(rule, w, h);
        zero_.set(rule == BorderRule::zero);
        multiplier_.set(taps.multiplier);
        blur_.out.realize(out);
        std::vector<uint8_t> made(image.size());
        std::memcpy(made.data(), out.data(), image.size());
        return made;
    }

private:
    const UnitBands bands_;
    Halide::ImageParam image_{Halide::UInt(32), 2}, taps_{Halide::UInt(32), 4};
    BorderArguments border_;
    Halide::Param<int> width_, band_, zero_;
    Halide::Param<uint32_t> multiplier_;
    GaussianBlurRingProducts blur_;
};

// Strips and groups that end inside of the image and behind it, all borders, and taps that reach as far as
// the variant serves.
TEST(ByteProducts, GiveTheBytesOfTheDefinitionWithARing) {
    const struct {
        UnitBands bands;
        std::vector<Case> cases;
    } forms[] = {
        {{2, true}, {{1, 40, 35, BorderRule::zero}, {2.25, 136, 20, BorderRule::reflect}}},
        {{4, false}, {{5, 72, 30, BorderRule::reflect}}},
        {{5, false}, {{7.5, 136, 50, BorderRule::mirror}}},
        {{6, false}, {{10, 80, 66, BorderRule::nearest}}},
    };
    for (const auto &form : forms) {
        ModelledRing blur(form.bands);
        for (const Case &c : form.cases) {
            const std::shared_ptr<const GaussianWeights> weights = GaussianWeights::of(c.sigma);
            const IntegerTaps &taps = weights->bytes;
            const std::vector<uint8_t> image = random_bytes((size_t)c.w * (size_t)c.h);
            for (const int band : {1, 3}) {
                EXPECT_EQ(
                    blur(image, c.w, c.h, taps, c.rule, band), blurred(image, c.w, c.h, {1, 1}, taps, c.rule))
                    << "sigma " << c.sigma << ", " << c.w << " x " << c.h << ", border " << (int)c.rule;
            }
        }
    }
}

}  // namespace
}  // namespace tilewright
