// The limits of devices against the fake drivers: they are asked of the driver, and a variant that needs more
// than the device has is not chosen there.
#include "runtime/arrays/storage.h"
#include "runtime/devices/opencl/ptx_memory.h"
#include "runtime/dispatch/image_operator.h"
#include "tests/runtime/drivers/fakes/cuda_record.h"
#include "tests/runtime/drivers/fakes/opencl_record.h"
#include "tests/support/errors.h"
#include "tests/support/image_library.h"
#include "tests/support/operators.h"
#include "tilewright/generated.h"
#include <HalideRuntime.h>
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <utility>

namespace tilewright {

namespace {

const Device hopper{Backend::cuda, 0}, ampere{Backend::cuda, 1}, large{Backend::opencl, 5},
    small{Backend::opencl, fake_opencl::small}, nvidia{Backend::opencl, fake_opencl::nvidia};

int started = 0;

int count_start(void **) {
    started++;
    return 0;
}

Variant needing(const std::string &schedule, Backend backend, Variant::Needs needs) {
    Variant variant = generated_variant("picky", schedule, "u8", backend, count_start, image_to_image, needs);
    variant.family = schedule.substr(0, schedule.find('_'));
    return variant;
}

constexpr ImageForm form("generated");

// An operator with one variant per need. The family `tuned` has, besides, a variant that needs nothing.
const Operator &picky() {
    static const auto &variants = *new std::vector<Variant>([] {
        std::vector<Variant> all;
        for (const Backend backend : {Backend::cuda, Backend::opencl}) {
            all.push_back(needing("tuned_wide", backend, {.threads = 1024}));
            all.push_back(needing("tuned_any", backend, {.threads = 128, .shared_bytes = 8192}));
            all.push_back(needing("threads", backend, {.threads = 129}));
            all.push_back(needing("memory", backend, {.shared_bytes = 8193}));
            all.push_back(needing("doubles", backend, {.fp64 = true}));
            all.push_back(needing("textures", backend, {.images = true}));
            all.push_back(needing("halves", backend, {.half = true}));
            all.push_back(needing("new", backend, {.capability = 86}));
            all.push_back(needing("old", backend, {.capability = 75}));
            all.push_back(needing("hopper", backend, {.only_capability = 90}));
            all.push_back(needing("ampere", backend, {.only_capability = 80}));
            all.push_back(needing("most", backend, {.shared_bytes = 227 * 1024}));
            all.push_back(needing("ptx", backend, {.shared_bytes = 99 * 1024, .ptx = 80}));
            all.push_back(needing("more", backend, {.shared_bytes = 99 * 1024 + 1, .ptx = 80}));
            all.push_back(needing("newer", backend, {.shared_bytes = 48 * 1024 + 1, .ptx = 90}));
            all.push_back(needing("source", backend, {.shared_bytes = 48 * 1024 + 1}));
        }
        return all;
    }());
    static const auto &op = *new ImageOperator("picky", "a test's", variants, {&form});
    return op;
}

int find_no_memory(void **) {
    return halide_error_code_out_of_memory;
}

// Copies an image of at most three rows; for more it finds no memory.
int copy_three_rows(void **arguments) {
    const auto *image = static_cast<const halide_buffer_t *>(arguments[0]);
    const auto *output = static_cast<const halide_buffer_t *>(arguments[1]);
    const int rows = image->dim[1].extent;
    started += rows <= 3;
    for (int y = 0; rows <= 3 && image->host && y < rows; y++) {
        std::copy_n(image->host + y * image->dim[1].stride, image->dim[0].extent,
            output->host + y * output->dim[1].stride);
    }
    return rows <= 3 ? 0 : halide_error_code_out_of_memory;
}

// The variant that a call of the operator would run.
std::string chosen(Device device, const std::string &schedule) {
    const Array image(Type::u8, {8, 8});
    return picky().choose({&image, 1}, Array(Type::u8, {8, 8}), {}, schedule, device).schedule;
}

void expect_refusal(Device device, const std::string &schedule, const std::string &words) {
    const Error error = error_of([&] { chosen(device, schedule); });
    const std::string line = error.what();
    EXPECT_EQ(error.fault(), Fault::device) << line;
    EXPECT_NE(line.find(words), std::string::npos) << line;
    EXPECT_NE(line.find(device.str()), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
}

}  // namespace

TEST(DeviceLimits, AreAskedOfTheDriver) {
    for (const DeviceInfo &info : devices(Backend::opencl)) {
        const bool is_small = info.device == small;
        EXPECT_EQ(info.block_threads, is_small ? 128 : 1024) << info.device.str();
        EXPECT_EQ(info.block_memory, is_small ? 8192 : 49152) << info.device.str();
        EXPECT_EQ(info.images, !is_small) << info.device.str();
        EXPECT_EQ(info.fp64, !is_small && info.device.index != 2) << info.device.str();
        EXPECT_EQ(info.half, info.device.index == 3) << info.device.str();
    }
    const std::vector<DeviceInfo> &cuda = devices(Backend::cuda);
    ASSERT_EQ(cuda.size(), (size_t)fake_cuda::devices);
    EXPECT_EQ(cuda[0].block_threads, 1024);
    EXPECT_EQ(cuda[0].block_memory, 227 * 1024) << "with a request, as the hooks make it";
    EXPECT_EQ(cuda[1].block_memory, 163 * 1024);
    EXPECT_TRUE(cuda[0].fp64 && cuda[0].images && cuda[0].half);
}

TEST(DeviceLimits, AnotherVariantOfTheFamilyIsTaken) {
    EXPECT_EQ(chosen(large, "tuned"), "tuned_wide");
    EXPECT_EQ(chosen(small, "tuned"), "tuned_any") << "exactly what the device has";
    EXPECT_EQ(chosen(hopper, "tuned"), "tuned_wide");
}

TEST(DeviceLimits, WhereNoVariantIsLeftTheErrorSaysWhichLimit) {
    for (const char *schedule : {"threads", "memory", "doubles", "textures"}) {
        EXPECT_EQ(chosen(large, schedule), schedule);
    }
    expect_refusal(small, "threads", "its blocks have 129 threads, and opencl:6 takes at most 128");
    expect_refusal(small, "memory", "8193 bytes of shared memory, and opencl:6 has 8192");
    expect_refusal(small, "doubles", "doubles (fp64), which opencl:6 does not have");
    expect_refusal(small, "textures", "images, which opencl:6 does not have");
    expect_refusal(large, "halves", "half precision (fp16), which opencl:5 does not have");
    EXPECT_EQ(chosen({Backend::opencl, 3}, "halves"), "halves");
    EXPECT_EQ(chosen(hopper, "most"), "most");
    expect_refusal(ampere, "most", "232448 bytes of shared memory, and cuda:1 has 166912");
}

// Of compute capability 8.6, whose driver says 48 KB.
TEST(DeviceLimits, KernelsThatArePtxMayHaveTheMemoryOfTheGpu) {
    EXPECT_EQ(chosen(nvidia, "ptx"), "ptx");
    expect_refusal(nvidia, "more", "101377 bytes of shared memory, and opencl:4 has 101376 per block");
    expect_refusal(nvidia, "newer", "49153 bytes of shared memory, and opencl:4 has 49152 per block");
    expect_refusal(nvidia, "source", "49153 bytes of shared memory, and opencl:4 has 49152 per block");
    expect_refusal(large, "ptx", "101376 bytes of shared memory, and opencl:5 has 49152 per block");
    EXPECT_EQ(chosen(hopper, "more"), "more") << "by CUDA the driver says it";
}

TEST(DeviceLimits, TheMemoryOfAGpuFollowsFromItsComputeCapability) {
    DeviceInfo info;
    info.device = {Backend::opencl, 7};
    info.block_memory = 48 * 1024;
    const auto kilobytes = [&](int capability) {
        info.compute_capability = capability;
        return driver::ptx_memory(info) / 1024;
    };
    const std::vector<std::pair<int, int>> known = {{0, 48}, {61, 48}, {70, 96}, {75, 64}, {80, 163},
        {86, 99}, {87, 163}, {89, 99}, {90, 227}, {100, 227}, {103, 227}, {110, 227}, {120, 99}, {121, 99},
        {999, 48}};
    for (const auto &[capability, most] : known) {
        EXPECT_EQ(kilobytes(capability), most) << capability;
    }
    info.block_memory = 256 * 1024;
    EXPECT_EQ(kilobytes(86), 256) << "what the driver says is never too much";
    info.block_memory = 48 * 1024;
    const int before = driver::refusals_of_ptx_memory();
    Variant variant{};
    variant.needs.shared_bytes = info.block_memory;
    EXPECT_FALSE(driver::refuse_ptx_memory(nullptr, info) || driver::refuse_ptx_memory(&variant, info));
    EXPECT_EQ(kilobytes(90), 227) << "refused for another reason";
    variant.needs.shared_bytes++;
    EXPECT_TRUE(driver::refuse_ptx_memory(&variant, info));
    EXPECT_EQ(driver::refusals_of_ptx_memory(), before + 1);
    EXPECT_EQ(kilobytes(90), 48) << "what the driver says";
    info.device.index = 8;
    EXPECT_EQ(kilobytes(90), 227) << "another device";

    variant.needs.shared_bytes = 100 * 1024;
    driver::take_ptx_memory(nullptr, info.device);
    driver::take_ptx_memory(&variant, info.device);
    EXPECT_FALSE(driver::refuse_ptx_memory(&variant, info)) << "it was taken before";
    EXPECT_EQ(kilobytes(90), 227);
    variant.needs.shared_bytes++;
    EXPECT_TRUE(driver::refuse_ptx_memory(&variant, info));
    EXPECT_EQ(kilobytes(90), 100) << "what was taken before";
}

TEST(DeviceLimits, ADeviceBelowTheCapabilityOfALibraryIsRefused) {
    EXPECT_EQ(chosen(hopper, "new"), "new");
    EXPECT_EQ(chosen(ampere, "old"), "old");
    expect_refusal(ampere, "new",
        "its kernels need compute capability 8.6 or newer, and cuda:1 has 8.0; take --schedule tuned, or "
        "build the libraries for sm_80 where that needs more, too");
    EXPECT_EQ(chosen({Backend::opencl, fake_opencl::nvidia}, "new"), "new");
    expect_refusal(large, "new", "NVIDIA's GPUs of compute capability 8.6 and newer, which opencl:5");
}

TEST(DeviceLimits, InstructionsOfOneCapabilityRunOnDevicesOfThatOneAlone) {
    EXPECT_EQ(chosen(hopper, "hopper"), "hopper");
    EXPECT_EQ(chosen(ampere, "ampere"), "ampere");
    expect_refusal(ampere, "hopper",
        "instructions of compute capability 9.0 alone, and cuda:1 has 8.0; take --schedule tuned");
    expect_refusal(hopper, "ampere", "instructions of compute capability 8.0 alone, and cuda:0 has 9.0");
    EXPECT_EQ(chosen({Backend::cuda, 9}, "hopper"), "hopper")
        << "of a device that is not there nothing is known";
}

TEST(DeviceLimits, HoldForAVariantThatIsRunByName) {
    const Array image(Type::u8, {8, 8});
    Array output(Type::u8, {8, 8});
    const Variant &variant = *picky().variants("doubles", Backend::opencl).front();
    picky().run(variant, large, {&image, 1}, output, {});
    EXPECT_EQ(started, 1);
    const Error error = error_of([&] { picky().run(variant, small, {&image, 1}, output, {}); });
    EXPECT_EQ(error.fault(), Fault::device) << error.what();
    EXPECT_NE(std::string(error.what()).find("fp64"), std::string::npos) << error.what();
    EXPECT_EQ(started, 1);
}

// Of 11 rows 6 are too many, and 3 are not.
TEST(DeviceLimits, WithoutMemoryTunedRunsOnPartsOfTheRows) {
    for (const Backend backend : {Backend::cpu, Backend::opencl}) {
        const std::vector<Variant> of = {
            generated_variant("large", "tuned", "u8", backend, copy_three_rows, image_to_image),
            generated_variant("large", "other", "u8", backend, copy_three_rows, image_to_image)};
        const ImageOperator op("large", "a test's", of, {&form}, ImageOperator::Kind::pointwise);
        const ImageOperator window("large", "a test's", of, {&form});
        Array image(Type::u8, {11, 8}), output;
        std::iota(image.as<uint8_t>(), image.as<uint8_t>() + image.strides()[0] * 11, (uint8_t)1);
        const Device device{backend, backend == Backend::cpu ? 0 : large.index};
        Statistics statistics;
        const int before = started;
        op({&image, 1}, output, {}, {.device = device, .statistics = &statistics});
        EXPECT_EQ(started, before + 4);
        EXPECT_EQ(statistics.libraries, std::vector(4, of[0].name()));
        ASSERT_EQ(output.shape(), image.shape());
        for (int64_t y = 0; backend == Backend::cpu && y < 11; y++) {
            EXPECT_EQ(output.at<uint8_t>({y, 7}), image.at<uint8_t>({y, 7})) << y;
        }
        // A variant that is asked for by its name, or out of the caller's own, has all rows, and so has an
        // operator that knows no halo.
        const auto fault_of = [&](const ImageOperator &one, const Call &call) {
            Array none;
            const Fault fault = error_of([&] { one({&image, 1}, none, {}, call); }).fault();
            EXPECT_TRUE(none.empty());
            return fault;
        };
        EXPECT_EQ(fault_of(op, {.device = device, .schedule = "other"}), Fault::memory);
        EXPECT_EQ(fault_of(op, {.device = device, .variants = &of}), Fault::memory);
        EXPECT_EQ(fault_of(window, {.device = device}), Fault::memory);
        EXPECT_EQ(started, before + 4);
    }
}

TEST(DeviceLimits, NoPartIsSmallerThanARow) {
    const std::vector<Variant> of = {
        generated_variant("large", "tuned", "u8", Backend::opencl, find_no_memory, image_to_image)};
    const ImageOperator op("large", "a test's", of, {&form}, ImageOperator::Kind::pointwise);
    const Array image(Type::u8, {11, 8});
    Array output;
    EXPECT_EQ(error_of([&] { op({&image, 1}, output, {}, {.device = large}); }).fault(), Fault::memory);
}

// The fake device has memory, and in it no elements of the output.
TEST(DeviceLimits, AFailedCallOnManyImagesLeavesTheElementsOfBefore) {
    const std::vector<Variant> of = {
        generated_variant("large", "tuned", "u8", Backend::cuda, find_no_memory, image_to_image),
        generated_variant("large", "tuned", "u8", Backend::opencl, find_no_memory, image_to_image)};
    const ImageOperator op("large", "a test's", of, {&form});
    const Array images(Type::u8, {5, 8, 8});
    for (const Device device : {hopper, large}) {
        Array output(Type::u8, {5, 8, 8});
        std::fill_n(output.as<uint8_t>(), output.size(), (uint8_t)7);
        const auto call = [&] { op({&images, 1}, output, {}, {.device = device, .layout = "nhw"}); };
        EXPECT_EQ(error_of(call).fault(), Fault::memory);
        EXPECT_FALSE(output.storage()->newest_on()) << device.str();
        EXPECT_EQ(std::as_const(output).at<uint8_t>({4, 7, 7}), 7) << device.str();
    }
}

// A library of our own: of doubles there is no variant for such a device, of floats and integers there is
// one.
TEST(DeviceLimits, LibrariesWithoutDoublesRunOnDevicesWithoutThem) {
    const Operator *op = built_operator("min_plus_convolution");
    if (!op || op->variants("tuned", Backend::opencl).empty()) {
        GTEST_SKIP() << "not built";
    }
    for (const char *type : {"f64", "f32", "i32"}) {
        const Sample sample = small_sample(*op, type, 300, 200);
        const auto call = [&](Device device) {
            Array output;
            (*op)(sample.inputs, output, sample.settings, {.device = device});
        };
        call(large);
        if (type == std::string("f64")) {
            const Error error = error_of([&] { call(small); });
            EXPECT_EQ(error.fault(), Fault::device) << error.what();
            EXPECT_NE(std::string(error.what()).find("doubles (fp64)"), std::string::npos) << error.what();
        } else {
            call(small);
        }
    }
}

// Devices are asked for once per process, so each of these is a process of its own.
TEST(DeviceLimitsDeathTest, TheOldestLibraryDecidesWhichGpusAreUsable) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto usable = [] { return devices(Backend::cuda)[2].usable; };  // compute capability 7.0
    EXPECT_EXIT(exit(usable() ? 1 : 0), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(exit(cuda_libraries_from(70) && usable() ? 0 : 1), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(exit(cuda_libraries_from(75) && usable() ? 1 : 0), testing::ExitedWithCode(0), "");
}

}  // namespace tilewright
