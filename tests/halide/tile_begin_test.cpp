// Where the tiles of a row begin.
#include "tests/halide/compile.h"
#include <gtest/gtest.h>

namespace tilewright {
namespace {

// Rows in tiles of 16, or in tiles whose size depends on the row, so that they begin elsewhere in each row.
std::string tiles(bool by_row) {
    Halide::ImageParam in(Halide::UInt(32), 2, "in");
    Halide::Var x{"x"}, y{"y"}, xi{"xi"};
    Halide::Func out{"out"};
    out(x, y) = in(y, x);
    try {
        out.split(x, x, xi, by_row ? Halide::Expr(16 + y % 4) : Halide::Expr(16),
               Halide::TailStrategy::GuardWithIf)
            .gpu_blocks(x, y)
            .gpu_threads(xi);
    } catch (const Halide::Error &error) {
        return error.what();
    }
    return refusal(out, {in});
}

TEST(HalideLimits, TilesBeginAtTheSamePlaceInAllRows) {
    ASSERT_EQ(tiles(false), "");
    EXPECT_NE(tiles(true), "") << "Halide can now begin the tiles of each row elsewhere: make tuned_any of "
                                  "transpose for u16 and f32 "
                                  "a schedule of the definition in schedules/transpose.cpp";
}

}  // namespace
}  // namespace tilewright
