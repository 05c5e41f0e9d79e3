// Patches of 4 x 4 bytes, which are read and written as vectors of four and turned in registers.
#include "tests/halide/compile.h"
#include <gtest/gtest.h>

namespace tilewright {
namespace {

// One thread per patch. `turned`: columns of the patch are written as rows.
bool patches_compile(Halide::Type type, bool turned) {
    Halide::ImageParam in(type, 2, "in");
    Halide::Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
    Halide::Func out{"out"};
    out(x, y) = turned ? in(y, x) : in(x, y);
    out.tile(x, y, xi, yi, 4, 4).vectorize(xi).unroll(yi).gpu_blocks(y).gpu_threads(x);
    Halide::Func read = in.in(out);
    read.compute_at(out, x)
        .store_in(Halide::MemoryType::Register)
        .vectorize(read.args()[0])
        .unroll(read.args()[1]);
    for (Halide::OutputImageParam buffer : {Halide::OutputImageParam(in), out.output_buffer()}) {
        buffer.set_host_alignment(4 * type.bytes());
        for (int d : {0, 1}) {
            buffer.dim(d).set_min(0).set_extent(buffer.dim(d).extent() / 4 * 4);
        }
        buffer.dim(1).set_stride(buffer.dim(1).stride() / 4 * 4);
    }
    return makes_code(out, {in});
}

TEST(HalideLimits, PatchesOfBytesAreNotTurnedInRegistersOnCuda) {
    ASSERT_TRUE(patches_compile(Halide::UInt(8), false));
    ASSERT_TRUE(patches_compile(Halide::UInt(32), true));
    EXPECT_FALSE(patches_compile(Halide::UInt(8), true))
        << "Halide can now turn patches of bytes in registers: make vector4_aligned of u8 on CUDA a schedule "
           "of the definition in schedules/transpose.cpp, as it is on OpenCL";
}

}  // namespace
}  // namespace tilewright
