#pragma once
#include "generators/algorithms/fft2d/pass.h"
#include "generators/row_generator.h"
#include "schedules/fft_pass.h"

namespace tilewright {

// The generator of one pass. Inputs and output: see generators/algorithms/fft2d/pass.h.
class FftPassGenerator : public Operator<FftPassGenerator> {
public:
    using Words1 = Halide::Buffer<uint64_t, 1>;
    using Words2 = Halide::Buffer<uint64_t, 2>;
    Input<Halide::Buffer<uint64_t, 3>> in{"in"};
    Input<Words1> roots{"roots"};
    Output<Halide::Buffer<uint64_t, 3>> output{"output"};

    void configure() {
        const Pass pass = described();
        turns = pass.twiddled ? add_input<Words1>("turns") : nullptr;
        first = pass.chirp_first ? add_input<Words2>("first") : nullptr;
        last = pass.chirp_last ? add_input<Words2>("last") : nullptr;
        if (pass.convolve) {
            response = add_input<Words2>("response");
            middle = add_input<Words1>("middle");
        } else {
            sign = add_input<float>("sign");
            scale_re = add_input<float>("scale_re");
            scale_im = add_input<float>("scale_im");
        }
    }

    void generate() {
        const Pass pass = described();
        PassTables tables;
        tables.roots = roots;
        roots.dim(0).set_bounds(0, pass.length());
        const std::pair<Input<Words1> *, Func *> lists[] = {{turns, &tables.turns}, {middle, &tables.middle}};
        for (const auto &[input, func] : lists) {
            if (input) {
                *func = *input;
                input->dim(0).set_min(0);
            }
        }
        const std::pair<Input<Words2> *, Func *> planes[] = {{first, &tables.first}, {last, &tables.last}, {response, &tables.response}};
        for (const auto &[input, func] : planes) {
            if (input) {
                *func = *input;
                input->dim(0).set_bounds(0, pass.length()).set_stride(Expr());  // the caller says which index is contiguous
                input->dim(1).set_min(0);
            }
        }
        if (!pass.convolve) {
            tables.sign = *sign;
            tables.scale_re = *scale_re;
            tables.scale_im = *scale_im;
        }

        // On a GPU the multiply-add is named, so that 2 a - (a + w b) is not made a - w b again; elsewhere the machine's own is found.
        const std::string place = backend, fused = place == "opencl" ? "fma" : "llvm.fma.f32";
        const bool gpu = place != "cpu";
        const MultiplyAdd multiply_add = [=](Expr a, Expr b, Expr c) {
            return gpu ? Halide::Internal::Call::make(Halide::Float(32), fused, {a, b, c}, Halide::Internal::Call::PureExtern) : a * b + c;
        };
        FftPass form(in, tables, pass, multiply_add, gpu);
        output = form.out;

        const bool rows_in = pass.lines != Pass::Lines::across, rows_out = pass.lines == Pass::Lines::along;
        for (int d = 0; d < 3; d++) {
            in.dim(d).set_min(0);
            output.dim(d).set_min(0);
        }
        in.dim(rows_in ? 0 : 1).set_extent(pass.length());
        output.dim(rows_out ? 0 : 1).set_extent(pass.length());
        apply(form, {in, output});
    }

private:
    Pass described() const {
        return pass_of(Site{{}, {}, {}, settings()});
    }

    Input<Words1> *turns = nullptr, *middle = nullptr;
    Input<Words2> *first = nullptr, *last = nullptr, *response = nullptr;
    Input<float> *sign = nullptr, *scale_re = nullptr, *scale_im = nullptr;
};

}  // namespace tilewright
