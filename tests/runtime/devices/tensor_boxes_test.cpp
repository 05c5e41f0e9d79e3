// Products whose matrices the tensor memory accelerator copies and stores: what the text of a module gets.
#include "generators/algorithms/tensor_text.h"
#include "tests/runtime/devices/tensor_modules.h"
#include <gtest/gtest.h>
#include <utility>

namespace tilewright {
namespace {

// Two copies per thread and matrix, which make a box of 64 rows; the second one of B goes to `last`. A thread
// stores eight pairs of sums; `before` stands before the products. The depth of a tile is in so many shares.
std::string module_of_boxes(const std::string &last, const std::string &before = {}, int shares = 1) {
    const TensorProduct rows{32, 32, TensorNumbers::f16, 2, true, false, shares};
    std::string body = before;
    for (const std::string n : {"0", "1"}) {
        body += "\tld.param.b64 \t%rd1" + n + ", [_kernel_out_param_" + n +
                "];\n\tcvta.to.global.u64 \t%rd2" + n + ", %rd1" + n + ";\n\tadd.s64 \t%rd3" + n + ", %rd2" +
                n + ", %rd9;\n";
    }
    const std::string barrier = "\tbar.sync \t0;\n";
    body += barrier;
    int number = 1;
    for (const auto &[from, to] : {std::pair<std::string, std::string>{"%rd30+-128", "%rd5+16384"},
             {"%rd40", "%rd5+20480"}, {"%rd31", "%rd5"}, {"%rd41", last}}) {
        const std::string r = "%r" + std::to_string(number++),
                          four = r + "1, " + r + "2, " + r + "3, " + r + "4";
        body += "\tld.global.v4.b32 \t{" + four + "}, [" + from + "];\n\tst.shared.v4.b32 \t[" + to + "], {" +
                four + "};\n";
    }
    const std::string words = "\tld.shared.b32 \t%f90, [%rd7+16384];\n\tld.shared.b32 \t%f91, [%rd8];\n";
    body += barrier + products_of(rows, words) + barrier + "\t@%p1 bra \t$L_end;\n";
    for (int sum = 0; sum < rows.results(); sum += 2) {
        const std::string of_pair = std::to_string(sum), register_of_pair = "%rd6" + of_pair;
        body += "$L_store" + of_pair + ":\n\tmov.b64 \t" + register_of_pair + ", {%f5" + of_pair + ", %f5" +
                std::to_string(sum + 1) + "};\n\tst.global.b64 \t[%rd50+" + std::to_string(16 * sum) + "], " +
                register_of_pair + ";\n";
    }
    std::string text = module(body + "$L_end:\n", rows.function(0));
    const std::string name = "_kernel_out", parameter = "\n\t.param .u64 .ptr .align 1 " + name + "_param_";
    return text.replace(text.find(name + "()"), name.size() + 2,
        name + "(" + parameter + "0," + parameter + "1," + parameter + "2\n)");
}

TEST(TensorBoxes, CopiesOfWholeBoxesAreThoseOfOneThread) {
    const std::string text = with_tensor_products(module_of_boxes("%rd5+4096"));
    EXPECT_EQ(count(text, "cp.async.bulk.tensor.2d.shared::cluster.global"), 6)
        << "two blocks at the beginning, and one in the loop\n"
        << text;
    EXPECT_EQ(count(text, "cp.async.cg") + count(text, "cp.async.wait"), 0)
        << "no other copies, and no waits for them\n"
        << text;
    EXPECT_EQ(count(text, "expect_tx.shared::cta.b64 \t_, [%twm4], 16384;"), 3) << "two boxes of 8 KB\n"
                                                                                << text;
    EXPECT_EQ(count(text, "mul.lo.u32 \t%twm6, %twm6, 64;"), 1) << "rows of a tile\n" << text;
    EXPECT_EQ(count(text, "mul.lo.u32 \t%twm7, %twm7, 32;"), 1) << "its columns\n" << text;
    EXPECT_EQ(count(text, "mbarrier.init"), 4) << "one per block of the depth in shared memory\n" << text;
    EXPECT_EQ(count(text, ",\n\t.param .align 64 .b8 _kernel_out_map_0[192],\n"
                          "\t.param .align 64 .b8 _kernel_out_map_1[192],\n"
                          "\t.param .align 64 .b8 _kernel_out_map_2[192]\n)"),
        1)
        << text;
    const std::string order[] = {
        "mbarrier.init", "cp.async.bulk", "bar.sync", "bar.warp.sync", "mbarrier.try_wait", "wgmma.fence"};
    for (size_t i = 1; i < std::size(order); i++) {
        EXPECT_LT(text.find(order[i - 1]), text.find(order[i])) << order[i] << "\n" << text;
    }
    EXPECT_THROW(with_tensor_products(module_of_boxes("%rd5+6144")), std::runtime_error);
    std::string other = module_of_boxes("%rd5+4096");
    std::swap(other[other.find("_param_0];") + 7], other[other.find("_param_1];") + 7]);
    EXPECT_THROW(with_tensor_products(other), std::runtime_error)
        << "matrices in another order than arguments";
}

TEST(TensorBoxes, SumsOfBoxesAreStoredByTheAccelerator) {
    const std::string text = with_tensor_products(module_of_boxes("%rd5+4096"));
    EXPECT_EQ(count(text, "st.global"), 0) << text;
    EXPECT_EQ(count(text, "cp.async.bulk.tensor.2d.global.shared::cta"), 1) << "32 columns\n" << text;
    EXPECT_EQ(count(text, "mov.b64 \t%twe, _kernel_out_map_2;"), 1) << text;
    EXPECT_EQ(count(text, "st.shared.v2.b32 \t[%tws4+0], {%f50, %f51};"), 1) << text;
    EXPECT_EQ(count(text, "st.shared.v2.b32 \t[%tws7+1024], {%f514, %f515};"), 1) << text;
    const std::string order[] = {"wgmma.wait_group.sync.aligned 0", "st.shared.v2.b32 \t[%tws4",
        "fence.proxy.async.shared::cta", "cp.async.bulk.tensor.2d.global", "cp.async.bulk.wait_group.read",
        "$L_end:\n\tret;"};
    for (size_t i = 1; i < std::size(order); i++) {
        EXPECT_LT(text.find(order[i - 1]), text.find(order[i])) << order[i] << "\n" << text;
    }
    EXPECT_NO_THROW(with_tensor_products(module_of_boxes("%rd5+4096", "\t@%p2 bra \t$L_end;\n")));
    EXPECT_THROW(
        with_tensor_products(module_of_boxes("%rd5+4096", "\t@%p2 bra \t$L_store2;\n")), std::runtime_error)
        << "stores that are reached from elsewhere";
    std::string other = module_of_boxes("%rd5+4096");
    other.replace(other.find("{%f50, %f51}"), 12, "{%f50, %f61}");
    EXPECT_THROW(with_tensor_products(other), std::runtime_error) << "another sum than that of the products";
    other = module_of_boxes("%rd5+4096");
    other.erase(other.find(",\n\t.param .u64 .ptr .align 1 _kernel_out_param_2"), 48);
    EXPECT_THROW(with_tensor_products(other), std::runtime_error) << "no output";
    EXPECT_THROW(with_tensor_products(module_of_boxes("%rd5+4096", "\tld.global.b32 \t%r9, [%rd9];\n")),
        std::runtime_error)
        << "threads read, too";
}

TEST(TensorBoxes, ThreadBlocksOfAClusterAddTheirSums) {
    const std::string text = with_tensor_products(module_of_boxes("%rd5+4096", "", 4));
    EXPECT_EQ(count(text, ")\n.explicitcluster\n.reqnctapercluster 1, 1, 4\n{"), 1) << text;
    EXPECT_EQ(count(text, ".extern .shared .align 1024 .b8 tw_shared[];"), 1) << text;
    EXPECT_EQ(count(text, "%nctaid.x"), 0) << "the blocks along z have the same columns\n" << text;
    EXPECT_EQ(count(text, "div.u32 \t%twm11, %twm11, 4;"), 1) << "blocks of the depth of a share\n" << text;
    EXPECT_EQ(count(text, "add.s32 \t%twm8, %twm8, %twm12;"), 6) << "addresses of boxes\n" << text;
    for (const std::string descriptor : {"%twd0", "%twd1"}) {
        EXPECT_EQ(count(text, "add.s64 \t" + descriptor + ", " + descriptor + ", %twe;"), 1) << text;
    }
    EXPECT_EQ(count(text, "mapa.shared::cluster"), 4) << "one box of 32 columns, from four blocks\n" << text;
    EXPECT_EQ(count(text, "ld.shared::cluster.v4.f32"), 16) << "a thread has four pieces of it\n" << text;
    EXPECT_EQ(count(text, "add.rn.f32"), 48) << text;
    EXPECT_EQ(count(text, "setp.ge.u32 \t%twq1, %tws4, 1;"), 1) << "three blocks have no box\n" << text;
    const std::string order[] = {"wgmma.wait_group.sync.aligned 0", "st.shared.v2.b32 \t[%tws7+1024]",
        "barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned",
        "mapa.shared::cluster", "st.shared.v4.f32", "fence.proxy.async.shared::cta;\n\tbar.sync",
        "cp.async.bulk.tensor.2d.global",
        "barrier.cluster.arrive.release.aligned;\n\tcp.async.bulk.commit_group",
        "cp.async.bulk.wait_group.read \t0;\n\tbarrier.cluster.wait.acquire.aligned", "$L_end:\n\tret;"};
    for (size_t i = 1; i < std::size(order); i++) {
        EXPECT_LT(text.find(order[i - 1]), text.find(order[i])) << order[i] << "\n" << text;
    }
    EXPECT_EQ(with_tensor_products(text), text);
}

}  // namespace
}  // namespace tilewright
