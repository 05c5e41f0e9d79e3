// Alpha on its way through pipelines: multiplied in, divided out, and kept.
#include "tests/runtime/pipelines/pipelines.h"
#include "tests/support/arrays.h"
#include "tilewright/alpha.h"
#include "tilewright/pipeline.h"
#include "tilewright/workload.h"

namespace tilewright {

// Alpha is multiplied in once for stages that follow each other, and what does not mix pixels gets colour
// beside alpha.
TEST(Pipeline, AlphaIsMultipliedInForTheStagesThatMixPixels) {
    NEEDS("gaussian_blur", "transpose");
    const Operator &blur = find_operator("gaussian_blur");
    const Array image = random_array(Type::u8, {23, 34, 4});
    const Settings sigma = {{"sigma", 1.5}};
    for (const Device &device : usable_devices()) {
        SCOPED_TRACE(device.str());
        auto blurred = [&](const Array &a) { return call("gaussian_blur", {a}, sigma, device); };
        const Array once = blur.unpremultiplied(blurred(blur.premultiplied(image)), Type::u8);
        const Array twice = blur.unpremultiplied(blurred(blurred(blur.premultiplied(image))), Type::u8);
        const Array turned = call("transpose", {once}, {}, device);
        const auto check = [&](const char *stages, const Array &expected) {
            for (const bool is_given : {false, true}) {
                Array output = is_given ? Array(expected.type(), expected.shape()) : Array();
                const Pipeline pipeline(stages);
                pipeline(image, output, {.device = device, .alpha = true});
                EXPECT_EQ(difference(output, expected, {}), "") << stages;
                const auto [type, shape] =
                    pipeline.output_of(std::vector{image}, {.device = device, .alpha = true});
                EXPECT_EQ(type, expected.type());
                EXPECT_EQ(shape, expected.shape());
            }
        };
        check("gaussian_blur sigma=1.5", once);
        check("gaussian_blur sigma=1.5 | gaussian_blur sigma=1.5", twice);
        check("gaussian_blur sigma=1.5 | transpose", turned);
        check("transpose | gaussian_blur sigma=1.5",
            blur.unpremultiplied(
                blurred(blur.premultiplied(call("transpose", {image}, {}, device))), Type::u8));
        check("gaussian_blur sigma=1.5 | transpose | gaussian_blur sigma=1.5",
            blur.unpremultiplied(blurred(blur.premultiplied(turned)), Type::u8));
        Array plain;
        Pipeline("gaussian_blur sigma=1.5")(image, plain, {.device = device});
        EXPECT_EQ(difference(plain, blurred(image), {}), "")
            << "without alpha, a fourth channel is one as the others";
    }
}

// An operator that treats alpha as a colour changes it; what comes after it gets the image's own alpha.
TEST(Pipeline, AlphaStaysWhatItIsWhereItIsTreatedAsAColour) {
    NEEDS("gaussian_blur", "transpose", "invert");
    const Operator &blur = find_operator("gaussian_blur");
    for (const Type type : {Type::u8, Type::u16}) {
        const Array image = random_array(type, {23, 34, 4});
        for (const Device &device : usable_devices()) {
            SCOPED_TRACE(device.str());
            const auto negative = [&](const Array &a) {
                return with_alpha_of(call("invert", {a}, {}, device), a);
            };
            const auto blurred = [&](const Array &a) {
                return blur.unpremultiplied(
                    call("gaussian_blur", {blur.premultiplied(a)}, {{"sigma", 1.5}}, device), type);
            };
            const auto turned = [&](const Array &a) { return call("transpose", {a}, {}, device); };
            const auto check = [&](const char *stages, const Array &expected) {
                for (const bool is_given : {false, true}) {
                    for (const bool keeps_steps : {false, true}) {
                        Array output = is_given ? Array(expected.type(), expected.shape()) : Array();
                        std::vector<PipelineStep> steps;
                        const Pipeline pipeline(stages);
                        pipeline(image, output,
                            {.device = device, .alpha = true, .steps = keeps_steps ? &steps : nullptr});
                        EXPECT_EQ(difference(output, expected, {}), "") << stages;
                    }
                }
            };
            check("invert", negative(image));
            check("invert | invert", image);
            check("invert | gaussian_blur sigma=1.5", blurred(negative(image)));
            check("gaussian_blur sigma=1.5 | invert", negative(blurred(image)));
            check("gaussian_blur sigma=1.5 | invert | gaussian_blur sigma=1.5",
                blurred(negative(blurred(image))));
            check("invert | transpose | invert", turned(image));
            Array plain;
            Pipeline("invert")(image, plain, {.device = device});
            EXPECT_EQ(difference(plain, call("invert", {image}, {}, device), {}), "")
                << "without alpha, a fourth channel is one as the others";
        }
    }
}

}  // namespace tilewright
