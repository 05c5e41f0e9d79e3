// The front that operators from one image to another begin with.
#include "runtime/dispatch/image_operator.h"
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/image_library.h"
#include "tests/support/operators.h"
#include "tilewright/alpha.h"
#include "tilewright/generated.h"
#include "tilewright/invert.h"
#include "tilewright/workload.h"
#include <HalideRuntime.h>
#include <algorithm>
#include <gtest/gtest.h>

namespace tilewright {
namespace {

using Kind = ImageOperator::Kind;

constexpr ImageForm form("invert");

// With the table of `invert`.
ImageOperator made(Kind kind, const std::vector<Variant> &variants = invert_operator().variants()) {
    return ImageOperator("some", "", variants, {&form}, kind);
}

std::string type_of(const ImageOperator &op, Type type, std::vector<int64_t> shape) {
    const Array image(type, std::move(shape));
    return op.type_of({&image, 1}, {});
}

TEST(ImageOperator, TakesGreyAndColoursOfTheTypesOfItsTable) {
    for (const Kind kind : {Kind::pointwise, Kind::window, Kind::average}) {
        const ImageOperator op = made(kind);
        EXPECT_EQ(type_of(op, Type::u8, {5, 7}), "u8");
        EXPECT_EQ(type_of(op, Type::u16, {5, 7, 3}), "u16");
        EXPECT_EQ(type_of(op, Type::u8, {5, 7, 1}), "u8");
        for (const Array &image :
            {Array(Type::f32, {5, 7, 3}), Array(Type::f32, {5, 7}), Array(Type::u8, {5})}) {
            const Error error = error_of([&] { op.type_of({&image, 1}, {}); });
            EXPECT_EQ(error.fault(), Fault::input) << error.what();
            EXPECT_NE(std::string(error.what()).find("takes u8 or u16 of shape (h, w) or (h, w, c)"),
                std::string::npos)
                << error.what();
        }
    }
}

// A library as Halide makes it, with a stride of 1 along x: each element becomes the larger one of it and its
// right neighbour, which of the last one is itself.
int larger_neighbour(void **arguments) {
    const auto *in = static_cast<const halide_buffer_t *>(arguments[0]);
    auto *out = static_cast<halide_buffer_t *>(arguments[1]);
    if (in->dim[0].stride != 1 || out->dim[0].stride != 1) {
        return halide_error_code_constraint_violated;
    }
    for (int y = 0; y < in->dim[1].extent; y++) {
        const uint8_t *from = in->host + y * in->dim[1].stride;
        for (int x = 0; x < in->dim[0].extent; x++) {
            out->host[y * out->dim[1].stride + x] =
                std::max(from[x], from[std::min(x + 1, in->dim[0].extent - 1)]);
        }
    }
    return 0;
}

// The libraries of a window see neighbours in an image, and not other channels.
TEST(ImageOperator, AWindowComputesEachChannelAsAnImage) {
    static const std::vector<Variant> variants = {
        generated_variant("larger", "tuned", "u8", Backend::cpu, larger_neighbour, image_to_image)};
    static constexpr ImageForm larger("generated");
    const ImageOperator op("larger", "", variants, {&larger});
    const Array large = random_array(Type::u8, {24, 40, 3}), image = large.crop(2, 3, 20, 30);
    Array output;
    Statistics statistics;
    op({&image, 1}, output, {}, {.device = Device{}, .statistics = &statistics});
    ASSERT_EQ(output.describe(), image.describe());
    EXPECT_EQ(statistics.libraries.size(), 3u);
    for (int64_t y = 0; y < 20; y++) {
        for (int64_t x = 0; x < 30; x++) {
            for (int64_t c = 0; c < 3; c++) {
                ASSERT_EQ(output.at<uint8_t>({y, x, c}),
                    std::max(image.at<uint8_t>({y, x, c}),
                        image.at<uint8_t>({y, std::min<int64_t>(x + 1, 29), c})))
                    << y << ", " << x << ", " << c;
            }
        }
    }
}

// The libraries of a window see arrays of channels, which are aligned wherever the image is.
TEST(ImageOperator, AWindowIsAskedForTheAlignmentOfItsChannels) {
    std::vector<Variant> variants = {
        generated_variant("aligned", "tuned", "u8", Backend::cpu, larger_neighbour, image_to_image)};
    variants[0].configured = {{"alignment", 64}};
    static constexpr ImageForm aligned("generated");
    for (const Kind kind : {Kind::window, Kind::pointwise}) {
        const ImageOperator op("aligned", "", variants, {&aligned}, kind);
        for (const int64_t channels : {1, 3}) {
            const Array image = Array(Type::u8, {24, 40, channels}).crop(2, 3, 20, 30);
            EXPECT_EQ(op.serves(op.variants()[0], {&image, 1}, Array(image.type(), image.shape()), {}),
                kind == Kind::window);
        }
        const Array grey = Array(Type::u8, {24, 40}).crop(2, 3, 20, 30);
        EXPECT_FALSE(op.serves(op.variants()[0], {&grey, 1}, Array(grey.type(), grey.shape()), {}));
    }
}

// On every device, into arrays and parts of arrays of the caller, whose other bytes stay as they were.
TEST(ImageOperator, AWindowWritesColoursOnEveryDevice) {
    const ImageOperator op = made(Kind::window);
    for (const Type type : {Type::u8, Type::u16}) {
        const Array image = random_array(type, {33, 47, 4});
        Array want;
        invert(image, want, {.device = Device{}});
        for (const Device device : usable_devices()) {
            Array whole(type, {40, 60, 4});
            Array part = whole.crop(3, 5, 33, 47);
            op({&image, 1}, part, {}, {.device = device});
            EXPECT_EQ(difference(part, want, {}), "") << device.str();
            EXPECT_EQ(difference(whole.crop(0, 0, 3, 60), Array(type, {3, 60, 4}), {}), "") << device.str();
            EXPECT_EQ(difference(whole.crop(3, 52, 33, 8), Array(type, {33, 8, 4}), {}), "") << device.str();
        }
    }
}

TEST(ImageOperator, AnAverageMultipliesColoursByAlpha) {
    const auto &variants = invert_operator().variants();
    const Array image = random_array(Type::u8, {5, 7, 4});
    EXPECT_TRUE(made(Kind::pointwise).treats_alpha_as_colour());
    const ImageOperator edges = made(Kind::window), average = made(Kind::average);
    EXPECT_TRUE(edges.treats_alpha_as_colour());
    EXPECT_EQ(edges.premultiplied(image).storage(), image.storage());
    EXPECT_FALSE(average.treats_alpha_as_colour());
    EXPECT_EQ(difference(average.premultiplied(image), premultiply(image), {}), "");
    EXPECT_EQ(difference(average.unpremultiplied(premultiply(image), Type::u8),
                  unpremultiply(premultiply(image), Type::u8), {}),
        "");
    // Premultiplied u8 are u16: without such variants alpha is carried over.
    std::vector<Variant> bytes;
    std::copy_if(variants.begin(), variants.end(), std::back_inserter(bytes),
        [](const Variant &variant) { return variant.type == "u8"; });
    EXPECT_TRUE(made(Kind::average, bytes).treats_alpha_as_colour());
}

// A front that does not know a variant's form cannot bind its arguments.
TEST(ImageOperator, AVariantOfAFormThatIsNotListedEndsTheConstruction) {
    static constexpr ImageForm other("edges");
    EXPECT_THROW(
        ImageOperator("edges", "a window", invert_operator().variants(), {&other}), std::logic_error);
    EXPECT_THROW(
        made(Kind::window).form(generated_variant("negative", "tuned", "u8", Backend::cpu, nullptr, nullptr)),
        std::logic_error);
}

// What a front takes is verified.
TEST(ImageOperator, SamplesHaveColour) {
    for (const Kind kind : {Kind::pointwise, Kind::window}) {
        const ImageOperator op = made(kind);
        const std::vector<Sample> samples = workload_of(op).samples("u8");
        EXPECT_TRUE(std::any_of(samples.begin(), samples.end(),
            [](const Sample &sample) { return sample.inputs[0].dimensions() == 3; }));
    }
}

}  // namespace
}  // namespace tilewright
