// Where the tiles of a row begin.
#include "tests/halide/compile.h"
#include <gtest/gtest.h>

namespace tilewright {
namespace {

// Rows in tiles of 16, which begin at the same x in all rows, or at an x that depends on the row.
std::string tiles(bool by_row) {
    Halide::ImageParam in(Halide::UInt(32), 2, "in");
    Halide::Var x{"x"}, y{"y"}, xi{"xi"};
    Halide::Func rows{"rows"}, out{"out"};
    rows(x, y) = in(y, x);
    out(x, y) = rows(x, y);
    try {
        rows.compute_at(out, y)
            .align_bounds(x, 16, by_row ? Halide::Expr(y % 16) : Halide::Expr(3))
            .split(x, x, xi, 16);
        return refusal(out, {in});
    } catch (const Halide::Error &error) {
        return error.what();
    }
}

TEST(HalideLimits, TilesBeginAtTheSamePlaceInAllRows) {
    ASSERT_EQ(tiles(false), "");
    EXPECT_NE(tiles(true), "") << "Halide can now begin the tiles of each row elsewhere: make tuned_any of "
                                  "transpose for u16 and f32 "
                                  "a schedule of the definition in schedules/transpose.cpp";
}

}  // namespace
}  // namespace tilewright
