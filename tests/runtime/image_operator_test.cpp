// The front that operators from one image to another begin with.
#include "runtime/dispatch/image_operator.h"
#include "tests/support/errors.h"
#include "tilewright/invert.h"
#include "tilewright/workload.h"
#include <gtest/gtest.h>

namespace tilewright {
namespace {

std::string type_of(const ImageOperator &op, Type type, std::vector<int64_t> shape) {
    const Array image(type, std::move(shape));
    return op.type_of({&image, 1}, {});
}

// The library sees rows of elements, so the neighbours of a colour image's element are other channels.
TEST(ImageOperator, AWindowRefusesColour) {
    const ImageOperator window("edges", "a window", invert_operator().rows());
    EXPECT_EQ(type_of(window, Type::u8, {5, 7}), "u8");
    for (const std::vector<int64_t> &shape : {std::vector<int64_t>{5, 7, 3}, {5, 7, 4}, {5, 7, 1}, {5}}) {
        const Error error = error_of([&] { type_of(window, Type::u8, shape); });
        EXPECT_EQ(error.fault(), Fault::input) << error.what();
        EXPECT_NE(
            std::string(error.what()).find("takes an image of one channel, (h, w), of u8"), std::string::npos)
            << error.what();
    }
    EXPECT_EQ(error_of([&] { type_of(window, Type::f32, {5, 7}); }).fault(), Fault::input);
}

TEST(ImageOperator, APointwiseOneTakesColour) {
    const ImageOperator points(
        "negative", "point by point", invert_operator().rows(), ImageOperator::Kind::pointwise);
    EXPECT_EQ(type_of(points, Type::u8, {5, 7}), "u8");
    EXPECT_EQ(type_of(points, Type::u8, {5, 7, 3}), "u8");
    EXPECT_EQ(error_of([&] { type_of(points, Type::f32, {5, 7, 3}); }).fault(), Fault::input);
    EXPECT_EQ(error_of([&] { type_of(points, Type::u8, {5}); }).fault(), Fault::input);
}

TEST(ImageOperator, APointwiseOneTreatsAlphaAsAColour) {
    const auto &rows = invert_operator().rows();
    EXPECT_TRUE(ImageOperator("negative", "", rows, ImageOperator::Kind::pointwise).treats_alpha_as_colour());
    EXPECT_FALSE(ImageOperator("edges", "", rows).treats_alpha_as_colour());
}

// What a front takes is verified.
TEST(ImageOperator, SamplesHaveColourWhereItIsTaken) {
    const auto colours = [](const ImageOperator &op) {
        int64_t count = 0;
        for (const Sample &sample : workload_of(op).samples("u8")) {
            count += sample.inputs[0].dimensions() == 3;
        }
        return count;
    };
    EXPECT_EQ(colours(ImageOperator("edges", "a window", invert_operator().rows())), 0);
    EXPECT_GT(colours(ImageOperator(
                  "negative", "point by point", invert_operator().rows(), ImageOperator::Kind::pointwise)),
        0);
}

}  // namespace
}  // namespace tilewright
