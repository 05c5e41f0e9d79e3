// matmul: every variant against the plain loop within the error bound of its sums; and the front: views of
// any stride, and what it refuses.
#include "tilewright/matmul.h"
#include "tests/operators/variants.h"
#include "tilewright/plain.h"
#include "tilewright/workload.h"
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

namespace tilewright {
namespace {

struct Exact {
    Array values, bound;
};

template<typename T>
Array rounded(const Array &matrix) {
    Array made(type_of_element<T>::value, matrix.shape());
    for (int64_t y = 0; y < matrix.shape()[0]; y++) {
        const float *from = row_of<float>(matrix, y);
        std::transform(from, from + matrix.shape()[1], made.as<T>() + y * made.strides()[0],
            [](float number) { return T(number); });
    }
    return made;
}

// An element of a product.
double element(const Array &output, int64_t at) {
    return output.type() == Type::f64 ? output.as<double>()[at] : output.as<float>()[at];
}

// An f32 matrix in a type.
Array rounded(const Array &matrix, Type type) {
    return type == Type::f16  ? rounded<Float16>(matrix) :
           type == Type::bf16 ? rounded<BFloat16>(matrix) :
           type == Type::f64  ? rounded<double>(matrix) :
                                matrix;
}

// The definition in f64, and what the contract allows: 2 K 2^-24 (|a| |b|), of f64 with 2^-53.
Exact plain(const Array &a, const Array &b) {
    const auto product = [](const Array &left, const Array &right) {
        return *plain_result(matmul_operator(), std::array{left, right}, {});
    };
    const auto magnitudes = [](const Array &matrix) {
        Array all = matrix.clone();
        auto *bytes = static_cast<unsigned char *>(all.data());
        const auto element = (int64_t)size_of(all.type());  // the sign is the upper bit of the last byte
        for (int64_t i = element - 1; i < all.shape()[0] * all.strides()[0] * element; i += element) {
            bytes[i] &= 0x7f;
        }
        return all;
    };
    Exact exact{product(a, b), product(magnitudes(a), magnitudes(b))};
    double *bound = exact.bound.as<double>();
    const double relative = 2 * (double)a.shape()[1] * (a.type() == Type::f64 ? 0x1p-53 : 0x1p-24);
    std::transform(bound, bound + exact.bound.size(), bound, [&](double sum) { return relative * sum; });
    return exact;
}

// The first element that is off, as a sentence.
std::string wrong(const Array &output, const Exact &exact) {
    const int64_t m = output.shape()[0], n = output.shape()[1];
    const double *values = exact.values.as<double>(), *bound = exact.bound.as<double>();
    for (int64_t y = 0; y < m; y++) {
        for (int64_t x = 0; x < n; x++) {
            const double is = element(output, y * output.strides()[0] + x), should = values[y * n + x];
            if (!(std::abs(is - should) <= bound[y * n + x])) {
                return "row " + std::to_string(y) + ", column " + std::to_string(x) + ": " +
                       std::to_string(is) + " for " + std::to_string(should);
            }
        }
    }
    return "";
}

class MatmulVariant : public VariantTest {
protected:
    bool is_slow() const {
        return variant().schedule == "reference" || variant().backend == Backend::opencl;
    }

    Type type() const {
        return variant().type == "f16"  ? Type::f16 :
               variant().type == "bf16" ? Type::bf16 :
               variant().type == "f64"  ? Type::f64 :
                                          Type::f32;
    }

    bool has_sixteen_bits() const {
        return type() == Type::f16 || type() == Type::bf16;
    }

    // Numbers of the variant's type.
    Array numbers(const std::vector<int64_t> &shape, unsigned seed) const {
        return random_array(type(), shape, seed);
    }

    // Whether the row served m x k x n and was right.
    void check(int64_t m, int64_t k, int64_t n) {
        const Array a = numbers({m, k}, 1), b = numbers({k, n}, 2);
        Array output;
        if (run({a, b}, output)) {
            EXPECT_EQ(wrong(output, plain(a, b)), "") << m << " x " << k << " x " << n;
        }
    }
};

TEST_P(MatmulVariant, AgreesWithThePlainLoop) {
    // Tiles are 6 x 16, 8 x 32, 14 x 32, 16 x 16, 32 x 64, 64 x 64, 64 x 128; blocks of the depth 16, 24, 48,
    // 64, 128, 448.
    for (const auto &[m, k, n] : std::vector<std::tuple<int, int, int>>{{1, 1, 1}, {1, 300, 1}, {1, 1, 300},
             {300, 1, 1}, {1, 17, 301}, {301, 17, 1}, {15, 15, 15}, {16, 16, 16}, {17, 17, 17}, {13, 447, 31},
             {14, 448, 32}, {15, 449, 33}, {8, 1, 32}, {9, 70, 33}, {100, 70, 50}, {63, 23, 127},
             {64, 24, 128}, {65, 25, 129}, {129, 65, 257}, {257, 251, 241}, {128, 128, 512}, {256, 128, 384},
             {640, 130, 640}, {641, 33, 900}, {768, 64, 1024}}) {
        check(m, k, n);
    }
    EXPECT_GT(served() + (variant().schedule == "tuned_large"), 0);
}

TEST_P(MatmulVariant, TakesTallWideAndDeep) {
    check(4097, 16, 20);
    check(20, 16, 4097);
    check(33, 10000, 33);
    check(64, 4096, 64);
    if (!is_slow()) {
        check(1601, 20, 1703);
        check(1537, 2051, 25);
        check(33, 100000, 33);
        check(1, 70000, 1);
        check(70001, 3, 2);
        check(2, 3, 70001);
    }
    if (served() == 0 && variant().schedule.starts_with("tuned_small")) {
        GTEST_SKIP() << "for products whose sides are alike and not large";
    }
    EXPECT_GT(served() + is_slow() + variant().tunables.empty(), 0);
}

TEST_P(MatmulVariant, TakesCropsAndWritesNothingElse) {
    for (const auto &[m, k, n, left] : std::vector<std::tuple<int, int, int, int>>{
             {131, 67, 259, 5}, {128, 128, 512, 4}, {512, 128, 128, 8}, {1, 5, 1, 3}}) {
        Array a_whole = random_array<float>({m + 7, k + 16}, 1),
              b_whole = random_array<float>({k + 9, n + 16}, 2);
        Array around(Type::f32, {m + 5, n + 16});
        fill<float>(around, [] { return 77.0f; });
        Array whole = has_sixteen_bits() ? around : rounded(around, type());
        // What lies around the crops must not reach the result.
        const float nan = std::numeric_limits<float>::quiet_NaN();
        for (auto &[matrix, h, w] :
            std::vector<std::tuple<Array *, int, int>>{{&a_whole, m, k}, {&b_whole, k, n}}) {
            float *data = matrix->as<float>();
            for (int64_t y = 0; y < matrix->shape()[0]; y++) {
                for (int64_t x = 0; x < matrix->shape()[1]; x++) {
                    const bool inside = y >= 3 && y < 3 + h && x >= left && x < left + w;
                    data[y * matrix->strides()[0] + x] = inside ? data[y * matrix->strides()[0] + x] : nan;
                }
            }
        }
        const Array a = rounded(a_whole, type()).crop(3, left, m, k),
                    b = rounded(b_whole, type()).crop(3, left, k, n);
        Array output = whole.crop(2, left, m, n);
        if (!run({a, b}, output)) {
            continue;
        }
        EXPECT_EQ(wrong(output, plain(a, b)), "") << m << " x " << k << " x " << n;
        for (int64_t y = 0; y < m + 5; y++) {
            for (int64_t x = 0; x < n + 16; x++) {
                const bool inside = y >= 2 && y < 2 + m && x >= left && x < left + n;
                ASSERT_TRUE(inside || element(whole, y * whole.strides()[0] + x) == 77)
                    << "row " << y << ", column " << x << " was written";
            }
        }
    }
}

// Each element that a NaN or an infinity takes part in has it, and no other one.
TEST_P(MatmulVariant, CarriesNaNAndInfinity) {
    const int64_t m = 150, k = 288, n = 272;
    Array a = random_array<float>({m, k}, 1), b = random_array<float>({k, n}, 2);
    a.as<float>()[17 * a.strides()[0] + 69] = std::numeric_limits<float>::quiet_NaN();
    b.as<float>()[33 * b.strides()[0] + 269] = std::numeric_limits<float>::infinity();
    Array output;
    if (!run({rounded(a, type()), rounded(b, type())}, output)) {
        GTEST_SKIP() << "leaves this size to another variant";
    }
    for (int64_t y = 0; y < m; y++) {
        for (int64_t x = 0; x < n; x++) {
            const double value = element(output, y * output.strides()[0] + x);
            const bool has_nan = y == 17, has_infinity = x == 269;
            ASSERT_EQ(std::isnan(value), has_nan) << "row " << y << ", column " << x;
            ASSERT_EQ(std::isinf(value), has_infinity && !has_nan) << "row " << y << ", column " << x;
        }
    }
}

// The bound holds for numbers of every size, also where a path has parts of numbers only. Row 0 of a has a
// number that is too large to be rounded to fewer bits, row 1 numbers whose low bits are denormal, row 2
// both, row 3 numbers whose parts have the largest errors, row 4 integers; b has such columns.
TEST_P(MatmulVariant, KeepsTheBoundForNumbersOfEverySize) {
    if (type() != Type::f32) {
        GTEST_SKIP() << "for f32";
    }
    const int64_t m = 150, k = 256, n = 270;
    Array a = random_array<float>({m, k}, 1), b = random_array<float>({k, n}, 2);
    float *of_a = a.as<float>(), *of_b = b.as<float>();
    const int64_t pitch_a = a.strides()[0], pitch_b = b.strides()[0];
    constexpr float largest = std::numeric_limits<float>::max(), inexact = 0x1.001ffep0f;
    for (int64_t i = 0; i < k; i++) {
        of_a[0 * pitch_a + i] *= i == 0 ? 0.0f : 0.001f * largest;
        of_a[1 * pitch_a + i] = (1 + std::abs(of_a[1 * pitch_a + i])) * 0x1p-110f;
        of_a[2 * pitch_a + i] = 0x1.fffffep-110f;
        of_a[3 * pitch_a + i] = inexact;
        of_a[4 * pitch_a + i] = (float)(16777215 - i);
        of_b[i * pitch_b + 5] = inexact;
        of_b[i * pitch_b + 6] = 0x1.234567p-101f;
    }
    of_a[0] = of_a[2 * pitch_a] = largest;
    for (int64_t x = 0; x < n; x++) {
        of_b[x] *= 0.5f;
    }
    Array output;
    if (!run({a, b}, output)) {
        GTEST_SKIP() << "leaves this size to another variant";
    }
    Exact exact = plain(a, b);
    exact.bound.as<double>()[1 * n + 6] = 0x1p-126;  // the products underflow
    EXPECT_EQ(wrong(output, exact), "");
}

// The same of 16-bit floats. Row 0 of a has the largest numbers, row 1 denormal ones, row 2 integers, and row
// 3 a 1 and products that are half a unit of the sum's last bit; b has a column for them.
TEST_P(MatmulVariant, KeepsTheBoundForSixteenBits) {
    if (!has_sixteen_bits()) {
        GTEST_SKIP() << "for 16-bit floats";
    }
    const int64_t m = 20, k = 192, n = 40;  // depth and columns suit rows that are copied as they are
    Array a = random_array<float>({m, k}, 1), b = random_array<float>({k, n}, 2);
    float *of_a = a.as<float>(), *of_b = b.as<float>();
    const int64_t pitch_a = a.strides()[0], pitch_b = b.strides()[0];
    const bool wide = type() == Type::bf16;
    const float largest = wide ? 0x1.fep119f : 65504, smallest = wide ? 0x1p-133f : 0x1p-24f;
    for (int64_t i = 0; i < k; i++) {
        of_a[0 * pitch_a + i] = of_a[0 * pitch_a + i] < 0 ? -largest : largest;
        of_a[1 * pitch_a + i] = smallest * (float)(1 + i % 100);
        of_a[2 * pitch_a + i] = (float)(i % 255);
        of_a[3 * pitch_a + i] = of_b[i * pitch_b + 5] = i == 0 ? 1.0f : 0x1.fep-13f;
    }
    Array normal = a.clone();  // the tensor cores align a denormal f16 number as if it were 2^-14
    std::fill_n(normal.as<float>() + normal.strides()[0], k, 0x1p-14f);
    a = rounded(a, type());
    b = rounded(b, type());
    Array output;
    ASSERT_TRUE(run({a, b}, output));
    Exact exact = plain(a, b);
    double *bound = exact.bound.as<double>() + 1 * n;
    if (wide) {
        std::fill_n(bound, n, (double)k * 0x1p-126);  // where they count as 0
    } else if (variant().schedule.starts_with("tuned_tensor")) {
        const Exact of_normal = plain(rounded(normal, type()), b);
        std::copy_n(of_normal.bound.as<double>() + 1 * n, n, bound);
    }
    EXPECT_EQ(wrong(output, exact), "");
}

// A NaN with all its bits set, which the GPU's own NaN is, stays one.
TEST_P(MatmulVariant, CarriesTheNaNWithAllBits) {
    Array a = numbers({40, 288}, 1), b = numbers({288, 56}, 2);
    for (const auto &[matrix, at] : {std::pair{&a, 3 * a.strides()[0] + 7}, {&b, 9 * b.strides()[0] + 11}}) {
        if (type() == Type::f32) {
            matrix->as<float>()[at] = std::bit_cast<float>(0x7fffffff);
        } else if (type() == Type::f64) {
            matrix->as<double>()[at] = std::bit_cast<double>(INT64_MAX);
        } else {
            static_cast<uint16_t *>(matrix->data())[at] = 0x7fff;
        }
    }
    Array output;
    if (!run({a, b}, output)) {
        GTEST_SKIP() << "leaves this size to another variant";
    }
    for (int64_t y = 0; y < 40; y++) {
        for (int64_t x = 0; x < 56; x++) {
            ASSERT_EQ(std::isnan(element(output, y * output.strides()[0] + x)), y == 3 || x == 11)
                << y << ", " << x;
        }
    }
}

TEST_P(MatmulVariant, GivesTheSameBytesEachTime) {
    if (!check_repeats({numbers({150, 320}, 1), numbers({320, 272}, 2)})) {
        GTEST_SKIP() << "leaves this size to another variant";
    }
}

// Two factors that begin at one address; and a prepared call on other arrays than it was prepared with.
TEST_P(MatmulVariant, TellsFactorsApart) {
    const Array wide = numbers({192, 256}, 3), a = wide.crop(0, 0, 80, 192), b = wide.crop(0, 0, 192, 72);
    const Array some[] = {a.clone(), b.clone()}, others[] = {numbers({80, 192}, 1), numbers({192, 72}, 2)};
    Array output, of_some, of_others;
    if (!run({a, b}, output)) {
        GTEST_SKIP() << "leaves this size to another variant";
    }
    EXPECT_EQ(wrong(output, plain(a, b)), "");
    op().prepare(some, of_some, {}, {.device = device(), .schedule = variant().schedule})(others, of_others);
    EXPECT_EQ(wrong(of_others, plain(others[0], others[1])), "");
}

INSTANTIATE_TEST_SUITE_P(
    Variants, MatmulVariant, testing::ValuesIn(variant_cases(matmul_operator())), variant_case_name);

TEST(Matmul, TakesAnySizeWithTuned) {
    for (const auto &[m, k, n] : std::vector<std::tuple<int, int, int>>{
             {1, 1, 1}, {8192, 64, 1}, {1, 64, 8192}, {512, 512, 512}, {511, 513, 509}, {4097, 3, 2049}}) {
        const Array a = random_array<float>({m, k}, 1), b = random_array<float>({k, n}, 2);
        EXPECT_EQ(wrong(matmul(a, b), plain(a, b)), "") << m << " x " << k << " x " << n;
    }
}

TEST(Matmul, TakesOtherFloatsWithTuned) {
    for (const Type type : {Type::f16, Type::bf16, Type::f64}) {
        for (const auto &[m, k, n] : std::vector<std::tuple<int, int, int>>{
                 {1, 1, 1}, {1, 1000, 33}, {70, 100, 3}, {130, 127, 257}, {512, 512, 512}}) {
            const Array a = random_array(type, {m, k}, 1), b = random_array(type, {k, n}, 2);
            const Array output = matmul(a, b);
            EXPECT_EQ(output.type(), type == Type::f64 ? Type::f64 : Type::f32);
            EXPECT_EQ(wrong(output, plain(a, b)), "") << m << " x " << k << " x " << n;
        }
    }
}

TEST(Matmul, RefusesTwoTypes) {
    const Error error =
        error_of([] { matmul(random_array(Type::f16, {4, 4}), random_array(Type::bf16, {4, 4})); });
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_NE(error.context().value.find("bf16 (4, 4)"), std::string::npos) << error.context().value;
}

TEST(Matmul, TakesViewsOfAnyStride) {
    std::vector<float> a_memory(37 * 41), b_memory(29 * 53), memory(37 * 61, 5.0f);
    for (size_t i = 0; i < a_memory.size(); i++) {
        a_memory[i] = (float)(i % 17) - 8;
    }
    for (size_t i = 0; i < b_memory.size(); i++) {
        b_memory[i] = (float)(i % 13) - 6;
    }
    const Array a = Array::view(Type::f32, a_memory.data() + 1, {36, 29}, {41, 1}),
                b = Array::view(Type::f32, b_memory.data() + 3, {29, 47}, {53, 1});
    Array output = Array::view(Type::f32, memory.data() + 5, {36, 47}, {61, 1});
    matmul(a, b, output, {.device = Device{}});
    EXPECT_EQ(wrong(output, plain(a, b)), "");
    EXPECT_EQ(memory[4], 5.0f);
    EXPECT_EQ(memory[5 + 47], 5.0f);
}

TEST(Matmul, NamesBothShapesWhereTheyDoNotFit) {
    const Error error = error_of([] { matmul(random_array<float>({3, 4}), random_array<float>({5, 6})); });
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_EQ(error.context().operation, "matmul");
    EXPECT_NE(error.context().value.find("(3, 4)"), std::string::npos) << error.context().value;
    EXPECT_NE(error.context().value.find("(5, 6)"), std::string::npos) << error.context().value;
}

TEST(Matmul, RefusesWhatIsNoMatrix) {
    const Array matrix = random_array<float>({4, 4});
    EXPECT_EQ(error_of([&] { matmul(random_array<uint8_t>({4, 4}), matrix); }).context().argument, "a");
    EXPECT_EQ(error_of([&] { matmul(matrix, random_array<uint16_t>({4, 4})); }).context().argument, "b");
    EXPECT_EQ(error_of([&] { matmul(matrix, random_array<float>({4})); }).context().argument, "b");
    EXPECT_EQ(error_of([&] { matmul(matrix, random_array<float>({4, 4, 3})); }).fault(), Fault::input);
    EXPECT_EQ(error_of([&] {
        Array output(Type::f32, {4, 5});
        matmul(matrix, matrix, output);
    })
                  .context()
                  .argument,
        "output");
}

TEST(Matmul, RefusesAnOutputThatIsAnInput) {
    const Array a = random_array<float>({4, 4});
    Array output = a;
    EXPECT_EQ(error_of([&] { matmul(a, random_array<float>({4, 4}), output); }).fault(), Fault::usage);
}

}  // namespace
}  // namespace tilewright
