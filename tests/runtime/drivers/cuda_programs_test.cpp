// What reaches the driver when a CUDA module is loaded, against the fake libcuda.so.1.
#include "generators/algorithms/early_starts.h"
#include "generators/algorithms/module_text.h"
#include "runtime/devices/cuda/cuda.h"
#include "tests/runtime/drivers/fakes/fakes.h"
#include "tests/runtime/drivers/fakes/load_module.h"
#include "tilewright/cubins.h"
#include <gtest/gtest.h>

namespace tilewright {

namespace {

using fake_cuda::record;

class CudaPrograms : public testing::Test {
protected:
    void SetUp() override {
        devices(Backend::cuda);
    }

    // Loads a module that the driver takes. Returns whether the driver got machine code.
    static bool loads_cubin(const Device &device, const std::string &text, std::vector<int> options = {}) {
        EXPECT_EQ(fake_cuda::load_module(device, text, std::move(options)), 0);
        EXPECT_EQ(record().module_text.back(), with_early_starts(text, 90));
        return record().module_is_cubin.back();
    }

    const Device first{Backend::cuda, 0};
};

}  // namespace

// The fake driver takes this beginning and the module's text for machine code. Its devices have compute
// capability 9.0.
TEST_F(CudaPrograms, MachineCodeThatIsLinkedInComesBeforePtx) {
    static const std::string text = ".version 7.0\n.visible .entry linked_in()\n{\n\tret;\n}\n";
    static const std::string of_driver = with_early_starts(text, 90);
    static const std::string code = std::string("cubin\0of", 8) + of_driver;
    const auto *begin = reinterpret_cast<const unsigned char *>(code.data()), *end = begin + code.size();
    static const EmbeddedCubin of_others[] = {{key_of_module(of_driver), 80, begin, end},
        {key_of_module(of_driver), 99, begin, end}, {key_of_module(of_driver) + 1, 90, begin, end}};
    embed_cubins(of_others);
    EXPECT_FALSE(loads_cubin(first, text)) << "what is linked in is for other devices and modules";

    static const EmbeddedCubin of_device[] = {{key_of_module(of_driver), 90, begin, end}};
    embed_cubins(of_device);
    EXPECT_TRUE(loads_cubin(first, text));
    EXPECT_FALSE(loads_cubin(first, text, {7})) << "an option is for the compiler of PTX";
    constexpr int max_registers = 0;
    EXPECT_TRUE(loads_cubin(first, text, {max_registers})) << "Halide's limit of 64 is left out";

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
