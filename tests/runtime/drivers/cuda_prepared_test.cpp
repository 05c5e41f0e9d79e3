// Prepared calls and calls by the plan of an earlier one, against the fake libcuda.so.1: what is launched.
// Long because both are tested with the same operator.
#include "runtime/arrays/storage.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/memory/memory_pool.h"
#include "tests/runtime/drivers/any_operator.h"
#include "tests/runtime/drivers/fakes/fakes.h"
#include "tests/support/counted_form.h"
#include "tests/support/image_library.h"
#include "tilewright/generated.h"
#include "tilewright/launches.h"
#include "tilewright/prepared.h"
#include "tilewright/stream.h"
#include <algorithm>
#include <optional>
#include <thread>

namespace tilewright {

namespace {

using fake_cuda::record;
using fake_cuda::Record;

const Device first{Backend::cuda, 0}, second{Backend::cuda, 1};

class CudaPrepared : public testing::Test {
protected:
    void SetUp() override {
        devices(Backend::cuda);
        record();
        if (!op) {
            GTEST_SKIP() << "not run here: fft2d was not built for CUDA";
        }
    }
    void TearDown() override {
        EXPECT_EQ(record().wrong_context, 0);
    }
    Prepared prepare(std::span<const Array> inputs, Array &output, Device device = first) const {
        return op->prepare(inputs, output, {}, {.device = device});
    }
    const Operator *const op = built_operator("fft2d");  // two kernels, and an array between them
    const Array field{Type::c64, {64, 64}};
};

uint64_t address_of(const Array &array) {
    return array.storage()->flat().device;
}

// Whether a kernel of the launch gets an address in the array.
bool gets(const fake_cuda::GraphLaunch &launch, const Array &array) {
    return std::ranges::any_of(launch.kernels, [&](const std::vector<uint64_t> &words) {
        return std::ranges::any_of(
            words, [&](uint64_t word) { return word - address_of(array) < array.storage()->bytes(); });
    });
}

int failures = 0;

// An operator whose plans are counted, and whose library does nothing, or fails so often.
const Operator &counted() {
    static constexpr CountedForm form("generated");
    static const auto &variants = *new std::vector{generated_variant(
        "counted", "tuned", "u8", Backend::cuda,
        [](void **) { return failures-- > 0 ? (int)halide_error_code_out_of_memory : 0; }, image_to_image)};
    static const auto &op = *new ImageOperator("counted", "a test's", variants, {&form});
    return op;
}

// How many plans a call makes.
int plans_of_call(const Array &image, const Call &how, Array output = {}) {
    const int before = CountedForm::planned;
    counted()({&image, 1}, output, {}, how);
    return CountedForm::planned - before;
}

}  // namespace

TEST_F(CudaPrepared, AllKernelsAreOneLaunch) {
    Array output;
    Statistics statistics;
    (*op)({&field, 1}, output, {}, {.device = first, .statistics = &statistics});
    Prepared prepared = prepare({&field, 1}, output);
    ASSERT_TRUE(prepared.is_one_launch());
    const fake_cuda::Record before = record();
    const Counters counted = counters();
    prepared();
    EXPECT_EQ(record().launches.size(), before.launches.size());
    ASSERT_EQ(record().graph_launches.size(), before.graph_launches.size() + 1);
    const fake_cuda::GraphLaunch &launch = record().graph_launches.back();
    EXPECT_EQ(launch.kernels.size(), statistics.counters.kernels);
    EXPECT_EQ(launch.lanes, 1) << "each kernel waits for the one before";
    EXPECT_EQ((counters() - counted).kernels, statistics.counters.kernels);
    EXPECT_EQ(launch.stream, nullptr);
    EXPECT_TRUE(gets(launch, field));
    EXPECT_TRUE(gets(launch, output));
    EXPECT_EQ(record().changed_nodes, before.changed_nodes) << "the same arrays";
    EXPECT_EQ(record().stream_waits, before.stream_waits) << "it returns at once";
    EXPECT_EQ(record().copies_to_device, before.copies_to_device);
    EXPECT_EQ(output.newest_on(), first);
}

// The first device has compute capability 9.0, and the second one 8.0.
TEST_F(CudaPrepared, KernelsStartEarlyWhereTheDeviceAndItsDriverLetThem) {
    const auto early = [&](Device device) {
        Array output;
        Prepared prepared = op->prepare({&field, 1}, output, {}, {.device = device});
        prepared();
        const fake_cuda::GraphLaunch &launch = record().graph_launches.back();
        EXPECT_GT(launch.kernels.size(), 1u);
        EXPECT_EQ(launch.lanes, 1) << "each kernel waits for the one before";
        return launch.early == 0 ? "none" : launch.early + 1 == (int)launch.kernels.size() ? "all" : "some";
    };
    EXPECT_STREQ(early(first), "all");
    EXPECT_STREQ(early(second), "none");
    setenv("FAKE_CUDA_NO_EARLY_STARTS", "1", 1);
    EXPECT_STREQ(early(first), "none");
    unsetenv("FAKE_CUDA_NO_EARLY_STARTS");
}

// Rows are paired and their spectra split on the device, before and behind the two passes.
TEST_F(CudaPrepared, RealValuesOfOddWidthsAreOneLaunch) {
    const Array values(Type::f32, {9, 15});
    Array spectrum, back;
    const Settings half{{"half", std::string("yes")}},
        inverse{{"half", std::string("yes")}, {"direction", std::string("inverse")}, {"width", 15.0}};
    const auto expect_one_launch = [&](const Array &input, Array &output, const Settings &settings) {
        Prepared prepared = op->prepare({&input, 1}, output, settings, {.device = first});
        ASSERT_TRUE(prepared.is_one_launch());
        prepared();
        EXPECT_EQ(record().graph_launches.back().kernels.size(), 4u);
    };
    expect_one_launch(values, spectrum, half);
    expect_one_launch(spectrum, back, inverse);
}

TEST_F(CudaPrepared, KernelsGetTheAddressesOfOtherArrays) {
    const Array other(Type::c64, {64, 64});
    Array output, other_output;
    Prepared prepared = prepare({&field, 1}, output);
    prepared({&other, 1}, other_output);
    const fake_cuda::GraphLaunch others = record().graph_launches.back();
    EXPECT_TRUE(gets(others, other));
    EXPECT_TRUE(gets(others, other_output));
    EXPECT_FALSE(gets(others, field));
    EXPECT_FALSE(gets(others, output));
    EXPECT_EQ(other_output.newest_on(), first);
    const int changed = record().changed_nodes;
    prepared({&other, 1}, other_output);
    EXPECT_EQ(record().changed_nodes, changed) << "what stays is not set again";
}

// Parts of one image begin at other places in the same memory.
TEST_F(CudaPrepared, KernelsGetTheAddressesOfTiles) {
    const Array image(Type::c64, {256, 256});
    const auto tile = [&](int64_t y, int64_t x) { return image.crop(y, x, 64, 64); };
    const auto begins_at = [](const fake_cuda::GraphLaunch &launch, const Array &array) {
        const uint64_t begin = address_of(array) + (uint64_t)array.offset_bytes();
        return std::ranges::any_of(launch.kernels,
            [&](const std::vector<uint64_t> &words) { return std::ranges::count(words, begin) > 0; });
    };
    Array output;
    const Array one = tile(0, 64), other = tile(128, 192);
    Prepared prepared = prepare({&one, 1}, output);
    prepared();
    EXPECT_TRUE(begins_at(record().graph_launches.back(), one));
    prepared({&other, 1}, output);
    EXPECT_TRUE(begins_at(record().graph_launches.back(), other));
    EXPECT_FALSE(begins_at(record().graph_launches.back(), one));
}

// The memory of an array is another one after it was elsewhere, and the host's writes are sent.
TEST_F(CudaPrepared, AnArrayMayMove) {
    Array output, image = field.clone();
    Prepared prepared = prepare({&image, 1}, output);
    const uint64_t before = address_of(image);
    image.sync(second);
    const Array in_its_place = image.clone();
    in_its_place.sync(first);
    const auto copies = record().copies_to_device;
    prepared();
    EXPECT_EQ(record().copies_to_device[0], copies[0] + 1);
    EXPECT_NE(address_of(image), before);
    EXPECT_TRUE(gets(record().graph_launches.back(), image));
    image.data();
    prepared();
    EXPECT_EQ(record().copies_to_device[0], copies[0] + 2);
    prepared();
    EXPECT_EQ(record().copies_to_device[0], copies[0] + 2);
}

TEST_F(CudaPrepared, MemoryIsKeptAndGivenBack) {
    const Operator *recursive = built_operator("recursive_gaussian");
    if (!recursive) {
        GTEST_SKIP() << "not run here: recursive_gaussian was not built";
    }
    const Array image(Type::f32, {300, 300});
    const Settings settings{{"sigma", 5.0}};
    Array output, other;
    (*recursive)({&image, 1}, output, settings, {.device = first});
    const int graphs = record().graphs;
    {
        Prepared prepared = recursive->prepare({&image, 1}, output, settings, {.device = first});
        ASSERT_TRUE(prepared.is_one_launch());
        EXPECT_EQ(record().graphs, graphs + 1);
        // A call beside it must not get the memory in which the graph's kernels work.
        const auto is_kept = [&](const Array &array) { return gets(record().graph_launches.back(), array); };
        prepared();
        for (int64_t side : {300, 301, 304}) {
            const Array beside(Type::f32, {side, side});
            beside.sync(first);
            EXPECT_FALSE(is_kept(beside)) << side;
        }
        Prepared moved = std::move(prepared);
        moved();
    }
    EXPECT_EQ(record().graphs, graphs);
    output = other = Array();
    image.sync(second);
    trim_device_memory();
    // Tables that the operator keeps are left, and nothing of the size of the image.
    EXPECT_LT(record().bytes_held[0], 300u * 300 * 4);
}

TEST_F(CudaPrepared, ADriverWithoutGraphsRunsThePlan) {
    Array output;
    for (const char *const lacks : {"FAKE_CUDA_NO_GRAPHS", "FAKE_CUDA_SILENT", "FAKE_CUDA_ONE_ARGUMENT"}) {
        setenv(lacks, "1", 1);
        Prepared prepared = prepare({&field, 1}, output);
        unsetenv(lacks);
        EXPECT_FALSE(prepared.is_one_launch());
        const fake_cuda::Record before = record();
        prepared();
        EXPECT_GT(record().launches.size(), before.launches.size());
        EXPECT_EQ(record().graph_launches.size(), before.graph_launches.size());
        EXPECT_EQ(output.newest_on(), first);
    }
}

TEST_F(CudaPrepared, ARecordingSeesTheKernels) {
    Array output;
    Prepared prepared = prepare({&field, 1}, output);
    LaunchRecording recording;
    prepared();
    size_t kernels = 0;
    for (const LibraryRun &run : recording.take()) {
        kernels += run.kernels.size();
    }
    EXPECT_GE(kernels, 2u);
}

TEST_F(CudaPrepared, ArraysOfAnotherDeviceAreRefused) {
    Array output, owner = field.clone(0);
    Prepared prepared = prepare({&field, 1}, output);
    owner.sync(second);
    const Array elsewhere = Array::wrap(Type::c64, second, address_of(owner), {64, 64});
    const std::string words =
        expect_error(Fault::usage, "another library's memory", [&] { prepared({&elsewhere, 1}, output); });
    EXPECT_EQ(words, error_of([&] { (*op)({&elsewhere, 1}, output, {}, {.device = first}); }).what());
}

TEST_F(CudaPrepared, MemoryOfAnotherLibraryIsUsedInPlace) {
    Array owner = field.clone(0), other_owner = field.clone(0), output;
    owner.sync(first);
    other_owner.sync(first);
    const Array wrapped = Array::wrap(Type::c64, first, address_of(owner), {64, 64}),
                other = Array::wrap(Type::c64, first, address_of(other_owner), {64, 64});
    Prepared prepared = prepare({&wrapped, 1}, output);
    const size_t before = record().graph_launches.size();
    prepared({&other, 1}, output);
    ASSERT_EQ(record().graph_launches.size(), before + 1);
    EXPECT_TRUE(gets(record().graph_launches.back(), other));
    EXPECT_FALSE(gets(record().graph_launches.back(), wrapped));
}

// Addresses do not tell such arrays from each other, and a later call may have two.
TEST_F(CudaPrepared, ArraysThatWrapTheSameMemoryAreNoOneLaunch) {
    const Operator *matmul = built_operator("matmul");
    if (!matmul) {
        GTEST_SKIP() << "not run here: matmul was not built";
    }
    const Array owner(Type::f32, {64, 64});
    owner.sync(first);
    const auto wrap = [&] { return Array::wrap(Type::f32, first, address_of(owner), {64, 64}); };
    Array output;
    const std::vector<Array> same = {wrap(), wrap()}, apart = {wrap(), Array(Type::f32, {64, 64})};
    EXPECT_FALSE(matmul->prepare(same, output, {}, {.device = first}).is_one_launch());
    EXPECT_TRUE(matmul->prepare(apart, output, {}, {.device = first}).is_one_launch());
}

// A kernel gets the address of each factor twice: as its own argument, and in the map for copies of boxes.
TEST(CudaMaps, HaveTheAddressesOfTheCall) {
    devices(Backend::cuda);
    const Operator *matmul = built_operator("matmul");
    if (!matmul) {
        GTEST_SKIP() << "not run here: matmul was not built";
    }
    const auto factor = [] { return Array(Type::f16, {64, 64}); };
    const std::vector<Array> first_ones = {factor(), factor()}, others = {factor(), factor()};
    Array output;
    Prepared prepared =
        matmul->prepare(first_ones, output, {}, {.device = first, .schedule = "tuned_tensor_whole"});
    ASSERT_TRUE(prepared.is_one_launch());
    prepared(others, output);
    const std::vector<uint64_t> &words = record().graph_launches.back().kernels.at(0);
    for (size_t i = 0; i < others.size(); i++) {
        EXPECT_EQ(std::ranges::count(words, address_of(others[i])), 2);
        EXPECT_EQ(std::ranges::count(words, address_of(first_ones[i])), 0);
    }
    EXPECT_EQ(std::ranges::count(words, address_of(output)), 2);
}

// Each thread of a stream prepares what it is given again and again, and launches it in its own queue.
TEST_F(CudaPrepared, StreamsLaunchInTheirQueues) {
    const size_t before = record().graph_launches.size();
    {
        Stream stream(first, 2);
        for (int i = 0; i < 12; i++) {
            const Array result = stream.start(*op, {field.clone()}).get();
            EXPECT_EQ(record().locked.count(result.data()), 1u) << "results of streams are page-locked";
        }
    }
    ASSERT_GE(record().graph_launches.size(), before + 8);
    EXPECT_NE(record().graph_launches.back().stream, nullptr);
}

// The kernels of one image work on all of them: with the bytes from one image to the next.
TEST_F(CudaPrepared, ManyImagesAreTheKernelsOfOne) {
    const Array fields(Type::c64, {3, 5, 64, 64}), others(Type::c64, {3, 5, 64, 64});
    Array one, output;
    Statistics statistics;
    (*op)({&field, 1}, one, {}, {.device = first, .statistics = &statistics});
    const Record before = record();
    const Call how{.device = first, .layout = "nthw"};
    Prepared prepared = op->prepare({&fields, 1}, output, {}, how);
    ASSERT_TRUE(prepared.is_one_launch());
    EXPECT_EQ(record().copies_to_device[0] - before.copies_to_device[0], 1) << "of the input alone";
    EXPECT_LE(record().allocations[0] - before.allocations[0], 2 + 5);
    prepared({&others, 1}, output);
    ASSERT_EQ(record().graph_launches.size(), before.graph_launches.size() + 1);
    const fake_cuda::GraphLaunch &launch = record().graph_launches.back();
    EXPECT_EQ(launch.kernels.size(), statistics.counters.kernels);
    EXPECT_TRUE(gets(launch, others));
    EXPECT_TRUE(gets(launch, output));
    EXPECT_FALSE(gets(launch, fields));
    for (const std::vector<uint64_t> &words : launch.kernels) {
        EXPECT_GE(std::ranges::count(words, 64 * 64 * 8), 1);
    }
    const auto &launches = record().launches;
    ASSERT_EQ(launches.size() - before.launches.size(), 2 * launch.kernels.size()) << "a call, and to record";
    for (size_t i = before.launches.size(); i < launches.size(); i++) {
        EXPECT_EQ(launches[i].grid[2], 15u);
    }
}

// Between the first axes there are other distances.
TEST_F(CudaPrepared, ImagesThatFollowEachOtherAreLaunchedTogether) {
    const Array fields(Type::c64, {3, 5, 64, 64}, 5 * 64 * 64 * 8 + 64);
    Array output;
    const size_t before = record().launches.size();
    (*op)({&fields, 1}, output, {}, {.device = first, .layout = "nthw"});
    ASSERT_EQ((record().launches.size() - before) % 3, 0u);  // the three groups of five, one kernel or more
    ASSERT_GT(record().launches.size(), before);
    for (size_t i = before; i < record().launches.size(); i++) {
        EXPECT_EQ(record().launches[i].grid[2], 5u);
    }
}

TEST_F(CudaPrepared, WithoutMemoryItIsTheErrorOfTheCall) {
    Array output;
    Prepared prepared = prepare({&field, 1}, output);
    const auto refuse_memory =
        reinterpret_cast<void (*)(bool)>(fake_cuda::exported("fake_cuda_refuse_memory"));
    const Array unseen(Type::c64, {64, 64});
    trim_device_memory();
    refuse_memory(true);
    Array none;
    EXPECT_EQ(error_of([&] { prepared({&unseen, 1}, none); }).fault(), Fault::memory);
    EXPECT_TRUE(none.empty());
    refuse_memory(false);
    EXPECT_NO_THROW(prepared({&unseen, 1}, none));
}

TEST(CudaKeptCalls, TheSecondCallKeepsItsPlan) {
    const Array image(Type::u8, {8, 8}), other(Type::u8, {8, 8}), larger(Type::u8, {8, 16});
    EXPECT_EQ(plans_of_call(image, {.device = first}), 1);
    EXPECT_EQ(plans_of_call(larger, {.device = first}), 1);
    EXPECT_EQ(plans_of_call(image, {.device = first}), 2) << "one of them is kept";
    EXPECT_EQ(plans_of_call(other, {.device = first}), 0);
    EXPECT_EQ(plans_of_call(other, {.device = first}, Array(Type::u8, {8, 8}, 9)), 1) << "other rows";
    EXPECT_EQ(plans_of_call(other, {.device = second}), 1) << "another device";
    EXPECT_EQ(plans_of_call(image, {.device = first, .progress = [](double) { return true; }}), 1);
}

TEST(CudaKeptCalls, WithoutADeviceThePlanIsForArraysThatAreThere) {
    const Array image(Type::u8, {8, 24});
    image.sync(first);
    EXPECT_EQ(plans_of_call(image, {}) + plans_of_call(image, {}) + plans_of_call(image, {}), 3);
    EXPECT_EQ(plans_of_call(Array(Type::u8, {8, 24}), {}), 1);
}

TEST(CudaKeptCalls, TrimmingLetsPlansGo) {
    const Array image(Type::u8, {8, 40});
    EXPECT_EQ(plans_of_call(image, {.device = first}) + plans_of_call(image, {.device = first}), 3);
    EXPECT_EQ(plans_of_call(image, {.device = first}), 0);
    trim_device_memory();
    EXPECT_EQ(plans_of_call(image, {.device = first}), 1) << "as if it were the first";
}

TEST(CudaKeptCalls, WithoutMemoryTheCallIsPlannedAgain) {
    const Array image(Type::u8, {8, 32});
    EXPECT_EQ(plans_of_call(image, {.device = first}) + plans_of_call(image, {.device = first}), 3);
    failures = 1;
    EXPECT_EQ(plans_of_call(image, {.device = first}), 1) << "as if it were the first";
    EXPECT_EQ(plans_of_call(image, {.device = first}), 2);
    EXPECT_EQ(plans_of_call(image, {.device = first}), 0);
    failures = 2;
    expect_error(Fault::memory, "out of memory", [&] { plans_of_call(image, {.device = first}); });
}

TEST_F(CudaPrepared, MemoryOfAGraphIsTakenInAThreadWithoutAContext) {
    const AnyOperator any(Backend::cuda);
    for (int i = 0; i < 5; i++) {
        any.run(first);
    }
    driver::cuda_memory().free_all();
    const size_t launched = record().graph_launches.size();
    std::thread([&] { any.run(first); }).join();
    EXPECT_EQ(record().graph_launches.size(), launched + 1);
}

TEST_F(CudaPrepared, CallsLikeEarlierOnesAreOneLaunchAndHoldNoMemory) {
    trim_device_memory();
    const int graphs = record().graphs;
    std::weak_ptr<Storage> input, result;
    std::optional<size_t> taken;
    for (int i = 0; i < 6; i++) {
        const fake_cuda::Record before = record();
        {
            const Array values(Type::f32, {9, 15});
            Array spectrum;
            (*op)({&values, 1}, spectrum, {{"half", std::string("yes")}}, {.device = first});
            input = values.storage();
            result = spectrum.storage();
        }
        EXPECT_TRUE(input.expired() && result.expired());
        const size_t now = driver::cuda_memory().use().taken;
        EXPECT_EQ(now, taken.value_or(now)) << "but for the tables, which the first call makes";
        taken = now;
        EXPECT_EQ(record().launches.size() - before.launches.size(), i < 3 ? 4u : 0u) << i;
        EXPECT_EQ(record().graph_launches.size() - before.graph_launches.size(), i < 3 ? 0u : 1u) << i;
    }
    EXPECT_EQ(record().graphs, graphs + 1);
    trim_device_memory();
    EXPECT_EQ(record().graphs, graphs);
}

}  // namespace tilewright
