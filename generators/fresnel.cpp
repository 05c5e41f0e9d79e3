// The generators of fresnel: the buffers and scalars of its definition and of its forms.
#include "generators/algorithms/fresnel/fresnel.h"
#include "generators/fft/complex_words.h"
#include "generators/fft/fft2d_transpose_generator.h"
#include "generators/fft/fft_lines_generator.h"
#include "generators/fft/fft_mixed_generator.h"
#include "generators/fft/fft_pass_generator.h"
#include "generators/variant_generator.h"

namespace tilewright {

// The definition. products, steps and largest are of the prime factors of the side (Fft2d::Lines).
class FresnelGenerator : public VariantGenerator<FresnelGenerator> {
public:
    Input<Halide::Buffer<uint64_t, 2>> field{"field"};
    Input<Halide::Buffer<uint64_t, 1>> roots{"roots"};
    Input<Halide::Buffer<int32_t, 1>> products{"products"};
    Input<int> steps{"steps"}, largest{"largest"}, method{"method"};
    Input<double> distance{"distance"}, frequency_step_squared{"frequency_step_squared"};
    Output<Halide::Buffer<uint64_t, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"}, k{"k"};
        Func in{"in"}, root{"root"};
        in(x, y) = parts(field(x, y));
        root(k) = parts(roots(unsafe_promise_clamped(k, 0, roots.dim(0).extent() - 1)));
        const Expr n = field.dim(0).extent();
        Fresnel form(in, {root, products, n, steps, largest}, {n, distance, frequency_step_squared}, method);
        output(x, y) = word(form.out(x, y));
        apply(form, {field, output});

        field.set_estimates({{0, 1024}, {0, 1024}});
        roots.set_estimates({{0, 1024}});
        products.set_estimates({{0, 11}});
        steps.set_estimate(10);
        largest.set_estimate(2);
        method.set_estimate(1);
        distance.set_estimate(1e5);
        frequency_step_squared.set_estimate(1e-9);
        output.set_estimates({{0, 1024}, {0, 1024}});
    }
};

// The form that multiplies by one phase: that of the number.
class FresnelTimesGenerator : public VariantGenerator<FresnelTimesGenerator> {
public:
    Input<Halide::Buffer<uint64_t, 2>> field{"field"};
    Input<int> number{"number"};
    Input<double> distance{"distance"}, frequency_step_squared{"frequency_step_squared"};
    Input<float> scale{"scale"};
    Output<Halide::Buffer<uint64_t, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func in{"in"};
        in(x, y) = parts(field(x, y));
        FresnelTimes form(in, {field.dim(0).extent(), distance, frequency_step_squared}, number, scale);
        output(x, y) = word(form.out(x, y));
        form.out = output;
        form.x = x;
        form.y = y;
        apply(form, {field, output});
    }
};

// The form that tabulates H. Row y of the output is for frequency order(y).
class FresnelTransferGenerator : public VariantGenerator<FresnelTransferGenerator> {
public:
    Input<Halide::Buffer<int32_t, 1>> order{"order"};
    Input<double> distance{"distance"}, frequency_step_squared{"frequency_step_squared"};
    Input<float> scale{"scale"};
    Output<Halide::Buffer<uint64_t, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        FresnelTransfer form(order, {output.dim(0).extent(), distance, frequency_step_squared}, scale);
        output(x, y) = word(form.out(x, y));
        form.out = output;
        form.x = x;
        form.y = y;
        apply(form, {output});
    }
};

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::FresnelGenerator, fresnel)
HALIDE_REGISTER_GENERATOR(tilewright::FresnelTimesGenerator, fresnel_times)
HALIDE_REGISTER_GENERATOR(tilewright::FresnelTransferGenerator, fresnel_transfer)
HALIDE_REGISTER_GENERATOR(tilewright::Fft2dTransposeGenerator, fft2d_transpose)
HALIDE_REGISTER_GENERATOR(tilewright::FftPassGenerator, fft_pass)
HALIDE_REGISTER_GENERATOR(tilewright::FftLinesGenerator, fft_lines)
HALIDE_REGISTER_GENERATOR(tilewright::FftMixedGenerator, fft_mixed)
