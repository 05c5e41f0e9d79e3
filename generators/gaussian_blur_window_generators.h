#pragma once
// The generators of the forms of gaussian_blur that extend images by BorderMap: those with windows, whose
// weights are scalars, and that by products of bytes. u8 images are rows of words.
#include "generators/algorithms/gaussian_blur/colours.h"
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/gaussian_blur/products/floats.h"
#include "generators/algorithms/gaussian_blur/products/fused.h"
#include "generators/algorithms/gaussian_blur/products/halves.h"
#include "generators/algorithms/gaussian_blur/products/ring.h"
#include "generators/algorithms/gaussian_blur/products/two_kernels.h"
#include "generators/algorithms/gaussian_blur/window.h"
#include "generators/algorithms/gaussian_blur/window_dot.h"
#include "generators/algorithms/tensor_products.h"
#include "generators/check_tunables.h"
#include "generators/float_conversions.h"
#include "generators/instructions.h"
#include "generators/variant_generator.h"
#include "schedules/shared_moves.h"
#include <initializer_list>
#include <string>
#include <vector>

namespace tilewright {

using Halide::Buffer;
using Halide::GeneratorInput;
using Halide::GeneratorOutput;

// What the generators of the window forms share.
template<typename Self>
class WindowGenerator : public VariantGenerator<Self> {
protected:
    GaussianBlurWindowConfiguration window() const {
        return this->template configuration<GaussianBlurWindowConfiguration>();
    }

    // The variant with its tile, where its tunables make one; see GaussianBlurWindowVariant::why_not.
    GaussianBlurWindowVariant window_variant(int rows_at_once) const {
        const GaussianBlurWindowVariant made(window(), [&](const char *name) { return this->setting(name); });
        check_tunables(this->variant().name, this->tunables, made.why_not(rows_at_once));
        return made;
    }
};

// f32, f64, f16, bf16 and u16 images of any size, whose base and rows are multiples of 16 bytes. turn (the
// factor), low, high_x, high_y and zero: the numbers of BorderMap. weight0 ...: the weights w_0 ... w_radius;
// for u16 they are integers, and fraction0 ... are w_0 2^-24 ...
class GaussianBlurWindowGenerator : public WindowGenerator<GaussianBlurWindowGenerator> {
public:
    Input<Buffer<void, 2>> image{"image"};
    Input<int32_t> factor{"turn"}, low{"low"}, high_x{"high_x"}, high_y{"high_y"}, zero{"zero"};
    Output<Buffer<void, 2>> output{"output"};

    void configure() {
        const Halide::Type pixel = element_type(type);
        image.set_type(pixel);
        output.set_type(pixel);
        for (int i = 0; i <= window().radius; i++) {
            const std::string name = "weight" + std::to_string(i);
            if (pixel == Halide::Float(64)) {
                doubles.push_back(add_input<double>(name));
            } else if (pixel.is_float() || has_float_bits(type)) {
                floats.push_back(add_input<float>(name));
            } else {
                integers.push_back(add_input<uint32_t>(name));
                floats.push_back(add_input<float>("fraction" + std::to_string(i)));
            }
        }
    }

    void generate() {
        std::vector<Expr> weights, fractions;
        for (Input<float> *weight : floats) {
            (integers.empty() ? weights : fractions).push_back(*weight);
        }
        for (Input<double> *weight : doubles) {
            weights.push_back(*weight);
        }
        for (Input<uint32_t> *weight : integers) {
            weights.push_back(*weight);
        }
        if (!integers.empty()) {
            check_tunables(variant().name, tunables, WordSums::why_not((int)weights.size() - 1));
        }
        const GaussianBlurWindowVariant row = window_variant(1);
        const BorderMap border = {factor, low, high_x, high_y, row.table ? Expr() : Expr(zero)};
        const FloatBits bits = float_bits(type, get_target(), true);
        GaussianBlurWindow blur(image, image.width(), image.height(), border, weights, fractions,
            bits.empty() ? BlurArithmetic::plain(output.type(), {}) : BlurArithmetic::of(bits), row);
        output = blur.out;
        apply(blur, {image, output});
    }

private:
    std::vector<Input<float> *> floats;
    std::vector<Input<double> *> doubles;
    std::vector<Input<uint32_t> *> integers;
};

// u8 images as rows of words, ceil_div(width * channels, 4) per row; base and rows are multiples of 16 bytes.
// lower0_0 ... and upper0_0 ...: the words of taps that are used, phase by phase; first those of the lower
// bytes, then those of the upper bytes.
template<typename Form>
class GaussianBlurWindowDotGenerator : public WindowGenerator<GaussianBlurWindowDotGenerator<Form>> {
public:
    GeneratorInput<Buffer<uint32_t, 2>> image{"image"};
    GeneratorInput<int32_t> width{"width"}, factor{"turn"}, low{"low"}, high_x{"high_x"}, high_y{"high_y"},
        zero{"zero"};
    GeneratorInput<uint32_t> multiplier{"multiplier"};
    GeneratorOutput<Buffer<uint32_t, 2>> output{"output"};

    void configure() {
        const TapWordShape taps = shape();
        add_words(lower, "lower", taps, taps.radius + 1);
        add_words(upper, "upper", taps, taps.high);
    }

    void generate() {
        TapWords taps(shape());
        for (size_t i = 0; i < lower.size(); i++) {
            taps.lower[i] = lower[i] ? Expr(*lower[i]) : Expr();
            taps.upper[i] = upper[i] ? Expr(*upper[i]) : Expr();
        }
        Form blur(image, width, image.height(), {factor, low, high_x, high_y, zero}, taps, multiplier,
            this->window_variant(4), word_operations(this->get_target()));
        output = blur.out;
        this->apply(blur, {image, output});
    }

private:
    std::vector<GeneratorInput<uint32_t> *> lower, upper;

    TapWordShape shape() const {
        return {this->window().radius, this->window().high};
    }
    void add_words(std::vector<GeneratorInput<uint32_t> *> &words, const std::string &name,
        const TapWordShape &taps, int limit) {
        for (int phase = 0; phase < 4; phase++) {
            for (int k = 0; k < taps.words(); k++) {
                words.push_back(taps.used(phase, k, limit) ?
                                    this->template add_input<uint32_t>(
                                        name + std::to_string(phase) + "_" + std::to_string(k)) :
                                    nullptr);
            }
        }
    }
};

// Says of words of taps that a lane loads four of them at once. Their dimensions are word, lane, and others
// of these extents, of which the last one may be left open (0).
template<typename Taps>
void in_lanes(Taps &taps, std::initializer_list<int> others) {
    constexpr int words = LaneProduct::words_of_a, lanes = 32;
    taps.set_host_alignment(16);
    taps.dim(0).set_bounds(0, words);
    taps.dim(1).set_bounds(0, lanes).set_stride(words);
    int dimension = 2, stride = words * lanes;
    for (const int extent : others) {
        taps.dim(dimension).set_min(0).set_stride(stride);
        if (extent > 0) {
            taps.dim(dimension).set_extent(extent);
        }
        dimension++;
        stride *= extent;
    }
}

// The forms by products of bytes. image and output: rows of words, ceil_div(width * pixel, 4) per row, where
// a pixel has so many bytes. taps0 ...: the words of TapFragments of each byte of the taps, with the
// dimensions word, lane, half, step; reach and first1 ... are its numbers.
template<typename Form>
class GaussianBlurProductsGenerator : public VariantGenerator<GaussianBlurProductsGenerator<Form>> {
public:
    GeneratorInput<Buffer<uint32_t, 2>> image{"image"};
    GeneratorInput<int32_t> width{"width"}, reach{"reach"}, factor{"turn"}, low{"low"}, high_x{"high_x"},
        high_y{"high_y"}, zero{"zero"}, band{"band"};
    GeneratorInput<uint32_t> multiplier{"multiplier"};
    GeneratorOutput<Buffer<uint32_t, 2>> output{"output"};

    void configure() {
        for (int byte = 0; byte <= output_bytes(); byte++) {
            const std::string number = std::to_string(byte);
            taps.push_back(this->template add_input<Buffer<uint32_t, 4>>("taps" + number));
            firsts.push_back(this->template add_input<int32_t>("first" + number));
        }
    }

    void generate() {
        auto group = Form::Group::of(this->template configuration<GaussianBlurProductsConfiguration>(),
            output_bytes(), [&](const char *name) { return this->setting(name); });
        group.band = band;
        Form blur(image, width, image.height(), {factor, low, high_x, high_y, zero}, planes(), reach,
            multiplier, group, added_product(byte_product_call), word_operations(this->get_target()));
        output = blur.out;
        from_origin({image, output});
        this->apply(blur, {image, output});
    }

private:
    std::vector<GeneratorInput<Buffer<uint32_t, 4>> *> taps;
    std::vector<GeneratorInput<int32_t> *> firsts;
    int output_bytes() const {
        return element_type(this->type).bytes();
    }

    std::vector<TapPlane> planes() const {
        constexpr int halves = 2;
        std::vector<TapPlane> all;
        for (size_t byte = 0; byte < taps.size(); byte++) {
            auto &plane = *taps[byte];
            in_lanes(plane, {halves, 0});
            Halide::Var v, q, g, m, k;
            Halide::Func fragments;
            fragments(v, q, g, m, k) = plane(v, 4 * g + q, m, k);
            all.push_back({fragments, *firsts[byte], plane.dim(3).extent()});
        }
        return all;
    }
};

// The form for u16 by products of bytes whose warps share nothing. image and output: rows of words, whose
// base and rows are multiples of 16 bytes; `width` is a multiple of 4. taps: the words of HalfBands, with the
// dimensions word, lane, entry.
class GaussianBlurHalfProductsGenerator : public VariantGenerator<GaussianBlurHalfProductsGenerator> {
public:
    Input<Buffer<uint32_t, 2>> image{"image"};
    Input<Buffer<uint32_t, 3>> taps{"taps"};
    Input<int32_t> width{"width"}, factor{"turn"}, low{"low"}, high_x{"high_x"}, high_y{"high_y"},
        band{"band"};
    Output<Buffer<uint32_t, 2>> output{"output"};

    void generate() {
        const GaussianBlurHalfProducts::Group group{
            {configuration<GaussianBlurHalvesConfiguration>().reach}, setting("warps"), band};
        in_lanes(taps, {(int)group.bands.entries().size()});
        GaussianBlurHalfProducts blur(image, width, image.height(), {factor, low, high_x, high_y, Expr()},
            taps, group, added_product(byte_product_call), word_operations(get_target()));
        output = blur.out;
        from_origin({image, output});
        apply(blur, {image, output});
    }
};

// The form for u8 by products of bytes with a ring in registers. image and output: rows of words; `width` is
// a multiple of 8, and rows of the output begin at multiples of 8 bytes. taps: the words of UnitBands, with
// the dimensions word, lane, entry, pass.
class GaussianBlurRingProductsGenerator : public VariantGenerator<GaussianBlurRingProductsGenerator> {
public:
    Input<Buffer<uint32_t, 2>> image{"image"};
    Input<Buffer<uint32_t, 4>> taps{"taps"};
    Input<int32_t> width{"width"}, factor{"turn"}, low{"low"}, high_x{"high_x"}, high_y{"high_y"},
        zero{"zero"}, band{"band"};
    Input<uint32_t> multiplier{"multiplier"};
    Output<Buffer<uint32_t, 2>> output{"output"};

    void generate() {
        const auto row = configuration<GaussianBlurRingConfiguration>();
        const GaussianBlurRingProducts::Group group{{row.units, row.short_taps}, setting("warps"), band};
        in_lanes(taps, {(int)group.bands.entries().size(), 2});
        GaussianBlurRingProducts blur(image, width, image.height(), {factor, low, high_x, high_y, zero}, taps,
            multiplier, group, added_product(byte_product_call), nvidia_exchange,
            word_operations(get_target()));
        output = blur.out;
        from_origin({image, output});
        apply(blur, {image, output});
    }
};

// The form by products of pairs of 16-bit floats. image and output: rows of f32, whose base and rows are
// multiples of 16 bytes. taps: the words of FloatFragments, with the dimensions word, lane, part, step.
// weights: the taps -radius ... radius.
class GaussianBlurFloatProductsGenerator : public VariantGenerator<GaussianBlurFloatProductsGenerator> {
public:
    Input<Buffer<float, 2>> image{"image"};
    Input<Buffer<uint32_t, 4>> taps{"taps"};
    Input<Buffer<float, 1>> weights{"weights"};
    Input<int32_t> factor{"turn"}, low{"low"}, high_x{"high_x"}, high_y{"high_y"}, band{"band"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        constexpr int parts = 2;
        in_lanes(taps, {parts, 0});
        const GaussianBlurFloatProducts::Group group{
            configuration<GaussianBlurProductsConfiguration>().steps, setting("warps"), band};
        GaussianBlurFloatProducts blur(image, image.width(), image.height(),
            {factor, low, high_x, high_y, Expr()}, taps, weights, weights.dim(0).extent(), group,
            added_product(half_product_call), nvidia_pair_of_halves);
        output = blur.out;
        from_origin({image, output});
        weights.dim(0).set_min(0);
        apply(blur, {image, output});
    }
};

}  // namespace tilewright
