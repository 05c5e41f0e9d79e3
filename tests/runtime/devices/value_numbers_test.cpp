// The text of kernels with distances in place of the numbers of values, and back.
#include "generators/algorithms/value_numbers.h"
#include <gtest/gtest.h>

namespace tilewright {
namespace {

std::string next(const std::string &name) {
    return name + next_value;
}
std::string back(const std::string &name, int distance) {
    return name + other_value + std::to_string(distance);
}

TEST(ValueNumbers, CodeThatIsAlikeBecomesTheSameText) {
    const std::string first = with_distances(" int _7 = _6 + _5;\n int _8 = _7 + _6;\n"),
                      second = with_distances(" int _107 = _106 + _105;\n int _108 = _107 + _106;\n");
    const std::string line = " int " + next("_") + " = " + back("_", 1) + " + " + back("_", 2) + ";\n";
    EXPECT_TRUE(first.ends_with("\n" + line)) << first;
    EXPECT_TRUE(second.ends_with("\n" + line)) << second;
}

TEST(ValueNumbers, EachNameOfARegisterHasNumbersOfItsOwn) {
    EXPECT_EQ(with_distances("add %r1, %rd1;\nadd %r2, %rd1;\n"),
        "add " + next("%r") + ", " + next("%rd") + ";\nadd " + next("%r") + ", " + back("%rd", 0) + ";\n");
}

TEST(ValueNumbers, OtherNumbersStay) {
    for (const std::string text : {"float x = 12.5f + y_12 + __3;", "L__BB0_12: r12", "_007", "%r01",
             "_99999999999", "%R5 %_ %1", "", "12"}) {
        EXPECT_EQ(with_distances(text), text);
    }
}

TEST(ValueNumbers, EachTextComesBack) {
    for (const std::string text : {" int _7 = _6 + _5;\n int _8 = _7 + _2147483647;\n _0 = _8;\n",
             "\tadd.s32 \t%r12, %r11, %r3;\n@%p1 bra \t$L__BB0_12;\n\tadd.s32 \t%r2, %r2147483647, %rd0;\n",
             "_1_2 _3x4 (_5)_6 %r7%r8 _", "_007 %r01 _99999999999", "", "\n\n_0"}) {
        EXPECT_EQ(with_numbers(with_distances(text), text.size()), text);
    }
}

}  // namespace
}  // namespace tilewright
