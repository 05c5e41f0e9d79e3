#pragma once
// What the generators of column_sum and of row_sum share.
#include "generators/algorithms/sums/sum_types.h"
#include "generators/float_conversions.h"
#include "generators/variant_generator.h"

namespace tilewright {

// The output. Sums of integers are words: u32, or f32 where the argument as_floats is not 0.
template<typename Self>
class SumGenerator : public VariantGenerator<Self> {
public:
    typename VariantGenerator<Self>::template Output<Halide::Buffer<void, 1>> sums{"sums"};

    // Inputs are declared behind this output. Functions take all inputs before all outputs in any case, which
    // Halide would say of each library.
    bool allow_out_of_order_inputs_and_outputs() const override {
        return true;
    }

protected:
    void configure_sums() {
        const Halide::Type sum = sum_type(this->type);
        sums.set_type(sum);
        if (sum.is_uint()) {
            as_floats = this->template add_input<int32_t>("as_floats");
        }
    }
    SumOutput output() const {
        return {sums.type(), as_floats ? Halide::Expr(*as_floats) : Halide::Expr()};
    }

    Halide::GeneratorInput<int32_t> *as_floats = nullptr;
};

// Those whose input is the image itself.
template<typename Self>
class SumOfImageGenerator : public SumGenerator<Self> {
public:
    typename VariantGenerator<Self>::template Input<Halide::Buffer<void, 2>> image{"image"};
    using SumGenerator<Self>::sums;

    void configure() {
        image.set_type(element_type(this->type));
        this->configure_sums();
    }

protected:
    // The elements as numbers.
    Halide::Func numbers() {
        const FloatBits bits = float_bits(this->type, this->get_target());
        if (bits.empty()) {
            return image;
        }
        const Halide::Var x{"x"}, y{"y"};
        Halide::Func numbers{"numbers"};
        numbers(x, y) = bits.number(image(x, y));
        return numbers;
    }
    Halide::Type sum() const {
        return sum_type(this->type);
    }
    // Sums of bytes are added in 16 bits first.
    Halide::Type narrow() const {
        return image.type() == Halide::UInt(8) ? Halide::UInt(16) : sum();
    }
    template<typename Form>
    void finish(Form &form) {
        sums = form.out;
        this->apply(form, {image, sums});
        image.set_estimates({{0, 8192}, {0, 8192}});
        sums.set_estimates({{0, 8192}});
        if (this->as_floats) {
            this->as_floats->set_estimate(0);
        }
    }
};

}  // namespace tilewright
