// How many loads Halide makes of neighbouring bytes that one GPU thread reads: what column_sum's forms in
// words are for. They are counted in the PTX text, so that no GPU is needed.
#include "Halide.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

namespace tilewright {
namespace {

using namespace Halide;

// The number of loads from global memory in a kernel whose threads read `bytes` neighbouring bytes each,
// beginning at multiples of `alignment`.
int loads_per_thread(int bytes, int alignment) {
    ImageParam in(UInt(8), 2, "in");
    Func out("out");
    Var x{"x"}, y{"y"}, xo{"xo"}, xi{"xi"}, xv{"xv"};
    out(x, y) = cast<uint32_t>(in(x, y));
    out.split(x, xo, xv, bytes)
        .split(xo, xo, xi, 32)
        .gpu_blocks(xo, y)
        .gpu_threads(xi)
        .vectorize(xv)
        .never_partition_all();
    in.set_host_alignment(alignment).dim(0).set_min(0);
    in.dim(1).set_min(0).set_stride(in.dim(1).stride() / alignment * alignment);
    OutputImageParam made = out.output_buffer();
    made.dim(0).set_bounds(0, made.dim(0).extent() / (32 * bytes) * (32 * bytes));
    made.dim(1).set_min(0);

    const std::string file = testing::TempDir() + "byte_loads_" + std::to_string(getpid()) + ".ptx";
    out.compile_to({{OutputFileType::device_code, file}}, {in}, "loads",
        Target("x86-64-linux-cuda-cuda_capability_86-no_runtime"));
    std::ifstream stream(file);
    const std::string ptx{std::istreambuf_iterator<char>(stream), {}};
    std::filesystem::remove(file);
    EXPECT_NE(ptx.find("st.global"), std::string::npos) << "no kernel was made:\n" << ptx;
    int loads = 0;
    for (size_t at = ptx.find("ld.global"); at != std::string::npos; at = ptx.find("ld.global", at + 1)) {
        loads++;
    }
    return loads;
}

// column_sum/bytes4_aligned relies on it.
TEST(HalideLimits, FourAlignedBytesAreOneLoad) {
    EXPECT_EQ(loads_per_thread(4, 4), 1);
}

TEST(HalideLimits, SixteenAlignedBytesAreTwoLoads) {
    EXPECT_EQ(loads_per_thread(16, 16), 2)
        << "Halide can now load 16 bytes at once: schedule the definition for bytes16_aligned in "
           "schedules/column_sum.cpp, as bytes4_aligned does, and take the variant from the form "
           "ColumnSumWords";
}

TEST(HalideLimits, FourBytesAtAnyAddressAreFourLoads) {
    EXPECT_EQ(loads_per_thread(4, 1), 4)
        << "Halide can now load neighbouring bytes at any address in fewer loads: schedule the definition "
           "for bytes4_any in schedules/column_sum.cpp, and take the variant from the form ColumnSumWords";
}

}  // namespace
}  // namespace tilewright
