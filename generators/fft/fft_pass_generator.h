#pragma once
// The generator of one pass of a Fourier transform, for fft2d and fresnel.
#include "generators/algorithms/block_clusters.h"
#include "generators/algorithms/fft2d/pass.h"
#include "generators/algorithms/next_block.h"
#include "generators/instructions.h"
#include "generators/variant_generator.h"
#include "schedules/fft/fft_pass.h"
#include <algorithm>

namespace tilewright {

// Inputs and output: see generators/algorithms/fft2d/pass.h.
class FftPassGenerator : public VariantGenerator<FftPassGenerator> {
public:
    using Words1 = Halide::Buffer<uint64_t, 1>;
    using Words2 = Halide::Buffer<uint64_t, 2>;
    using Words3 = Halide::Buffer<uint64_t, 3>;
    Input<Words3> in{"in"};
    Input<Words1> roots{"roots"};
    Output<Words3> output{"output"};

    void configure() {
        const FftPassShape pass = shape();
        twiddles = pass.twiddled ? add_input<Words1>("turns") : nullptr;
        first = pass.chirp_first ? add_input<Words2>("first") : nullptr;
        last = pass.chirp_last ? add_input<Words2>("last") : nullptr;
        if (pass.convolve) {
            response = add_input<Words3>("response");
            middle = add_input<Words1>("middle");
        }
        if (pass.has_endpoints()) {
            sign = add_input<float>("sign");
            scale_re = add_input<float>("scale_re");
            scale_im = add_input<float>("scale_im");
        }
    }

    void generate() {
        const FftPassShape pass = shape();
        // Words of 64 bits suit shared memory, pairs of floats suit vectors.
        const bool words = std::string(backend) != "cpu";
        FftPass form(in, tables(pass), pass, setting("threads"), multiply_add(backend), words, loaded(),
            cluster_exchange());
        output = form.out;

        using Lines = FftPassShape::Lines;
        const bool rows_in = pass.lines != Lines::across, rows_out = pass.lines == Lines::along;
        for (int d = 0; d < 3; d++) {
            in.dim(d).set_min(0);
            output.dim(d).set_min(0);
        }
        if (!pass.is_padded()) {
            in.dim(rows_in ? 0 : 1).set_extent(pass.length());
            output.dim(rows_out ? 0 : 1).set_extent(pass.length());
        }
        apply(form, {in, output});
    }

private:
    FftPassShape shape() const {
        return this->template configuration<FftPassShape>();
    }

    // Columns that are side by side, and few of them: the blocks of threads that are on the device at the
    // same time read what the second cache fetches for the next ones. OpenCL C has no such instruction.
    std::function<Expr(Expr)> loaded() {
        const std::vector<Tunable> all = settings();
        const auto at = std::ranges::find(all, "ahead", &Tunable::name);
        if (at == all.end() || at->value == 0 || !this->get_target().has_feature(Halide::Target::CUDA)) {
            return {};
        }
        const int ahead = at->value, together = setting("together");
        return [=](Expr word) {
            return instruction(
                Halide::UInt(64), std::string(next_block_function), {word, Expr(ahead), Expr(together)});
        };
    }

    static ClusterExchange cluster_exchange() {
        return {[](Expr word, int block, int blocks) {
                    return instruction(Halide::UInt(64), std::string(cluster_word_function),
                        {word, Expr(block), Expr(blocks)});
                },
            [](const std::vector<Expr> &words) {
                return instruction(Halide::UInt(64), std::string(cluster_words_function), words);
            }};
    }

    FftPassTables tables(const FftPassShape &pass) {
        FftPassTables tables;
        tables.roots = roots;
        roots.dim(0).set_bounds(0, pass.length());
        const std::pair<Input<Words1> *, Func *> lists[] = {
            {twiddles, &tables.twiddles}, {middle, &tables.middle}};
        for (const auto &[input, func] : lists) {
            if (input) {
                *func = *input;
                input->dim(0).set_min(0);
            }
        }
        const std::pair<Input<Words2> *, Func *> planes[] = {{first, &tables.first}, {last, &tables.last}};
        for (const auto &[input, func] : planes) {
            if (input) {
                *func = *input;
                input->dim(0).set_bounds(0, pass.length()).set_stride(Expr());  // any stride
                input->dim(1).set_min(0);
            }
        }
        if (response) {
            tables.response = *response;
            response->dim(0).set_bounds(0, pass.length()).set_stride(Expr());
            response->dim(1).set_min(0);
            response->dim(2).set_min(0);
        }
        if (pass.is_padded()) {
            const int along = pass.lines == FftPassShape::Lines::along ? 0 : 1;
            tables.points = in.dim(along).extent();
            tables.lines = in.dim(1 - along).extent();
        }
        if (pass.has_endpoints()) {
            tables.sign = *sign;
            tables.scale_re = *scale_re;
            tables.scale_im = *scale_im;
        }
        return tables;
    }

    Input<Words1> *twiddles = nullptr, *middle = nullptr;
    Input<Words2> *first = nullptr, *last = nullptr;
    Input<Words3> *response = nullptr;
    Input<float> *sign = nullptr, *scale_re = nullptr, *scale_im = nullptr;
};

}  // namespace tilewright
