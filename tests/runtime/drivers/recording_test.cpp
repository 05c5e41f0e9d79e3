// LaunchRecording (tilewright/launches.h) against the fake libcuda.so.1, and on the CPU: what is recorded of
// the libraries and kernels of a call, and what of a driver that says nothing.
#include "tests/runtime/drivers/any_operator.h"
#include "tilewright/launches.h"
#include "tilewright/timing.h"
#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace tilewright {

namespace {

const Device gpu{Backend::cuda, 0};

std::vector<LibraryRun> recorded(const AnyOperator &any, Device device, Statistics *statistics = nullptr) {
    LaunchRecording recording;
    any.run(device, statistics);
    return recording.take();
}

size_t kernels_of(const std::vector<LibraryRun> &runs) {
    size_t kernels = 0;
    for (const LibraryRun &run : runs) {
        kernels += run.kernels.size();
    }
    return kernels;
}

}  // namespace

// The first of these tests, because only a process's first call loads the modules.
TEST(Recording, HasEveryLibraryAndEveryKernelWithWhatTheDriverSays) {
    const AnyOperator any{Backend::cuda};
    ASSERT_TRUE(any.op);
    Statistics statistics;
    const std::vector<LibraryRun> runs = recorded(any, gpu, &statistics);
    ASSERT_EQ(runs.size(), statistics.libraries.size());
    EXPECT_EQ(kernels_of(runs), statistics.counters.kernels);
    for (size_t i = 0; i < runs.size(); i++) {
        EXPECT_EQ(runs[i].variant, statistics.libraries[i]);
        EXPECT_GT(runs[i].argument_bytes, 0u);
        EXPECT_TRUE(std::any_of(runs[i].arguments.begin(), runs[i].arguments.end(),
            [](const auto &argument) { return argument.first.find(".extent.0") != std::string::npos; }));
        ASSERT_FALSE(runs[i].kernels.empty());
        for (const KernelLaunch &kernel : runs[i].kernels) {
            EXPECT_FALSE(kernel.name.empty());
            EXPECT_EQ(kernel.ptx.find(".entry " + kernel.name + "("), 0u) << kernel.ptx;
            EXPECT_EQ(kernel.ptx.back(), '}');
            EXPECT_GT(kernel.blocks(), 0u);
            EXPECT_LE(kernel.threads_of_block(), 1024u);
            EXPECT_EQ(kernel.registers, 40);
            EXPECT_EQ(kernel.spill_bytes, 8);
            EXPECT_GE(kernel.shared_bytes.value_or(0), 16);
            EXPECT_EQ(kernel.ms, 1.5);
            EXPECT_EQ(kernel.blocks_per_unit, 1024 / (int64_t)kernel.threads_of_block());
            EXPECT_GT(kernel.occupancy().value_or(0), 0);
            EXPECT_LE(kernel.occupancy().value_or(2), .5) << "1024 of 2048 threads at most";
        }
    }
}

TEST(Recording, LeavesOpenWhatADriverDoesNotSay) {
    const AnyOperator any{Backend::cuda};
    ASSERT_TRUE(any.op);
    setenv("FAKE_CUDA_SILENT", "1", 1);
    const std::vector<LibraryRun> runs = recorded(any, gpu);
    unsetenv("FAKE_CUDA_SILENT");
    ASSERT_GT(kernels_of(runs), 0u);
    for (const LibraryRun &run : runs) {
        for (const KernelLaunch &kernel : run.kernels) {
            EXPECT_FALSE(kernel.name.empty());
            EXPECT_FALSE(kernel.registers);
            EXPECT_FALSE(kernel.spill_bytes);
            EXPECT_FALSE(kernel.occupancy());
        }
    }
}

TEST(Recording, IsOfItsOwnThreadAndLifetime) {
    const AnyOperator any{Backend::cuda};
    ASSERT_TRUE(any.op);
    LaunchRecording recording;
    EXPECT_THROW(LaunchRecording(), std::logic_error);
    std::thread([&] { any.run(gpu); }).join();
    EXPECT_TRUE(recording.take().empty());
    any.run(gpu);
    EXPECT_FALSE(recording.take().empty());
    EXPECT_TRUE(recording.take().empty()) << "what was taken is there no more";
}

TEST(Recording, OfTheCpuHasLibrariesWithoutKernels) {
    const AnyOperator any{Backend::cpu};
    ASSERT_TRUE(any.op);
    const std::vector<LibraryRun> runs = recorded(any, Device{});
    ASSERT_FALSE(runs.empty());
    EXPECT_EQ(kernels_of(runs), 0u);
    EXPECT_GT(runs.front().ms, 0);
}

TEST(CopyRate, IsMeasuredAndGivesItsMemoryBack) {
    constexpr size_t mebibyte = 1 << 20;
    // The fake's clock says 1.5 ms for any work: four copies, each of a mebibyte that is read and written.
    EXPECT_NEAR(copy_rate(gpu, mebibyte), 2. * mebibyte / (1.5e-3 / 4), 1);
    EXPECT_GT(copy_rate(Device{}, mebibyte), 0);
    const Counters before = counters();
    copy_rate(gpu, mebibyte);
    EXPECT_EQ(counters().allocations, before.allocations) << "the first one's memory is taken again";
}

}  // namespace tilewright
