// fft2d: every variant against the plain definition, within the error bound.
#include "tests/operators/variants.h"
#include "generators/algorithms/fft2d/pass_shape.h"
#include "tests/operators/fft2d/fields.h"
#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace tilewright {
namespace {

class Fft2dVariant : public VariantTest {
protected:
    // Of the fields that the variant transforms, and of the real values.
    Type type() const {
        return variant().type == "c128" ? Type::c128 : Type::c64;
    }
    Type real_type() const {
        return type() == Type::c128 ? Type::f64 : Type::f32;
    }
    Array random_of(int64_t h, int64_t w, unsigned seed = 1) const {
        return random_field(h, w, seed, type());
    }
    // Whether the variant serves real values alone.
    bool is_half() const {
        return variant().form == "fft_half";
    }

    using Sizes = std::vector<std::pair<int64_t, int64_t>>;  // heights and widths

    // These, and a length that the variant is made for where that is no power of two; of a padded pass, one
    // that has a large prime factor; of a pass over parts of lines, lines of as many parts as a part has
    // points.
    Sizes with_own_length(Sizes sizes) const {
        const bool is_pass = variant().form == "fft_pass";
        const auto shape = is_pass ? variant().configuration<FftPassShape>() : FftPassShape();
        const int64_t n = shape.is_padded() ? shape.length() / 2 - 5 : shape.length();
        if (!std::has_single_bit((uint64_t)n)) {
            sizes.insert(sizes.end(), {{n, 16}, {16, n}});
        }
        if (variant().schedule.starts_with("fused_parts")) {
            sizes.emplace_back(n * n, 16);
        }
        return sizes;
    }

    // The sums of the reference have as many terms as a line has elements, so that long lines take it
    // seconds, and add nothing that shorter ones do not show.
    bool takes_long(int64_t h, int64_t w) const {
        return variant().schedule == "reference" && std::max(h, w) > 1024;
    }

    void expect_right(int64_t h, int64_t w, Direction direction, unsigned seed, const std::string &what) {
        if (takes_long(h, w)) {
            return;
        }
        const KnownTransform &known = known_transform(h, w, seed, type(), direction);
        Array output;
        if (run({known.field}, output, direction_of(direction))) {
            EXPECT_LT(relative_error(output, known.exact), allowed(h, w, type()))
                << what << " " << w << " x " << h;
        }
    }

    // `output` has the bound of w values per row. Variants share what is exact for `number`, which is another
    // one for each input of that size.
    void expect_half(const Array &input, Array output, const Settings &settings, int64_t w, int number) {
        static std::map<std::tuple<Type, int64_t, int64_t, int>, Field> known;
        if (run({input}, output, settings)) {
            const int64_t h = input.shape()[0];
            const auto [at, is_new] = known.try_emplace({type(), h, w, number});
            if (is_new) {
                at->second = exact_result(input, settings);
            }
            EXPECT_LT(relative_error(output, at->second), allowed(h, w, type()))
                << input.describe() << " of width " << w;
        }
    }
};

Settings half_of(int64_t width) {
    Settings settings{{"half", std::string("yes")}};
    if (width > 0) {
        settings.set("direction", std::string("inverse"));
        settings.set("width", (double)width);
    }
    return settings;
}

// Every power of two as rows and as columns, so that every variant of the table takes part; both directions.
TEST_P(Fft2dVariant, IsTheTransformWithinTheBound) {
    Sizes sizes = {{16, 16}, {32, 16}, {32, 64}, {64, 32}, {128, 256}, {256, 128}, {256, 16}, {512, 256},
        {512, 16}, {256, 512}, {1024, 16}, {1024, 64}, {16, 1024}, {2048, 64}, {2048, 32}, {2048, 16},
        {16, 2048}, {4096, 16}, {4096, 32}, {4096, 64}, {16, 4096}, {8192, 16}, {8192, 32}, {16, 8192}};
    if (variant().backend != Backend::cpu) {
        sizes.emplace_back(16, 16384);  // by OpenCL the only rows of two parts, by CUDA a pass of its own
    }
    for (const auto &[h, w] : with_own_length(sizes)) {
        expect_right(h, w, Direction::forward, 1, "forward");
        expect_right(h, w, Direction::inverse, 2, "inverse");
    }
    // Without passes, on a CPU without AVX2, the others serve these sides too.
    if (variant().backend != Backend::cpu || cpu_has_avx2()) {
        EXPECT_EQ(served() == 0, is_half() || (variant().schedule.starts_with("fused_mixed") &&
                                                  (type() == Type::c64 || variant().backend != Backend::cpu)))
            << "which serves other sides";
    }
}

// Small sides, prime sides and sides of each radix; sides of lines in two parts, and of both kinds of axes.
TEST_P(Fft2dVariant, TakesSidesOfEveryKind) {
    for (int64_t n = 1; n <= 40; n++) {
        expect_right(n, 41 - n, n % 2 ? Direction::forward : Direction::inverse, 1, "small");
    }
    const std::pair<int64_t, int64_t> sizes[] = {{2 * 3 * 5 * 7, 11 * 13}, {169, 121}, {343, 125}, {128, 100},
        {100, 128}, {211, 64}, {48, 1920}, {1080, 10}, {15, 1009}, {1009, 15}, {3000, 7}, {7, 3000},
        {2, 4099}, {4099, 3}, {6000, 5}, {5, 6000}, {16384, 2}, {2, 16384}, {8191, 2}, {2, 8209}, {51, 289},
        {323, 34}, {899, 46}, {3264, 3}, {5, 2448}, {61 * 17, 4}, {4, 59 * 23}, {16016, 2}, {2, 16320}};
    for (const auto &[h, w] : sizes) {
        expect_right(h, w, Direction::forward, 1, "forward");
        expect_right(h, w, Direction::inverse, 2, "inverse");
    }
}

// Fills an array with a number that no transform gives.
void mark_all(Array &array) {
    for (int64_t y = 0; y < array.shape()[0]; y++) {
        auto *row = static_cast<unsigned char *>(array.data()) +
                    y * array.strides()[0] * (int64_t)size_of(array.type());
        std::fill_n(row, array.shape()[1] * (int64_t)size_of(array.type()), (unsigned char)0x4D);
    }
}

// Nothing was written but a part of an array.
void expect_marks_around(
    const Array &whole, int64_t y0, int64_t x0, int64_t h, int64_t w, bool is_written = true) {
    const auto element = (int64_t)size_of(whole.type());
    int64_t written = 0;
    for (int64_t y = 0; y < whole.shape()[0]; y++) {
        const auto *row = static_cast<const unsigned char *>(whole.data()) + y * whole.strides()[0] * element;
        for (int64_t i = 0; i < whole.shape()[1] * element; i++) {
            const int64_t x = i / element;
            const bool is_mark = row[i] == 0x4D, inside = y >= y0 && y < y0 + h && x >= x0 && x < x0 + w;
            written += inside && !is_mark;
            ASSERT_TRUE(inside || is_mark) << "row " << y << ", column " << x << " was written";
        }
    }
    EXPECT_TRUE(written > 0 || !is_written);
}

// A crop of a larger array as input, and as output: nothing beside it is written.
TEST_P(Fft2dVariant, TakesCropsAndWritesNothingElse) {
    const Sizes sizes = {{16, 16}, {32, 16}, {64, 32}, {16, 1024}, {1024, 16}, {1024, 64}, {128, 256},
        {256, 128}, {256, 16}, {32, 64}, {512, 16}, {512, 32}, {16, 512}, {2048, 16}, {2048, 64}, {16, 2048},
        {4096, 16}, {4096, 32}, {4096, 64}, {16, 4096}, {8192, 16}, {8192, 32}, {16, 8192}, {7, 30}, {50, 17},
        {1009, 9}, {9, 1009}, {1009, 15}, {211, 64}, {64, 211}, {3000, 5}, {5, 6000}, {2, 8209}, {3, 12800},
        {2, 16384}};
    for (const auto &[h, w] : with_own_length(sizes)) {
        if (takes_long(h, w)) {
            continue;
        }
        const KnownTransform &known = known_transform(h, w, 3, type(), Direction::forward, true);
        Array whole(type(), {h + 4, w + 7});
        mark_all(whole);
        Array output = whole.crop(1, 5, h, w);
        if (!run({known.field}, output, direction_of(Direction::forward))) {
            continue;
        }
        EXPECT_LT(relative_error(output, known.exact), allowed(h, w, type())) << w << " x " << h;
        expect_marks_around(whole, 1, 5, h, w);
    }
    EXPECT_EQ(served() > 0, !is_half());
}

// Real values: widths of each kind, odd ones, rows and results that begin between whole complex numbers, and
// spectra that real values do not have. Every variant takes part, beside those for narrower fields.
TEST_P(Fft2dVariant, TakesRealValuesForHalfASpectrum) {
    const std::pair<int64_t, int64_t> sizes[] = {{1, 1}, {1, 2}, {2, 1}, {4, 2}, {3, 4}, {7, 5}, {13, 26},
        {64, 31}, {16, 32}, {32, 64}, {64, 128}, {128, 256}, {256, 512}, {512, 64}, {64, 1024}, {1024, 128},
        {16, 2048}, {15, 2018}, {1009, 6}, {9, 1009}, {3, 8198}, {2, 16384}, {16384, 2}, {5, 16383}};
    for (const auto &[h, w] : sizes) {
        if (takes_long(h, w)) {
            continue;
        }
        const Array whole = random_array(real_type(), {h + 1, w + 3}, 5), spectrum = random_of(h, w / 2 + 1);
        for (const int first : {0, 1}) {
            expect_half(whole.crop(1, first, h, w), {}, half_of(0), w, first);
            Array around(real_type(), {h + 4, w + 7 + first});
            mark_all(around);
            expect_half(spectrum, around.crop(1, 5 + first, h, w), half_of(w), w, 2);
            expect_marks_around(around, 1, 5 + first, h, w, false);
        }
        Array around(type(), {h + 4, w / 2 + 8});
        mark_all(around);
        expect_half(whole.crop(0, 0, h, w), around.crop(1, 5, h, w / 2 + 1), half_of(0), w, 3);
        expect_marks_around(around, 1, 5, h, w / 2 + 1, false);
    }
    EXPECT_TRUE(served() > 0 || !is_half());
}

TEST_P(Fft2dVariant, GivesTheSameBytesEachTime) {
    for (const auto &[h, w] : std::vector<std::pair<int64_t, int64_t>>{
             {16, 16}, {256, 128}, {1024, 16}, {4096, 32}, {16, 8192}, {1000, 60}, {37, 4099}}) {
        if (takes_long(h, w)) {
            continue;
        }
        check_repeats({random_of(h, w)}, direction_of(Direction::forward));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Variants, Fft2dVariant, testing::ValuesIn(variant_cases(fft2d_operator())), variant_case_name);

}  // namespace
}  // namespace tilewright
