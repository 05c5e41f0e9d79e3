#pragma once
// The generator of the steps between real values or their spectrum and a transform of complex numbers, for
// fft2d.
#include "generators/algorithms/fft2d/half.h"
#include "generators/fft/complex_buffers.h"
#include "generators/variant_generator.h"
#include <string>

namespace tilewright {

// Inputs and output: see generators/algorithms/fft2d/half.h. Steps of pairs of rows do not read `roots`.
class FftHalfGenerator : public VariantGenerator<FftHalfGenerator> {
public:
    Input<Halide::Buffer<>> in{"in"}, roots{"roots"};
    Input<int32_t> width{"width"};
    Output<Halide::Buffer<>> output{"output"};

    void configure() {
        configure_field(in, Step::pair_rows);
        configure_field(output, Step::split_rows);
        configure_numbers(roots, type, 1);
    }

    void generate() {
        const bool is_real = shape().step == Step::pair_rows;
        const auto number = [&](const Halide::Expr &x, const Halide::Expr &y) {
            if (is_real) {
                return Complex{in(x, y), 0};
            }
            // In the other steps some threads read one word of a number alone, or write real values.
            const bool is_whole = shape().step == Step::half || shape().step == Step::half_back;
            return number_of((is_whole ? whole_values_in(in, type, this->get_target(), {x, y}) :
                                         values_in(in, type, {x, y}))
                    .as_vector());
        };
        const auto root = [&](const Halide::Expr &k) {
            return number_of(values_in(roots, type, {k}).as_vector());
        };
        FftHalf form(number, root, width, in.dim(in.dimensions() - 1).extent(), shape(), type_of_parts(type),
            std::string(backend) == "cpu");
        output = form.out;
        begin(in, Step::pair_rows);
        begin(output, Step::split_rows);
        begin_at_zero(roots, type);
        apply(form, {in, output});
    }

private:
    using Step = FftHalfShape::Step;

    FftHalfShape shape() const {
        return this->template configuration<FftHalfShape>();
    }
    // A field of complex numbers, but in that step of real ones.
    template<typename Buffer>
    void configure_field(Buffer &buffer, Step of_values) {
        if (shape().step == of_values) {
            buffer.set_type(type_of_parts(type));
            buffer.set_dimensions(2);
        } else {
            configure_numbers(buffer, type, 2);
        }
    }
    template<typename Buffer>
    void begin(Buffer &buffer, Step of_values) {
        begin_at_zero(buffer, shape().step == of_values ? "c64" : std::string(type));
    }
};

}  // namespace tilewright
