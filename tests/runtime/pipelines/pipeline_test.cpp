// Pipelines against their operators called one by one; what is refused, before anything is computed; and what
// is copied.
#include "tilewright/pipeline.h"
#include "tests/runtime/pipelines/pipelines.h"
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/files.h"
#include "tilewright/files.h"
#include "tilewright/workload.h"
#include <functional>
#include <gtest/gtest.h>
#include <thread>

namespace tilewright {

namespace {

std::vector<Device> gpus() {
    std::vector<Device> found;
    for (const Device &device : usable_devices()) {
        if (device.backend != Backend::cpu) {
            found.push_back(device);
        }
    }
    return found;
}

}  // namespace

// ------------------------------------------------------------------------------------------ values

TEST(Pipeline, EqualsItsOperatorsOneByOne) {
    NEEDS("gaussian_blur", "transpose", "column_sum");
    for (const Device &device : usable_devices()) {
        for (const std::vector<int64_t> &shape :
            {std::vector<int64_t>{1, 1}, {37, 53}, {130, 257}, {512, 256}}) {
            SCOPED_TRACE(device.str());
            const Array image = random_array(Type::u8, shape);
            Array sums;
            Pipeline("gaussian_blur sigma=2 border=mirror | transpose | column_sum output-type=f32")(
                image, sums, {.device = device});
            const Array blurred =
                call("gaussian_blur", {image}, {{"sigma", 2.}, {"border", "mirror"}}, device);
            const Array expected = call(
                "column_sum", {call("transpose", {blurred}, {}, device)}, {{"output-type", "f32"}}, device);
            EXPECT_EQ(difference(sums, expected, {}), "");
            EXPECT_EQ(sums.describe(), "f32 (" + std::to_string(shape[0]) + ")");
        }
    }
}

TEST(Pipeline, OneStageIsItsOperator) {
    NEEDS("transpose");
    for (const Device &device : usable_devices()) {
        const Array image = random_array(Type::u16, {65, 33});
        Array output;
        Pipeline(" \t transpose\n")(image, output, {.device = device});
        EXPECT_EQ(difference(output, call("transpose", {image}, {}, device), {}), "") << device.str();
    }
}

TEST(Pipeline, AStageMayNameItsSchedule) {
    NEEDS("transpose", "invert");
    const Array image = random_array(Type::u8, {64, 96});
    const Pipeline pipeline("transpose schedule=reference | invert");
    std::vector<Statistics> statistics;
    Array output;
    pipeline(image, output, {.device = Device{}, .statistics = &statistics});
    ASSERT_EQ(statistics.size(), 2u);
    EXPECT_EQ(statistics[0].variant, "transpose/reference/u8/cpu");
    EXPECT_EQ(statistics[1].variant.rfind("invert/tuned", 0), 0u) << statistics[1].variant;
    pipeline(image, output, {.device = Device{}, .schedule = "reference", .statistics = &statistics});
    ASSERT_EQ(statistics.size(), 2u);
    EXPECT_EQ(statistics[1].variant, "invert/reference/u8/cpu");
}

TEST(Pipeline, TheOutputMayBeMemoryOfTheCaller) {
    NEEDS("transpose", "invert");
    for (const Device &device : usable_devices()) {
        SCOPED_TRACE(device.str());
        const Array image = random_array(Type::u8, {31, 45});
        std::vector<uint8_t> memory(45 * 50, 7);
        Array output = Array::view(Type::u8, memory.data(), {45, 31}, {50, 1});
        Pipeline("invert | transpose")(image, output, {.device = device});
        output.sync();
        for (int64_t y = 0; y < 45; y++) {
            for (int64_t x = 0; x < 50; x++) {
                ASSERT_EQ(memory[(size_t)(y * 50 + x)], x < 31 ? 255 - image.at<uint8_t>({x, y}) : 7)
                    << x << ", " << y;
            }
        }
    }
}

TEST(Pipeline, FurtherInputsComeFromFilesOrFromTheCall) {
    NEEDS("matmul", "transpose");
    const TestFolder folder;
    const Array a = random_array(Type::f32, {20, 30}, 1), b = random_array(Type::f32, {20, 40}, 2),
                c = random_array(Type::f32, {40, 10}, 3);
    write_array(folder.file("b |.npy"), b);
    for (const Device &device : usable_devices()) {
        SCOPED_TRACE(device.str());
        const Array expected = call(
            "matmul", {call("matmul", {call("transpose", {a}, {}, device), b}, {}, device), c}, {}, device);
        const Pipeline from_file("transpose | matmul '" + folder.file("b |.npy") + "' | matmul"),
            from_call("transpose | matmul | matmul");
        EXPECT_EQ(from_file.inputs(), 2);
        EXPECT_EQ(from_call.inputs(), 3);
        Array first, second;
        from_file(std::vector{a, c}, first, {.device = device});
        from_call(std::vector{a, b, c}, second, {.device = device});
        EXPECT_EQ(difference(first, expected, {}), "");
        EXPECT_EQ(difference(second, expected, {}), "");
        expect_error(
            Fault::usage, "takes 3 inputs", [&] { from_call(std::vector{a, b}, first, {.device = device}); });
    }
}

// -------------------------------------------------------------------------- what is between stages

TEST(Pipeline, WhatIsBetweenStagesStaysOnTheDevice) {
    NEEDS("transpose", "invert", "column_sum");
    if (gpus().empty()) {
        GTEST_SKIP() << "not run here: no device besides the CPU";
    }
    for (const Device &device : gpus()) {
        SCOPED_TRACE(device.str());
        const Array image = random_array(Type::u8, {200, 320});
        const Pipeline pipeline("transpose | invert | transpose | column_sum");
        Array sums;
        const Counters before = counters();
        pipeline(image, sums, {.device = device});
        Counters after = counters();
        EXPECT_EQ(after.copies_to_device - before.copies_to_device, 1u);
        EXPECT_EQ(after.bytes_to_device - before.bytes_to_device, 200u * 320);
        EXPECT_EQ(after.copies_to_host - before.copies_to_host, 0u) << "the result stays there too";
        sums.sync();
        after = counters();
        EXPECT_EQ(after.copies_to_host - before.copies_to_host, 1u);
        EXPECT_EQ(after.copies_to_device - before.copies_to_device, 1u);
        const Array inverted = call("invert", {image}, {}, device);
        EXPECT_EQ(difference(sums, call("column_sum", {inverted}, {}, device), {}), "");

        // The next call of that size finds everything there.
        sums.sync(device);
        const Counters again = counters();
        pipeline(image, sums, {.device = device});
        const Counters end = counters();
        EXPECT_EQ(end.copies_to_device - again.copies_to_device, 0u);
        EXPECT_EQ(end.allocations - again.allocations, 0u);
        EXPECT_GT(end.kernels - again.kernels, 3u);
    }
}

TEST(Pipeline, StatisticsHaveALineForEveryStage) {
    NEEDS("transpose", "invert");
    for (const Device &device : gpus()) {
        SCOPED_TRACE(device.str());
        const Array image = random_array(Type::u8, {64, 64});
        std::vector<Statistics> statistics;
        Array output;
        Pipeline("transpose | invert | transpose")(
            image, output, {.device = device, .statistics = &statistics});
        ASSERT_EQ(statistics.size(), 3u);
        for (size_t i = 0; i < 3; i++) {
            EXPECT_EQ(statistics[i].counters.copies_to_device, i == 0 ? 1u : 0u) << i;
            EXPECT_EQ(statistics[i].counters.copies_to_host, 0u) << i;
            EXPECT_GE(statistics[i].counters.kernels, 1u) << i;
            EXPECT_EQ(statistics[i].device, device.str());
        }
    }
}

// The arrays between its stages are there for the next call, whatever is asked in between.
TEST(Pipeline, CheckingTakesNothingFromTheNextCall) {
    NEEDS("transpose", "invert");
    for (const Device &device : gpus()) {
        const Array image = random_array(Type::u8, {90, 110});
        const Pipeline pipeline("transpose | invert | transpose");
        Array output;
        pipeline(image, output, {.device = device});
        pipeline.check({&image, 1}, {.device = device});
        pipeline.output_of({&image, 1}, {.device = device});
        trim_device_memory();
        const uint64_t before = counters().allocations;
        pipeline(image, output, {.device = device});
        EXPECT_EQ(counters().allocations, before) << device.str();
    }
}

TEST(Pipeline, TheStepsAreWhatEachStageGotAndGave) {
    NEEDS("transpose", "invert");
    for (const Device &device : usable_devices()) {
        const Array image = random_array(Type::u8, {40, 40});
        std::vector<Pipeline::Step> steps;
        Array output;
        Pipeline("invert | transpose | invert | transpose")(
            image, output, {.device = device, .steps = &steps});
        ASSERT_EQ(steps.size(), 4u);
        Array expected = image;
        for (size_t i = 0; i < 4; i++) {
            EXPECT_EQ(difference(steps[i].inputs[0], expected, {}), "") << device.str() << " " << i;
            expected = call(i % 2 == 0 ? "invert" : "transpose", {expected}, {}, device);
            EXPECT_EQ(difference(steps[i].output, expected, {}), "") << device.str() << " " << i;
        }
    }
}

TEST(Pipeline, CallsOfSeveralSizesAndThreadsDoNotMeet) {
    NEEDS("transpose", "invert");
    const Pipeline pipeline("invert | transpose | invert | transpose | invert");
    for (const Device &device : usable_devices()) {
        std::vector<std::string> wrong(4);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; t++) {
            threads.emplace_back([&, t] {
                for (int i = 0; i < 6; i++) {
                    const Array image = random_array(Type::u8, {60 + 7 * (i % 2), 80 + t % 2}, 10 * t + i);
                    Array output;
                    pipeline(image, output, {.device = device});
                    wrong[(size_t)t] += difference(output, call("invert", {image}, {}, Device{}), {});
                }
            });
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
        EXPECT_EQ(wrong, std::vector<std::string>(4)) << device.str();
    }
}

// --------------------------------------------------------------------------------- what is refused

TEST(Pipeline, TypesAreCheckedBeforeAnythingIsComputed) {
    NEEDS("transpose", "column_sum");
    const Array image = random_array(Type::u8, {37, 53});
    const Pipeline pipeline("transpose | column_sum | transpose");
    for (const Device &device : usable_devices()) {
        Array output;
        const Counters before = counters();
        const std::string line = expect_error(
            Fault::input, "stage 3 of 3, 'transpose'", [&] { pipeline(image, output, {.device = device}); });
        EXPECT_NE(line.find("it gets u32 (37) from stage 2"), std::string::npos) << line;
        expect_error(
            Fault::input, "stage 3 of 3", [&] { pipeline.check(std::vector{image}, {.device = device}); });
        const Counters after = counters();
        EXPECT_EQ(after.kernels, before.kernels);
        EXPECT_EQ(after.copies_to_device, before.copies_to_device);
        EXPECT_TRUE(output.empty());
    }
    const std::string line = expect_error(Fault::input, "stage 1 of 3, 'transpose'",
        [&] { pipeline.check(std::vector{Array(Type::f32, {5})}); });
    EXPECT_NE(line.find("it gets f32 (5) from the input"), std::string::npos) << line;
}

TEST(Pipeline, CheckSaysWhatWouldRun) {
    NEEDS("transpose", "column_sum");
    const Array image = random_array(Type::u8, {37, 53});
    const Pipeline pipeline("transpose | column_sum output-type=f32");
    const Counters before = counters();
    const auto steps = pipeline.check(std::vector{image}, {.device = Device{}});
    ASSERT_EQ(steps.size(), 2u);
    EXPECT_EQ(steps[0].output.describe(), "u8 (53, 37)");
    EXPECT_EQ(steps[1].output.describe(), "f32 (37)");
    EXPECT_EQ(steps[1].variant->op, "column_sum");
    EXPECT_EQ(steps[1].variant->type, "u8f32");
    EXPECT_EQ(pipeline.output_of(std::vector{image}), (std::pair{Type::f32, std::vector<int64_t>{37}}));
    EXPECT_EQ(counters().kernels, before.kernels);
}

TEST(Pipeline, TextThatIsNoPipelineIsRefused) {
    NEEDS("gaussian_blur", "transpose", "matmul");
    const auto refused = [](const char *text, const std::string &stage,
                             const std::vector<std::string> &words) {
        const std::string line = expect_error(Fault::usage, stage, [&] { Pipeline pipeline(text); });
        for (const std::string &word : words) {
            EXPECT_NE(line.find(word), std::string::npos) << "'" << word << "' is not in: " << line;
        }
    };
    refused("", "stage 1 of 1", {"empty"});
    refused("transpose | | transpose", "stage 2 of 3", {"empty"});
    refused("transpose |", "stage 2 of 2", {"empty"});
    refused("transpose | gausian_blur sigma=2", "stage 2 of 2, 'gausian_blur sigma=2'",
        {"did you mean 'gaussian_blur'"});
    refused("gaussian_blur sgma=2", "stage 1 of 1, 'gaussian_blur sgma=2'",
        {"'sgma'", "did you mean 'sigma'", "border"});
    refused("gaussian_blur sigma=wide", "gaussian_blur: sigma = wide", {"number", "sigma=2.5"});
    refused("gaussian_blur sigma=2x", "sigma = 2x", {"number"});
    refused("gaussian_blur border=miror", "border = miror", {"did you mean 'mirror'"});
    refused("gaussian_blur sigma", "'sigma' has no value", {"sigma=VALUE"});
    refused("gaussian_blur sigma = 2", "'sigma' has no value", {"sigma=VALUE"});
    refused("gaussian_blur sigma=", "'sigma' has no value", {});
    refused("gaussian_blur sigma=1 sigma=2", "'sigma' is given twice", {});
    refused("gaussian_blur --sigma 2", "'--sigma'", {"name=value"});
    refused("transpose schedule=paded", "schedule = paded", {"did you mean 'padded'", "tuned"});
    refused("transpose b.npy", "'b.npy'", {"schedule"});
    refused("matmul a.npy b.npy", "1 array besides the one that flows, and 2 are named", {});
    refused("transpose 'schedule=tuned", "not closed", {});
    expect_error(
        Fault::input, "stage 1 of 1, 'matmul missing.npy'", [] { Pipeline pipeline("matmul missing.npy"); });
}

TEST(Pipeline, WrongCallsAreRefused) {
    NEEDS("gaussian_blur", "transpose");
    const Pipeline pipeline("gaussian_blur sigma=2 | transpose");
    const Array image = random_array(Type::u8, {24, 32});
    Array wrong_shape(Type::u8, {24, 32}), wrong_type(Type::u16, {32, 24}), output;
    expect_error(Fault::input, "the output must be u8 (32, 24)", [&] { pipeline(image, wrong_shape); });
    expect_error(Fault::input, "the output must be u8 (32, 24)", [&] { pipeline(image, wrong_type); });
    expect_error(Fault::usage, "2", [&] { pipeline(std::vector{image, image}, output); });
    expect_error(Fault::input, "empty", [&] { pipeline(Array(), output); });
    expect_error(Fault::usage, "no such schedule", [&] { pipeline(image, output, {.schedule = "no_such"}); });
    for (const char *text : {"no such schedule (did you mean 'tuned'?)", "`tilewright list gaussian_blur`"}) {
        expect_error(Fault::usage, text, [&] { pipeline(image, output, {.schedule = "tund"}); });
        expect_error(Fault::usage, text, [] { Pipeline("gaussian_blur schedule=tund"); });
    }
    const std::string said = error_of([] { Pipeline("gaussian_blur schedule=no_such"); }).what();
    EXPECT_NE(said.find("reference, tuned"), std::string::npos) << said;
    EXPECT_EQ(said.find("tuned_"), std::string::npos) << "families, and not their variants: " << said;
    expect_error(Fault::device, "opencl:99",
        [&] { pipeline(image, output, {.device = Device{Backend::opencl, 99}}); });
    expect_error(Fault::usage, "stage 1 of 1, 'gaussian_blur sigma=-1'",
        [&] { Pipeline("gaussian_blur sigma=-1")(image, output); });
    EXPECT_TRUE(output.empty());
    Array square = random_array(Type::u8, {32, 32});
    expect_error(Fault::usage, "shares memory", [&] { pipeline(square, square); });
    Array large(Type::u8, {64, 64});
    Array part = large.crop(0, 0, 32, 32), other = large.crop(32, 32, 32, 32);
    pipeline(part, other);  // two parts of one image share no byte
    EXPECT_EQ(other.at<uint8_t>({0, 0}), 0);
}

TEST(Pipeline, EveryKindOfCallIsRefusedWithoutStages) {
    const Pipeline none;
    const Array image = random_array(Type::u8, {24, 32});
    Array output;
    const std::function<void()> calls[] = {[&] { none(image, output); }, [&] { none.check({&image, 1}); },
        [&] { none.output_of({&image, 1}); }, [&] { none.choose_device({&image, 1}); },
        [&] { none.checked({&image, 1}); }, [&] { none.prepare({&image, 1}, output); }};
    for (const auto &call : calls) {
        const std::string line = expect_error(Fault::usage, "it has no stages", call);
        EXPECT_EQ(line.rfind("pipeline", 0), 0u) << line;
    }
    EXPECT_TRUE(output.empty());
}

}  // namespace tilewright
