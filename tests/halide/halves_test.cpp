// Half-precision floats in OpenCL kernels without the extension cl_khr_fp16.
#include "tests/halide/compile.h"
#include <gtest/gtest.h>

namespace tilewright {
namespace {

// A Func that is stored in halves between two kernels that compute in floats. OpenCL C does this by
// vload_half and vstore_half on every device.
std::string stored_in_halves(const std::string &features) {
    Halide::ImageParam in(Halide::Float(32), 1, "in");
    Halide::Var x{"x"}, xi{"xi"};
    Halide::Func between{"between"}, out{"out"};
    between(x) = Halide::cast(Halide::Float(16), in(x));
    out(x) = Halide::cast<float>(between(x));
    between.compute_root().gpu_tile(x, xi, 64);
    out.gpu_tile(x, xi, 64);
    return refusal(out, {in}, Halide::Target("x86-64-linux-opencl-no_runtime" + features));
}

TEST(HalideLimits, OpenClStoresHalvesOnlyWithTheExtensionThatComputesInThem) {
    ASSERT_EQ(stored_in_halves("-cl_half"), "");
    EXPECT_NE(stored_in_halves(""), "")
        << "Halide can now store halves on OpenCL devices without cl_khr_fp16: leave out the pass of "
           "schedules/passes/half_storage.cpp, and the functions that "
           "runtime/devices/opencl/opencl_functions.cpp adds";
}

}  // namespace
}  // namespace tilewright
