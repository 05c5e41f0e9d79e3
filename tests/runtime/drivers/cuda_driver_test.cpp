// The hooks against the fake libcuda.so.1: what reaches the driver, and on which device. Whoever asks for
// CUDA does not get OpenCL loaded: its library aborts here.
#include "generators/algorithms/early_starts.h"
#include "generators/algorithms/tensor_product.h"
#include "runtime/devices/calls/halide_calls.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/thread_context.h"
#include "tests/runtime/drivers/any_operator.h"
#include "tests/runtime/drivers/fakes/fakes.h"
#include "tilewright/timing.h"
#include <HalideRuntimeCuda.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <stdexcept>
#include <thread>

extern "C" void *halide_cuda_get_symbol(void *, const char *);
extern "C" int halide_cuda_acquire_context(void *, void **, bool);

namespace tilewright {

namespace {

using fake_cuda::record;

// A driver function as Halide gets it.
template<typename F>
F *symbol(const char *name) {
    return reinterpret_cast<F *>(halide_cuda_get_symbol(nullptr, name));
}

const Device first{Backend::cuda, 0}, second{Backend::cuda, 1};

class CudaDriver : public testing::Test {
protected:
    void SetUp() override {
        devices(Backend::cuda);
        record();
    }
    void TearDown() override {
        EXPECT_EQ(record().wrong_context, 0);
        EXPECT_EQ(record().too_much_shared, 0);
    }
    const AnyOperator any{Backend::cuda};
};

}  // namespace

// The first of these tests, because only a process's first call loads the modules.
TEST_F(CudaDriver, DataIsCopiedOnceAndCounted) {
    ASSERT_TRUE(any.op);
    const fake_cuda::Record before = record();
    Statistics once, again;
    any.run(first, &once);
    Array output = any.run(first, &again);
    const size_t inputs = any.sample.inputs.size();
    EXPECT_EQ(once.counters.copies_to_device, inputs);
    EXPECT_EQ(record().copies_to_device[0] - before.copies_to_device[0], (int)inputs);
    EXPECT_GT(once.counters.modules, 0u);
    EXPECT_GT(once.counters.kernels, 0u);
    EXPECT_EQ(once.device, "cuda:0");
    EXPECT_EQ(again.counters.copies_to_device, 0u) << "the inputs are there already";
    EXPECT_EQ(again.counters.modules, 0u) << "and so are the kernels";
    EXPECT_EQ(again.counters.allocations, 0u) << "the first call's output and intermediates are used again";
    EXPECT_EQ(again.counters.copies_to_host, 0u);

    output.sync();
    EXPECT_EQ(record().copies_to_host[0] - before.copies_to_host[0], 1);
    output.sync();
    EXPECT_EQ(record().copies_to_host[0] - before.copies_to_host[0], 1);
    for (size_t bytes : record().allocation_bytes) {
        EXPECT_EQ(bytes % 256, 0u);
    }
}

TEST_F(CudaDriver, DevicesAreToldApart) {
    const std::vector<DeviceInfo> &found = devices(Backend::cuda);
    ASSERT_EQ(found.size(), 3u);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(found[i].device.str(), "cuda:" + std::to_string(i));
        EXPECT_EQ(found[i].name, "Fake GPU " + std::to_string(i));
        EXPECT_EQ(found[i].memory, (uint64_t)(i + 1) << 30);
        EXPECT_EQ(found[i].units, 100 + i);
        EXPECT_EQ(found[i].driver.rfind("CUDA 12.4", 0), 0u) << found[i].driver;
        EXPECT_TRUE(found[i].is_gpu);
    }
    EXPECT_TRUE(found[0].usable);
    EXPECT_TRUE(found[1].usable);
    EXPECT_EQ(found[1].capability, "8.0");
    EXPECT_FALSE(found[2].usable);
    EXPECT_NE(found[2].why_not.find("7.0"), std::string::npos) << found[2].why_not;

    EXPECT_EQ(best_device(), first);
    EXPECT_EQ(Device::parse("cuda"), first);
    EXPECT_EQ(Device::parse("cuda:1"), second);
}

// Kernels get the first cap that is meant for them: as in PTX, between their parameters and their body.
TEST_F(CudaDriver, RegisterCapsReachTheDriver) {
    const std::string before = ".version 7.0\n.visible .entry _kernel_tails_s0(\n\t.param .u64 "
                               "p0\n)\n.maxntid 64, 1, 1\n{\n\tret;\n}\n"
                               ".visible .entry _kernel_out_s0()\n{\n\tret;\n}\n";
    void *context = nullptr, *module = nullptr;
    driver::Current current(first);
    ASSERT_EQ(halide_cuda_acquire_context(nullptr, &context, true), 0);
    const auto push = symbol<int(void *)>("cuCtxPushCurrent_v2");
    const auto pop = symbol<int(void **)>("cuCtxPopCurrent_v2");
    const auto load = symbol<int(void **, const void *, unsigned, int *, void **)>("cuModuleLoadDataEx");
    ASSERT_EQ(push(context), 0);
    const auto loaded = [&](const std::vector<Variant::RegisterCap> &caps) {
        Variant variant{};
        variant.register_caps = caps;
        const driver::ScopedValue here(driver::this_thread.variant, &variant);
        EXPECT_EQ(load(&module, before.c_str(), 0, nullptr, nullptr), 0);
        return record().module_text.back();
    };
    EXPECT_EQ(loaded({}), with_early_starts(before, 90));
    const std::string tails = loaded({{"tails", 168}});
    EXPECT_NE(tails.find(".maxntid 64, 1, 1\n.maxnreg 168\n{"), std::string::npos) << tails;
    EXPECT_NE(tails.find("_kernel_out_s0()\n{"), std::string::npos) << tails;
    const std::string both = loaded({{"tails", 168}, {"", 96}});
    EXPECT_NE(both.find(".maxntid 64, 1, 1\n.maxnreg 168\n{"), std::string::npos) << both;
    EXPECT_NE(both.find("_kernel_out_s0()\n.maxnreg 96\n{"), std::string::npos) << both;
    EXPECT_EQ(load(&module, before.c_str(), 0, nullptr, nullptr), 0);
    EXPECT_EQ(record().module_text.back(), with_early_starts(before, 90)) << "the caps end with their scope";
    pop(&context);
}

// Of calls that are not understood Halide is told, and the driver gets nothing.
TEST_F(CudaDriver, TensorProductsReachTheDriverAsInstructions) {
    const TensorProduct product{8, 8};
    std::string call = "\t{ // callseq 0, 0\n";
    for (int i = 0; i < product.words_of_a() + 2; i++) {
        call += "\tst.param.b32 \t[param" + std::to_string(i) + "], %f" + std::to_string(i) + ";\n";
    }
    call += "\tcall.uni (retval0), " + product.function(0) +
            ", (param0);\n\tld.param.b32 \t%f20, [retval0];\n\t} // callseq 0\n";
    const std::string begin = ".version 7.0\n.target sm_80\n.visible .entry _kernel_out_s0()\n{\n",
                      loads = "\tld.shared.b32 \t%f8, [%rd1];\n\tld.shared.b32 \t%f9, [%rd1+128];\n",
                      end = "\tret;\n}\n";
    void *context = nullptr, *module = nullptr;
    driver::Current current(first);
    prepare_halide();
    ASSERT_EQ(halide_cuda_acquire_context(nullptr, &context, true), 0);
    const auto push = symbol<int(void *)>("cuCtxPushCurrent_v2");
    const auto pop = symbol<int(void **)>("cuCtxPopCurrent_v2");
    const auto load = symbol<int(void **, const void *, unsigned, int *, void **)>("cuModuleLoadDataEx");
    ASSERT_EQ(push(context), 0);
    EXPECT_EQ(load(&module, (begin + loads + call + end).c_str(), 0, nullptr, nullptr), 0);
    const std::string text = record().module_text.back();
    EXPECT_NE(text.find("wgmma.mma_async"), std::string::npos) << text;
    EXPECT_EQ(load(&module, (begin + call + end).c_str(), 0, nullptr, nullptr), 218) << "an invalid PTX";
    EXPECT_TRUE(halide_spoke());
    EXPECT_EQ(record().module_text.back(), text);
    pop(&context);
}

TEST_F(CudaDriver, CallsGoToTheDeviceThatWasAskedFor) {
    ASSERT_TRUE(any.op);
    for (int index : {1, 0}) {
        const fake_cuda::Record before = record();
        any.run({Backend::cuda, index});
        ASSERT_GT(record().launches.size(), before.launches.size());
        for (size_t i = before.launches.size(); i < record().launches.size(); i++) {
            EXPECT_EQ(record().launches[i].device, index);
        }
        for (size_t i = before.module_device.size(); i < record().module_device.size(); i++) {
            EXPECT_EQ(record().module_device[i], index);
        }
        EXPECT_EQ(record().allocations[1 - index], before.allocations[1 - index]);
        EXPECT_EQ(record().copies_to_device[1 - index], before.copies_to_device[1 - index]);
    }
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(record().contexts[i], 1) << "the primary context is taken once";
    }
}

TEST_F(CudaDriver, NoKernelIsHeldTo64Registers) {
    ASSERT_TRUE(any.op);
    any.run(first);
    ASSERT_FALSE(record().module_options.empty());
    for (const auto &options : record().module_options) {
        EXPECT_EQ(std::count(options.begin(), options.end(), 0), 0);
    }
}

TEST_F(CudaDriver, OtherModuleOptionsStay) {
    driver::Current current(second);
    void *context = nullptr, *module = nullptr;
    ASSERT_EQ(halide_cuda_acquire_context(nullptr, &context, true), 0);
    ASSERT_EQ(symbol<int(void *)>("cuCtxPushCurrent_v2")(context), 0);
    int options[] = {7, 0, 9};
    void *values[] = {nullptr, (void *)64, nullptr};
    ASSERT_EQ((symbol<int(void **, const void *, unsigned, int *, void **)>("cuModuleLoadDataEx")(
                  &module, ".version 7.0", 3, options, values)),
        0);
    EXPECT_EQ(record().module_options.back(), (std::vector<int>{7, 9}));
    symbol<int(void **)>("cuCtxPopCurrent_v2")(&context);
}

TEST_F(CudaDriver, KernelsMayUseMoreThan48KbOfSharedMemory) {
    driver::Current current(second);
    void *context = nullptr, *module = nullptr, *kernel = nullptr;
    ASSERT_EQ(halide_cuda_acquire_context(nullptr, &context, true), 0);
    ASSERT_EQ(symbol<int(void *)>("cuCtxPushCurrent_v2")(context), 0);
    ASSERT_EQ((symbol<int(void **, const void *, unsigned, int *, void **)>("cuModuleLoadDataEx")(
                  &module, ".version 7.0", 0, nullptr, nullptr)),
        0);
    ASSERT_EQ(
        (symbol<int(void **, void *, const char *)>("cuModuleGetFunction")(&kernel, module, "kernel")), 0);
    auto launch = [&](unsigned shared) {
        using Launch = int(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
            void *, void **, void **);
        return symbol<Launch>("cuLaunchKernel")(kernel, 2, 1, 1, 64, 4, 1, shared, nullptr, nullptr, nullptr);
    };
    const Counters before = counters();
    const fake_cuda::Record recorded = record();
    EXPECT_EQ(launch(48 * 1024), 0);
    EXPECT_EQ(record().shared_limits, recorded.shared_limits) << "nothing to ask for up to 48 KB";
    EXPECT_EQ(launch(100 * 1024), 0);
    ASSERT_EQ(record().shared_limits.size(), recorded.shared_limits.size() + 1);
    EXPECT_EQ(record().shared_limits.back(), 100 * 1024);
    EXPECT_EQ(record().launches.back().shared_bytes, 100u * 1024);
    EXPECT_EQ(counters().kernels - before.kernels, 2u);
    EXPECT_GE(counters().largest_block, 256u);
    symbol<int(void **)>("cuCtxPopCurrent_v2")(&context);
}

TEST_F(CudaDriver, AnArrayMovesBetweenDevices) {
    Array array(Type::u16, {33, 65});
    for (int i = 0; i < 65; i++) {
        array.as<uint16_t>()[i] = (uint16_t)(1000 + i);
    }
    const fake_cuda::Record before = record();
    array.sync(first);
    array.sync(second);
    array.sync(first);
    EXPECT_EQ(record().copies_to_device[0] - before.copies_to_device[0], 2);
    EXPECT_EQ(record().copies_to_device[1] - before.copies_to_device[1], 1);
    EXPECT_EQ(record().copies_to_host, before.copies_to_host) << "the host had the newest copy all the time";
    EXPECT_EQ(array.at<uint16_t>({0, 64}), 1064);
}

TEST_F(CudaDriver, WhatIsKeptHasABound) {
    Array(Type::u8, {3, 1 << 18}).sync(second);
    const auto before = record().bytes_held;
    for (int64_t rows = 1; rows < 60; rows++) {
        Array(Type::u8, {rows, 1 << 18}).sync(first);
        EXPECT_LE(record().bytes_held[0], (size_t(1) << 30) / 8);
    }
    EXPECT_GT(record().bytes_held[0], size_t(100) << 20) << "up to an eighth of the device's memory is kept";
    EXPECT_EQ(record().bytes_held[1], before[1]) << "the other device has a bound of its own";
    trim_device_memory();
    EXPECT_EQ(record().bytes_held[0], 0u);
    EXPECT_EQ(record().bytes_held[1], 0u);
}

TEST_F(CudaDriver, MemoryThatIsKeptServesWhereTheDeviceHasNoMore) {
    Array(Type::u8, {50, 1 << 18}).sync(first);  // and is gone
    const int released = record().released[0];
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    const auto refuse_memory = reinterpret_cast<void (*)(bool)>(dlsym(library, "fake_cuda_refuse_memory"));
    refuse_memory(true);
    EXPECT_NO_THROW(Array(Type::u8, {50, 1 << 18}).sync(first)) << "the same size again";
    EXPECT_THROW(Array(Type::u8, {51, 1 << 18}).sync(first), Error);
    refuse_memory(false);
    EXPECT_GT(record().released[0], released) << "what was kept is given back before that is said";
}

TEST_F(CudaDriver, TwoThreadsShareAnInputOnTwoDevices) {
    ASSERT_TRUE(any.op);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) {
        threads.emplace_back([&, i] {
            for (int n = 0; n < 50; n++) {
                any.run({Backend::cuda, i % 2});
            }
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(record().contexts[0], 1);
    EXPECT_EQ(record().contexts[1], 1);
}

TEST_F(CudaDriver, ResultsForPartsOfACallersMemoryLeaveTheRestAlone) {
    const Operator *op = nullptr;
    for (const Operator *o : operators()) {
        op = o->name() == "invert" ? o : op;
    }
    if (!op) {
        GTEST_SKIP() << "not run here: invert was not built";
    }
    constexpr int n = 48;
    std::vector<uint8_t> memory(n * 2 * n, 7);
    Array left = Array::view(Type::u8, memory.data(), {n, n}, {2 * n, 1}),
          right = Array::view(Type::u8, memory.data() + n, {n, n}, {2 * n, 1});
    const Array input(Type::u8, {n, n});
    (*op)({&input, 1}, left, {}, {.device = first});
    for (int i = 0; i < n; i++) {
        memset(memory.data() + i * 2 * n + n, 9, n);  // the caller writes beside it meanwhile
    }
    left.sync();
    (*op)({&input, 1}, right, {}, {.device = first});
    for (int i = 0; i < n; i++) {
        memset(memory.data() + i * 2 * n, 5, n);
    }
    for (int i = 0; i < n * n; i++) {
        ASSERT_EQ(memory[i / n * 2 * n + n + i % n], 9) << i;
    }
    right.sync();
    for (int i = 0; i < n * n; i++) {
        ASSERT_EQ(memory[i / n * 2 * n + i % n], 5) << i;
    }
}

TEST_F(CudaDriver, TimingAsksTheDevicesEvents) {
    EXPECT_DOUBLE_EQ(device_time_ms(second, [] {}), 1.5);
    EXPECT_THROW(device_time_ms(second, [] { throw std::runtime_error("stop"); }), std::runtime_error);
    int device = 0;
    EXPECT_NE(symbol<int(int *)>("cuCtxGetDevice")(&device), 0) << "a context was left behind";
}

// What a process meets at its first call is met in a process of its own.
TEST(CudaFaultDeathTest, ADriverThatDoesNotStartIsListedWithTheReason) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    auto check = [](const char *code, const char *words) {
        setenv("FAKE_CUDA_INIT", code, 1);
        EXPECT_EXIT(
            {
                const DeviceInfo &d = devices(Backend::cuda).front();
                exit(!d.usable && d.why_not.find(words) != std::string::npos ? 0 : 1);
            },
            testing::ExitedWithCode(0), "");
        unsetenv("FAKE_CUDA_INIT");
    };
    check("999", "CUDA_ERROR_UNKNOWN");
    check("100", "sees no GPU");
}

TEST(CudaFaultDeathTest, ListingMakesNoContext) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            const bool good = devices(Backend::cuda).size() == 3 && Device::parse("cuda:1") == second &&
                              device_info(first).usable && best_device() == first;
            exit(good && record().contexts == decltype(record().contexts){} ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

namespace {

// Whether each use of a device is this fault, and says that no context can be made.
bool no_context_anywhere(Fault fault) {
    Array array(Type::u8, {4, 4});
    const AnyOperator any(Backend::cuda);
    const std::function<void()> uses[] = {
        [&] { any.run(first); }, [&] { array.sync(first); }, [] { synchronize(first); }};
    for (const auto &use : uses) {
        const Error error = error_of(use);
        const std::string line = error.what();
        if (error.fault() != fault || line.find("no context can be made") == std::string::npos ||
            line.find("cuda:0") == std::string::npos) {
            fprintf(stderr, "%s\n", line.c_str());
            return false;
        }
    }
    return true;
}

}  // namespace

TEST(CudaFaultDeathTest, AContextThatCannotBeMadeIsAnErrorOfTheFirstCall) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const auto &[code, fault] : {std::pair("999", Fault::device), {"2", Fault::memory}}) {
        setenv("FAKE_CUDA_CONTEXT", code, 1);
        EXPECT_EXIT(exit(no_context_anywhere(fault) ? 0 : 1), testing::ExitedWithCode(0), "") << code;
        unsetenv("FAKE_CUDA_CONTEXT");
    }
}

TEST_F(CudaDriver, NoDeviceMemoryIsAMemoryFault) {
    ASSERT_TRUE(any.op);
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    const auto refuse_memory = reinterpret_cast<void (*)(bool)>(dlsym(library, "fake_cuda_refuse_memory"));
    Array array(Type::u8, {1234, 567});  // of a size that no other test leaves behind
    refuse_memory(true);
    const Error error = error_of([&] { array.sync(first); });
    refuse_memory(false);
    EXPECT_EQ(error.fault(), Fault::memory) << error.what();
    EXPECT_NE(std::string(error.what()).find("cuda:0"), std::string::npos) << error.what();
    array.sync(first);
}

}  // namespace tilewright
