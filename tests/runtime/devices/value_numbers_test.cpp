// The text of kernels with distances in place of the numbers of values, and packed, and back.
#include "generators/algorithms/value_numbers.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/packed_text.h"
#include "runtime/devices/kernel_text.h"
#include "tilewright/kernel_texts.h"
#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <utility>

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
    const std::string line =
        "int " + next("_") + " = " + back("_", 1) + " + " + back("_", 2) + ";\n" + shallower;
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

TEST(ValueNumbers, CodeThatIsAlikeIsTheSameTextAtEachDepth) {
    const std::string change = std::string(2, deeper), flat = with_distances("a;\n{\n  b;\n  c;\n}\n"),
                      deep = with_distances("      a;\n      {\n        b;\n        c;\n      }\n");
    EXPECT_EQ(flat, "a;\n{\n" + change + "b;\nc;\n" + std::string(2, shallower) + "}\n");
    EXPECT_EQ(deep, std::string(6, deeper) + flat + std::string(6, shallower));
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
             "_1_2 _3x4 (_5)_6 %r7%r8 _", "_007 %r01 _99999999999", "", "\n\n_0", "   ", "  a\n\n   ",
             "  _1 =\n    _2  ;\n \n   \n\t _3\n", "a\n  "}) {
        EXPECT_EQ(with_numbers(with_distances(text), text.size()), text);
    }
}

std::string lines(int first, int count) {
    std::string all;
    for (int i = first; i < first + count; i++) {
        all += "float _" + std::to_string(i * i % 7919) + " = _in[" + std::to_string(i) + "] * 0.25f;\n";
    }
    return all;
}

std::string random_bytes(size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::string all(size, '\0');
    for (char &c : all) {
        c = (char)random();
    }
    return all;
}

TEST(ValueNumbers, OtherBytesMakeATextOfTheSameSize) {
    for (unsigned seed = 0; seed < 20; seed++) {
        EXPECT_EQ(with_numbers(random_bytes(5000, seed), 4000).size(), 4000u);
    }
    const std::string least = back("_", std::numeric_limits<int>::min());
    EXPECT_EQ(with_numbers(least + " " + least + " " + least, 60).size(), 60u);
}

TEST(PackedTexts, EachPartOfATextComesBack) {
    for (const std::string &text : {std::string("x"), lines(0, 3), lines(0, 4000) + lines(100, 3000) + "end",
             std::string(100000, 'x'), random_bytes(20000, 7)}) {
        for (const std::string &made : {packed(text, false), packed(text, true)}) {
            for (const size_t begin : {size_t(0), text.size() / 3, text.size() - 1}) {
                for (const size_t size :
                    {text.size() - begin, (text.size() - begin) / 2, size_t(1), size_t(0)}) {
                    EXPECT_EQ(unpacked(made, begin, size), text.substr(begin, size));
                }
            }
        }
    }
    EXPECT_EQ(unpacked(packed("", true), 0, 0), "");
}

TEST(PackedTexts, WhatWasThereBeforeTakesFewBytes) {
    const std::string part = lines(0, 4000);
    const size_t once = packed(part, true).size();
    EXPECT_LT(once, part.size() / 8);
    EXPECT_LT(once, packed(part, false).size());
    // A copy of so many letters is copies of at most 273.
    EXPECT_LT(packed(part + part, true).size(), once + once / 20);
}

// What is no packed text ends with an error, or with a text of the size that was asked for.
TEST(PackedTexts, OtherBytesAreRefused) {
    const std::string text = lines(0, 4000), made = packed(text, true);
    const auto refusal = [&](const std::string &bytes, size_t size) -> std::string {
        try {
            EXPECT_EQ(unpacked(bytes, 10, size).size(), size);
        } catch (const std::runtime_error &error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refusal(made, text.size() - 10), "");
    for (const auto &[bytes, size] : {std::pair(made, text.size()),
             {made.substr(0, made.size() / 2), text.size() - 10}, {std::string(), size_t(1)},
             {std::string(200, '\x55'), size_t(100000)}, {std::string(200, '\0') + made, text.size()}}) {
        const std::string said = refusal(bytes, size);
        EXPECT_NE(said.find("cannot be unpacked"), std::string::npos) << size << ": " << said;
        EXPECT_EQ(said.find('\n'), std::string::npos);
    }
    for (unsigned seed = 0; seed < 50; seed++) {
        std::string damaged = made;
        damaged[1 + seed * 97 % (made.size() - 1)] ^= (char)(seed + 1);
        (void)refusal(damaged, text.size() - 10);
        (void)refusal('\0' + random_bytes(2000, seed), 100000);
    }
}

TEST(PackedTexts, ThePartsOfATextAreJoined) {
    static const std::string source = "int _1 = _0;\n", assembly = "\tadd.s32 \t%r2, %r1;\n",
                             first = packed(with_distances(source), true),
                             second = packed(with_distances(assembly), true);
    const auto part = [](const std::string &group, const std::string &text, size_t at) {
        return KernelText{7, reinterpret_cast<const unsigned char *>(group.data()), (uint32_t)group.size(),
            (uint32_t)at, 0, (uint32_t)with_distances(text).size(), (uint32_t)text.size()};
    };
    static const std::array texts = {part(second, assembly, source.size()), part(first, source, 0)};
    ASSERT_TRUE(embed_kernel_texts(texts));
    TextElsewhere place{{}, 7};
    elsewhere_mark.copy(place.mark, sizeof place.mark);
    const char *const text = reinterpret_cast<const char *>(&place);
    EXPECT_EQ(driver::kernel_text(text), source + assembly);
    EXPECT_EQ(driver::kernel_text(text, false), source);
}

}  // namespace
}  // namespace tilewright
