// The text of kernels with distances in place of the numbers of values, and packed, and back.
#include "generators/algorithms/value_numbers.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/text_packing.h"
#include "runtime/devices/kernel_text.h"
#include "tilewright/kernel_texts.h"
#include <array>
#include <gtest/gtest.h>
#include <random>

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

std::string lines(int first, int count) {
    std::string all;
    for (int i = first; i < first + count; i++) {
        all += "float _" + std::to_string(i * i % 7919) + " = _in[" + std::to_string(i) + "] * 0.25f;\n";
    }
    return all;
}

std::string random_bytes(size_t size, int most) {
    std::mt19937 random(7);
    std::string all(size, '\0');
    for (char &c : all) {
        c = (char)(random() % (unsigned)most);
    }
    return all;
}

TEST(PackedTexts, EachTextComesBack) {
    for (const std::string &text : {std::string(), std::string("x"), std::string("abc"), std::string("abcd"),
             std::string("short"), lines(0, 3), lines(0, 5000), lines(0, 4000) + lines(100, 3000) + "end",
             std::string(100000, 'x'), random_bytes(20000, 256), random_bytes(20000, 3),
             random_bytes(5000, 256) + random_bytes(5000, 256)}) {
        const std::string made = packed(text);
        for (const size_t size : {text.size(), text.size() / 2, size_t(0)}) {
            EXPECT_EQ(unpacked(made, size), text.substr(0, size));
        }
    }
}

TEST(PackedTexts, WhatWasThereBeforeTakesFewBytes) {
    const std::string part = lines(0, 4000);
    const size_t once = packed(part).size();
    EXPECT_GT(part.size(), 100000u);
    EXPECT_LT(once, part.size() / 8);
    EXPECT_LE(packed(part + part).size(), once + 16);
    EXPECT_LE(packed(part + part.substr(501, 40) + part).size(), once + 32);
    EXPECT_LT(packed(std::string(100000, 'x')).size(), 32u);
}

TEST(PackedTexts, ACopyFromBeforeTheTextIsRefused) {
    EXPECT_THROW((void)unpacked(std::string(200, '\x55'), 100000), std::runtime_error);
}

TEST(PackedTexts, ThePartsOfATextAreJoined) {
    static const std::string source = "int _1 = _0;\n", assembly = "\tadd.s32 \t%r2, %r1;\n",
                             first = packed(with_distances(source)),
                             second = packed(with_distances(assembly));
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
