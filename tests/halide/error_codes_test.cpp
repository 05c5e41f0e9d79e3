// generators/program/errors/error_codes.h: a check that fails ends the library by its code, with and without
// words.
#include "generators/program/errors/error_codes.h"
#include "generators/program/library_selection.h"
#include "schedules/schedule.h"
#include <gtest/gtest.h>
#include <string>

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
