#pragma once
#include "generators/algorithms/fft2d/transpose.h"
#include "generators/row_generator.h"

namespace tilewright {

// in, output: images of words of 64 bits.
class Fft2dTurnGenerator : public Operator<Fft2dTurnGenerator> {
public:
    Input<Halide::Buffer<uint64_t, 2>> in{"in"};
    Output<Halide::Buffer<uint64_t, 2>> output{"output"};

    void generate() {
        Fft2dTurn form(in);
        output = form.out;
        for (int d : {0, 1}) {
            in.dim(d).set_min(0);
            output.dim(d).set_min(0);
        }
        apply(form, {in, output});
    }
};

}  // namespace tilewright
