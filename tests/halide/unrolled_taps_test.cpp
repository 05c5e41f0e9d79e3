// A window of pixels in registers, for a radius that is known at run time.
#include "tests/halide/compile.h"
#include <gtest/gtest.h>

namespace tilewright {
namespace {

// A sum over `taps` neighbours whose loop is unrolled, so that a thread can keep them in registers.
std::string unrolled(const Halide::Expr &taps) {
    Halide::ImageParam in(Halide::Float(32), 1, "in");
    Halide::Var x{"x"}, xi{"xi"};
    Halide::RDom i(0, taps, "i");
    Halide::Func sum{"sum"}, out{"out"};
    sum(x) = 0.f;
    sum(x) += in(x + i);
    out(x) = sum(x);
    out.gpu_tile(x, xi, 64);
    sum.compute_at(out, xi).update().unroll(i);
    return refusal(out, {in, Halide::Argument("taps", Halide::Argument::InputScalar, Halide::Int(32), 0,
                                 Halide::ArgumentEstimates{})});
}

TEST(HalideLimits, LoopsOfRunTimeLengthAreNotUnrolled) {
    ASSERT_EQ(unrolled(9), "");
    EXPECT_NE(unrolled(Halide::Param<int>("taps")), "")
        << "Halide can now unroll a loop whose length is known at run time: make the variants `registers` "
           "and "
           "`tuned` of gaussian_blur schedules of the definition in "
           "schedules/gaussian_blur/gaussian_blur_gpu.h";
}

}  // namespace
}  // namespace tilewright
