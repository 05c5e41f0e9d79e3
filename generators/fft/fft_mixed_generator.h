#pragma once
// The generator of one pass over lines of any smooth length, for fft2d and fresnel.
#include "generators/algorithms/fft2d/mixed.h"
#include "generators/instructions.h"
#include "generators/variant_generator.h"
#include "schedules/fft/fft_mixed.h"
#include <map>
#include <string>

namespace tilewright {

// Inputs and output: see generators/algorithms/fft2d/mixed.h.
class FftMixedGenerator : public VariantGenerator<FftMixedGenerator> {
public:
    using Words1 = Halide::Buffer<uint64_t, 1>;
    using Words3 = Halide::Buffer<uint64_t, 3>;
    Input<Words3> in{"in"};
    Input<Words1> roots{"roots"}, first{"first"}, last{"last"};
    Input<int32_t[mixed_radices.size()]> counts{"counts"};
    Input<uint64_t[most_mixed_stages]> strides{"strides"};
    Input<float> sign{"sign"}, scale_re{"scale_re"}, scale_im{"scale_im"};
    Output<Words3> output{"output"};

    void configure() {
        if (this->template configuration<FftMixedShape>().convolves) {
            response = add_input<Words1>("response");
        } else {
            positions = add_input<Halide::Buffer<int32_t, 1>>("positions");
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
        const auto table = [&](const char *name, Input<Words1> &buffer) {
            Halide::Func func(std::string("table_") + name);
            func(i) = buffer(promised(i, buffer.dim(0).extent()));
            return func;
        };
        Halide::Func field("field"), position("position");
        field(x, y, batch) = in(promised(x, in.dim(0).extent()), promised(y, in.dim(1).extent()),
            promised(batch, in.dim(2).extent()));
        FftMixedTables tables{table("roots", roots), table("first", first), table("last", last), position, {},
            {}, {}, sign, scale_re, scale_im};
        Halide::Expr stride = strides[0];
        for (size_t s = 1; s < most_mixed_stages; s++) {
            stride = select(i == (int)s, Halide::Expr(strides[s]), stride);
        }
        tables.strides(i) = stride;
        if (response) {
            tables.response = table("response", *response);
            response->dim(0).set_min(0);
        } else {
            position(i) = (*positions)(promised(i, positions->dim(0).extent()));
            positions->dim(0).set_min(0);
        }
        for (size_t r = 0; r < mixed_radices.size(); r++) {
            tables.counts.push_back(counts[r]);
        }
        const bool on_gpu = std::string(backend) != "cpu";
        FftMixed form(field, tables, numbers, this->template configuration<FftMixedShape>(),
            multiply_add(backend), on_gpu ? setting("threads") : 0, on_gpu ? setting("words") : 0,
            on_gpu ? setting("each") : 1);
        output = form.out;
        for (int d = 0; d < 3; d++) {
            in.dim(d).set_min(0);
            output.dim(d).set_min(0);
        }
        for (Input<Words1> *buffer : {&roots, &first, &last}) {
            buffer->dim(0).set_min(0);
        }
        apply(form, {in, output});
    }

private:
    std::map<std::string, Input<int32_t> *> numbers_;
    Input<Halide::Buffer<int32_t, 1>> *positions = nullptr;
    Input<Words1> *response = nullptr;
};

}  // namespace tilewright
