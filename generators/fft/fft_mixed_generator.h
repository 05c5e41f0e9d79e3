#pragma once
// The generator of one pass over lines of any smooth length, for fft2d and fresnel.
#include "generators/algorithms/fft2d/mixed_blocks.h"
#include "generators/check_tunables.h"
#include "generators/fft/complex_buffers.h"
#include "generators/variant_generator.h"
#include "schedules/fft/fft_mixed.h"
#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace tilewright {

// Inputs and output: see generators/algorithms/fft2d/mixed.h.
class FftMixedGenerator : public VariantGenerator<FftMixedGenerator> {
public:
    Input<Halide::Buffer<>> in{"in"}, roots{"roots"}, first{"first"}, last{"last"};
    Input<int32_t[mixed_radices.size()]> counts{"counts"};
    Input<uint64_t[most_mixed_stages]> strides{"strides"};
    Output<Halide::Buffer<>> output{"output"};

    void configure() {
        configure_numbers(in, type, 3);
        configure_numbers(output, type, 3);
        for (Input<Halide::Buffer<>> *table : {&roots, &first, &last}) {
            configure_numbers(*table, type, 1);
        }
        if (this->template configuration<FftMixedShape>().convolves) {
            response = add_input<Halide::Buffer<uint64_t, 1>>("response");
        } else {
            positions = add_input<Halide::Buffer<int32_t, 1>>("positions");
        }
        for (const char *name : {"sign", "scale_re", "scale_im"}) {
            scalars_.push_back(add_input<Halide::Expr>(name, type_of_parts(type)));
        }
        FftMixedNumbers<int> names;
        names.fields([&](const char *name, int) { numbers_[name] = add_input<int32_t>(name); });
    }

    void generate() {
        FftMixedNumbers<Halide::Expr> numbers;
        numbers.fields([&](const char *name, Halide::Expr &number) { number = *numbers_[name]; });
        Var x{"x"}, y{"y"}, batch{"batch"}, i{"i"};
        // The front gives each table and each field what the numbers of its call reach.
        const auto promised = [](const Halide::Expr &at, const Halide::Expr &extent) {
            return Halide::unsafe_promise_clamped(at, 0, extent - 1);
        };
        const int d = has_words(type) ? 0 : 1;  // the first dimension that is no part of a number
        const auto table = [&](const char *name, Input<Halide::Buffer<>> &buffer) {
            Halide::Func func(std::string("table_") + name);
            func(i) = values_in(buffer, type, {promised(i, buffer.dim(d).extent())});
            return func;
        };
        Halide::Func field("field"), position("position");
        field(x, y, batch) = whole_values_in(in, type, this->get_target(),
            {promised(x, in.dim(d).extent()), promised(y, in.dim(d + 1).extent()),
                promised(batch, in.dim(d + 2).extent())});
        FftMixedTables tables{table("roots", roots), table("first", first), table("last", last), position, {},
            {}, {}, *scalars_[0], *scalars_[1], *scalars_[2]};
        Halide::Expr stride = strides[0];
        for (size_t s = 1; s < most_mixed_stages; s++) {
            stride = select(i == (int)s, Halide::Expr(strides[s]), stride);
        }
        tables.strides(i) = stride;
        if (response) {
            tables.response(i) = (*response)(promised(i, response->dim(0).extent()));
            response->dim(0).set_min(0);
        } else {
            position(i) = (*positions)(promised(i, positions->dim(0).extent()));
            positions->dim(0).set_min(0);
        }
        for (size_t r = 0; r < mixed_radices.size(); r++) {
            tables.counts.push_back(counts[r]);
        }
        const auto shape = this->template configuration<FftMixedShape>();
        if (std::string(backend) == "cpu") {
            schedule_form(
                FftMixed(field, tables, numbers, shape, multiply_add_of(type, backend), type_of_parts(type)));
            return;
        }
        check_tunables(this->variant().name, this->tunables,
            std::has_single_bit((unsigned)setting("threads")) ? "" : "threads must be a power of two");
        schedule_form(FftMixedBlocks(field, tables, numbers, shape, multiply_add_of(type, backend),
            setting("threads"), words(), type_of_parts(type)));
    }

private:
    // How many words, of f64 pairs of words, a block keeps.
    int words() const {
        const int capability = this->get_target().get_cuda_capability_lower_bound(), words = setting("words");
        return capability < 0 || capability >= 80 ?
                   words :
                   std::min(words, words_of_older_gpus / (has_words(type) ? 1 : 2));
    }

    template<typename Form>
    void schedule_form(Form form) {
        output = form.out;
        for (Input<Halide::Buffer<>> *buffer : {&in, &roots, &first, &last}) {
            begin_at_zero(*buffer, type);
        }
        begin_at_zero(output, type);
        if (std::is_same_v<Form, FftMixedBlocks>) {
            const int d = has_words(type) ? 0 : 1;
            in.dim(d).set_stride(Halide::Expr());
            output.dim(d).set_stride(Halide::Expr());
        }
        apply(form, {in, output});
    }

    std::map<std::string, Input<int32_t> *> numbers_;
    Input<Halide::Buffer<int32_t, 1>> *positions = nullptr;
    Input<Halide::Buffer<uint64_t, 1>> *response = nullptr;
    std::vector<Input<Halide::Expr> *> scalars_;  // sign, scale_re, scale_im
};

}  // namespace tilewright
