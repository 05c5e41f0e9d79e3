// Every variant of `fresnel` against its definition.
#include "tests/operators/variants.h"
#include "generators/algorithms/fft2d/pass_shape.h"
#include "tests/operators/fresnel/fields.h"
#include <bit>
#include <limits>

namespace tilewright {
namespace {

class FresnelVariant : public VariantTest {
protected:
    static std::vector<int64_t> sides(int64_t longest) {
        std::vector<int64_t> all;
        for (int64_t side = 16; side <= longest; side *= 2) {
            all.push_back(side);
        }
        all.insert(all.end(), {1, 2, 15, 30, 34, 50, 97});
        return all;
    }
    bool is_slow() const {
        return variant().schedule == "reference";
    }
    // The side that the variant is made for, where it is made for one that is no power of two; otherwise 0.
    int64_t own_side() const {
        const bool is_pass = variant().form == "fft_pass";
        const int64_t side = is_pass ? variant().configuration<FftPassShape>().length() : 1;
        return std::has_single_bit((uint64_t)side) ? 0 : side;
    }
    // Passes over lines of 1000 and more, and over parts of lines.
    bool leaves_small_fields() const {
        if (own_side() > 0) {
            return true;
        }
        for (const char *part : {"1024", "2048", "4096", "8192", "_first", "_second", "_last", "_long"}) {
            if (variant().schedule.find(part) != std::string::npos) {
                return true;
            }
        }
        return false;
    }

    // Takes the field through the variant, if that serves it, and compares the result with `expected`.
    void check(const Case &c, const Array &field, const Values &expected) {
        Array output;
        if (run({field}, output, settings_of(c))) {
            EXPECT_LE(relative_error(std::as_const(output), expected), allowed_error(c.side)) << describe(c);
        }
    }

    // A large field against f64: of a few plane waves `angular_spectrum` makes the same waves, each with a
    // phase of its own.
    void check_waves(const Case &c) {
        const int64_t side = c.side;
        const std::vector<std::pair<int64_t, int64_t>> waves = {
            {0, 0}, {3, side - 7}, {side / 2, 5}, {side / 3, side - side / 5}, {side - 1, side / 2 - 1}};
        std::vector<Line> x_waves, y_waves;
        for (const auto &[kx, ky] : waves) {
            x_waves.emplace_back();
            y_waves.emplace_back();
            for (int64_t i = 0; i < side; i++) {
                x_waves.back().push_back(unit_phase((double)(kx * i % side) / (double)side));
                y_waves.back().push_back(unit_phase((double)(ky * i % side) / (double)side));
            }
        }
        const auto sum = [&](bool after) {
            Line factors;
            for (const auto &[kx, ky] : waves) {
                factors.push_back(after ? diffraction_of(c).transfer(kx, ky) : 1);
            }
            return [&, factors](int64_t x, int64_t y) {
                C128 all = 0;
                for (size_t w = 0; w < waves.size(); w++) {
                    all += factors[w] * x_waves[w][(size_t)x] * y_waves[w][(size_t)y];
                }
                return all;
            };
        };
        check(c, field_of(side, sum(false)), sum(true));
    }

    // A large field against f64, line by line: of a product a(x) b(y) the separable methods make A(x) B(y).
    void check_product(const Case &c) {
        const int64_t side = c.side;
        Line a((size_t)side), b((size_t)side);
        const Values next = random_values();
        for (int64_t i = 0; i < side; i++) {
            a[(size_t)i] = next(0, 0);
            b[(size_t)i] = next(0, 0);
        }
        const Array field = field_of(side, [&](int64_t x, int64_t y) { return a[(size_t)x] * b[(size_t)y]; });
        const plain::Diffraction one = diffraction_of(c);
        const plain::Fft there(side, -1), back(side, 1);
        for (Line *line : {&a, &b}) {
            if (c.method == transform) {
                plain::TransformLine{one}(line->data());
            } else {
                there(line->data());
                for (int64_t k = 0; k < side; k++) {
                    (*line)[(size_t)k] *= one.transfer(k, 0) / (double)side;
                }
                back(line->data());
            }
        }
        const C128 factor = c.method == transform ? 1.0 / C128(0, wavelength * c.distance) : 1;
        check(c, field, [&](int64_t x, int64_t y) { return factor * a[(size_t)x] * b[(size_t)y]; });
    }

    bool serves(const Case &c) const {
        const Array field = Array::uninitialized(Type::c64, {c.side, c.side});  // nobody reads it
        return op().serves(variant(), {&field, 1}, field, settings_of(c));
    }
};

TEST_P(FresnelVariant, AgreesWithThePlainLoop) {
    for (const FresnelMethod method : {transform, convolution, angular_spectrum}) {
        const double times = method == transform ? 1.7 : .6;
        for (const int64_t side : sides(is_slow() ? 128 : 512)) {
            const Case c{
                method, side, (side == 32 || side == 256 ? -times : times) * critical_distance(side)};
            if (serves(c)) {
                const Array field = field_of(side, random_values());
                const Line expected = plain_field(line_of(field), c);
                check(c, field, values_of(expected, side));
            }
        }
    }
    EXPECT_EQ(served() == 0, leaves_small_fields()) << "it serves none of the sides that it should";
}

TEST_P(FresnelVariant, AgreesWithThePlainLoopOnLargeFields) {
    if (is_slow()) {
        GTEST_SKIP() << "too slow for it";
    }
    // The largest ones are for variants that serve no others, and once.
    const int64_t largest_for_all = runs_threads_in_turn() ? 1024 : 2048;
    std::vector<int64_t> sides = {1024, 1600, 2048, 4096, 8192};
    if (own_side() > 0) {
        sides = {own_side()};
    }
    for (const int64_t side : sides) {
        for (const FresnelMethod method : {transform, convolution, angular_spectrum}) {
            const Case c{method, side, (method == transform ? 1.7 : -.6) * critical_distance(side)};
            if (!serves(c) || (side > largest_for_all && served() > 0)) {
                continue;
            }
            if (method == angular_spectrum) {
                check_waves(c);
            } else {
                check_product(c);
            }
        }
    }
    EXPECT_GT(served() + !leaves_small_fields(), 0);
}

TEST_P(FresnelVariant, TakesCropsAndWritesNothingElse) {
    for (const FresnelMethod method : {transform, convolution, angular_spectrum}) {
        for (const int64_t side : {64, 128}) {
            const Case c{method, side, critical_distance(side)};
            if (!serves(c)) {
                continue;
            }
            // What lies around the crop must not reach the result.
            const float nan = std::numeric_limits<float>::quiet_NaN();
            Array whole = field_of(side + 16, [&](int64_t, int64_t) { return C128(nan, nan); });
            Array inside = whole.crop(3, 5, side, side);
            fill_field(inside, random_values());
            Array output_whole = field_of(side + 9, [](int64_t, int64_t) { return C128(77, 78); }, 0);
            Array output = output_whole.crop(2, 7, side, side);
            if (!run({inside}, output, settings_of(c))) {
                continue;
            }
            const Line expected = plain_field(line_of(inside), c);
            EXPECT_LE(relative_error(std::as_const(output), values_of(expected, side)), allowed_error(side))
                << describe(c);
            const C64 *data = std::as_const(output_whole).as<C64>();
            for (int64_t y = 0; y < side + 9; y++) {
                for (int64_t x = 0; x < side + 9; x++) {
                    const bool is_output = y >= 2 && y < 2 + side && x >= 7 && x < 7 + side;
                    ASSERT_TRUE(is_output || data[y * output_whole.strides()[0] + x] == C64(77, 78))
                        << x << ", " << y << " was written";
                }
            }
        }
    }
}

TEST_P(FresnelVariant, GivesTheSameBytesEachTime) {
    for (const FresnelMethod method : {transform, convolution, angular_spectrum}) {
        const Case c{method, 64, critical_distance(64)};
        check_repeats({field_of(64, random_values())}, settings_of(c));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Variants, FresnelVariant, testing::ValuesIn(variant_cases(fresnel_operator())), variant_case_name);

}  // namespace
}  // namespace tilewright
