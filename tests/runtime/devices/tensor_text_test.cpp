// Tensor products in the text of a module: calls become instructions, copies become asynchronous, and text
// that is not understood is refused. The text is as Halide 21.0.0 writes it, for the smallest product.
#include "generators/algorithms/tensor_text.h"
#include "tests/runtime/devices/tensor_modules.h"
#include <gtest/gtest.h>

namespace tilewright {
namespace {

// The call for a result; the registers of B's words are %f90 and %f91.
std::string call(
    int result, const std::string &first_word = "%f10", const std::string &function = smallest.function(0)) {
    const std::string name = function.substr(0, function.rfind('_') + 1) + std::to_string(result);
    std::string text = "\t{ // callseq 0, 0\n";
    for (int i = 0; i < smallest.words_of_a() + 2; i++) {
        const std::string operand = i == 0                    ? first_word :
                                    i < smallest.words_of_a() ? "%f1" + std::to_string(i) :
                                                                "%f9" + std::to_string(i - 8);
        text += "\t.param .b32 param" + std::to_string(i) + ";\n\tst.param.b32 \t[param" + std::to_string(i) +
                "], " + operand + ";\n";
    }
    return text + "\t.param .b32 retval0;\n\tcall.uni (retval0), " + name +
           ", (param0);\n\tld.param.b32 \t%f5" + std::to_string(result) + ", [retval0];\n\t} // callseq 0\n";
}

const std::string loads = "\tld.shared.b32 \t%f90, [%rd7+1024];\n\tld.shared.b32 \t%f91, [%rd7+1152];\n";

std::string calls() {
    return call(0) + call(1) + call(2) + call(3);
}

TEST(TensorText, MakesOneChainOfTheCallsOfAProduct) {
    const std::string text = with_tensor_products(module(loads + calls()));
    EXPECT_EQ(text.find("tw_"), std::string::npos);
    EXPECT_EQ(count(text, "wgmma.mma_async"), 3);
    EXPECT_EQ(
        count(text, "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 \t{%f50, %f51, %f52, %f53}, "), 3);
    EXPECT_EQ(count(text, "{%f14, %f15, %f16, %f17}, %twd0, %twp0"), 1) << "low by high comes first";
    EXPECT_EQ(count(text, "{%f10, %f11, %f12, %f13}, %twd1, %twp1"), 1);
    EXPECT_EQ(count(text, "add.s64 \t%twd0, %rd7, 1024;"), 1);
    EXPECT_EQ(count(text, "add.s64 \t%twd1, %rd7, 1152;"), 1);
    EXPECT_NE(text.find(".version 8.0\n.target sm_90a\n"), std::string::npos) << text;
    EXPECT_TRUE(has_tensor_products(text));
    EXPECT_EQ(with_tensor_products(text), text);
}

constexpr TensorProduct sixteen_bits{8, 16, TensorNumbers::bf16};

// The call for a result that is added to a sum.
std::string adding_call(const std::string &result, const std::string &word = "%f10") {
    std::string text = "\t{ // callseq 0, 0\n\tst.param.b32 \t[param0], " + result + ";\n";
    for (int i = 0; i < 9; i++) {
        text += "\tst.param.b32 \t[param" + std::to_string(i + 1) + "], " +
                (i == 0   ? word :
                    i < 8 ? "%f1" + std::to_string(i) :
                            "%f90") +
                ";\n";
    }
    return text + "\tst.param.b32 \t[param10], %f6" + result + ";\n\tcall.uni (retval0), " +
           sixteen_bits.function(0) + ", (param0);\n\tld.param.b32 \t%f" + (result == "2" ? "6" : "5") +
           result + ", [retval0];\n\t} // callseq 0\n";
}

std::string adding_calls(const std::string &word = "%f10") {
    return adding_call("0", word) + adding_call("1", word) + adding_call("2", word) + adding_call("3", word);
}

// Of 16-bit floats an instruction takes 8 words along k of A and B, which have one part, and adds to sums.
TEST(TensorText, MakesOneInstructionPerStepOfSixteenBitFloats) {
    const std::string text = with_tensor_products(module(loads + adding_calls(), sixteen_bits.function(0)));
    const std::string instruction = "m64n8k16.f32.bf16.bf16 \t{%f50, %f51, %f62, %f53}, ";
    EXPECT_EQ(count(text, instruction + "{%f10, %f11, %f12, %f13}, %twd0, %twp1, 1, 1, 0;"), 1) << text;
    EXPECT_EQ(count(text, "add.s64 \t%twd2, %twd0, 16;"), 1);
    EXPECT_EQ(count(text, instruction + "{%f14, %f15, %f16, %f17}, %twd2, %twp1, 1, 1, 0;"), 1);
    EXPECT_EQ(count(text, "wgmma.mma_async"), 2);
    EXPECT_EQ(count(text, "or.b64 \t%twd0, %twd0, " + std::to_string(8LL << 16 | 8LL << 32)), 1);
    for (const char *move : {"mov.b32 \t%f50, %f60;", "mov.b32 \t%f51, %f61;", "mov.b32 \t%f53, %f63;"}) {
        EXPECT_EQ(count(text, move), 1);
    }
    EXPECT_EQ(count(text, "mov.b32 \t%f62"), 0) << "this sum is where its result is";
}

TEST(TensorText, ChainsThatAddToSumsAreWaitedForOncePerBasicBlock) {
    const std::string text =
        with_tensor_products(module(loads + adding_calls() + adding_calls("%f8"), sixteen_bits.function(0)));
    EXPECT_EQ(count(text, "commit_group"), 2);
    EXPECT_EQ(count(text, "wait_group"), 1);
    EXPECT_GT(text.find("wait_group"), text.rfind("commit_group"));
}

TEST(TensorText, ResultsThatNobodyReadsAndConstantsGetRegisters) {
    const std::string text =
        with_tensor_products(module(loads + call(0, "0f00000000") + call(2, "0f00000000")));
    EXPECT_EQ(count(text, "wgmma.mma_async"), 3);
    EXPECT_NE(text.find(", %twr"), std::string::npos) << text;
    EXPECT_NE(text.find("mov.b32 \t%twr2, 0f00000000;"), std::string::npos) << text;
}

// A later version and what stands behind the target stay.
TEST(TensorText, TakesTheTextOfOpenClLibraries) {
    std::string text = module(loads + calls());
    text.replace(
        text.find(".version 7.0\n.target sm_80"), 26, ".version 9.0\n.target sm_80, texmode_independent");
    text = with_tensor_products(text);
    EXPECT_EQ(count(text, "wgmma.mma_async"), 3) << text;
    EXPECT_NE(text.find(".version 9.0\n.target sm_90a, texmode_independent\n"), std::string::npos) << text;
}

TEST(TensorText, OtherOperandsAreAnotherProduct) {
    const std::string text = with_tensor_products(module(loads + calls() + call(0, "%f7")));
    EXPECT_EQ(count(text, "wgmma.mma_async"), 6);
}

TEST(TensorText, LeavesOtherTextAlone) {
    const std::string text = ".version 7.0\n.target sm_80\n{\n\tbar.sync \t0;\n}";
    EXPECT_EQ(with_tensor_products(text), text);
    EXPECT_FALSE(has_tensor_products(text));
    EXPECT_TRUE(has_tensor_products(module(loads + calls())));
}

std::string refusal(const std::string &body) {
    try {
        with_tensor_products(module(body));
        return "";
    } catch (const std::runtime_error &error) {
        return error.what();
    }
}

TEST(TensorText, RefusesWhatItDoesNotUnderstand) {
    EXPECT_EQ(refusal(loads + calls()), "");
    EXPECT_NE(refusal(loads + calls() + call(1)).find("called twice"), std::string::npos);
    EXPECT_NE(refusal(calls()).find("not loaded from shared memory"), std::string::npos);
    EXPECT_NE(refusal(loads + "\tbar.sync \t0;\n" + calls()).find("a barrier"), std::string::npos);
    EXPECT_NE(refusal(loads + call(4)).find("is not known"), std::string::npos);
    EXPECT_NE(refusal(loads + adding_call("0")).find("a sum of a product is missing"), std::string::npos);
    std::string moved = adding_calls();
    moved.replace(moved.find("%f50"), 4, "%f61");
    EXPECT_NE(refusal(loads + moved).find("the place of another sum"), std::string::npos);
    EXPECT_NE(refusal(loads + adding_call("4")).find("the number of no result"), std::string::npos);
    EXPECT_NE(refusal(loads + adding_call("%r1")).find("the number of no result"), std::string::npos);
    EXPECT_NE(refusal(loads + call(0, "%f10", "tw_wgmma_other_0")).find("is not known"), std::string::npos);
    EXPECT_NE(refusal(loads + call(0, "%f10", TensorProduct{16, 16}.function(0))).find("other operands"),
        std::string::npos);
}

// The call for a result of a product of bytes, whose words are %r1 ... %r6, that is added to a sum.
std::string byte_call(
    int result, const std::string &sum, const std::string &to, const std::string &word = "%r1") {
    std::string text = "\t{ // callseq 0, 0\n";
    for (int i = 0; i < LaneProduct::words + 1; i++) {
        const std::string operand = i == 0                  ? word :
                                    i == LaneProduct::words ? sum :
                                                              "%r" + std::to_string(i + 1);
        text += "\t.param .b32 param" + std::to_string(i) + ";\n\tst.param.b32 \t[param" + std::to_string(i) +
                "], " + operand + ";\n";
    }
    return text + "\t.param .b32 retval0;\n\tcall.uni (retval0), " + byte_product_call.function(result) +
           ", (param0);\n\tld.param.b32 \t" + to + ", [retval0];\n\t} // callseq 0\n";
}

const std::string byte_mma = "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 \t";

TEST(TensorText, MakesOneInstructionOfTheCallsOfAProductOfBytes) {
    const std::string text =
        with_tensor_products(module(byte_call(0, "%r11", "%r11") + byte_call(1, "%r12", "%r12") +
                                        byte_call(2, "0", "%r13") + byte_call(3, "%r14", "%r24"),
            byte_product_call.function(0)));
    EXPECT_EQ(count(text, byte_mma), 1);
    EXPECT_EQ(count(text, byte_mma + "{%r11, %r12, %r13, %r24}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r11, "
                                     "%r12, %twr0, %r14};"),
        1)
        << text;
    EXPECT_EQ(count(text, "mov.b32 \t%twr0, 0;"), 1);
    EXPECT_NE(text.find(".version 7.0\n.target sm_80\n"), std::string::npos) << text;
    EXPECT_FALSE(has_tensor_products(text));
    EXPECT_EQ(with_tensor_products(text), text);
}

// Builds for older GPUs have these variants too, which serve those that have the instructions.
TEST(TensorText, ModulesForOlderGpusAreForThoseThatHaveTheInstructions) {
    const auto header_of = [](std::string text, const std::string &header) {
        text.replace(text.find(".version 7.0\n.target sm_80\n"), 27, header);
        text = with_tensor_products(text);
        return text.substr(3, text.find(".address_size") - 3);
    };
    const std::string chains = module(loads + calls()),
                      lanes = module(byte_call(0, "%r11", "%r11"), byte_product_call.function(0));
    EXPECT_EQ(header_of(chains, ".version 5.0\n.target sm_61\n"), ".version 8.0\n.target sm_90a\n");
    EXPECT_EQ(header_of(lanes, ".version 5.0\n.target sm_61\n"), ".version 7.0\n.target sm_80\n");
    EXPECT_EQ(header_of(lanes, ".version 7.1\n.target sm_86\n"), ".version 7.1\n.target sm_86\n");
}

// A sum may be another number behind what stands between two calls.
TEST(TensorText, CallsOfBytesThatDoNotFollowEachOtherAreTwoProducts) {
    const std::string between = byte_call(0, "%r11", "%r11") + "\tmov.b32 \t%r12, %r11;\n";
    const std::string text = with_tensor_products(module(between + byte_call(1, "%r12", "%r12")));
    EXPECT_EQ(count(text, byte_mma), 2);
    const std::string twice = with_tensor_products(
                          module(byte_call(0, "%r11", "%r11") + byte_call(0, "%r11", "%r12"))),
                      other = with_tensor_products(
                          module(byte_call(0, "%r11", "%r11") + byte_call(1, "%r12", "%r12", "%r9")));
    EXPECT_EQ(count(twice, byte_mma), 2);
    EXPECT_EQ(count(other, byte_mma), 2);
}

TEST(TensorText, MakesInstructionsOfProductsOf16BitFloatsAndOfPairsOfThem) {
    std::string calls = byte_call(0, "%f11", "%f11") + byte_call(1, "%f12", "%f22");
    const std::string of_bytes(byte_product_call.prefix), of_halves(half_product_call.prefix);
    for (size_t at = calls.find(of_bytes); at != std::string::npos; at = calls.find(of_bytes)) {
        calls.replace(at, of_bytes.size(), of_halves);
    }
    const std::string pair =
        "\t{ // callseq 7, 0\n\t.param .b32 param0;\n\tst.param.f32 \t[param0], %f1;\n"
        "\t.param .b32 param1;\n\tst.param.f32 \t[param1], %f2;\n\t.param .b32 retval0;\n"
        "\tcall.uni (retval0), tw_pair_f16, (param0, param1);\n"
        "\tld.param.b32 \t%r1, [retval0];\n\t} // callseq 7\n";
    const std::string text = with_tensor_products(module(pair + calls, half_product_call.function(0)));
    EXPECT_EQ(count(text, "\tcvt.rn.f16x2.f32 \t%r1, %f2, %f1;"), 1) << text;
    EXPECT_EQ(count(text, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 \t{%f11, %f22, "), 1) << text;
    EXPECT_EQ(count(text, "call.uni"), 0);
    EXPECT_EQ(with_tensor_products(text), text);
}

TEST(TensorText, RefusesCallsOfBytesThatItDoesNotUnderstand) {
    EXPECT_NE(refusal(byte_call(4, "%r11", "%r11")).find("is not known"), std::string::npos);
    EXPECT_NE(
        refusal(call(0, "%f10", byte_product_call.function(0))).find("other operands"), std::string::npos);
}

const std::string copy_a =
                      "\tld.global.nc.v4.b32 \t{%r1, %r2, %r3, %r4}, [%rd1];\n\tadd.s64 \t%rd3, %rd2, 8;\n"
                      "\tst.shared.v4.b32 \t[%rd3+16], {%r1, %r2, %r3, %r4};\n",
                  copy_b = "\tld.global.nc.v2.b64 \t{%rd8, %rd9}, [%rd4+32];\n"
                           "\tst.shared.v2.b64 \t[%rd5], {%rd8, %rd9};\n";

TEST(TensorText, CopiesToSharedMemoryAreWaitedForAtTheBarrierBehindThem) {
    const std::string text = with_tensor_products(
        module(copy_a + "\tbar.sync \t0;\n" + copy_b + "\tbar.sync \t0;\n" + loads + calls()));
    EXPECT_NE(text.find("\tadd.s64 \t%rd3, %rd2, 8;\n\tcp.async.cg.shared.global \t[%rd3+16], [%rd1], 16;\n"
                        "\tcp.async.cg.shared.global \t[%rd5], [%rd4+32], 16;\n\tcp.async.commit_group;\n"
                        "\tcp.async.wait_group 1;\n\tfence.proxy.async.shared::cta;\n\tbar.sync \t0;\n"),
        std::string::npos)
        << text;
    EXPECT_EQ(count(text, "bar.sync"), 1) << "the barrier between two runs of copies orders nothing";
    EXPECT_EQ(count(text, "ld.global"), 0);
    EXPECT_EQ(count(text, "st.shared"), 0);
}

TEST(TensorText, CopiesAheadOfProductsOfWarpsAreAsManyAsTheNameOfTheFunctionSays) {
    const LaneProduct product{tf32_product_call.prefix, tf32_product_call.instruction, 3};
    std::string calls = byte_call(0, "%f11", "%f11") + byte_call(1, "%f12", "%f12");
    const std::string of_bytes(byte_product_call.prefix);
    for (size_t at = calls.find(of_bytes); at != std::string::npos; at = calls.find(of_bytes)) {
        calls.replace(at, of_bytes.size(), "tw_mma_tf32_a3_");
    }
    const std::string barrier = "\tbar.sync \t0;\n", store = "\tst.shared.b32 \t[%rd5], %f11;\n";
    const std::string text = with_tensor_products(
        module(copy_a + barrier + copy_b + barrier + calls + barrier + store + store + barrier,
            product.function(0)));
    EXPECT_EQ(count(text, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 \t{%f11, %f12, "), 1) << text;
    EXPECT_EQ(count(text, "cp.async.commit_group;\n\tcp.async.wait_group 3;\n" + barrier), 1) << text;
    EXPECT_EQ(count(text, "cp.async.wait_group 0;\n" + barrier + store + store + barrier), 1) << text;
    EXPECT_EQ(count(text, "fence.proxy"), 0) << "warps read shared memory themselves\n" << text;
    EXPECT_NE(text.find(".target sm_80\n"), std::string::npos) << text;
    EXPECT_NE(refusal(byte_call(4, "%r11", "%r11")).find("is not known"), std::string::npos);
}

TEST(TensorText, ProductsOfRowsStayInFlightUntilTheBarrierBehindThem) {
    constexpr TensorProduct rows{8, 16, TensorNumbers::f16, 2};
    const std::string products = products_of(rows, loads);
    const std::string barrier = "\tbar.sync \t0;\n";
    EXPECT_NE(refusal(copy_a + barrier + products).find("no barrier"), std::string::npos);
    EXPECT_NE(refusal("\tst.shared.b32 \t[%rd3], %r1;\n" + barrier + products + barrier).find("not copied"),
        std::string::npos);
    const std::string text = with_tensor_products(
        module(barrier + copy_a + barrier + copy_b + barrier + products + barrier, rows.function(0)));
    EXPECT_EQ(count(text, "bar.sync"), 1) << text;
    EXPECT_EQ(count(text, "cp.async.wait_group 1;\n\tfence.proxy.async.shared::cta;\n" + barrier +
                              "\tcp.async.cg.shared.global \t[%rd3+16], [%rd1], 16;\n"
                              "\tcp.async.cg.shared.global \t[%rd5], [%rd4+32], 16;\n"
                              "\tcp.async.commit_group;\n\tld.shared"),
        1)
        << text;
    const std::string instruction = "m64n8k16.f32.f16.f16 \t{%f50, %f51, %f52, %f53}, ";
    EXPECT_EQ(count(text, instruction + "%twd0, %twd1, %twp1, 1, 1, 0, 1;"), 1) << text;
    EXPECT_EQ(count(text, instruction + "%twd2, %twd3, %twp1, 1, 1, 0, 1;"), 1) << text;
    const auto descriptor = [](const std::string &number, long long along_k, long long along_n,
                                long long swizzle) {
        return "or.b64 \t%twd" + number + ", %twd" + number + ", " +
               std::to_string(along_k << 16 | along_n << 32 | swizzle << 62) + ";";
    };
    EXPECT_EQ(count(text, descriptor("0", 1, 32, 2)), 1) << "8 rows of 64 bytes are 512 bytes\n" << text;
    EXPECT_EQ(count(text, descriptor("1", 256, 64, 1)), 1) << "32 rows of 128 bytes are 4096 bytes\n" << text;
    EXPECT_EQ(count(text, "add.s64 \t%twd2, %twd0, 2;\n\tadd.s64 \t%twd3, %twd1, 128;"), 1) << text;
    EXPECT_EQ(count(text, "wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 1;\n"
                          "\twgmma.wait_group.sync.aligned 0;\n\tret;"),
        1)
        << text;
}

// The factor is a number of the block of the depth: 1, or what the sums before count.
TEST(TensorText, SumsAreMultipliedByTheFactorOnceTheirProductsAreAtTheirEnd) {
    constexpr TensorProduct rows{8, 16, TensorNumbers::three_f16, 2};
    const std::string barrier = "\tbar.sync \t0;\n";
    const std::string text = with_tensor_products(
        module(barrier + copy_a + barrier + copy_b + barrier + products_of(rows, loads) + barrier,
            rows.function(0)));
    std::string multiplied = "\tsetp.eq.f32 \t%twp2, %f92, 0f3F800000;\n\t@%twp2 bra.uni \t$TW_same0;\n"
                             "\twgmma.wait_group.sync.aligned 0;\n";
    for (const std::string sum : {"%f50", "%f51", "%f52", "%f53"}) {
        multiplied += "\tmul.rn.f32 \t" + sum + ", " + sum + ", %f92;\n";
    }
    EXPECT_EQ(count(text, multiplied + "$TW_same0:\n\tadd.s64 \t%twd0"), 1) << text;
    EXPECT_EQ(count(text, "m64n8k16.f32.f16.f16 \t{%f50, %f51, %f52, %f53}, "), 2) << text;
    EXPECT_EQ(count(text, "wgmma.wait_group.sync.aligned 1;"), 1) << text;
}

TEST(TensorText, BlocksOfATightRingAreCopiedBehindTheirProducts) {
    constexpr TensorProduct rows{8, 16, TensorNumbers::f16, 2, false, true};
    const std::string barrier = "\tbar.sync \t0;\n";
    const std::string text = with_tensor_products(
        module(barrier + copy_a + barrier + copy_b + barrier + products_of(rows, loads) + barrier,
            rows.function(0)));
    EXPECT_EQ(count(text, "cp.async.wait_group 1;\n\tfence.proxy.async.shared::cta;\n"
                          "\twgmma.wait_group.sync.aligned 0;\n" +
                              barrier + "\tcp.async.cg.shared.global"),
        1)
        << text;
}

TEST(TensorText, ValuesThatAreUsedElsewhereAreLoadedAndStored) {
    const std::string text =
        with_tensor_products(module(copy_a + "\tadd.s32 \t%r9, %r1, 1;\n\tbar.sync \t0;\n" + copy_b +
                                    "\tbar.sync \t0;\n" + loads + calls()));
    EXPECT_EQ(count(text, "cp.async.cg"), 1);
    EXPECT_EQ(count(text, "st.shared"), 1);
    EXPECT_EQ(count(text, "fence.proxy.async"), 2) << "the tensor cores see what was stored";
    EXPECT_EQ(count(text, "bar.sync"), 2);
}

}  // namespace
}  // namespace tilewright
