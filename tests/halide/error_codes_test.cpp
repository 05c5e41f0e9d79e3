// generators/program/errors/error_codes.h: a check that fails ends the library by its code, with and without
// words.
#include "generators/program/errors/error_codes.h"
#include "generators/program/library_selection.h"
#include "schedules/schedule.h"
#include <HalideRuntime.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tilewright {
namespace {

// What Halide says of a call that needs four pixels and gets three.
std::string said_of_short_input(Errors errors) {
    Halide::ImageParam in(Halide::UInt(8), 1, "in");
    Halide::Var x{"x"};
    Halide::Func out{"out"};
    out(x) = in(x);
    Halide::Pipeline pipeline(out);
    if (errors == Errors::codes) {
        shorten_errors(pipeline, true);
    }
    Halide::Buffer<uint8_t> three(3), four(4);
    in.set(three);
    try {
        pipeline.realize(four);
        return "";
    } catch (const Halide::Error &error) {
        return error.what();
    }
}

struct Form {
    static constexpr const char *name = "form";
};

const ScheduleVariants &variants() {
    static const ScheduleVariants all = {
        variant("reference", Backends::cpu, "u8", +[](Form &, ScheduleContext &) {})};
    return all;
}

const Table table("operator", variants);

// Each selection has words of its own: a program may make two at a time.
TEST(ErrorCodes, BelongToTheSelection) {
    const Selection codes({"errors=codes"}), unsaid({}), words({"errors=words"});
    EXPECT_EQ(codes.only().errors, "codes");
    EXPECT_EQ(unsaid.only().errors, "words");
    EXPECT_EQ(words.only().errors, "words");
}

TEST(ErrorCodes, ACheckEndsTheLibraryWithAndWithoutWords) {
    EXPECT_NE(said_of_short_input(Errors::words).find("accessed at 3"), std::string::npos);
    // -4: halide_error_code_access_out_of_bounds.
    const std::string said = said_of_short_input(Errors::codes);
    EXPECT_NE(said.find("exit status -4"), std::string::npos) << said;
    EXPECT_EQ(said.find("accessed"), std::string::npos) << said;
}

// The code of a call that adds two arrays to four numbers; 0 where it was done. Its checks are in few joined
// ones, of which each ends the call as the check alone would.
int code_of_sum(int extent_of_first, int extent_of_second, int stride_of_second) {
    Halide::ImageParam first(Halide::UInt(8), 1, "first"), second(Halide::UInt(8), 1, "second");
    Halide::Var x{"x"};
    Halide::Func out{"out"};
    out(x) = first(x) + second(x);
    Halide::Pipeline pipeline(out);
    shorten_errors(pipeline, false);
    std::vector<uint8_t> bytes(64, 1);
    const halide_dimension_t strided(0, extent_of_second, stride_of_second);
    Halide::Buffer<uint8_t> one(bytes.data(), extent_of_first), other(bytes.data(), 1, &strided), sums(4);
    first.set(one);
    second.set(other);
    try {
        pipeline.realize(sums);
    } catch (const Halide::Error &error) {
        const std::string said = error.what(), before = "exit status ";
        return std::stoi(said.substr(said.find(before) + before.size()));
    }
    return sums(3) == 2 ? 0 : 1;
}

TEST(ErrorCodes, JoinedChecksFailEach) {
    EXPECT_EQ(code_of_sum(4, 4, 1), 0);
    EXPECT_EQ(code_of_sum(3, 4, 1), halide_error_code_access_out_of_bounds);
    EXPECT_EQ(code_of_sum(4, 3, 1), halide_error_code_access_out_of_bounds);
    EXPECT_EQ(code_of_sum(4, 4, 2), halide_error_code_constraint_violated);
    EXPECT_EQ(code_of_sum(4, -1, 1), halide_error_code_access_out_of_bounds);
}

// The extent that a library asks its input to have; 0 where it fills in nothing.
int asked_extent(bool bounds_queries) {
    Halide::ImageParam in(Halide::UInt(8), 1, "in");
    Halide::Var x{"x"};
    Halide::Func out{"out"};
    out(x) = in(x) + in(x + 2);
    Halide::Pipeline pipeline(out);
    shorten_errors(pipeline, bounds_queries);
    Halide::Callable call = pipeline.compile_to_callable({in});
    Halide::Buffer<uint8_t> unknown(nullptr, 0), four(4);
    try {
        return call(unknown, four) == 0 ? unknown.dim(0).extent() : 0;
    } catch (const Halide::Error &) {
        return 0;
    }
}

TEST(ErrorCodes, BoundsQueriesAreLeftOutWhereNobodyAsks) {
    EXPECT_EQ(asked_extent(true), 6);
    EXPECT_EQ(asked_extent(false), 0);
}

}  // namespace
}  // namespace tilewright
