// Kernels of one image that work on many: their text, and their arguments. That they compute the same is
// tested with the calls of many images (tests/runtime/dispatch/many_images_test.cpp), on a GPU.
#include "runtime/devices/cuda/image_kernels.h"
#include <cstring>
#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

std::string kernel(const std::string &body, const std::string &end = ")") {
    return ".version 7.0\n.visible .entry k(\n\t.param .u64 .ptr .align 1 k_param_0,\n\t.param .u32 "
           "k_param_1,\n"
           "\t.param .u64 .ptr .align 1 k_param_2\n" +
           end + "\n.maxnreg 64\n{\n\t.reg .b64 %rd<9>;\n" + body + "\tret;\n}\n";
}

const std::string load = "\tld.param.b64 \t%rd7, [k_param_2];\n";

TEST(ImageKernels, AddTheStepsOfTheirImage) {
    for (const char *end : {")", ")   // @k"}) {
        const auto made = kernels_of_images(kernel(load, end));
        ASSERT_TRUE(made);
        EXPECT_EQ(made->addresses.at("k"), std::vector<bool>({true, false, true}));
        EXPECT_NE(made->text.find("k_param_2,\n\t.param .u64 k_step_0,\n\t.param .u64 k_step_2,\n"
                                  "\t.param .u32 k_depth\n)\n.maxnreg 64\n{\n"),
            std::string::npos)
            << made->text;
        EXPECT_NE(made->text.find(load + "\tld.param.u64 %twi1, [k_step_2];\n"
                                         "\tmad.lo.u64 %rd7, %twi0, %twi1, %rd7;\n\tret;\n}\n"),
            std::string::npos)
            << made->text;
        EXPECT_EQ(made->text.find("rem.u32"), std::string::npos) << "the third axis has images alone";
    }
}

TEST(ImageKernels, ShareTheThirdAxis) {
    const auto made = kernels_of_images(kernel("\tmov.u32 \t%r1, %ctaid.z;\n"));
    ASSERT_TRUE(made);
    EXPECT_NE(made->text.find("rem.u32 %twz0, %twz2, %twz1;"), std::string::npos);
    EXPECT_NE(made->text.find("\tmov.u32 \t%r1, %twz0;"), std::string::npos);
}

TEST(ImageKernels, OtherTextIsNotUnderstood) {
    EXPECT_FALSE(kernels_of_images(kernel("\tld.param.v2.b64 \t{%rd7, %rd8}, [k_param_0];\n")));
    EXPECT_FALSE(kernels_of_images(kernel("\tmov.b64 \t%rd7, k_param_0;\n")));
    EXPECT_FALSE(kernels_of_images(kernel(load).substr(0, 200)));
    EXPECT_FALSE(kernels_of_images(".visible .entry k()\n{\n\tret;\n}\n"));
}

TEST(ImageLaunches, FindTheMemoryOfEachAddress) {
    uint64_t image = 0x7000, other = 0x9000;
    uint32_t number = 5;
    void *of_one[] = {&image, &number, &other};
    const std::vector<bool> addresses = {true, false, true};
    unsigned blocks = 3;
    ImageLaunches images(10);
    images.add_memory(0x6000, 0x2000, 4096);
    images.add_memory(0x8000, 0x2000, 512);
    images.set_kernel(addresses);
    void **const all = images.arguments(of_one, blocks);
    ASSERT_NE(all, nullptr);
    EXPECT_EQ(blocks, 30u);
    EXPECT_EQ(all[1], &number);
    int64_t steps[2];
    uint32_t depth = 0;
    memcpy(&steps[0], all[3], sizeof steps[0]);
    memcpy(&steps[1], all[4], sizeof steps[1]);
    memcpy(&depth, all[5], sizeof depth);
    EXPECT_EQ(steps[0], 4096);
    EXPECT_EQ(steps[1], 512);
    EXPECT_EQ(depth, 3u);
    blocks = 7000;
    EXPECT_EQ(images.arguments(of_one, blocks), nullptr) << "a grid has no 70000 blocks there";
    EXPECT_TRUE(images.failed());
}

TEST(ImageLaunches, RefuseMemoryOfTwoArrays) {
    uint64_t image = 0x7000;
    void *of_one[] = {&image};
    const std::vector<bool> addresses = {true};
    for (const int64_t step : {4096, 512}) {  // of the second array
        unsigned blocks = 1;
        ImageLaunches images(10);
        images.add_memory(0x6000, 0x2000, 4096);
        images.add_memory(0x7000, 0x2000, step);
        images.set_kernel(addresses);
        EXPECT_EQ(images.arguments(of_one, blocks) == nullptr, step == 512);
        EXPECT_EQ(images.failed(), step == 512);
    }
}

}  // namespace
}  // namespace tilewright::driver
