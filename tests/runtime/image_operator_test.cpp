// The front that operators from one image to another begin with.
#include "runtime/dispatch/image_operator.h"
#include "tests/support/errors.h"
#include "tilewright/generated.h"
#include "tilewright/invert.h"
#include "tilewright/workload.h"
#include <gtest/gtest.h>

namespace tilewright {
namespace {

constexpr ImageForm form("invert");

ImageOperator window() {
    return ImageOperator("edges", "a window", invert_operator().rows(), {&form});
}
ImageOperator points() {
    return ImageOperator(
        "negative", "point by point", invert_operator().rows(), {&form}, ImageOperator::Kind::pointwise);
}

std::string type_of(const ImageOperator &op, Type type, std::vector<int64_t> shape) {
    const Array image(type, std::move(shape));
    return op.type_of({&image, 1}, {});
}

// The library sees rows of elements, so the neighbours of a colour image's element are other channels.
TEST(ImageOperator, AWindowRefusesColour) {
    const ImageOperator op = window();
    EXPECT_EQ(type_of(op, Type::u8, {5, 7}), "u8");
    for (const std::vector<int64_t> &shape : {std::vector<int64_t>{5, 7, 3}, {5, 7, 4}, {5, 7, 1}, {5}}) {
        const Error error = error_of([&] { type_of(op, Type::u8, shape); });
        EXPECT_EQ(error.fault(), Fault::input) << error.what();
        EXPECT_NE(
            std::string(error.what()).find("takes an image of one channel, (h, w), of u8"), std::string::npos)
            << error.what();
    }
    EXPECT_EQ(error_of([&] { type_of(op, Type::f32, {5, 7}); }).fault(), Fault::input);
}

TEST(ImageOperator, APointwiseOneTakesColour) {
    const ImageOperator op = points();
    EXPECT_EQ(type_of(op, Type::u8, {5, 7}), "u8");
    EXPECT_EQ(type_of(op, Type::u8, {5, 7, 3}), "u8");
    EXPECT_EQ(error_of([&] { type_of(op, Type::f32, {5, 7, 3}); }).fault(), Fault::input);
    EXPECT_EQ(error_of([&] { type_of(op, Type::u8, {5}); }).fault(), Fault::input);
}

TEST(ImageOperator, APointwiseOneTreatsAlphaAsAColour) {
    EXPECT_TRUE(points().treats_alpha_as_colour());
    EXPECT_FALSE(window().treats_alpha_as_colour());
}

// A front that does not know a row's form cannot bind its arguments.
TEST(ImageOperator, ARowOfAFormThatIsNotListedEndsTheConstruction) {
    static constexpr ImageForm other("edges");
    EXPECT_THROW(ImageOperator("edges", "a window", invert_operator().rows(), {&other}), std::logic_error);
    EXPECT_THROW(window().form(generated_row("negative", "tuned", "u8", Backend::cpu, nullptr, nullptr)),
        std::logic_error);
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
    EXPECT_EQ(colours(window()), 0);
    EXPECT_GT(colours(points()), 0);
}

}  // namespace
}  // namespace tilewright
