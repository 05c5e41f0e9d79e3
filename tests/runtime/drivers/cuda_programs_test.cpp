// What reaches the driver when a CUDA module is loaded while modules are kept on disk, against the fake
// libcuda.so.1.
#include "generators/algorithms/module_text.h"
#include "runtime/devices/cuda/cuda.h"
#include "tests/runtime/drivers/fakes/fakes.h"
#include "tests/runtime/drivers/fakes/load_module.h"
#include "tests/support/files.h"
#include "tilewright/cache.h"
#include "tilewright/cubins.h"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

namespace tilewright {

namespace {

using fake_cuda::record;

// The folder is the process's: it is read when the first module is loaded.
const TestFolder &folder() {
    static const auto &made = *new TestFolder;
    return made;
}

const std::string ptx = ".version 7.0\n.visible .entry kernel()\n{\n\tret;\n}\n";

class CudaPrograms : public testing::Test {
protected:
    void SetUp() override {
        setenv("TILEWRIGHT_CACHE", folder().path().c_str(), 1);
        devices(Backend::cuda);
        clear_cache();
    }

    // Loads a module that the driver takes. Returns whether the driver got machine code.
    static bool loads_cubin(const Device &device, const std::string &text, std::vector<int> options = {}) {
        EXPECT_EQ(fake_cuda::load_module(device, text, std::move(options)), 0);
        EXPECT_EQ(record().module_text.back(), text);
        return record().module_is_cubin.back();
    }

    const Device first{Backend::cuda, 0}, second{Backend::cuda, 1};
};

}  // namespace

TEST_F(CudaPrograms, AModuleIsCompiledOncePerDevice) {
    const int before = record().links;
    EXPECT_TRUE(loads_cubin(first, ptx));
    EXPECT_EQ(record().links, before + 1);
    EXPECT_TRUE(loads_cubin(first, ptx));
    EXPECT_EQ(record().links, before + 1) << "the second time it is on the disk";
    EXPECT_TRUE(loads_cubin(second, ptx));
    EXPECT_EQ(record().links, before + 2) << "another device has other machine code";
    const auto programs = cached_programs();
    ASSERT_EQ(programs.size(), 2u);
    EXPECT_TRUE(programs[0].device.starts_with("Fake GPU")) << programs[0].device;
}

TEST_F(CudaPrograms, ABrokenFileIsCompiledAgain) {
    loads_cubin(first, ptx);
    const int before = record().links;
    std::ofstream(cached_programs().front().file, std::ios::app) << "x";
    EXPECT_TRUE(loads_cubin(first, ptx));
    EXPECT_EQ(record().links, before + 1);
}

TEST_F(CudaPrograms, WhatTheDriverDoesNotLoadIsForgotten) {
    loads_cubin(first, ptx);
    ASSERT_EQ(cached_programs().size(), 1u);
    const auto refuse = reinterpret_cast<void (*)(bool)>(fake_cuda::exported("fake_cuda_refuse_cubins"));
    refuse(true);
    EXPECT_FALSE(loads_cubin(first, ptx)) << "the driver gets the PTX";
    refuse(false);
    EXPECT_TRUE(cached_programs().empty());
}

// The fake driver takes this beginning and the module's text for machine code. Its devices have compute
// capability 9.0.
TEST_F(CudaPrograms, MachineCodeThatIsLinkedInComesBeforeAllOther) {
    static const std::string text = ".version 7.0\n.visible .entry linked_in()\n{\n\tret;\n}\n";
    static const std::string code = std::string("cubin\0of", 8) + text;
    const auto *begin = reinterpret_cast<const unsigned char *>(code.data()), *end = begin + code.size();
    static const EmbeddedCubin of_others[] = {{key_of_module(text), 80, begin, end},
        {key_of_module(text), 99, begin, end}, {key_of_module(text) + 1, 90, begin, end}};
    embed_cubins(of_others);
    const int before = record().links;
    EXPECT_TRUE(loads_cubin(first, text));
    EXPECT_EQ(record().links, before + 1) << "what is linked in is for other devices and modules";

    static const EmbeddedCubin of_device[] = {{key_of_module(text), 90, begin, end}};
    embed_cubins(of_device);
    clear_cache();
    EXPECT_TRUE(loads_cubin(first, text));
    EXPECT_EQ(record().links, before + 1) << "nothing was compiled";
    EXPECT_TRUE(cached_programs().empty());

    EXPECT_EQ(key_of_module(text), key_of_module(text + "\n"))
        << "the file that Halide writes ends with one more";

    const auto refuse = reinterpret_cast<void (*)(bool)>(fake_cuda::exported("fake_cuda_refuse_cubins"));
    refuse(true);
    EXPECT_FALSE(loads_cubin(first, text)) << "the driver gets the PTX where it takes no machine code";
    refuse(false);
}

// The driver compiles several kernels by several threads, and one kernel as it always does.
TEST_F(CudaPrograms, SeveralKernelsAreCompiledByThreadsOfTheDriver) {
    const std::string one = ".version 7.0\n.entry a()";
    EXPECT_EQ(fake_cuda::load_module(first, one, {9}), 0);
    EXPECT_EQ(record().module_options.back(), std::vector<int>{9});
    EXPECT_EQ(fake_cuda::load_module(first, one + "\n.entry b()", {9}), 0);
    EXPECT_EQ(record().module_options.back(), (std::vector<int>{9, driver::split_compile}));
}

TEST_F(CudaPrograms, OptionsAreForPtx) {
    constexpr int max_registers = 0, other = 7;
    EXPECT_FALSE(loads_cubin(first, ptx, {other}));
    EXPECT_TRUE(loads_cubin(first, ptx, {max_registers})) << "Halide's limit of 64 is left out";
}

// The parameters of a kernel that are maps of its matrices (tensor_maps.h): text that names them otherwise is
// refused before the driver has it, because the kernel would be launched without them.
TEST_F(CudaPrograms, MapsThatAreNotUnderstoodAreRefused) {
    const std::string begin = ".version 8.0\n.visible .entry kernel(\n\t.param .u64 kernel_param_0,\n"
                              "\t.param .align 64 .b8 ",
                      end = "\n)\n{\n\tret;\n}\n";
    constexpr int invalid_ptx = 218;
    for (const char *map :
        {"kernel_map_1[192]", "kernel_map_[192]", "kernel_map_x[192]", "kernel_map_0x[192]",
            "kernel_map_99999999999999999999[192]", "kernel[192]", "kernel_map_", ""}) {
        SCOPED_TRACE(map);
        const int before = record().modules;
        EXPECT_EQ(fake_cuda::load_module(first, begin + map + end), invalid_ptx);
        EXPECT_EQ(record().modules, before);
    }
    EXPECT_EQ(fake_cuda::load_module(first, begin + "kernel_map_0[192]" + end), 0);
    EXPECT_EQ(
        fake_cuda::load_module(first, ".version 8.0\n.param .align 64 .b8 kernel_map_0[192]"), invalid_ptx);
}

}  // namespace tilewright
