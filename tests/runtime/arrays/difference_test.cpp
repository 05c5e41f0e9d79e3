// How outputs are compared: differences as sentences, and the largest error as a number.
#include "tilewright/workload.h"
#include <cmath>
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

}  // namespace tilewright
