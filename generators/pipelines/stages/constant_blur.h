#pragma once
// The Gaussian blur of a flow, with weights that are constants of the pipeline.
#include "generators/algorithms/element_type.h"
#include "generators/algorithms/gaussian_blur/exact_taps.h"
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include "generators/algorithms/gaussian_blur/weights.h"
#include "generators/algorithms/sums/sum_types.h"
#include "generators/pipelines/stage.h"
#include <bit>

namespace tilewright {

// `table`: the weights are a table. Otherwise they are expressions that become constants where loops over
// taps are unrolled.
template<typename Form>
struct ConstantBlur {
    Halide::Func weight{"weight"};
    std::shared_ptr<Form> form;

    ConstantBlur(const Flow &in, const WindowStage &stage, bool table) {
        const GaussianWeights &w = stage.weights();
        const bool has_bits = has_float_bits(in.shape.element);
        const Halide::Type pixel = has_bits ? Halide::Float(32) : element_type(in.shape.element);
        const Halide::Var k{"k"};
        if (pixel.is_uint()) {
            define<uint32_t>(k, pixel == Halide::UInt(8) ? w.bytes.taps : w.words16.taps, table);
        } else if (pixel == Halide::Float(64)) {
            define<double>(k, exact_taps(w), table);
        } else {
            define<float>(k, w.real, table);
        }
        const ExtendedImage extended{stage.border(), in.width, in.height, in.shape.channels, Form::near};
        const Halide::Expr multiplier = Halide::cast<uint32_t>((int)w.bytes.multiplier);
        BlurArithmetic arithmetic = Form::arithmetic(pixel, multiplier);
        if (has_bits) {
            arithmetic.bits = FloatBits{in.shape.element};
        }
        form = std::make_shared<Form>(in.rows, extended, BlurPass{weight, w.radius, arithmetic});
    }

private:
    // taps[i] is the weight of i and of -i. Constants of f64 are made of their bits, because Halide 21 writes
    // them into the code of OpenCL as f32.
    template<typename T, typename Taps>
    void define(const Halide::Var &k, const Taps &taps, bool table) {
        const int radius = (int)taps.size() - 1;
        const bool in_bits = sizeof(T) == 8;
        Halide::Buffer<T> values(2 * radius + 1);
        std::vector<Halide::Expr> constants;
        for (int i = -radius; i <= radius; i++) {
            const T tap = (T)taps[(size_t)std::abs(i)];
            values(i + radius) = tap;
            constants.push_back(
                in_bits ? Halide::Expr(std::bit_cast<uint64_t>((double)tap)) : Halide::Expr(tap));
        }
        const Halide::Expr constant = mux(k + radius, constants);
        weight(k) = table ? values(k + radius) : in_bits ? reinterpret<double>(constant) : constant;
    }
};

}  // namespace tilewright
