#pragma once
// The generator of one pass over long lines of a Fourier transform, for fft2d and fresnel on a CPU.
#include "generators/algorithms/fft2d/lines.h"
#include "generators/variant_generator.h"
#include "schedules/fft/fft_lines.h"
#include <tuple>
#include <utility>

namespace tilewright {

// Inputs and output: see generators/algorithms/fft2d/lines.h.
class FftLinesGenerator : public VariantGenerator<FftLinesGenerator> {
public:
    using Parts2 = Halide::Buffer<float, 2>;
    using Parts3 = Halide::Buffer<float, 3>;
    Input<Parts3> in{"in"};
    Input<Parts2> roots{"roots"};
    Output<Halide::Buffer<float, 5>> output{"output"};

    void configure() {
        const FftPassShape pass = shape();
        const bool rows = pass.lines == FftPassShape::Lines::along;
        between = rows ? add_input<Parts3>("between") : nullptr;
        between_back = rows && pass.convolve ? add_input<Parts3>("between_back") : nullptr;
        first = pass.chirp_first ? add_input<Parts2>("first") : nullptr;
        last = pass.chirp_last ? add_input<Parts2>("last") : nullptr;
        response = pass.convolve ? add_input<Parts2>("response") : nullptr;
        if (!pass.convolve) {
            sign = add_input<float>("sign");
            scale_re = add_input<float>("scale_re");
            scale_im = add_input<float>("scale_im");
        }
    }

    void generate() {
        const FftPassShape pass = shape();
        FftLines form(in, tables(pass), pass, this->get_target().natural_vector_size<float>());
        output = form.out;

        const bool rows = pass.lines == FftPassShape::Lines::along;
        const FftPassShape last_line = pass.convolve ? pass.mirrored() : pass;
        in.dim(0).set_bounds(0, 2);
        in.dim(1).set_min(0).set_stride(2);
        in.dim(2).set_min(0);
        in.dim(rows ? 1 : 2).set_extent(pass.length());
        output.dim(0).set_bounds(0, 2);
        output.dim(1).set_stride(2);
        const int k = rows ? 1 : 2;
        output.dim(k).set_bounds(0, last_line.first_level());
        output.dim(k + 1).set_bounds(0, last_line.radix[2]);
        output.dim(k + 2).set_bounds(0, last_line.radix[3]);
        output.dim(rows ? 4 : 1).set_min(0);
        apply(form, {in, output});
    }

private:
    FftPassShape shape() const {
        return this->template configuration<FftPassShape>();
    }

    FftLinesTables tables(const FftPassShape &pass) {
        FftLinesTables tables;
        tables.roots = roots;
        const std::pair<Input<Parts2> *, Func *> lists[] = {{&roots, &tables.roots}, {first, &tables.first},
            {last, &tables.last}, {response, &tables.response}};
        for (const auto &[input, func] : lists) {
            if (input) {
                *func = *input;
                input->dim(0).set_bounds(0, 2);
                input->dim(1).set_bounds(0, pass.length()).set_stride(2);
            }
        }
        const std::tuple<Input<Parts3> *, Func *, FftPassShape> levels[] = {
            {between, &tables.between, pass}, {between_back, &tables.between_back, pass.mirrored()}};
        for (const auto &[input, func, line] : levels) {
            if (input) {
                const int points2 = line.length() / line.first_level();
                *func = *input;
                input->dim(0).set_bounds(0, points2);
                input->dim(1).set_bounds(0, line.first_level()).set_stride(points2);
                input->dim(2).set_bounds(0, 2).set_stride(line.length());
            }
        }
        if (!pass.convolve) {
            tables.sign = *sign;
            tables.scale_re = *scale_re;
            tables.scale_im = *scale_im;
        }
        return tables;
    }

    Input<Parts3> *between = nullptr, *between_back = nullptr;
    Input<Parts2> *first = nullptr, *last = nullptr, *response = nullptr;
    Input<float> *sign = nullptr, *scale_re = nullptr, *scale_im = nullptr;
};

}  // namespace tilewright
