// When Halide stores the values of a Tuple that reads itself: what RecursiveLines::next() of
// generators/algorithms/recursive_gaussian is for. Loads are counted in the PTX text, so that no GPU is
// needed.
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

enum class Stored { one_by_one, together };

// The number of loads of states in a kernel of one thread per column, which computes a pair of values from
// the pair above it, four rows per turn of its loop.
int loads_of_states(Stored stored) {
    ImageParam in(Float(32), 2, "in");
    Param<float> gain("gain");
    Func state("state"), out("out");
    Var x{"x"}, y{"y"}, xi{"xi"};
    const RDom n(0, in.dim(1).extent(), "n");
    state(x, y) = Tuple(undef<float>(), undef<float>());
    state(x, -1) = Tuple(0.f, 0.f);
    const Expr before =
        stored == Stored::together ? unsafe_promise_clamped(n - 1, -1, in.dim(1).extent()) : Expr(n) - 1;
    const Expr a = state(x, before)[0], b = state(x, before)[1], rise = gain * (in(x, n) - a) + b;
    state(x, n) =
        Tuple(a + rise, stored == Stored::together ? select(gain > 0, rise * gain, a) : rise * gain);
    out(x, y) = state(x, y)[0];
    out.compute_root().gpu_tile(x, xi, 32);
    state.compute_root();
    state.update(0).gpu_tile(x, xi, 32, TailStrategy::GuardWithIf);
    state.update(1).reorder(n, x).gpu_tile(x, xi, 32, TailStrategy::GuardWithIf).unroll(n, 4);
    in.dim(0).set_min(0);
    in.dim(1).set_min(0).set_extent(in.dim(1).extent() / 4 * 4);

    const std::string file = testing::TempDir() + "tuple_stores_" + std::to_string(getpid()) + ".ptx";
    out.compile_to({{OutputFileType::device_code, file}}, {in, gain}, "states",
        Target("x86-64-linux-cuda-cuda_capability_86-no_runtime-strict_float"));
    std::ifstream stream(file);
    const std::string ptx{std::istreambuf_iterator<char>(stream), {}};
    std::filesystem::remove(file);
    // In the kernel of the second update; the image, which is only read, is loaded by ld.global.nc.
    const size_t begin = ptx.find("_s2_x_x_block_id_x("), end = ptx.find(".entry", begin + 1);
    EXPECT_NE(begin, std::string::npos) << "no kernel was made:\n" << ptx;
    int loads = 0;
    for (size_t at = ptx.find("ld.global", begin); at < end; at = ptx.find("ld.global", at + 1)) {
        loads += ptx.compare(at, 12, "ld.global.nc") != 0;
    }
    return loads;
}

TEST(HalideLimits, ValuesOfATupleAreStoredOneByOneWhereNoneIsReadAgain) {
    EXPECT_GT(loads_of_states(Stored::one_by_one), loads_of_states(Stored::together))
        << "Halide now computes all values of a Tuple before it stores the first one: write the definition "
           "of "
           "recursive_gaussian with n - 1 and length - n, and without next()";
}

}  // namespace
}  // namespace tilewright
