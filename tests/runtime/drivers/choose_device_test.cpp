// The device of a call that names none, with the fake libcuda.so.1 as a GPU.
#include "tests/runtime/drivers/any_operator.h"
#include "tests/support/arrays.h"
#include "tests/support/process.h"
#include "tilewright/pipeline.h"

namespace tilewright {
namespace {

const Device first{Backend::cuda, 0};

// Copies count: of small data the CPU is faster, of large products the GPU, and what is on the GPU stays
// there.
TEST(ChooseDevice, CountsTheCopies) {
    const AnyOperator any(Backend::cuda);
    const Operator *op = any.op, *product = built_operator("matmul");
    const auto small = op->parse(any.sample.inputs, any.sample.settings);
    if (op->predicted_times(*small, first).empty() || op->predicted_times(*small, Device{}).empty()) {
        GTEST_SKIP() << "no times were measured of " << op->name();
    }
    EXPECT_EQ(op->choose_device(*small), Device{});
    if (product && !product->variants("tuned", Backend::cuda).empty()) {
        const Array side(Type::f32, {2048, 2048});
        const Array sides[] = {side, side};
        EXPECT_EQ(product->choose_device(*product->parse(sides, {})), first);
    }
    if (const Operator *invert = built_operator("invert")) {
        const Array image(Type::u8, {640, 480});
        Array on_gpu;
        (*invert)({&image, 1}, on_gpu, {}, {.device = first});
        EXPECT_EQ(invert->choose_device(*invert->parse({&on_gpu, 1}, {})), first);
        on_gpu.data();
        EXPECT_EQ(invert->choose_device(*invert->parse({&on_gpu, 1}, {})), Device{});
    }
}

// The device that can run a variant of a schedule for the type; best_device() where there is none.
Device device_with(const Operator &op, const std::string &schedule, const std::string &type) {
    for (const Device &device : {first, Device{}}) {
        for (const Variant *variant : op.variants(schedule, device.backend)) {
            if (variant->type == type && why_not_on(*variant, device).empty()) {
                return device;
            }
        }
    }
    return first;
}

TEST(ChooseDevice, TakesTheBestOneThatHasAVariantOfTheSchedule) {
    const AnyOperator any(Backend::cuda);
    const auto request = any.op->parse(any.sample.inputs, any.sample.settings);
    bool on_cpu = false, on_gpu = false;
    for (const Variant &variant : any.op->variants()) {
        if (variant.schedule != "tuned" && variant.family != "tuned") {
            const Device device = device_with(*any.op, variant.schedule, request->type);
            EXPECT_EQ(any.op->choose_device(*request, variant.schedule), device) << variant.name();
            (device == first ? on_gpu : on_cpu) = true;
        }
    }
    EXPECT_TRUE(on_gpu && (on_cpu || any.op->variants("reference", Backend::cpu).empty()));
}

// No driver outlives a fork; what was found out before it is not used after it.
TEST(ChooseDevice, AForkedProcessPassesOverTheGpu) {
    const Operator *invert = built_operator("invert");
    if (!invert || invert->variants("tuned", Backend::cpu).empty()) {
        GTEST_SKIP() << "this build lacks the operator or the CPU";
    }
    const Array image = random_array(Type::u8, {640, 480});
    Array expected, on_gpu;
    (*invert)({&image, 1}, expected, {}, {.device = Device{}});
    (*invert)({&image, 1}, on_gpu, {}, {.device = first});
    const auto request = invert->parse({&on_gpu, 1}, {});
    ASSERT_EQ(invert->choose_device(*request), first);
    const int status = in_child([&] {
        Array output, of_pipeline;
        Statistics statistics;
        (*invert)({&image, 1}, output, {}, {.statistics = &statistics});
        Pipeline("invert")(image, of_pipeline);
        _exit(best_device() == Device{} && invert->choose_device(*request) == Device{} &&
                      statistics.device == "cpu" && same_bytes(output, expected) &&
                      same_bytes(of_pipeline, expected) ?
                  0 :
                  1);
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(invert->choose_device(*request), first);
}

// The error asks all drivers, because it names every device that can be used.
TEST(ChooseDevice, ADeviceThatIsNotUsableIsRefused) {
    for (const Device device : {Device{Backend::cuda, 2}, {Backend::cuda, 3}, {Backend::cpu, 1}}) {
        const Error error = error_of([&] { device_info(device); });
        EXPECT_EQ(error.fault(), Fault::device) << error.what();
        EXPECT_NE(std::string(error.what()).find("usable here: cpu, cuda:0, cuda:1 ("), std::string::npos)
            << error.what();
    }
}

// As the functions of a library with TARGETS cpu call it.
TEST(ChooseDevice, VariantsOfALibraryRunWhereItWasMadeFor) {
    const AnyOperator any(Backend::cuda);
    std::vector<Variant> variants;
    for (const Variant *variant : any.op->variants("tuned", Backend::cpu)) {
        variants.push_back(*variant);
    }
    if (variants.empty()) {
        GTEST_SKIP() << "this build has no variants for the CPU";
    }
    Array output;
    Statistics statistics;
    Call how;
    how.statistics = &statistics;
    how.variants = &variants;
    (*any.op)(any.sample.inputs, output, any.sample.settings, how);
    EXPECT_EQ(statistics.device, "cpu");
    const auto request = any.op->parse(any.sample.inputs, any.sample.settings);
    EXPECT_EQ(any.op->choose_device(*request, "tuned", &variants), Device{});
}

TEST(ChooseDevice, OfAPipelineHasAVariantForEachStage) {
    const Operator *invert = built_operator("invert"), *transpose = built_operator("transpose");
    if (!invert || !transpose || invert->variants("reference", Backend::cpu).empty()) {
        GTEST_SKIP() << "this build lacks the operators or the CPU";
    }
    const Array image(Type::u8, {40, 30});
    ASSERT_EQ(best_device(), first);  // it starts the drivers; before, small pipelines run on the CPU
    EXPECT_EQ(Pipeline("transpose | invert").choose_device({&image, 1}), first);
    const Pipeline mixed("transpose | invert schedule=reference");
    EXPECT_EQ(mixed.choose_device({&image, 1}), Device{});
    Array output;
    std::vector<Statistics> statistics;
    mixed(image, output, {.statistics = &statistics});
    EXPECT_EQ(statistics.at(0).device, "cpu");
    expect_error(Fault::device,
        "stage 2 of 2, 'invert schedule=reference': invert: schedule = reference: it has no variant for "
        "cuda:0",
        [&] { Pipeline("transpose schedule=padded | invert schedule=reference")(image, output); });
}

}  // namespace
}  // namespace tilewright
