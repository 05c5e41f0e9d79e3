// The recursive blur against plain loops in f64: the recursion as it is published, with the ends of Triggs
// and Sdika. Long because all tests of variants have one fixture.
#include "plain/recursive_gaussian.h"
#include "generators/algorithms/recursive_gaussian/configuration.h"
#include "runtime/operators/recursive_gaussian/coefficients.h"
#include "tests/operators/blurs.h"
#include "tests/operators/variants.h"
#include "tilewright/plain.h"
#include "tilewright/recursive_gaussian.h"
#include "tilewright/workload.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

namespace tilewright {

namespace {

using plain::exact_recursion;
using plain::PublishedFilter;

// The first element that is off by more than the bound says: 2e-6 of the largest value, and what `half` adds
// to it; for integers and 16-bit floats half a step more; for f64 much less.
template<typename T>
std::string beyond_bound(const Array &image, const Array &output, const std::vector<double> &expected,
    double half = 0, double sigma = 0) {
    const double top = largest<T>(image),
                 step = image.type() == Type::f16  ? 0x1p-11 :
                        image.type() == Type::bf16 ? 0x1p-8 :
                                                     0,
                 error = image.type() == Type::f64 ? 1e-14 + 3e-18 * sigma * sigma * sigma :
                         sigma < 200               ? 2e-6 :
                                                     5e-6;
    return first_difference<T>(output, expected,
        (error + half + 1.01 * step) * top + (std::is_integral_v<T> ? .5 :
                                                 step > 0           ? 0x1p-24 :
                                                                      0));
}

// Calls `use` with a value of the type's elements.
template<typename Use>
void with_element(const std::string &type, Use use) {
    type == "u8"   ? use(uint8_t()) :
    type == "u16"  ? use(uint16_t()) :
    type == "f32"  ? use(float()) :
    type == "f64"  ? use(double()) :
    type == "f16"  ? use(Float16()) :
    type == "bf16" ? use(BFloat16()) :
                     throw std::logic_error("no test of " + type);
}

struct Case {
    std::vector<int64_t> shape;
    double sigma;
    bool crop = false;
    bool dense = false;  // the output is the caller's memory, without gaps between rows

    std::string str() const {
        return words_of(shape) + "sigma " + std::to_string(sigma) + (crop ? " crop" : "");
    }
};

class RecursiveGaussianVariant : public VariantTest {
protected:
    // What half-precision floats between rows and columns add to the error, relative to the largest value: 11
    // bits are kept, and both filters together multiply a value by at most 1.12.
    double half() const {
        return variant().form == "recursive_gaussian_copies" &&
                       variant().configuration<RecursiveGaussianCopiesConfiguration>().half ?
                   std::ldexp(1.12, -11) :
                   0;
    }

    // Variants for two sigmas get two that differ in the last digit.
    Settings of(double sigma) const {
        Settings settings = {{"sigma", sigma}};
        if (variant().form == "recursive_gaussian_tiles" &&
            variant().configuration<RecursiveGaussianConfiguration>().two_sigmas) {
            settings.set("sigma-y", std::nextafter(sigma, 1.1));
        }
        return settings;
    }

    template<typename T>
    void check(const Case &c) {
        SCOPED_TRACE(c.str());
        const Array image = blur_image<T>(c.shape, c.crop);
        Array output(image.type(), image.shape()), around;
        if (c.crop) {  // the output lies in a larger array too, whose other elements stay
            std::vector<int64_t> larger = c.shape;
            larger[0] += 3;
            larger[1] += 2;
            around = random_array<T>(larger, 9);
            output = around.crop(1, 1, c.shape[0], c.shape[1]);
        }
        std::vector<T> memory;
        if (c.dense) {
            memory.assign((size_t)image.size() + 1, (T)77.f);
            output = Array::view(image.type(), memory.data(), c.shape);
        }
        if (!run({image}, output, of(c.sigma))) {
            return;
        }
        static std::map<std::string, std::vector<double>> known;  // rows share their cases
        auto &expected = known[c.str()];
        if (expected.empty()) {
            expected = exact_recursion(image, c.sigma);
        }
        EXPECT_EQ(beyond_bound<T>(image, output, expected, half(), c.sigma), "");
        EXPECT_TRUE(memory.empty() || (double)memory.back() == 77) << "wrote behind the output";
        if (c.crop) {
            const Array before = random_array<T>(around.shape(), 9);
            const int64_t h = around.shape()[0], n = around.size() / h, per_pixel = n / around.shape()[1];
            for (int64_t y = 0; y < h; y++) {
                for (int64_t x = 0; x < n; x++) {
                    const bool inside =
                        y >= 1 && y <= c.shape[0] && x / per_pixel >= 1 && x / per_pixel <= c.shape[1];
                    const int64_t at = y * around.strides()[0] + x;
                    ASSERT_TRUE(inside || (double)around.as<T>()[at] == (double)before.as<T>()[at])
                        << "wrote beside the output, y " << y << ", element " << x;
                }
            }
        }
    }

    void check(const Case &c) {
        with_element(variant().type, [&](auto zero) { check<decltype(zero)>(c); });
    }

    bool is_of_integers() const {
        return variant().type == "u8" || variant().type == "u16";
    }
};

TEST_P(RecursiveGaussianVariant, SizesAndChannels) {
    const double sigmas[] = {.5, 1, 5, 20, 200};
    int turn = 0;
    for (int64_t h : {1, 2, 7, 63, 64, 65, 129}) {
        for (int64_t w : {1, 3, 8, 15, 16, 17, 63, 64, 65, 127, 128}) {
            check({{h, w}, sigmas[turn % 5], turn % 4 == 3});
            turn++;
        }
    }
    for (int64_t c : {1, 2, 3, 4}) {
        check({{37, 61, c}, 1, c == 3});
        check({{64, 128, c}, 5});
        check({{3, 200, c}, 20});
    }
    check({{101, 211}, 5, true});
    check({{192, 320}, 2.5});
    check({{128, 256}, 1});
    check({{193, 257}, 200});
    check({{319, 700}, 5, true});
    for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
             {49, 257}, {96, 3}, {97, 256}, {145, 1}, {130, 333}, {100, 131, 3}}) {
        check({shape, 2, false, true});
    }
    EXPECT_GT(served(), 0) << "the variant serves none of the sizes";
}

TEST_P(RecursiveGaussianVariant, EverySigma) {
    for (double sigma : {.5, .6, .75, 1., 1.5, 2., 3., 5., 10., 20., 50., 100., 200., 500., 2000.}) {
        check({{128, 192}, sigma});
        check({{192, 256}, sigma});
    }
}

// A pattern whose roundings fall to one side: over the many samples that a wide filter remembers they add up.
TEST_P(RecursiveGaussianVariant, WideFiltersOfAPatternStayWithinTheBound) {
    if (variant().type != "f32") {
        GTEST_SKIP() << "integers are rounded by more";
    }
    Array image(Type::f32, {300, 1000});
    float *data = image.as<float>();
    for (int64_t i = 0; i < 300 * image.strides()[0]; i++) {
        data[i] = (float)((uint64_t)i * 2654435761u / 256 % 1000003) / 1000003.f;
    }
    for (const double sigma : {100., 200., 2000.}) {
        Array output(Type::f32, {300, 1000});
        if (run({image}, output, of(sigma))) {
            EXPECT_EQ(beyond_bound<float>(image, output, exact_recursion(image, sigma), half(), sigma), "")
                << "sigma " << sigma;
        }
    }
}

TEST_P(RecursiveGaussianVariant, LargeWideTall) {
    if (variant().schedule == "reference") {
        GTEST_SKIP() << "this variant is not made for large images";
    }
    // A CPU that poses as an OpenCL device takes seconds for these; lines of more than 2^16 pixels are
    // enough.
    const int64_t longest = runs_threads_in_turn() ? 70001 : 200000;
    check({runs_threads_in_turn() ? std::vector<int64_t>{261, 517} : std::vector<int64_t>{521, 1031}, 5});
    check({{3, 20011}, 20});
    check({{20011, 3}, 20});
    check({{1, longest}, 5});
    check({{longest, 1}, 5});
    check({{1, 20011}, 2000});
    check({{1013, 1}, .5});
}

TEST_P(RecursiveGaussianVariant, ConstantImagesStay) {
    for (double sigma : {.5, 1., 5., 20., 200., 2000.}) {
        for (const auto &shape : {std::vector<int64_t>{64, 192}, {67, 131}, {61, 70, 3}, {150, 300},
                 {150, 13}, {1, 77}, {300, 1}}) {
            SCOPED_TRACE(sigma);
            Array output;
            if (!is_of_integers()) {
                with_element(variant().type, [&](auto zero) {
                    using T = decltype(zero);
                    Array image(type_of_element<T>::value, shape);
                    fill<T>(image, [] { return .73f; });
                    if (run({image}, output, of(sigma))) {
                        Array bound(Type::f64, shape);  // 16-bit floats are exact
                        const double error = variant().type == "f64" ? 1e-12 + 3e-19 * sigma * sigma * sigma :
                                             sizeof(T) == 2          ? 0 :
                                                                       1e-6;
                        fill<double>(bound, [&] { return .73 * (error + half()); });
                        EXPECT_EQ(difference(output, image, bound), "");
                    }
                });
            } else {
                for (int value : {1, 127, 255, 65535}) {
                    if (variant().type == "u8" && value > 255) {
                        continue;
                    }
                    Array image(variant().type == "u8" ? Type::u8 : Type::u16, shape);
                    variant().type == "u8" ? fill<uint8_t>(image, [&] { return value; }) :
                                             fill<uint16_t>(image, [&] { return value; });
                    if (run({image}, output, of(sigma))) {
                        EXPECT_EQ(difference(output, image, {}), "");
                    }
                }
            }
        }
    }
    EXPECT_GT(served(), 0);
}

// The response to a single pixel in the middle is the same in all four directions, and its sum is the pixel.
TEST_P(RecursiveGaussianVariant, ImpulsesAreSymmetric) {
    if (variant().type != "f32") {
        GTEST_SKIP() << "floats show it";
    }
    for (double sigma : {.5, 1., 5., 10.}) {  // at 20, the edges can be seen
        SCOPED_TRACE(sigma);
        const int64_t n = 320, at = 155;
        Array image(Type::f32, {n, n}), output;
        image.as<float>()[at * image.strides()[0] + at] = 1;
        if (!run({image}, output, of(sigma))) {
            continue;
        }
        const float *out = std::as_const(output).as<float>();
        const int64_t pitch = output.strides()[0];
        auto pixel = [&](int64_t y, int64_t x) { return (double)out[(at + y) * pitch + at + x]; };
        double sum = 0;
        for (int64_t y = 0; y < n; y++) {
            for (int64_t x = 0; x < n; x++) {
                sum += (double)out[y * pitch + x];
            }
        }
        EXPECT_NEAR(sum, 1, 2e-5 + half());
        for (int64_t y = 0; y <= at; y++) {
            for (int64_t x = 0; x <= at; x++) {
                for (const double other : {pixel(-y, x), pixel(y, -x), pixel(-y, -x), pixel(x, y)}) {
                    ASSERT_NEAR(other, pixel(y, x), 4e-6 + 2 * half()) << y << " " << x;
                }
            }
        }
    }
}

// NaN stands in the tile of 64 x 64 pixels that is one of 5 x 5.
TEST_P(RecursiveGaussianVariant, NanReachesTheTilesBesideIt) {
    if (variant().type != "f32") {
        GTEST_SKIP() << "floats have NaN";
    }
    for (const int sigma : {2, 10}) {
        SCOPED_TRACE(sigma);
        Array image(Type::f32, {320, 320}), output;
        image.as<float>()[140 * image.strides()[0] + 150] = std::numeric_limits<float>::quiet_NaN();
        if (!run({image}, output, of(sigma))) {
            continue;
        }
        for (int64_t y = 64; y < 256; y++) {
            for (int64_t x = 64; x < 256; x++) {
                ASSERT_TRUE(std::isnan(std::as_const(output).as<float>()[y * output.strides()[0] + x]))
                    << y << " " << x;
            }
        }
    }
}

TEST_P(RecursiveGaussianVariant, SameBytesEachTime) {
    for (const int64_t width : {256, 12, 1}) {
        Array image;
        with_element(variant().type, [&](auto zero) { image = random_array<decltype(zero)>({128, width}); });
        check_repeats({image}, of(5.));
    }
    EXPECT_GT(served(), 0);
}

// Of those that do not serve two sigmas, this shows nothing; one variant of `tuned` per type does on each
// backend.
TEST_P(RecursiveGaussianVariant, TakesAnotherSigmaAlongRows) {
    Type type = Type::f32;
    with_element(variant().type, [&](auto zero) { type = type_of_element<decltype(zero)>::value; });
    for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
             {1, 1}, {67, 131}, {130, 64, 3}, {1, 300}, {300, 1}, {257, 90, 4}}) {
        for (const auto &[along, down] : {std::pair{5., .75}, {.5, 30.}}) {
            const Array image = random_array(type, shape, 3);
            const Settings settings = {{"sigma", along}, {"sigma-y", down}};
            Array output;
            if (run({image}, output, settings)) {
                EXPECT_EQ(difference(output, *plain_result(op(), {&image, 1}, settings),
                              workload_of(op()).bound({&image, 1}, settings)),
                    "")
                    << image.describe();
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Variants, RecursiveGaussianVariant,
    testing::ValuesIn(variant_cases(recursive_gaussian_operator())), variant_case_name);

Call on_cpu() {
    return {.device = Device{}};
}

// The response of the filter to a single 1, both ways, in f64.
std::vector<double> response_of(double sigma, int reach) {
    std::vector<double> line((size_t)(2 * reach + 1));
    line[(size_t)reach] = 1;
    PublishedFilter filter(sigma);
    filter(line.data(), 2 * reach + 1, 1);
    return line;
}

}  // namespace

TEST(RecursiveCoefficients, TheVarianceIsThatOfTheGaussian) {
    // NOLINTNEXTLINE(bugprone-float-loop-counter): it multiplies
    for (double sigma = .5; sigma <= 200; sigma *= 1.3) {
        const int reach = (int)(20 * sigma) + 20;
        const std::vector<double> line = response_of(sigma, reach);
        double sum = 0, square = 0;
        for (int i = -reach; i <= reach; i++) {
            sum += line[(size_t)(i + reach)];
            square += (double)i * i * line[(size_t)(i + reach)];
        }
        EXPECT_NEAR(sum, 1, 1e-7) << sigma;
        EXPECT_NEAR(std::sqrt(square), sigma, 1e-6 * sigma) << sigma;
    }
}

// The denominator's roots are the poles of van Vliet, Young and Verbeek, all to one power.
TEST(RecursiveCoefficients, ThePolesAreThePublishedOnes) {
    for (double sigma : {.5, 1., 2., 5., 20., 200.}) {
        const RecursiveCoefficients c(sigma);
        const double product = 1.86543 * (1.41650 * 1.41650 + 1.00829 * 1.00829);
        const double power = -std::log(c.feedback[2]) / std::log(product);  // feedback[2] = product^-power
        const double real = std::pow(1.86543, -power),
                     modulus = std::pow(std::hypot(1.41650, 1.00829), -power);
        const double cosine = std::cos(power * std::atan2(1.00829, 1.41650));
        EXPECT_NEAR(c.feedback[0], real + 2 * modulus * cosine, 1e-12) << sigma;
        EXPECT_NEAR(c.feedback[1], -(2 * real * modulus * cosine + modulus * modulus), 1e-12) << sigma;
        EXPECT_NEAR(c.gain, 1 - c.feedback[0] - c.feedback[1] - c.feedback[2], 1e-12) << sigma;
    }
}

// Away from the ends, the ends change nothing: the line continued by its last samples gives the same.
TEST(PublishedFilter, TheEndsAreExact) {
    for (double sigma : {.5, 2., 20.}) {
        const int64_t n = 50, pad = (int64_t)(40 * sigma) + 20;
        std::vector<double> line, longer;
        std::mt19937 random(5);
        for (int64_t i = 0; i < n; i++) {
            line.push_back((double)random() / 4294967296.);
        }
        longer.insert(longer.end(), (size_t)pad, line.front());
        longer.insert(longer.end(), line.begin(), line.end());
        longer.insert(longer.end(), (size_t)pad, line.back());
        const PublishedFilter filter(sigma);
        filter(line.data(), n, 1);
        filter(longer.data(), n + 2 * pad, 1);
        for (int64_t i = 0; i < n; i++) {
            EXPECT_NEAR(line[(size_t)i], longer[(size_t)(i + pad)], 1e-9) << sigma << " " << i;
        }
    }
}

// How far the filter is from the Gaussian itself: the table that tilewright/recursive_gaussian.h prints.
TEST(RecursiveGaussian, DistanceFromTheGaussianIsAsDocumented) {
    const struct {
        double sigma, peak, sum;
    } documented[] = {{.5, 8.90e-2, 1.99e-1}, {1, 3.56e-2, 6.97e-2}, {2, 2.08e-2, 2.83e-2},
        {5, 1.11e-2, 2.10e-2}, {10, 1.01e-2, 2.02e-2}, {30, 9.8e-3, 2.00e-2}, {100, 9.8e-3, 2.00e-2}};
    for (const auto &[sigma, peak, sum] : documented) {
        const int64_t reach = (int64_t)(10 * sigma) + 10, n = 2 * reach + 1;
        Array image(Type::f32, {1, n});
        image.as<float>()[reach] = 1;
        const Array out = recursive_gaussian(image, sigma, on_cpu());
        double total = 0, most = 0, all = 0;
        auto gaussian = [sigma = sigma](
                            int64_t i) { return std::exp(-.5 * (double)(i * i) / (sigma * sigma)); };
        for (int64_t i = -reach; i <= reach; i++) {
            total += gaussian(i);
        }
        for (int64_t i = -reach; i <= reach; i++) {
            const double off = std::abs((double)out.as<float>()[reach + i] - gaussian(i) / total);
            most = std::max(most, off * total);
            all += off;
        }
        EXPECT_NEAR(most, peak, .005 * peak + 1e-4) << sigma;
        EXPECT_NEAR(all, sum, .005 * sum + 2e-4) << sigma;
    }
}

// Beside a sharp edge the recursion undershoots 0 and overshoots the largest integer, where results end.
TEST(RecursiveGaussian, IntegersEndAtTheirRange) {
    for (const Type type : {Type::u8, Type::u16}) {
        Array image(type, {90, 120});
        for (int64_t y = 20; y < 70; y++) {
            memset(static_cast<char *>(image.data()) + (y * image.strides()[0] + 30) * (int64_t)size_of(type),
                0xff, 60 * size_of(type));
        }
        Array output;
        const Settings settings = {{"sigma", 5.}};
        recursive_gaussian_operator()({&image, 1}, output, settings, {.device = Device{}});
        const std::optional<Array> exact = plain_result(recursive_gaussian_operator(), {&image, 1}, settings);
        ASSERT_TRUE(exact);
        EXPECT_EQ(difference(output, *exact,
                      workload_of(recursive_gaussian_operator()).bound({&image, 1}, settings)),
            "")
            << name_of(type);
    }
}

TEST(RecursiveGaussian, CallersMemoryOfAnyStride) {
    std::vector<float> memory(50 * 77 + 1);
    for (size_t i = 0; i < memory.size(); i++) {
        memory[i] = (float)(i * 37 % 101);
    }
    const Array image = Array::view(Type::f32, memory.data() + 1, {50, 61}, {77, 1});
    std::vector<float> result(50 * 63, -1);
    Array output = Array::view(Type::f32, result.data(), {50, 61}, {63, 1});
    recursive_gaussian(image, output, 3, on_cpu());
    EXPECT_EQ(beyond_bound<float>(image, output, exact_recursion(image, 3)), "");
    for (size_t y = 0; y < 50; y++) {
        EXPECT_EQ(result[y * 63 + 61], -1);
        EXPECT_EQ(result[y * 63 + 62], -1);
    }
}

TEST(RecursiveGaussian, RefusesWhatItCannotDo) {
    const Array image(Type::f32, {8, 8});
    for (double sigma : {0., .49, 2000.1, -1., std::numeric_limits<double>::quiet_NaN()}) {
        const Error error = error_of([&] { recursive_gaussian(image, sigma, on_cpu()); });
        EXPECT_EQ(error.fault(), Fault::usage) << sigma;
        EXPECT_NE(std::string(error.what()).find("0.5 to 2000"), std::string::npos) << error.what();
    }
    for (const Array &other : {Array(Type::i32, {8, 8}), Array(Type::f32, {8}), Array(Type::u8, {8, 8, 5})}) {
        EXPECT_EQ(error_of([&] { recursive_gaussian(other, 2, on_cpu()); }).fault(), Fault::input)
            << other.describe();
    }
}

}  // namespace tilewright
