// The order in which a Func is stored.
#include "tests/halide/compile.h"
#include <gtest/gtest.h>

namespace tilewright {
namespace {

// A tile in shared memory; its storage order is by the coordinates, or by a part of one, `of_part`.
std::string tile_in_order(bool of_part) {
    Halide::ImageParam in(Halide::UInt(32), 2, "in");
    Halide::Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"}, part{"part"};
    Halide::Func tile{"tile"}, out{"out"};
    tile(x, y) = in(x, y);
    out(x, y) = tile(y, x);
    try {
        out.tile(x, y, xi, yi, 16, 16).gpu_blocks(x, y).gpu_threads(xi, yi);
        tile.compute_at(out, x).store_in(Halide::MemoryType::GPUShared);
        if (of_part) {
            tile.split(x, x, part, 4).gpu_threads(x, y).reorder_storage(part, y, x);
        } else {
            tile.gpu_threads(x, y).reorder_storage(y, x);
        }
    } catch (const Halide::Error &error) {
        return error.what();
    }
    return refusal(out, {in});
}

TEST(HalideLimits, NoPartOfADimensionIsStoredByItself) {
    ASSERT_EQ(tile_in_order(false), "");
    EXPECT_NE(tile_in_order(true), "")
        << "Halide can now store a part of a dimension by itself: make tuned_aligned of transpose a schedule "
           "of the definition in schedules/transpose.cpp";
}

}  // namespace
}  // namespace tilewright
