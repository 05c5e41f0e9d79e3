#pragma once
// The Gaussian blur of a flow, with weights that are constants of the pipeline.
#include "generators/algorithms/element_type.h"
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include "generators/algorithms/gaussian_blur/weights.h"
#include "generators/pipelines/stage.h"

namespace tilewright {

// `table`: the weights are a table. Otherwise they are expressions that become constants where loops over
// taps are unrolled.
template<typename Form>
struct ConstantBlur {
    Halide::Func weight{"weight"};
    std::shared_ptr<Form> form;

    ConstantBlur(const Flow &in, const WindowStage &stage, bool table) {
        const GaussianWeights &w = stage.weights();
        const Halide::Type pixel = element_type(in.shape.element);
        const Halide::Var k{"k"};
        if (pixel.is_uint()) {
            define<uint32_t>(k, pixel == Halide::UInt(8) ? w.bytes.taps : w.words16.taps, table);
        } else {
            define<float>(k, w.real, table);
        }
        const ExtendedImage extended{stage.border(), in.width, in.height, in.shape.channels, Form::near};
        const Halide::Expr multiplier = Halide::cast<uint32_t>((int)w.bytes.multiplier);
        form =
            std::make_shared<Form>(in.rows, extended, weight, w.radius, Form::arithmetic(pixel, multiplier));
    }

private:
    // taps[i] is the weight of i and of -i.
    template<typename T, typename Taps>
    void define(const Halide::Var &k, const Taps &taps, bool table) {
        const int radius = (int)taps.size() - 1;
        Halide::Buffer<T> values(2 * radius + 1);
        std::vector<Halide::Expr> constants;
        for (int i = -radius; i <= radius; i++) {
            values(i + radius) = (T)taps[(size_t)std::abs(i)];
            constants.push_back(Halide::Internal::make_const(Halide::type_of<T>(), values(i + radius)));
        }
        weight(k) = table ? values(k + radius) : mux(k + radius, constants);
    }
};

}  // namespace tilewright
