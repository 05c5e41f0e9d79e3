// The calls by which blocks of a cluster exchange words, in the text of a module: they become instructions.
// The text is as Halide 21.0.0 writes it.
#include "generators/algorithms/block_clusters.h"
#include "generators/algorithms/next_block.h"
#include <gtest/gtest.h>

namespace tilewright {
namespace {

// A module with one kernel of that body.
std::string module_of(const std::string &body) {
    std::string text = "//\n.version 7.0\n.target sm_80\n.address_size 64\n\n";
    for (const std::string_view function : {cluster_word_function, cluster_words_function}) {
        text += ".extern .func  (.param .b64 func_retval0) " + std::string(function) + "\n(\n\t.param .b64 " +
                std::string(function) + "_param_0\n)\n;\n";
    }
    return text +
           ".visible .entry _kernel_out(\n\t.param .u64 _kernel_out_param_0\n)\n{\n\t.reg .b64 \t%rd<9>;\n" +
           body + "\tret;\n                                        // -- End function\n}\n";
}

std::string cluster_call(
    std::string_view function, const std::string &result, const std::vector<std::string> &operands) {
    std::string text = "\t{ // callseq 0, 0\n";
    for (size_t i = 0; i < operands.size(); i++) {
        const std::string name = "param" + std::to_string(i);
        text += "\t.param .b64 " + name + ";\n\tst.param.b64 \t[" + name + "], " + operands[i] + ";\n";
    }
    return text + "\t.param .b64 retval0;\n\tcall.uni (retval0), " + std::string(function) +
           ", (param0);\n\tld.param.b64 \t" + result + ", [retval0];\n\t} // callseq 0\n";
}

std::string word_of(const std::string &result, const std::string &word, int block, int blocks = 2) {
    return cluster_call(cluster_word_function, result, {word, std::to_string(block), std::to_string(blocks)});
}

const std::string barrier = "\tbar.sync \t0;\n", arrive = "\tbarrier.cluster.arrive.release.aligned;\n",
                  wait = "\tbarrier.cluster.wait.acquire.aligned;\n";

bool holds(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

TEST(BlockClusters, WordsAreReadFromTheOtherBlocks) {
    const std::string text = with_instructions(
        module_of("\tld.global.nc.b64 \t%rd2, [%rd7];\n\tst.shared.b64 \t[%rd1+8], %rd2;\n" + barrier +
                  "\tld.shared.b64 \t%rd3, [%rd1+16];\n" + word_of("%rd4", "%rd3", 0) +
                  word_of("%rd5", "%rd3", 1) + "\tadd.s64 \t%rd6, %rd4, %rd5;\n"));
    EXPECT_FALSE(holds(text, std::string(cluster_prefix))) << text;
    const std::string address = "\tadd.s64 \t%twm1, %rd1, %twm0;\n\tcvt.u32.u64 \t%twc0, %twm1;\n",
                      expected[] = {".target sm_90\n", ".version 8.0\n",
                          ".extern .shared .align 16 .b8 tw_shared[];\n",
                          ")\n.explicitcluster\n.reqnctapercluster 2, 1, 1\n{\n",
                          "\tmov.u64 \t%twm0, tw_shared;\n", "\tld.global.nc.L2::128B.b64 \t%rd2, [%rd7];\n",
                          "\tadd.s64 \t%twm1, %rd1, %twm0;\n\tst.shared.b64 \t[%twm1+8], %rd2;\n" + arrive +
                              wait,
                          address + "\tmapa.shared::cluster.u32 \t%twc1, %twc0, 0;\n"
                                    "\tld.shared::cluster.b64 \t%rd4, [%twc1+16];\n",
                          // No block ends before the others have read.
                          "\tmapa.shared::cluster.u32 \t%twc1, %twc0, 1;\n"
                          "\tld.shared::cluster.b64 \t%rd5, [%twc1+16];\n" +
                              arrive + "\tadd.s64 \t%rd6, %rd4, %rd5;\n" + wait + "\tret;\n"};
    for (const std::string &part : expected) {
        EXPECT_TRUE(holds(text, part)) << part << " in\n" << text;
    }
    EXPECT_EQ(with_instructions(text), text);
}

TEST(BlockClusters, ThreadsThatSkipTheLastLoadArriveToo) {
    const std::string text =
        with_instructions(module_of(barrier + "\t@%p1 bra \t$L1;\n\tld.shared.b64 \t%rd3, [%rd1];\n" +
                                    word_of("%rd4", "%rd3", 1) + "$L1:\n"));
    EXPECT_TRUE(holds(text, "$L1:\n" + arrive + wait + "\tret;\n")) << text;
    EXPECT_FALSE(holds(text, "[%twc1];\n" + arrive)) << text;
}

TEST(BlockClusters, WordsAreStoredInTheOtherBlocks) {
    const std::string text = with_instructions(module_of(
        barrier + barrier + "\tld.shared.b64 \t%rd3, [%rd1];\n" + word_of("%rd4", "%rd3", 0) +
        cluster_call(cluster_words_function, "%rd5", {"%rd4", "%rd2"}) + "\tst.shared.b64 \t[%rd1], %rd5;\n" +
        barrier + "\tld.shared.b64 \t%rd6, [%rd1];\n" + barrier));
    const std::string to = "\tst.shared::cluster.b64 \t[%twc1], ";
    EXPECT_TRUE(holds(text, to + "%rd4;\n")) << text;
    EXPECT_TRUE(holds(text, to + "%rd2;\n" + arrive + wait +
                                "\tadd.s64 \t%twm1, %rd1, %twm0;\n"
                                "\tld.shared.b64 \t%rd6, [%twm1];\n" +
                                barrier))
        << "only the barriers around the exchange are those of the cluster\n"
        << text;
    EXPECT_TRUE(holds(text, "tw_shared;\n\t.reg .b64 \t%rd<9>;\n" + barrier + arrive + wait)) << text;
    EXPECT_FALSE(holds(text, "%rd5")) << text;
}

TEST(BlockClusters, WhatIsNotUnderstoodIsRefused) {
    const std::string load = "\tld.shared.b64 \t%rd3, [%rd1];\n", word = word_of("%rd4", "%rd3", 0),
                      words = cluster_call(cluster_words_function, "%rd5", {"%rd4", "%rd2"}),
                      store = "\tst.shared.b64 \t[%rd1], %rd5;\n";
    for (const auto &[body, why] : {std::pair{barrier + word, "the word was not loaded"},
             {barrier + load + barrier + word, "a barrier stands between the load and the call"},
             {load + word, "no barrier stands before the exchange"},
             {barrier + load + word_of("%rd4", "%rd3", 0, 16), "more blocks than every device takes"},
             {barrier + load + word + word_of("%rd6", "%rd3", 1, 4), "clusters of two sizes"},
             {barrier + words, "the words are not stored"},
             {barrier + words + store, "no barrier stands behind what is stored"},
             {"$L1:\n" + barrier + load + word + "\t@%p1 bra \t$L1;\n", "a loop"},
             {barrier + "\tld.shared.b64 \t%rd3, [8];\n" + word, "an address without a register"},
             {barrier + load + word + "\t@%p1 bra \t$L1;\n\tret;\n$L1:\n", "two ends"}}) {
        EXPECT_THROW(with_instructions(module_of(body)), std::runtime_error) << why;
    }
}

// Of a module with several kernels.
TEST(BlockClusters, AKernelWithoutTheCallsStaysAsItIs) {
    const std::string exchange = barrier + "\tld.shared.b64 \t%rd3, [%rd1];\n" + word_of("%rd4", "%rd3", 1),
                      plain = ".visible .entry _kernel_other()\n{\n\tst.shared.b64 \t[%rd1], %rd2;\n" +
                              barrier + "\tret;\n}\n";
    EXPECT_TRUE(holds(with_instructions(module_of(exchange) + plain), plain));
}

}  // namespace
}  // namespace tilewright
