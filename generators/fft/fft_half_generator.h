#pragma once
// The generator of the step between the spectrum of real values and a transform of complex numbers, for
// fft2d.
#include "generators/algorithms/fft2d/half.h"
#include "generators/fft/complex_buffers.h"
#include "generators/variant_generator.h"

namespace tilewright {

// Inputs and output: see generators/algorithms/fft2d/half.h; `half` is L.
class FftHalfGenerator : public VariantGenerator<FftHalfGenerator> {
public:
    Input<Halide::Buffer<>> in{"in"}, roots{"roots"};
    Input<int32_t> half{"half"};
    Output<Halide::Buffer<>> output{"output"};

    void configure() {
        configure_numbers(in, type, 2);
        configure_numbers(roots, type, 1);
        configure_numbers(output, type, 2);
    }

    void generate() {
        const auto number = [this](Input<Halide::Buffer<>> &buffer, const std::vector<Halide::Expr> &at) {
            return number_of(values_in(buffer, type, at).as_vector());
        };
        FftHalf form([&](const Halide::Expr &x, const Halide::Expr &y) { return number(in, {x, y}); },
            [&](const Halide::Expr &k) { return number(roots, {k}); }, half,
            in.dim(has_words(type) ? 1 : 2).extent(), this->template configuration<FftHalfShape>(),
            type_of_parts(type), std::string(backend) == "cpu");
        output = form.out;
        begin_at_zero(in, type);
        begin_at_zero(roots, type);
        begin_at_zero(output, type);
        apply(form, {in, output});
    }
};

}  // namespace tilewright
