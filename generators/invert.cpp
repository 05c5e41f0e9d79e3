// The generator of invert: its buffers.
#include "generators/algorithms/invert/invert.h"
#include "generators/variant_generator.h"

namespace tilewright {

class InvertGenerator : public VariantGenerator<InvertGenerator> {
public:
    Input<Buffer<void, 2>> image{"image"};
    Output<Buffer<void, 2>> output{"output"};

    void configure() {
        image.set_type(element_type(type));
        output.set_type(element_type(type));
    }

    void generate() {
        Invert invert(image);
        output = invert.out;
        apply(invert, {image, output});

        image.set_estimates({{0, 8192}, {0, 8192}});
        output.set_estimates({{0, 8192}, {0, 8192}});
    }
};

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::InvertGenerator, invert)
