// The text of kernels with distances in place of the numbers of values, and as letters and copies, and back.
#include "generators/algorithms/value_numbers.h"
#include "generators/algorithms/far_copies.h"
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

TEST(ValueNumbers, ParametersLabelsAndCallsOfPtxAreValues) {
    EXPECT_EQ(with_distances("{ // callseq 1, 0\n$L__BB0_3: k_param_1,\n} // callseq 1"),
        "{ // " + next("callseq ") + ", 0\n" + back("$L__BB0_", -3) + ": k_" + next("param_") + ",\n} // " +
            back("callseq ", 0));
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

// Lines that zlib's 32 KiB do not hold together: `first` says at which number they begin.
std::string lines(int first, int count) {
    std::string all;
    for (int i = first; i < first + count; i++) {
        all += "float _" + std::to_string(i * i % 7919) + " = _in[" + std::to_string(i) + "] * 0.25f;\n";
    }
    return all;
}

void comes_back(const std::string &text) {
    const FarCopies made = with_far_copies(text);
    for (const size_t size : {text.size(), text.size() / 2, size_t(0)}) {
        const std::string letters = made.letters.substr(0, letters_up_to(made.steps, size));
        EXPECT_EQ(without_far_copies(made.steps, letters, size), text.substr(0, size));
    }
}

TEST(FarCopies, EachTextComesBack) {
    for (const std::string &text : {std::string(), std::string("short"), lines(0, 3), lines(0, 5000),
             lines(0, 4000) + lines(100, 3000) + "end", std::string(100000, 'x')}) {
        comes_back(text);
    }
}

// A repetition of 24 to 63 bytes is a copy only where it is as far back as the one before it.
TEST(FarCopies, ShortRepetitionsAsFarBackAsTheLastAreNoLetters) {
    const std::string part = lines(0, 400), end = lines(1000, 3);
    EXPECT_EQ(with_far_copies(part + part.substr(0, 500) + "|" + part.substr(501, 40) + end).letters.size(),
        part.size() + 1 + end.size());
    EXPECT_EQ(
        with_far_copies(part + part.substr(501, 40) + end).letters.size(), part.size() + 40 + end.size());
}

TEST(FarCopies, APartThatWasThereBeforeIsNoLetters) {
    const std::string part = lines(0, 4000);
    const FarCopies once = with_far_copies(part), twice = with_far_copies(part + part);
    EXPECT_GT(part.size(), 100000u);
    EXPECT_EQ(twice.letters.size(), once.letters.size());
    EXPECT_LE(twice.steps.size(), once.steps.size() + 8);
    EXPECT_LT(with_far_copies(std::string(100000, 'x')).letters.size(), 100u);
}

}  // namespace
}  // namespace tilewright
