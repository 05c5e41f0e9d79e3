// On which side of a comparison a sum is computed.
#include "generators/algorithms/indices.h"
#include <gtest/gtest.h>

namespace tilewright {
namespace {

// row_sum asks whether a slice is among the first ones, which are longer. The difference fits an int, but the
// sum that Halide makes of it does not for slices of a row of nearly 2^31 pixels.
TEST(HalideLimits, ComparisonsTurnDifferencesIntoSums) {
    using Halide::Internal::equal;
    using Halide::Internal::simplify;
    const Halide::Var slice{"slice"}, all{"all"}, slices{"slices"}, in_slice{"in_slice"};
    const Halide::Expr longer = all - slices * in_slice;
    EXPECT_TRUE(equal(simplify(slice < longer), simplify(slices * in_slice + slice < all)))
        << "Halide now leaves " << simplify(slice < longer)
        << " as it is: take below() out of generators/algorithms/row_sum/sliced.h";
    const Halide::Expr kept = simplify(below(slice, longer));
    EXPECT_TRUE(equal(kept, Halide::cast<uint32_t>(slice) < Halide::cast<uint32_t>(simplify(longer))))
        << "Halide moves terms across the cast to unsigned numbers too: " << kept
        << ". Look at generators/algorithms/row_sum/sliced.h";
}

}  // namespace
}  // namespace tilewright
