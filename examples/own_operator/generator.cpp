// The generator: makes the definition of its buffers, and lets the variant's schedule be applied.
#include "generators/variant_generator.h"
#include "sobel_definition.h"

namespace tilewright {

class SobelGenerator : public VariantGenerator<SobelGenerator> {
public:
    Input<Buffer<uint8_t, 2>> image{"image"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        Sobel sobel(image, image.width(), image.height());
        output = sobel.out;
        apply(sobel, {image, output});
    }
};

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::SobelGenerator, sobel)
