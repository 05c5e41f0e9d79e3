// The call by which a kernel says that words pass the second cache, in the text of a module: it becomes hints
// of loads and stores. The text is as Halide 21.0.0 writes it.
#include "generators/algorithms/next_block.h"
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace tilewright {
namespace {

// A module with kernels of these lines.
std::string module_with(const std::string &lines, const std::string &others = "") {
    std::string text = "//\n.version 7.0\n.target sm_80\n.address_size 64\n\n.extern .func  (.param .b64 "
                       "func_retval0) tw_passing_words\n(\n\t.param .b64 tw_passing_words_param_0\n)\n;\n";
    for (const std::string &kernel : {lines, others}) {
        text += ".visible .entry _kernel_out()\n{\n\t.reg .b64 \t%rd<9>;\n" + kernel + "\tret;\n}\n";
    }
    return text;
}

std::string passing_call(const std::string &stored) {
    return "\t{ // callseq 0, 0\n\t.param .b64 param0;\n\tst.param.b64 \t[param0], %rd7;\n\t.param .b32 "
           "param1;"
           "\n\tst.param.b32 \t[param1], " +
           stored +
           ";\n\t.param .b64 retval0;\n\tcall.uni (retval0), tw_passing_words, (param0, param1);\n"
           "\tld.param.b64 \t%rd8, [retval0];\n\t} // callseq 0\n";
}

const std::string plain_load = "\tld.global.nc.b64 \t%rd1, [%rd2+8];\n", plain_barrier = "\tbar.sync \t0;\n",
                  plain_store = "\tst.global.b64 \t[%rd3], %rd1;\n",
                  policy =
                      "{\n\t.reg .b64 \t%twe;\n\tcreatepolicy.fractional.L2::evict_first.b64 \t%twe, 1.0;\n",
                  passing_load = "\tld.global.nc.L2::cache_hint.b64 \t%rd1, [%rd2+8], %twe;\n",
                  passing_store = "\tst.global.L2::cache_hint.b64 \t[%rd3], %rd1, %twe;\n",
                  moved = "\tmov.b64 \t%rd8, %rd7;\n";

size_t count_of(const std::string &text, const std::string &part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        count++;
    }
    return count;
}

TEST(PassingWords, LoadsOfTheBasicBlockInFrontOfTheCallPass) {
    const std::string text = with_instructions(module_with(
        plain_load + plain_barrier + plain_load + plain_load + passing_call("0") + plain_load + plain_store));
    EXPECT_EQ(count_of(text, "tw_passing_words"), 0U) << text;
    EXPECT_EQ(count_of(text, plain_load + plain_barrier + passing_load + passing_load + moved + plain_load +
                                 plain_store),
        1U)
        << text;
    EXPECT_EQ(count_of(text, ".version 7.4\n"), 1U) << text;
    EXPECT_EQ(with_instructions(text), text);
}

TEST(PassingWords, OrAllStoresOfTheKernelPass) {
    const std::string text = with_instructions(
        module_with(plain_store + plain_load + passing_call("1") + plain_barrier + plain_store,
            plain_load + plain_store));
    EXPECT_EQ(count_of(text, passing_store + plain_load + moved + plain_barrier + passing_store), 1U) << text;
    EXPECT_EQ(count_of(text, plain_load + plain_store), 1U) << "another kernel\n" << text;
    EXPECT_EQ(count_of(text, policy), 1U) << text;
}

TEST(PassingWords, NumbersOfTwoWordsPassToo) {
    const std::string both = "\tld.global.nc.v2.b64 \t{%rd1, %rd4}, [%rd2+0];\n";
    const std::string text = with_instructions(module_with(both + passing_call("0")));
    EXPECT_EQ(count_of(text, "\tld.global.nc.L2::cache_hint.v2.b64 \t{%rd1, %rd4}, [%rd2+0], %twe;\n"), 1U)
        << text;
}

TEST(PassingWords, WhatIsNotUnderstoodIsRefused) {
    EXPECT_THROW(with_instructions(module_with(passing_call("0"))), std::runtime_error) << "no loads";
    EXPECT_THROW(with_instructions(module_with(plain_load + passing_call("2"))), std::runtime_error);
    EXPECT_THROW(
        with_instructions(module_with(plain_load + plain_barrier + passing_call("0"))), std::runtime_error);
}

}  // namespace
}  // namespace tilewright
