// The call by which a kernel says that its words of global memory are halves of numbers of 16 bytes, in the
// text of a module: two accesses become one. The text is as Halide 21.0.0 writes it.
#include "generators/algorithms/next_block.h"
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace tilewright {
namespace {

// A module whose kernel has these lines.
std::string module_of_pairs(const std::string &lines) {
    return "//\n.version 7.0\n.target sm_80\n.address_size 64\n\n.extern .func  (.param .b64 func_retval0) "
           "tw_word_pairs\n(\n\t.param .b64 tw_word_pairs_param_0\n)\n;\n.visible .entry _kernel_out()\n{\n" +
           lines + "\tret;\n}\n";
}

std::string call_of_pairs(int operands = 1) {
    std::string text = "\t{ // callseq 0, 0\n";
    for (int i = 0; i < operands; i++) {
        text += "\t.param .b64 param0;\n\tst.param.b64 \t[param0], %rd7;\n";
    }
    return text + "\t.param .b64 retval0;\n\tcall.uni (retval0), tw_word_pairs, (param0);\n"
                  "\tld.param.b64 \t%rd8, [retval0];\n\t} // callseq 0\n";
}

std::string load_of(const std::string &word, const std::string &address) {
    return "\tld.global.nc.b64 \t" + word + ", [" + address + "];\n";
}

std::string store_of(const std::string &address, const std::string &word) {
    return "\tst.global.b64 \t[" + address + "], " + word + ";\n";
}

bool has_lines(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

// A load is made where the first one of its words was loaded, a store where the last one was stored.
TEST(WordPairs, BothWordsOfANumberAreOneAccess) {
    const std::string text = with_instructions(
        module_of_pairs(load_of("%rd1", "%rd9") + load_of("%rd2", "%rd9+32") + load_of("%rd3", "%rd9+40") +
                        "\tadd.s64 \t%rd4, %rd1, %rd2;\n" + load_of("%rd5", "%rd9+8") + call_of_pairs() +
                        store_of("%rd6+24", "%rd4") + store_of("%rd6+16", "%rd3")));
    EXPECT_TRUE(
        has_lines(text, "{\n\tld.global.nc.v2.b64 \t{%rd1, %rd5}, [%rd9+0];\n"
                        "\tld.global.nc.v2.b64 \t{%rd2, %rd3}, [%rd9+32];\n\tadd.s64 \t%rd4, %rd1, %rd2;\n"
                        "\tmov.b64 \t%rd8, %rd7;\n"
                        "\tst.global.v2.b64 \t[%rd6+16], {%rd3, %rd4};\n\tret;\n"))
        << text;
    EXPECT_FALSE(has_lines(text, "tw_word_pairs")) << text;
    EXPECT_EQ(with_instructions(text), text);
}

TEST(WordPairs, WordsOfOtherMemoryAndOtherSizesStayAsTheyAre) {
    const std::string lines = "\tld.shared.b64 \t%rd1, [%rd9];\n\tld.shared.b64 \t%rd2, [%rd9+8];\n"
                              "\tld.global.nc.b32 \t%r1, [%rd9];\n";
    const std::string text = with_instructions(module_of_pairs(lines + call_of_pairs()));
    EXPECT_TRUE(has_lines(text, lines)) << text;
}

TEST(WordPairs, WhatIsNotUnderstoodIsRefused) {
    EXPECT_THROW(
        with_instructions(module_of_pairs(load_of("%rd1", "%rd9") + call_of_pairs())), std::runtime_error)
        << "half of a number";
    EXPECT_THROW(with_instructions(module_of_pairs(load_of("%rd1", "%rd9") + "\tbar.sync \t0;\n" +
                                                   load_of("%rd2", "%rd9+8") + call_of_pairs())),
        std::runtime_error)
        << "the other half behind a barrier";
    EXPECT_THROW(with_instructions(module_of_pairs(call_of_pairs(2))), std::runtime_error);
}

}  // namespace
}  // namespace tilewright
