// The generators of fft2d: the buffers and scalars of its definition and of its forms.
#include "generators/algorithms/fft2d/fft2d.h"
#include "generators/fft/complex_buffers.h"
#include "generators/fft/fft2d_transpose_generator.h"
#include "generators/fft/fft_half_generator.h"
#include "generators/fft/fft_lines_generator.h"
#include "generators/fft/fft_mixed_generator.h"
#include "generators/fft/fft_pass_generator.h"
#include "generators/variant_generator.h"

namespace tilewright {

// The definition. row_products, row_steps and row_largest are of the prime factors of the width, those of
// columns of the height (Fft2d::Lines).
class Fft2dGenerator : public VariantGenerator<Fft2dGenerator> {
public:
    Input<Halide::Buffer<>> in{"in"}, row_roots{"row_roots"}, column_roots{"column_roots"};
    Input<Halide::Buffer<int32_t, 1>> row_products{"row_products"}, column_products{"column_products"};
    Input<int> row_steps{"row_steps"}, column_steps{"column_steps"};
    Input<int> row_largest{"row_largest"}, column_largest{"column_largest"};
    Output<Halide::Buffer<>> output{"output"};

    void configure() {
        configure_numbers(in, type, 2);
        configure_numbers(row_roots, type, 1);
        configure_numbers(column_roots, type, 1);
        configure_numbers(output, type, 2);
        sign = add_input<Halide::Expr>("sign", type_of_parts(type));
        scale = add_input<Halide::Expr>("scale", type_of_parts(type));
    }

    void generate() {
        Var x{"x"}, y{"y"}, n{"n"}, part{"part"};
        Func field{"field"}, row_root{"row_root"}, column_root{"column_root"};
        const auto parts = [&](Input<Halide::Buffer<>> &buffer, const std::vector<Halide::Expr> &at) {
            const Complex number = number_of(values_in(buffer, type, at).as_vector());
            return Halide::Tuple(number.re, number.im);
        };
        field(x, y) = parts(in, {x, y});
        row_root(n) = parts(row_roots, {n});
        column_root(n) = parts(column_roots, {n});
        const int first = has_words(type) ? 0 : 1;  // the dimension x
        Fft2d form(field, {row_root, row_products, in.dim(first).extent(), row_steps, row_largest},
            {column_root, column_products, in.dim(first + 1).extent(), column_steps, column_largest}, *sign,
            *scale);
        const Complex result{form.out(x, y)[0], form.out(x, y)[1]};
        if (has_words(type)) {
            output(x, y) = result.word();
        } else {
            output(part, x, y) = select(part == 0, result.re, result.im);
            output.bound(part, 0, 2);
            begin_at_zero(in, type);
            begin_at_zero(output, type);
        }
        apply(form, {in, output});
        if (has_words(type)) {
            estimate();
        }
    }

private:
    // For the autoscheduler, which has a variant of c64.
    void estimate() {
        in.set_estimates({{0, 1024}, {0, 1024}});
        row_roots.set_estimates({{0, 1024}});
        column_roots.set_estimates({{0, 1024}});
        row_products.set_estimates({{0, 11}});
        column_products.set_estimates({{0, 11}});
        row_largest.set_estimate(2);
        column_largest.set_estimate(2);
        row_steps.set_estimate(10);
        column_steps.set_estimate(10);
        sign->set_estimate(1.0f);
        scale->set_estimate(1.0f);
        output.set_estimates({{0, 1024}, {0, 1024}});
    }

    Input<Halide::Expr> *sign = nullptr, *scale = nullptr;
};

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::Fft2dGenerator, fft2d)
HALIDE_REGISTER_GENERATOR(tilewright::Fft2dTransposeGenerator, fft2d_transpose)
HALIDE_REGISTER_GENERATOR(tilewright::FftPassGenerator, fft_pass)
HALIDE_REGISTER_GENERATOR(tilewright::FftLinesGenerator, fft_lines)
HALIDE_REGISTER_GENERATOR(tilewright::FftMixedGenerator, fft_mixed)
HALIDE_REGISTER_GENERATOR(tilewright::FftHalfGenerator, fft_half)
