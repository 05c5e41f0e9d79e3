#pragma once
// The generator of one pass of a Fourier transform, for fft2d and fresnel.
#include "generators/algorithms/block_clusters.h"
#include "generators/algorithms/fft2d/pass.h"
#include "generators/algorithms/next_block.h"
#include "generators/algorithms/passing_words.h"
#include "generators/fft/complex_buffers.h"
#include "generators/instructions.h"
#include "generators/variant_generator.h"
#include "schedules/fft/fft_pass.h"
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

namespace tilewright {

// Inputs and output: see generators/algorithms/fft2d/pass.h.
class FftPassGenerator : public VariantGenerator<FftPassGenerator> {
public:
    using Numbers = Halide::Buffer<>;
    Input<Numbers> in{"in"}, roots{"roots"};
    Output<Numbers> output{"output"};

    void configure() {
        const FftPassShape pass = shape();
        configure_numbers(in, type, 3);
        configure_numbers(roots, type, 1);
        configure_numbers(output, type, 3);
        const auto add = [&](const char *name, bool has, int dimensions) {
            return has ? add_input<Numbers>(name, has_words(type) ? Halide::UInt(64) : Halide::Float(64),
                             dimensions + first_dimension()) :
                         nullptr;
        };
        twiddles = add("turns", pass.twiddled, 1);
        first = add("first", pass.chirp_first, 2);
        last = add("last", pass.chirp_last, 2);
        response = add("response", pass.convolve, 3);
        middle = add("middle", pass.convolve, 1);
        if (pass.has_endpoints()) {
            for (const char *name : {"sign", "scale_re", "scale_im"}) {
                scalars_.push_back(add_input<Halide::Expr>(name, type_of_parts(type)));
            }
        }
    }

    void generate() {
        const FftPassShape pass = shape();
        // Words of 64 bits suit shared memory, pairs of floats suit vectors.
        const bool words = std::string(backend) != "cpu";
        FftPass form(lines_of_numbers(), tables(pass), pass, setting("threads"),
            multiply_add_of(type, backend), type_of_parts(type), words, loaded(), cluster_exchange());
        output = form.out;

        using Lines = FftPassShape::Lines;
        const bool rows_in = pass.lines != Lines::across, rows_out = pass.lines == Lines::along;
        begin_at_zero(in, type);
        begin_at_zero(output, type);
        const int d = first_dimension();
        if (!pass.is_padded()) {
            in.dim(d + (rows_in ? 0 : 1)).set_extent(pass.length());
            output.dim(d + (rows_out ? 0 : 1)).set_extent(pass.length());
        }
        apply(form, {in, output});
    }

private:
    FftPassShape shape() const {
        return this->template configuration<FftPassShape>();
    }

    // By CUDA, whose instructions OpenCL C does not have.
    std::function<Expr(Expr)> loaded() {
        const FftPassShape pass = shape();
        const std::vector<Tunable> all = settings();
        const auto at = std::ranges::find(all, "ahead", &Tunable::name);
        const int ahead = at == all.end() ? 0 : at->value, together = setting("together");
        if (!this->get_target().has_feature(Halide::Target::CUDA)) {
            return {};
        }
        if (ahead > 0) {
            // Columns that are side by side, and few of them: the blocks of threads that are on the device at
            // the same time read what the second cache fetches for the next ones.
            return [=](Expr word) {
                return instruction(
                    Halide::UInt(64), std::string(next_block_function), {word, Expr(ahead), Expr(together)});
            };
        }
        if (pass.clustered || pass.is_part() || pass.chirp_first ||
            this->get_target().get_cuda_capability_lower_bound() < passing_words_capability) {
            return {};
        }
        // The second cache keeps what the rows write until the columns read it, and neither what the rows
        // read nor what the columns write.
        const int are_stored = pass.lines == FftPassShape::Lines::along ? 0 : 1;
        return [=](Expr word) {
            return instruction(
                Halide::UInt(64), std::string(passing_words_function), {word, Expr(are_stored)});
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

    // What a table has: the buffer of words, or the two parts of its numbers.
    Func numbers(Input<Numbers> &buffer, int dimensions) {
        if (has_words(type)) {
            return buffer;
        }
        const std::vector<Var> at(all_.begin(), all_.begin() + dimensions);
        Func both("numbers");
        both(at) = values_in(buffer, type, {at.begin(), at.end()});
        return both;
    }
    Func lines_of_numbers() {
        if (has_words(type)) {
            return in;
        }
        Func both("lines");
        both(all_) = whole_values_in(in, type, this->get_target(), {all_.begin(), all_.end()});
        return both;
    }

    FftPassTables tables(const FftPassShape &pass) {
        FftPassTables tables;
        tables.roots = numbers(roots, 1);
        const int d = first_dimension();
        begin_at_zero(roots, type);
        roots.dim(d).set_extent(pass.length());
        const std::tuple<Input<Numbers> *, Func *, bool> lists[] = {{twiddles, &tables.twiddles, false},
            {middle, &tables.middle, false}, {first, &tables.first, true}, {last, &tables.last, true},
            {response, &tables.response, true}};
        for (const auto &[input, func, has_lines] : lists) {
            if (input) {
                *func = numbers(*input, input->dimensions() - d);
                begin_at_zero(*input, type);
                if (has_lines) {
                    input->dim(d).set_extent(pass.length()).set_stride(Expr());  // any stride
                }
            }
        }
        if (pass.is_padded()) {
            const int along = pass.lines == FftPassShape::Lines::along ? 0 : 1;
            tables.points = in.dim(d + along).extent();
            tables.lines = in.dim(d + 1 - along).extent();
        }
        if (pass.has_endpoints()) {
            tables.sign = *scalars_[0];
            tables.scale_re = *scalars_[1];
            tables.scale_im = *scalars_[2];
        }
        return tables;
    }

    // The first dimension that is no part of a number.
    int first_dimension() const {
        return has_words(type) ? 0 : 1;
    }

    const std::vector<Var> all_ = {Var("i"), Var("j"), Var("k")};
    Input<Numbers> *twiddles = nullptr, *first = nullptr, *last = nullptr, *response = nullptr,
                   *middle = nullptr;
    std::vector<Input<Halide::Expr> *> scalars_;  // sign, scale_re, scale_im
};

}  // namespace tilewright
