// The call by which a kernel fetches what the blocks of threads read that come next, in the text of a module:
// it becomes instructions. The text is as Halide 21.0.0 writes it.
#include "generators/algorithms/next_block.h"
#include <gtest/gtest.h>

namespace tilewright {
namespace {

std::string declared() {
    return "//\n.version 7.0\n.target sm_80\n.address_size 64\n\n.extern .func  (.param .b64 func_retval0) "
           "tw_next_block\n(\n\t.param .b64 tw_next_block_param_0\n)\n;\n.visible .entry _kernel_out()\n{\n";
}

// Of blocks of four columns, half of a round later.
std::string next_block_call(int arguments = 3) {
    const std::string operands[] = {"%rd58", "2", "4"};
    std::string text = "\t{ // callseq 0, 0\n";
    for (int i = 0; i < arguments; i++) {
        text += "\t.param .b32 param" + std::to_string(i) + ";\n\tst.param.b32 \t[param" + std::to_string(i) +
                "], " + operands[i] + ";\n";
    }
    return text + "\t.param .b64 retval0;\n\tcall.uni (retval0), tw_next_block, (param0);\n"
                  "\tld.param.b64 \t%rd59, [retval0];\n\t} // callseq 0\n";
}

std::string load(const std::string &address) {
    return "\tld.global.nc.b64 \t%rd9, [" + address + "];\n";
}

bool has(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

TEST(NextBlock, TheLoadsInFrontOfTheCallAreFetchedByTurns) {
    const std::string text = with_instructions(declared() + load("%rd1") + load("%rd2+64") + load("%rd3") +
                                               next_block_call() + load("%rd4") + "\tret;\n}\n");
    EXPECT_FALSE(has(text, "tw_next_block")) << text;
    const std::string expected[] = {
        "mov.u32 \t%twn0, %nsmid;\n\tshr.u32 \t%twn0, %twn0, 2;\n\tmul.lo.s32 \t%twn0, %twn0, 2;",
        "mul.wide.u32 \t%twa0, %twn0, 32;", "mad.lo.s32 \t%twn2, %twn1, 4, %twn2;",
        "setp.lt.u32 \t%twq0, %twn0, %twn1;",
        "%twn2, 0, %twq0;\n\tadd.s64 \t%twa1, %rd1, %twa0;\n\t@%twq1 prefetch.global.L2 \t[%twa1];",
        "%twn2, 1, %twq0;\n\tadd.s64 \t%twa1, %rd2, %twa0;\n\t@%twq1 prefetch.global.L2 \t[%twa1+64];",
        "%twn2, 2, %twq0;\n\tadd.s64 \t%twa1, %rd3, %twa0;\n\t@%twq1 prefetch.global.L2 \t[%twa1];",
        "mov.b64 \t%rd59, %rd58;"};
    for (const std::string &part : expected) {
        EXPECT_TRUE(has(text, part)) << part << " in\n" << text;
    }
    EXPECT_FALSE(has(text, "%rd4, %twa0")) << "a load behind the call\n" << text;
    EXPECT_EQ(with_instructions(text), text);
}

TEST(NextBlock, LoadsBeforeABarrierAreNotFetched) {
    const std::string text = with_instructions(
        declared() + load("%rd1") + "\tbar.sync \t0;\n" + load("%rd2") + next_block_call() + "}\n");
    EXPECT_FALSE(has(text, "%rd1, %twa0")) << text;
    EXPECT_TRUE(has(text, "%rd2, %twa0")) << text;
}

TEST(NextBlock, WhatIsNotUnderstoodIsRefused) {
    EXPECT_THROW(with_instructions(declared() + next_block_call() + "}\n"), std::runtime_error) << "no loads";
    EXPECT_THROW(
        with_instructions(declared() + load("%rd1") + next_block_call(2) + "}\n"), std::runtime_error);
}

}  // namespace
}  // namespace tilewright
