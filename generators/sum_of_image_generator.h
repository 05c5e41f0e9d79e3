#pragma once
// What the generators of column_sum and of row_sum share whose input is the image itself.
#include "generators/algorithms/sums/sum_types.h"
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
    template<typename Form>
    void finish(Form &form) {
        sums = form.out;
        this->apply(form, {image, sums});
        image.set_estimates({{0, 8192}, {0, 8192}});
        sums.set_estimates({{0, 8192}});
    }
};

}  // namespace tilewright
