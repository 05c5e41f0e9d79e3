#pragma once
// The generator of the transpose between passes of a Fourier transform, for fft2d and fresnel.
#include "generators/algorithms/fft2d/transpose.h"
#include "generators/variant_generator.h"

namespace tilewright {

// in and output: images of words of 64 bits.
class Fft2dTransposeGenerator : public VariantGenerator<Fft2dTransposeGenerator> {
public:
    Input<Halide::Buffer<uint64_t, 2>> in{"in"};
    Output<Halide::Buffer<uint64_t, 2>> output{"output"};

    void generate() {
        Fft2dTranspose form(in);
        output = form.out;
        for (int d : {0, 1}) {
            in.dim(d).set_min(0);
            output.dim(d).set_min(0);
        }
        apply(form, {in, output});
    }
};

}  // namespace tilewright
