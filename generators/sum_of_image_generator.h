#pragma once
// What the generators of column_sum and of row_sum share whose input is the image itself.
#include "generators/algorithms/sums/sum_types.h"
#include "generators/float_conversions.h"
#include "generators/variant_generator.h"

namespace tilewright {

template<typename Self>
class SumOfImageGenerator : public VariantGenerator<Self> {
public:
    typename VariantGenerator<Self>::template Input<Halide::Buffer<void, 2>> image{"image"};
    typename VariantGenerator<Self>::template Output<Halide::Buffer<void, 1>> sums{"sums"};

    void configure() {
        image.set_type(element_type(this->type));
        sums.set_type(output_type(this->type));
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
    }
};

}  // namespace tilewright
