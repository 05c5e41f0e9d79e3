#include "generators/algorithms/fresnel/fresnel.h"
#include "generators/fft2d_transpose_generator.h"
#include "generators/algorithms/fft2d/butterfly.h"
#include "generators/fft_pass_generator.h"
#include "generators/row_generator.h"

namespace tilewright {

namespace {

// Complex numbers outside are words of 64 bits (generators/algorithms/fft2d/butterfly.h), inside Tuples of two parts.
Halide::Tuple parts(const Halide::Expr &word) {
    const Complex value = Complex::of_word(word);
    return Halide::Tuple(value.re, value.im);
}

Halide::Expr word(const Halide::FuncRef &value) {
    return Complex{value[0], value[1]}.word();
}

}  // namespace

// The whole propagation of a field of 2^steps x 2^steps samples.
class FresnelGenerator : public Operator<FresnelGenerator> {
public:
    Input<Halide::Buffer<uint64_t, 2>> field{"field"};
    Input<Halide::Buffer<uint64_t, 1>> roots{"roots"};
    Input<int> steps{"steps"}, method{"method"};
    Input<double> distance{"distance"}, grain{"grain"};
    Output<Halide::Buffer<uint64_t, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"}, k{"k"};
        Func in{"in"}, root{"root"};
        in(x, y) = parts(field(x, y));
        root(k) = parts(roots(unsafe_promise_clamped(k, 0, roots.dim(0).extent() - 1)));
        Fresnel form(in, root, {field.dim(0).extent(), distance, grain}, steps, method);
        output(x, y) = word(form.out(x, y));
        apply(form, {field, output});

        field.set_estimates({{0, 1024}, {0, 1024}});
        roots.set_estimates({{0, 1024}});
        steps.set_estimate(10);
        method.set_estimate(1);
        distance.set_estimate(1e5);
        grain.set_estimate(1e-9);
        output.set_estimates({{0, 1024}, {0, 1024}});
    }
};

// One phase, of that number.
class FresnelTimesGenerator : public Operator<FresnelTimesGenerator> {
public:
    Input<Halide::Buffer<uint64_t, 2>> field{"field"};
    Input<int> number{"number"};
    Input<double> distance{"distance"}, grain{"grain"};
    Input<float> scale{"scale"};
    Output<Halide::Buffer<uint64_t, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func in{"in"};
        in(x, y) = parts(field(x, y));
        FresnelTimes form(in, {field.dim(0).extent(), distance, grain}, number, scale);
        output(x, y) = word(form.out(x, y));
        form.out = output;
        form.x = x;
        form.y = y;
        apply(form, {field, output});
    }
};

// The table of H whose row y is for frequency order(y).
class FresnelTransferGenerator : public Operator<FresnelTransferGenerator> {
public:
    Input<Halide::Buffer<int32_t, 1>> order{"order"};
    Input<double> distance{"distance"}, grain{"grain"};
    Input<float> scale{"scale"};
    Output<Halide::Buffer<uint64_t, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        FresnelTransfer form(order, {output.dim(0).extent(), distance, grain}, scale);
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
HALIDE_REGISTER_GENERATOR(tilewright::Fft2dTurnGenerator, fft2d_turn)
HALIDE_REGISTER_GENERATOR(tilewright::FftPassGenerator, fft_pass)
