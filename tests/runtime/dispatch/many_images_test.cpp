// Calls on arrays of many images, on the devices of this machine: each image as a call of its own has it.
#include "runtime/arrays/copy.h"
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace tilewright {
namespace {

constexpr int64_t across = 2, down = 3;  // so many images along the axes in front

using Images = std::vector<std::vector<Array>>;  // the inputs of each image

// The images one after another: input `number` of each.
Array stacked(const Images &images, size_t number, int64_t row_bytes = Array::padded) {
    const Array &first = images[0][number];
    std::vector<int64_t> shape = {across, down};
    shape.insert(shape.end(), first.shape().begin(), first.shape().end());
    Array all(first.type(), shape, row_bytes);
    for (int64_t i = 0; i < across * down; i++) {
        Array image = all.slice({i / down, i % down});
        copy(images[(size_t)i][number], image);
    }
    return all;
}

std::vector<Array> stacked(const Images &images, int64_t row_bytes = Array::padded) {
    std::vector<Array> all;
    for (size_t number = 0; number < images[0].size(); number++) {
        all.push_back(stacked(images, number, row_bytes));
    }
    return all;
}

// The sample, and others: its rows in another order.
Images images_like(const std::vector<Array> &inputs) {
    Images images;
    for (int64_t i = 0; i < across * down; i++) {
        std::vector<Array> &image = images.emplace_back();
        for (const Array &input : inputs) {
            image.push_back(input.clone());
            for (int64_t y = 0; y < input.shape()[0]; y++) {
                const Array from = input.slice({y});
                Array to = image.back().slice({(y + 7 * i) % input.shape()[0]});
                copy(from, to);
            }
        }
    }
    return images;
}

bool takes_images(const Operator &op) {
    return op.inputs()[0].axes != Axes::vector;
}

std::string layout_of(const Array &image) {
    return image.dimensions() == 3 ? "nthwc" : "nthw";
}

void expect_equals_calls(const Operator &op, const Sample &sample, Device device, int64_t row_bytes) {
    SCOPED_TRACE(op.name() + ", " + sample.what + ", " + device.str());
    const Images images = images_like(sample.inputs);
    const std::vector<Array> inputs = stacked(images, row_bytes);
    const std::string layout = layout_of(sample.inputs[0]);
    Array output, of_prepared, again;
    Statistics statistics;
    const Call how{.device = device, .statistics = &statistics, .layout = layout};
    op(inputs, output, sample.settings, how);
    EXPECT_EQ(statistics.device, device.str());
    EXPECT_EQ(statistics.variant.find(op.name() + "/"), 0u);
    Prepared prepared = op.prepare(inputs, of_prepared, sample.settings, how);
    prepared(inputs, again);
    EXPECT_TRUE(same_bytes(output, of_prepared));
    EXPECT_TRUE(same_bytes(output, again));
    const size_t begin = op.name().size() + 1;
    const std::string schedule =
        statistics.variant.substr(begin, statistics.variant.find('/', begin) - begin);
    for (int64_t i = 0; i < across * down; i++) {
        Array expected;
        op(images[(size_t)i], expected, sample.settings, {.device = device, .schedule = schedule});
        EXPECT_TRUE(same_bytes(output.slice({i / down, i % down}), expected)) << "image " << i;
    }
    EXPECT_EQ(op.output_of(inputs, sample.settings, layout), std::pair(output.type(), output.shape()));
}

class ManyImagesOf : public testing::TestWithParam<const Operator *> {};

}  // namespace

TEST_P(ManyImagesOf, EqualCallsOfEach) {
    const Operator &op = *GetParam();
    if (!takes_images(op)) {
        GTEST_SKIP() << "not run here: it takes vectors";
    }
    for (const Device device : usable_devices()) {
        for (const std::string &type : quick_types(op, device)) {
            expect_equals_calls(op, small_sample(op, type, 64, 64), device, Array::padded);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Operators, ManyImagesOf, testing::ValuesIn(operators()),
    [](const auto &info) { return info.param->name(); });

// Images that begin at any byte, of sizes from 1 on.
TEST(ManyImagesOfBytes, BeginAnywhere) {
    for (const char *name : {"gaussian_blur", "transpose", "row_sum", "column_sum", "invert"}) {
        const Operator *op = built_operator(name);
        for (const Device device : op ? usable_devices() : std::vector<Device>()) {
            if (device.backend == Backend::opencl && !device_info(device).is_gpu &&
                op->name() != "transpose") {
                continue;  // PoCL compiles for seconds
            }
            for (const std::vector<int64_t> &shape : {std::vector<int64_t>{1, 1}, {17, 23}, {64, 31}}) {
                const Sample sample{{random_array<uint8_t>(shape)}, {}, "u8"};
                expect_equals_calls(*op, sample, device, Array::padded);
                expect_equals_calls(*op, sample, device, down * shape[0] * shape[1] + 5);
            }
        }
    }
}

class ManyBlurred : public testing::Test {
protected:
    void SetUp() override {
        if (!blur) {
            GTEST_SKIP() << "not run here: gaussian_blur was not built";
        }
    }
    void expect_refused(Fault fault, const std::string &words, const Array &input, const std::string &layout,
        Array output = {}) const {
        const bool was_empty = output.empty();
        expect_error(fault, words, [&] { (*blur)({&input, 1}, output, {}, {.layout = layout}); });
        expect_error(fault, words, [&] { blur->prepare({&input, 1}, output, {}, {.layout = layout}); });
        EXPECT_EQ(output.empty(), was_empty);
    }
    const Operator *const blur = built_operator("gaussian_blur");
};

TEST_F(ManyBlurred, WordsOfWhatIsRefused) {
    const Array image(Type::u8, {2, 3, 8, 9});
    expect_refused(Fault::input, "say by the layout, nhwc or nchw, which axes", image, "");
    for (const char *layout : {"nhcw", "nnhw", "chwn", "wh", "h", "nhwhw", "1nhw", "n\x1bhw"}) {
        expect_refused(Fault::usage, "a different letter for each axis", image, layout);
    }
    expect_refused(Fault::input, "the array has 4 axes", image, "nhw");
    expect_refused(Fault::input, "with 1 to 4 channels", image, "nhwc");
    expect_refused(Fault::input, "must be u8 (2, 3, 8, 9)", image, "nchw", Array(Type::u8, {2, 3, 9, 8}));
    expect_refused(Fault::usage, "shares memory", image, "nchw", image);
    const std::vector<uint8_t> nothing(2 * 3 * 8 * 9);
    expect_refused(
        Fault::usage, "const memory", image, "nchw", Array::view(std::span(nothing), {2, 3, 8, 9}));
    expect_error(Fault::usage, "1 to 8 dimensions", [] { Array(Type::u8, {0, 8, 9}); });
    expect_error(Fault::usage, "1 to 8 dimensions", [] { Array(Type::u8, std::vector<int64_t>(9, 1)); });
    expect_error(Fault::usage, "is no part of u8 (2, 3, 8, 9)", [&] { image.slice({2}); });
    expect_error(Fault::usage, "is no part of", [&] { image.slice({0, 0, 0, 0}); });
    if (const Operator *matmul = built_operator("matmul")) {
        const std::vector<Array> inputs = {Array(Type::f32, {2, 8, 9}), Array(Type::f32, {3, 9, 8})};
        Array product;
        expect_error(Fault::input, "different numbers of images: (2) and (3)",
            [&] { (*matmul)(inputs, product, {}, {.layout = "nhw"}); });
    }
}

// Borders are those of each image, and NaN stays in its own.
TEST_F(ManyBlurred, ImagesDoNotMeet) {
    for (const Device device : usable_devices()) {
        Array batch(Type::f32, {3, 40, 50});
        fill<float>(batch, [] { return 1; });
        batch.as<float>()[batch.strides()[0] + 20 * 50 + 20] = std::numeric_limits<float>::quiet_NaN();
        const Array soft = [&] {
            Array made;
            (*blur)({&batch, 1}, made, {{"sigma", 2.0}}, {.device = device, .layout = "nhw"});
            return made;
        }();
        for (const int64_t n : {0, 2}) {
            for (const int64_t y : {0, 39}) {
                EXPECT_NEAR(soft.at<float>({n, y, 25}), 1, 1e-5) << device.str();
            }
        }
        EXPECT_TRUE(std::isnan(soft.at<float>({1, 20, 20})));
    }
}

TEST_F(ManyBlurred, ProgressCountsImagesAndCancels) {
    const Array batch(Type::u8, {50, 30, 40});
    std::vector<double> parts;
    Call call{.device = Device{}, .layout = "nhw"};
    call.progress = [&](double done) {
        parts.push_back(done);
        return done < .5;
    };
    Array output;
    expect_error(Fault::cancelled, "cancelled", [&] { (*blur)({&batch, 1}, output, {}, call); });
    EXPECT_TRUE(output.empty());
    EXPECT_GE(parts.size(), 25u);
    EXPECT_TRUE(std::ranges::is_sorted(parts));
    EXPECT_NEAR(parts.back(), .5, .03);
}

}  // namespace tilewright
