// The generators of fft2d: the buffers and scalars of its definition and of its forms.
#include "generators/algorithms/fft2d/fft2d.h"
#include "generators/fft/complex_words.h"
#include "generators/fft/fft2d_transpose_generator.h"
#include "generators/fft/fft_lines_generator.h"
#include "generators/fft/fft_mixed_generator.h"
#include "generators/fft/fft_pass_generator.h"
#include "generators/variant_generator.h"

namespace tilewright {

// The definition. row_products, row_steps and row_largest are of the prime factors of the width, those of
// columns of the height (Fft2d::Lines).
class Fft2dGenerator : public VariantGenerator<Fft2dGenerator> {
public:
    Input<Halide::Buffer<uint64_t, 2>> in{"in"};
    Input<Halide::Buffer<uint64_t, 1>> row_roots{"row_roots"}, column_roots{"column_roots"};
    Input<Halide::Buffer<int32_t, 1>> row_products{"row_products"}, column_products{"column_products"};
    Input<int> row_steps{"row_steps"}, column_steps{"column_steps"};
    Input<int> row_largest{"row_largest"}, column_largest{"column_largest"};
    Input<float> sign{"sign"}, scale{"scale"};
    Output<Halide::Buffer<uint64_t, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"}, n{"n"};
        Func field{"field"}, row_root{"row_root"}, column_root{"column_root"};
        field(x, y) = parts(in(x, y));
        row_root(n) = parts(row_roots(n));
        column_root(n) = parts(column_roots(n));
        Fft2d form(field, {row_root, row_products, in.dim(0).extent(), row_steps, row_largest},
            {column_root, column_products, in.dim(1).extent(), column_steps, column_largest}, sign, scale);
        output(x, y) = word(form.out(x, y));
        apply(form, {in, output});

        in.set_estimates({{0, 1024}, {0, 1024}});
        row_roots.set_estimates({{0, 1024}});
        column_roots.set_estimates({{0, 1024}});
        row_products.set_estimates({{0, 11}});
        column_products.set_estimates({{0, 11}});
        row_largest.set_estimate(2);
        column_largest.set_estimate(2);
        row_steps.set_estimate(10);
        column_steps.set_estimate(10);
        sign.set_estimate(1);
        scale.set_estimate(1);
        output.set_estimates({{0, 1024}, {0, 1024}});
    }
};

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::Fft2dGenerator, fft2d)
HALIDE_REGISTER_GENERATOR(tilewright::Fft2dTransposeGenerator, fft2d_transpose)
HALIDE_REGISTER_GENERATOR(tilewright::FftPassGenerator, fft_pass)
HALIDE_REGISTER_GENERATOR(tilewright::FftLinesGenerator, fft_lines)
HALIDE_REGISTER_GENERATOR(tilewright::FftMixedGenerator, fft_mixed)
