// How outputs are compared: differences as sentences, and the largest error as a number.
#include "tilewright/workload.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <limits>

namespace tilewright {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

Array numbers(Type type, const std::vector<double> &values) {
    Array array(type, {(int64_t)values.size()});
    for (size_t i = 0; i < values.size(); i++) {
        if (type == Type::f64) {
            array.as<double>()[i] = values[i];
        } else {
            array.as<float>()[i] = (float)values[i];
        }
    }
    return array;
}

}  // namespace

TEST(LargestError, IsRelativeToTheLargestNumberExpected) {
    const Array expected = numbers(Type::f64, {1, -4, 2});
    EXPECT_EQ(largest_error(numbers(Type::f32, {1, -4, 2}), expected), 0);
    EXPECT_EQ(largest_error(numbers(Type::f32, {1.5, -4, 2.25}), expected), 0.125);
}

TEST(LargestError, OfNaNAndInfinityIsInfiniteUnlessBothHaveThem) {
    const double nan = std::nan("");
    const Array expected = numbers(Type::f64, {1, nan, infinite});
    EXPECT_EQ(largest_error(numbers(Type::f32, {1, nan, infinite}), expected), 0);
    EXPECT_EQ(largest_error(numbers(Type::f32, {nan, nan, infinite}), expected), infinite);
    EXPECT_EQ(largest_error(numbers(Type::f32, {1, nan, 5}), expected), infinite);
}

TEST(LargestError, OfAnotherShapeIsInfinite) {
    EXPECT_EQ(largest_error(numbers(Type::f32, {1, 2}), numbers(Type::f32, {1, 2, 3})), infinite);
}

TEST(LargestError, OfANumberWhereOnlyZerosWereExpectedIsInfinite) {
    EXPECT_EQ(largest_error(numbers(Type::f32, {0, 1}), numbers(Type::f32, {0, 0})), infinite);
}

// What a plain definition gives in f64 is compared within the bound, without being rounded before.
TEST(Difference, TakesExactValuesInF64) {
    Array floats(Type::f32, {2, 3}), exact(Type::f64, {2, 3}, 0), bound(Type::f64, {2, 3});
    std::fill_n(bound.as<double>(), 2 * bound.strides()[0], 1e-9);
    exact.as<double>()[4] = 1 + .9e-9;
    floats.as<float>()[floats.strides()[0] + 1] = 1;
    EXPECT_EQ(difference(floats, exact, bound), "");
    exact.as<double>()[4] = 1 + 2.5e-9;
    EXPECT_NE(difference(floats, exact, bound), "");
    EXPECT_NE(difference(floats, exact, {}), "") << "without a bound, only the same bytes are the same";

    Array field(Type::c64, {4, 5}), pairs(Type::f64, {4, 5, 2}, 0), relative(Type::f64, {1});
    field.as<std::complex<float>>()[2 * field.strides()[0] + 3] = {3, 4};
    pairs.as<double>()[2 * (2 * 5 + 3)] = 3;
    pairs.as<double>()[2 * (2 * 5 + 3) + 1] = 4.0005;
    *relative.as<double>() = 2e-4;
    EXPECT_EQ(difference(field, pairs, relative), "");
    *relative.as<double>() = 1e-5;
    EXPECT_NE(difference(field, pairs, relative), "");
    EXPECT_NE(difference(field, Array(Type::f64, {4, 5}), relative), "");
}

}  // namespace tilewright
