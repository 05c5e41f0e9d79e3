// Variants whose libraries are made while a program runs.
#include "apps/tilewright/built_variants/built_variant.h"
#include "apps/tilewright/built_variants/tunables.h"
#include "apps/tilewright/verification/verification.h"
#include "runtime/devices/memory/memory_pool.h"
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/files.h"
#include "tests/support/operators.h"
#include "tests/support/process.h"
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace tilewright::app {
namespace {

using Files = tilewright::TestFolder;

class BuiltVariant : public testing::Test {
protected:
    void SetUp() override {
        setenv("TILEWRIGHT_GENERATORS", TILEWRIGHT_BUILD_FOLDER, 1);
        setenv("TMPDIR", files.path().c_str(), 1);
    }

    void TearDown() override {
        unsetenv("TMPDIR");
    }

    static bool is_built(Backend backend) {
        return !find_operator("transpose").variants("shared", backend).empty();
    }

    static const Variant &variant(
        const std::string &op, const std::string &schedule, Backend backend, const std::string &type = "u8") {
        for (const Variant *variant : find_operator(op).variants(schedule, backend)) {
            if (variant->type == type && variant->schedule == schedule) {
                return *variant;
            }
        }
        throw std::logic_error(op + " has no variant " + schedule);
    }

    static const Variant &blocks() {
        return variant("transpose", "tuned_small", Backend::cpu);
    }

    // The text of the variant's tunables where the first one has another value, and that value.
    static std::pair<std::string, TunableValues> another_value(const Variant &variant) {
        const Variant::Tunable &first = variant.tunables.front();
        TunableValues values = tunables_of(variant);
        values.front().second = first.value * 2 <= first.high ? first.value * 2 : first.value / 2;
        return {text_of(values), {values.front()}};
    }

    // The message that the action ends with.
    template<typename Action>
    static std::string message_of(Fault fault, const Action &action) {
        try {
            action();
        } catch (const Error &error) {
            EXPECT_EQ(error.fault(), fault) << error.what();
            return error.what();
        }
        ADD_FAILURE() << "no error";
        return "";
    }

    const Files files{Files::Of::programs};
};

TEST_F(BuiltVariant, ComputesTheSameAndLeavesNoFiles) {
    const auto [text, values] = another_value(blocks());
    const auto built = built_variant(blocks(), values);
    EXPECT_EQ(built->name(), "transpose/tuned_small/u8/cpu/" + text);
    EXPECT_NE(built->entry, blocks().entry);
    const Result result = Verification(find_operator("transpose"), "u8", 2).run(*built, Device{});
    EXPECT_EQ(result.verdict, Verdict::ok) << result.why;
    EXPECT_EQ(files.names(), Names{});
}

// Two libraries have functions of the same names, and so has no library of the program.
TEST_F(BuiltVariant, IsNoOtherBuiltVariant) {
    const auto [text, values] = another_value(blocks());
    const auto one = built_variant(blocks(), values), other = built_variant(blocks(), {});
    EXPECT_NE(one->entry, other->entry);
    EXPECT_EQ(other->tunable(values.front().first), blocks().tunable(values.front().first));
}

TEST_F(BuiltVariant, NeedsOfADeviceWhatItsKernelsNeed) {
    for (const Backend backend : {Backend::cuda, Backend::opencl}) {
        if (!is_built(backend)) {
            GTEST_SKIP() << "this build has no libraries for GPUs";
        }
        const Variant &shared = variant("transpose", "shared", backend);
        const auto built = built_variant(shared, {{"tile", 32}, {"across", 32}, {"down", 16}});
        EXPECT_EQ(built->needs.threads, 512);
        EXPECT_GT(built->needs.shared_bytes, shared.needs.shared_bytes);
        EXPECT_EQ(built->needs.capability, shared.needs.capability);
    }
}

TEST_F(BuiltVariant, RunsOnOpenCl) {
    for (const DeviceInfo &info : devices(Backend::opencl)) {
        if (info.usable && is_built(Backend::opencl)) {
            const Variant &shared = variant("transpose", "shared", Backend::opencl);
            const auto built = built_variant(shared, another_value(shared).second);
            const Result result = Verification(find_operator("transpose"), "u8", 2).run(*built, info.device);
            EXPECT_EQ(result.verdict, Verdict::ok) << result.why;
            return;
        }
    }
    GTEST_SKIP() << "not run here: no usable OpenCL device";
}

static bool has_operator(const std::string &name) {
    return std::ranges::any_of(operators(), [&](const Operator *op) { return op->name() == name; });
}

// The most device memory of a call besides its image and its output.
static size_t memory_between(const Operator &op, const Variant &variant, Device device, const Array &image,
    Array &output, double sigma) {
    driver::opencl_memory().restart_peak();
    op.run(variant, device, {&image, 1}, output, {{"sigma", sigma}});
    const driver::MemoryPool::Use use = driver::opencl_memory().use();
    return use.peak - use.taken;
}

// Where an image has so many pixels that its channels are filtered one after another, the results are the
// same bytes, and what is between the kernels takes the memory of one channel.
TEST_F(BuiltVariant, FiltersTheChannelsOfLargeImagesOneAfterAnother) {
    std::string why_not;
    const auto found = usable_device(Backend::opencl, why_not);
    if (!found || !has_operator("recursive_gaussian") || !is_built(Backend::opencl)) {
        GTEST_SKIP() << "not run here: no usable OpenCL device, or no such variant in this build";
    }
    const Operator &op = find_operator("recursive_gaussian");
    const Variant &at_once = variant(op.name(), "tuned_any", Backend::opencl);
    const auto one_by_one = built_variant(at_once, {{"pass", 1}});  // from 2^20 pixels on
    const Array image = random_array<uint8_t>({1031, 1030, 3});
    Array expected(Type::u8, image.shape()), output(Type::u8, image.shape());
    const size_t of_all = memory_between(op, at_once, found->device, image, expected, 5),
                 of_one = memory_between(op, *one_by_one, found->device, image, output, 5);
    EXPECT_EQ(difference(output, expected, {}), "");
    EXPECT_LT(2 * of_one, of_all);
    EXPECT_GT(4 * of_one, of_all);
}

// Images of several bands: the results are the same bytes, and the image between the kernels takes the memory
// of a band, of which there are four here.
TEST_F(BuiltVariant, BlursLargeImagesInBands) {
    std::string why_not;
    const auto found = usable_device(Backend::opencl, why_not);
    if (!found || !is_built(Backend::opencl)) {
        GTEST_SKIP() << "not run here: no usable OpenCL device, or no such variants in this build";
    }
    const Operator &op = find_operator("gaussian_blur");
    for (const auto &[schedule, type] :
        {std::pair{"tuned_any", Type::u8}, {"tuned_any", Type::f32}, {"tuned_any", Type::u16}}) {
        const Variant &whole = variant(op.name(), schedule, Backend::opencl, name_of(type));
        const auto in_bands = built_variant(whole, {{"band", 1}});  // of 2^20 elements
        for (const std::vector<int64_t> &shape :
            {std::vector<int64_t>{3001, 1203}, {1001, 1101, 3}, {60007, 61}}) {
            const Array image = random_array(type, shape);
            Array expected(type, shape), output(type, shape);
            const size_t of_all = memory_between(op, whole, found->device, image, expected, 1),
                         of_band = memory_between(op, *in_bands, found->device, image, output, 1);
            EXPECT_EQ(difference(output, expected, {}), "") << in_bands->name() << " " << image.describe();
            EXPECT_LT(3 * of_band, of_all) << in_bands->name() << " " << image.describe();
            EXPECT_GT(5 * of_band, of_all) << in_bands->name() << " " << image.describe();
        }
    }
}

// The front of fft2d puts variants together, and takes this one in place of that of its table.
TEST_F(BuiltVariant, TakesPartInATransform) {
    if (!has_operator("fft2d")) {
        GTEST_SKIP() << "this build has no fft2d";
    }
    const auto built =
        built_variant(variant("fft2d", "fused_rows_64", Backend::cpu, "c64"), {{"together", 8}});
    const Result result = Verification(find_operator("fft2d"), "c64", 2).run(*built, Device{});
    EXPECT_EQ(result.verdict, Verdict::ok) << result.why;
}

TEST_F(BuiltVariant, TransposesWholeTiles) {
    if (!has_operator("fft2d") || !is_built(Backend::opencl)) {
        GTEST_SKIP() << "this build has no fft2d for GPUs";
    }
    const Operator &op = find_operator("fft2d");
    const Variant &passes = variant("fft2d", "passes", Backend::opencl, "c64");
    const Variant larger = with_tunables(passes, {{"tile", 32}});
    const Array field(Type::c64, {16, 64}), output(Type::c64, {16, 64});
    EXPECT_TRUE(op.serves(passes, {&field, 1}, output, {}));
    EXPECT_FALSE(op.serves(larger, {&field, 1}, output, {}));
}

TEST_F(BuiltVariant, RefusesValuesThatTheVariantDoesNotTake) {
    const std::string name = blocks().tunables.front().name;
    const auto refusal = [&](const TunableValues &values) {
        return message_of(Fault::usage, [&] { built_variant(blocks(), values); });
    };
    EXPECT_NE(refusal({{name, 1 << 30}}).find(name + "=1073741824"), std::string::npos);
    EXPECT_NE(refusal({{"flavour", 1}}).find("it has: "), std::string::npos);
    EXPECT_NE(refusal({{name, blocks().tunable(name)}, {name, blocks().tunable(name)}}).find("given twice"),
        std::string::npos);
    for (const char *text : {"16", "=16", "tile=", "tile=x", "tile=1 6", "tile=99999999999"}) {
        message_of(Fault::usage, [&] { tunables_of(text); });
    }
    EXPECT_EQ(text_of(tunables_of("tile=16,pad=4")), "tile=16,pad=4");
}

// What only the generator knows, it says: a block of 2048 threads.
TEST_F(BuiltVariant, GivesTheReasonOfTheGenerator) {
    if (!is_built(Backend::cuda)) {
        GTEST_SKIP() << "this build has no libraries for CUDA";
    }
    const Variant &separable = variant("gaussian_blur", "separable", Backend::cuda);
    const std::string said =
        message_of(Fault::failed, [&] { built_variant(separable, {{"width", 128}, {"height", 16}}); });
    EXPECT_NE(said.find("2048 threads"), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
    EXPECT_EQ(files.names(), Names{});
}

TEST_F(BuiltVariant, SaysWhatToInstallWhereThereIsNoLinker) {
    const std::string path = getenv("PATH");
    setenv("PATH", files.path().c_str(), 1);
    const std::string said = message_of(Fault::failed, [&] { built_variant(blocks(), {}); });
    setenv("PATH", path.c_str(), 1);
    EXPECT_NE(said.find("install binutils or lld"), std::string::npos) << said;
}

TEST_F(BuiltVariant, SaysThatAFolderCannotBeMade) {
    setenv("TMPDIR", "/nonexistent", 1);
    const std::string said = message_of(Fault::failed, [&] { built_variant(blocks(), {}); });
    EXPECT_NE(said.find("/nonexistent"), std::string::npos) << said;
    EXPECT_NE(said.find("TMPDIR"), std::string::npos) << said;
}

// A process that is killed removes nothing itself.
TEST_F(BuiltVariant, LeavesNoFilesWhereItIsKilled) {
    const pid_t child = fork();
    if (child == 0) {
        built_variant(blocks(), {});
        _exit(0);
    }
    const auto until = [&](bool there) {
        for (int i = 0; i < 1000 && files.names().empty() == there; i++) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return files.names().empty() != there;
    };
    ASSERT_TRUE(until(true));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it was built before it was killed";
    EXPECT_TRUE(until(false));
}

}  // namespace
}  // namespace tilewright::app
