// Pipelines that a program makes stage by stage, beside those of a text.
#include "tests/runtime/pipelines/pipelines.h"
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/files.h"
#include "tilewright/files.h"
#include "tilewright/pipeline.h"
#include "tilewright/workload.h"
#include <gtest/gtest.h>

namespace tilewright {

namespace {

// That two pipelines have the same stages, and the same plan for these inputs.
void expect_same(const Pipeline &made, const Pipeline &text, std::vector<Array> inputs,
    const std::vector<Device> &devices = usable_devices()) {
    ASSERT_EQ(made.stages().size(), text.stages().size());
    EXPECT_EQ(made.inputs(), text.inputs());
    for (size_t i = 0; i < made.stages().size(); i++) {
        const PipelineStage &a = made.stages()[i], &b = text.stages()[i];
        EXPECT_EQ(a.text, b.text);
        EXPECT_EQ(a.op, b.op);
        EXPECT_EQ(a.settings.all(), b.settings.all());
        EXPECT_EQ(a.schedule, b.schedule);
        EXPECT_EQ(a.from_call, b.from_call);
    }
    for (const Device &device : devices) {
        const std::vector<PipelineStep> a = made.check(inputs, {.device = device}),
                                        b = text.check(inputs, {.device = device});
        ASSERT_EQ(a.size(), b.size());
        for (size_t i = 0; i < a.size(); i++) {
            EXPECT_EQ(a[i].variant, b[i].variant) << device.str();
            EXPECT_EQ(a[i].output.describe(), b[i].output.describe()) << device.str();
        }
        Array of_made, of_text;
        made(inputs, of_made, {.device = device});
        text(inputs, of_text, {.device = device});
        EXPECT_TRUE(same_bytes(of_made, of_text)) << device.str();
    }
}

}  // namespace

TEST(PipelineStages, AreThoseOfTheText) {
    NEEDS("gaussian_blur", "transpose", "column_sum");
    const Array image = random_array(Type::u8, {120, 90});
    expect_same(Pipeline().then("gaussian_blur", 2, "mirror").then("transpose").then("column_sum"),
        Pipeline("gaussian_blur sigma=2 border=mirror | transpose | column_sum"), {image});
    expect_same(Pipeline().then("transpose", Settings{{"schedule", "reference"}}).then("gaussian_blur", .75f),
        Pipeline("transpose schedule=reference | gaussian_blur sigma=0.75"), {image}, {Device{}});
    const Pipeline shorter = Pipeline().then("transpose");
    EXPECT_EQ(shorter.then("transpose").stages().size(), 2u);
    EXPECT_EQ(shorter.stages().size(), 1u) << "a pipeline stays as it is";
}

TEST(PipelineStages, AFlagMayBeNo) {
    NEEDS("fft2d");
    const Operator &op = find_operator("fft2d");
    for (const Option &option : op.options()) {
        if (option.is_flag) {
            const auto set = [&](bool value) {
                return Pipeline().then("fft2d", Settings{{option.name, value ? "yes" : "no"}});
            };
            EXPECT_EQ(set(true).stages()[0].settings.text(option.name), "yes");
            EXPECT_FALSE(set(false).stages()[0].settings.has(option.name));
            return;
        }
    }
    FAIL() << "fft2d has no flag";
}

TEST(PipelineStages, ArraysMayBeGivenToAStageOrToACall) {
    NEEDS("matmul", "transpose");
    const TestFolder folder;
    const Array a = random_array(Type::f32, {20, 30}, 1), b = random_array(Type::f32, {20, 40}, 2);
    const std::string file = folder.file("b |.npy");
    write_array(file, b);
    const Pipeline of_array = Pipeline().then("transpose").then("matmul", b),
                   of_file("transpose | matmul '" + file + "'");
    Array from_array, from_file;
    of_array(a, from_array, {.device = Device{}});
    of_file(a, from_file, {.device = Device{}});
    EXPECT_TRUE(same_bytes(from_array, from_file));
    expect_same(Pipeline().then("transpose").then("matmul"), Pipeline("transpose | matmul"), {a, b});
}

TEST(PipelineStages, WordsWithBlanksAreInQuotes) {
    NEEDS("min_plus_convolution");
    const TestFolder folder;
    const Array c = random_array(Type::f64, {49}, 3);
    write_array(folder.file("c |.npy"), c);
    const Pipeline made =
        Pipeline().then("min_plus_convolution", Settings{{"accumulate", folder.file("c |.npy")}});
    const std::vector<Array> inputs = {random_array(Type::f64, {20}, 1), random_array(Type::f64, {30}, 2)};
    expect_same(made, Pipeline(made.stages()[0].text), inputs, {Device{}});

    // The optional array comes after the others.
    const Pipeline of_arrays = Pipeline().then("min_plus_convolution", inputs[1], c);
    EXPECT_EQ(of_arrays.inputs(), 1);
    Array from_file, from_array;
    made(inputs, from_file, {.device = Device{}});
    of_arrays(inputs[0], from_array, {.device = Device{}});
    EXPECT_TRUE(same_bytes(from_file, from_array));
}

#ifdef TILEWRIGHT_TESTS_ALL_STAGES
TEST(PipelineStages, HaveTheNamesOfTheOperators) {
    const Array image = random_array(Type::u8, {120, 90});
    expect_same(Pipeline().gaussian_blur(2).transpose().column_sum(),
        Pipeline("gaussian_blur sigma=2 | transpose | column_sum"), {image});
}
#endif

TEST(PipelineStages, MistakesAreRefusedByTheStage) {
    NEEDS("gaussian_blur", "transpose", "matmul");
    const Pipeline one = Pipeline().then("transpose");
    expect_error(Fault::usage, "pipeline: it has no stages", [&] {
        Array output;
        Pipeline()(random_array(Type::u8, {4, 4}), output);
    });
    expect_error(Fault::usage, "stage 2 of 2, 'gausian_blur': ", [&] { (void)one.then("gausian_blur", 2); });
    expect_error(Fault::usage, "stage 2 of 2, 'gaussian_blur': gaussian_blur: sigma = wide",
        [&] { (void)one.then("gaussian_blur", "wide"); });
    expect_error(Fault::usage, "'5' is the value of no option",
        [&] { (void)one.then("recursive_gaussian", 2, 3, 5); });
    expect_error(Fault::usage, "did you mean 'sigma'",
        [&] { (void)one.then("gaussian_blur", Settings{{"sgma", 2.}}); });
    expect_error(Fault::usage, "'sigma' is given twice",
        [&] { (void)one.then("gaussian_blur", 2, Settings{{"sigma", 2.}}); });
    expect_error(Fault::usage, "it takes 0 arrays besides the one that flows, and 1 are given",
        [&] { (void)one.then("gaussian_blur", Array(Type::u8, {4, 4})); });
}

}  // namespace tilewright
