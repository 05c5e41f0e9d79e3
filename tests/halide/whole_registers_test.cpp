// schedules/passes/whole_registers.h: how many shuffles a rectangle takes that is transposed in lanes of 16
// bytes.
#include "schedules/passes/whole_registers.h"
#include "generators/algorithms/transposed_lanes.h"
#include "schedules/transpose/transposed_lanes.h"
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace tilewright {
namespace {

const Halide::Target avx2("x86-64-linux-sse41-avx-f16c-fma-avx2-no_asserts-no_bounds_query-no_runtime");

struct Counts {
    int interleaving = 0, other = 0;  // shuffles: vpunpck..., and those that do other things
};

Counts shuffles_in(const std::string &file) {
    Counts counts;
    std::ifstream text(file);
    for (std::string word; text >> word;) {
        const auto begins = [&](const char *with) { return word.starts_with(with); };
        counts.interleaving += begins("vpunpck") || begins("vunpck");
        counts.other += begins("vpshuf") || begins("vshuf") || begins("vperm") || begins("vpalignr");
    }
    return counts;
}

// The shuffles of one rectangle with AVX2.
Counts shuffles(const Halide::Type &type, bool whole_registers) {
    const int columns = 16 / type.bytes(), lanes = lanes_of_registers(avx2);
    Halide::ImageParam in(type, 2, "in");
    const TransposedLanes rectangle(
        "rectangle", columns, lanes, [&](Halide::Expr x, Halide::Expr y, Halide::Expr t, Halide::Expr u) {
            return in(t * columns + x, u * columns * lanes + y);
        });
    Halide::Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
    Halide::Func out("out");
    out(x, y) = rectangle(y % columns, x % (columns * lanes), y / columns, x / (columns * lanes));
    out.tile(x, y, xi, yi, columns * lanes, columns, Halide::TailStrategy::RoundUp).vectorize(xi).unroll(yi);
    out.output_buffer().dim(0).set_min(0);
    out.output_buffer().dim(1).set_min(0);
    transpose_in_registers(rectangle, out, x);
    Halide::Pipeline pipeline(out);
    if (whole_registers) {
        shuffle_whole_registers(pipeline);
    }
    const std::string file = testing::TempDir() + "whole_registers_" + std::to_string(getpid()) + ".s";
    pipeline.compile_to_assembly(file, {in}, "rectangle", avx2);
    const Counts counts = shuffles_in(file);
    std::remove(file.c_str());
    return counts;
}

// log2(columns) per register.
TEST(WholeRegisters, ARectangleTakesTheFewestShuffles) {
    for (const auto &[bytes, fewest] : {std::pair{1, 64}, {2, 24}, {4, 8}, {8, 2}}) {
        const Counts counts = shuffles(Halide::UInt(8 * bytes), true);
        EXPECT_EQ(counts.interleaving, fewest) << bytes << " bytes";
        EXPECT_EQ(counts.other, 0) << bytes << " bytes";
    }
}

TEST(WholeRegisters, AreNotWhatHalideMakesByItself) {
    const Counts counts = shuffles(Halide::UInt(8), false);
    EXPECT_GT(counts.interleaving + counts.other, 64)
        << "Halide and LLVM can now do without schedules/passes/whole_registers.h: delete it";
}

}  // namespace
}  // namespace tilewright
