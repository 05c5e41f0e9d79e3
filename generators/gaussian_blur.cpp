// The generators of gaussian_blur: the buffers and scalars of its definition and of its forms.
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include "generators/algorithms/gaussian_blur/chunks.h"
#include "generators/algorithms/gaussian_blur/dots.h"
#include "generators/algorithms/gaussian_blur/planes.h"
#include "generators/algorithms/gaussian_blur/realigned.h"
#include "generators/algorithms/gaussian_blur/short_sums.h"
#include "generators/algorithms/gaussian_blur/unrolled_taps.h"
#include "generators/float_conversions.h"
#include "generators/gaussian_blur_window_generators.h"
#include "generators/variant_generator.h"

namespace tilewright {

using Halide::Buffer;
using Halide::GeneratorInput;
using Halide::GeneratorOutput;

// The weights for images of so named elements.
static Halide::Type type_of_weights(const std::string &type) {
    const Halide::Type pixel = element_type(type);
    return has_float_bits(type) || pixel.bits() == 32 ? Halide::Float(32) :
           pixel.is_uint()                            ? Halide::UInt(32) :
                                                        pixel;
}

// A pass by weights in a table.
template<typename Table>
static BlurPass blur_pass(Table &taps, const BlurArithmetic &arithmetic) {
    const Halide::Var k{"k"};
    Halide::Func weight{"weight"};
    taps.dim(0).set_min(0);
    const Halide::Expr radius = taps.dim(0).extent() / 2;
    weight(k) = taps(k + radius);
    return {weight, radius, arithmetic};
}

// The definition, and its forms with other arithmetic. image and output: rows of width * channels elements.
// border: a BorderRule. weights and weights_y: those of the taps -radius ... radius along rows and down
// columns, of which forms that compute them read the middle one.
template<typename Form>
class GaussianBlurGenerator : public VariantGenerator<GaussianBlurGenerator<Form>> {
public:
    GeneratorInput<Buffer<void, 2>> image{"image"};
    GeneratorInput<int32_t> channels{"channels"}, border{"border"};
    GeneratorInput<Buffer<void, 1>> weights{"weights"}, weights_y{"weights_y"};
    GeneratorInput<uint32_t> multiplier{"multiplier"}, multiplier_y{"multiplier_y"};
    GeneratorOutput<Buffer<void, 2>> output{"output"};

    void configure() {
        const Halide::Type pixel = element_type(this->type);
        image.set_type(pixel);
        output.set_type(pixel);
        for (GeneratorInput<Buffer<void, 1>> *taps : {&weights, &weights_y}) {
            taps->set_type(type_of_weights(this->type));
        }
        if (Form::computes_weights) {
            exponent_ = this->template add_input<float>("exponent");
        }
    }

    void generate() {
        const ExtendedImage extended{border, image.width() / channels, image.height(), channels, Form::near,
            Form::branch, Form::divided};
        Form blur(image, extended, pass(weights_y, multiplier_y), pass(weights, multiplier));
        output = blur.out;
        this->apply(blur, {image, output});

        image.set_estimates({{0, 8192}, {0, 8192}});
        output.set_estimates({{0, 8192}, {0, 8192}});
        weights.set_estimates({{0, 9}});
        weights_y.set_estimates({{0, 9}});
        channels.set_estimate(1);
        border.set_estimate(0);
        multiplier.set_estimate(1);
        multiplier_y.set_estimate(1);
    }

private:
    BlurPass pass(GeneratorInput<Buffer<void, 1>> &taps, GeneratorInput<uint32_t> &factor) {
        const FloatBits bits = float_bits(this->type, this->get_target(), true);
        BlurPass pass = blur_pass(
            taps, bits.empty() ? Form::arithmetic(output.type(), factor) : BlurArithmetic::of(bits));
        if (exponent_) {
            Var k{"k"};
            pass.weight = Func("weight");
            pass.weight(k) = taps(pass.radius) * exp(*exponent_ * cast<float>(k * k));
        }
        return pass;
    }

    GeneratorInput<float> *exponent_ = nullptr;  // -1 / 2 sigma^2
};

// The form by chunks of taps. image and output: columns, rows and channels. weights and weights_y: those of
// the taps along rows and down columns, each from -radius to radius.
class GaussianBlurChunksGenerator : public VariantGenerator<GaussianBlurChunksGenerator> {
public:
    Input<Buffer<void, 3>> image{"image"};
    Input<int32_t> border{"border"};
    Input<Buffer<void, 1>> weights{"weights"}, weights_y{"weights_y"};
    Input<uint32_t> multiplier{"multiplier"}, multiplier_y{"multiplier_y"};
    Output<Buffer<void, 3>> output{"output"};

    void configure() {
        const Halide::Type pixel = element_type(type);
        image.set_type(pixel);
        output.set_type(pixel);
        for (Input<Buffer<void, 1>> *taps : {&weights, &weights_y}) {
            taps->set_type(type_of_weights(type));
        }
    }

    void generate() {
        const FloatBits bits = float_bits(type, get_target(), true);
        const auto pass = [&](Input<Buffer<void, 1>> &taps, const Expr &factor) {
            return blur_pass(
                taps, bits.empty() ? BlurArithmetic::plain(output.type(), factor) : BlurArithmetic::of(bits));
        };
        const ExtendedImage extended{
            border, image.dim(0).extent(), image.dim(1).extent(), image.dim(2).extent()};
        GaussianBlurChunks blur(image, extended, pass(weights_y, multiplier_y), pass(weights, multiplier),
            {setting("own"), setting("chunk")});
        output = blur.out;
        apply(blur, {image, output});
    }
};

// The form with one radius. image and output: rows of width * channels elements. weights: those of the taps
// -radius ... radius.
class GaussianBlurTermsGenerator : public VariantGenerator<GaussianBlurTermsGenerator> {
public:
    Input<Buffer<void, 2>> image{"image"};
    Input<int32_t> channels{"channels"}, border{"border"};
    Input<Buffer<float, 1>> weights{"weights"};
    Output<Buffer<void, 2>> output{"output"};

    void configure() {
        image.set_type(element_type(type));
        output.set_type(element_type(type));
    }

    void generate() {
        const int radius = configuration<GaussianBlurTermsConfiguration>().radius;
        const ExtendedImage extended{
            border, image.width() / channels, image.height(), channels, false, false, true};
        Var k{"k"};
        Func weight{"weight"};
        weight(k) = weights(k + radius);
        weights.dim(0).set_bounds(0, 2 * radius + 1);
        GaussianBlurTerms blur(image, extended, weight, radius);
        output = blur.out;
        apply(blur, {image, output});
    }
};

// The form with sums of 16 bits. image and output: rows of width * channels elements. taps: -radius ...
// radius. start, sum and multiplier: below 2^16.
class GaussianBlurShortSumsGenerator : public VariantGenerator<GaussianBlurShortSumsGenerator> {
public:
    Input<Buffer<uint8_t, 2>> image{"image"};
    Input<int32_t> channels{"channels"}, border{"border"};
    Input<Buffer<uint16_t, 1>> taps{"taps"};
    Input<uint32_t> start{"start"}, sum{"sum"}, multiplier{"multiplier"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        constexpr int radius = GaussianBlurShortSums::radius;
        const ExtendedImage extended{
            border, image.width() / channels, image.height(), channels, false, false, true};
        Var k{"k"};
        Func tap{"tap"};
        tap(k) = taps(k + radius);
        taps.dim(0).set_bounds(0, 2 * radius + 1);
        std::vector<Expr> starts = {cast<uint16_t>(start)};
        if (configuration<GaussianBlurShortSumsConfiguration>().means == 2) {
            starts.push_back(cast<uint16_t>(start + sum));
        }
        GaussianBlurShortSums blur(
            image, extended, tap, starts, cast<uint16_t>(multiplier), natural_vector_size<uint16_t>());
        output = blur.out;
        apply(blur, {image, output});
    }
};

// The forms by dot products. image and output: rows of width * channels elements. low and high: the parts of
// the taps (DotArithmetic), with the dimensions element in the group, group, phase; taps of one part are low.
// u8 has a multiplier, and in groups of four a rounding too.
template<typename Form>
class GaussianBlurDotsGenerator : public VariantGenerator<GaussianBlurDotsGenerator<Form>> {
public:
    GeneratorInput<Buffer<void, 2>> image{"image"};
    GeneratorInput<int32_t> border{"border"};
    GeneratorInput<Buffer<void, 3>> low{"low"}, high{"high"};
    GeneratorInput<uint32_t> rounding{"rounding"}, multiplier{"multiplier"};
    GeneratorOutput<Buffer<void, 2>> output{"output"};

    void configure() {
        const Halide::Type pixel = element_type(this->type),
                           tap = this->template configuration<GaussianBlurDotsConfiguration>().group == 4 ?
                                     Halide::UInt(8) :
                                     Halide::Int(16);
        image.set_type(pixel);
        output.set_type(pixel);
        low.set_type(tap);
        high.set_type(tap);
    }

    void generate() {
        const auto row = this->template configuration<GaussianBlurDotsConfiguration>();
        const DotArithmetic pass{BlurArithmetic::plain(output.type(), multiplier), row.group, rounding,
            this->get_target().has_feature(Halide::Target::AVX512_Skylake)};
        const ExtendedImage extended{
            border, image.width() / row.channels, image.height(), row.channels, false, false, true};
        const Expr words = high.dim(1).extent(), reach = low.dim(1).extent() / 2;
        const auto lows = around(low, reach, pass.group),
                   highs = around(high, (pass.bytes() ? words - 1 : words) / 2, pass.group);
        std::vector<GaussianBlurDots::Taps> parts = {lows};
        if (pass.two_parts()) {
            parts.insert(pass.bytes() ? parts.begin() : parts.end(), highs);
        }
        Form blur(image, extended, row.channels, parts, reach, pass);
        output = blur.out;
        this->apply(blur, {image, output});
    }

private:
    // Group 0 is the middle one. `high` of u8 may be empty: its reach is -1 then. Halide sees through the
    // bounds of the simpler expression, and keeps the sums in registers, so that `low` has that one.
    static GaussianBlurDots::Taps around(
        GeneratorInput<Buffer<void, 3>> &taps, const Expr &reach, int group) {
        taps.dim(0).set_bounds(0, group);
        taps.dim(1).set_min(0).set_stride(group);
        taps.dim(2).set_bounds(0, group).set_stride(group * taps.dim(1).extent());
        Var element, k, phase;
        Func centred;
        centred(element, k, phase) = taps(element, k + reach, phase);
        return {centred, reach};
    }
};

// Copies, of `dimensions`: of rows of width * channels elements, or between interleaved channels and planes,
// x, y, c, in either order of memory.
template<typename Form, int dimensions>
class GaussianBlurCopies : public VariantGenerator<GaussianBlurCopies<Form, dimensions>> {
    using Base = VariantGenerator<GaussianBlurCopies<Form, dimensions>>;

public:
    typename Base::template Input<Buffer<void, dimensions>> image{"image"};
    typename Base::template Output<Buffer<void, dimensions>> output{"output"};

    void configure() {
        image.set_type(element_type(this->type));
        output.set_type(element_type(this->type));
    }

    void generate() {
        Form copies(image);
        output = copies.out;
        this->apply(copies, {image, output});
    }
};

using GaussianBlurRowCopies = GaussianBlurCopies<GaussianBlurRealigned, 2>;
using GaussianBlurPlaneCopies = GaussianBlurCopies<GaussianBlurPlanes, 3>;

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::GaussianBlurGenerator<tilewright::GaussianBlur>, gaussian_blur)
HALIDE_REGISTER_GENERATOR(
    tilewright::GaussianBlurGenerator<tilewright::GaussianBlurLines>, gaussian_blur_lines)
HALIDE_REGISTER_GENERATOR(tilewright::GaussianBlurGenerator<tilewright::GaussianBlurNear>, gaussian_blur_near)
HALIDE_REGISTER_GENERATOR(tilewright::GaussianBlurGenerator<tilewright::GaussianBlurHalf>, gaussian_blur_half)
HALIDE_REGISTER_GENERATOR(
    tilewright::GaussianBlurGenerator<tilewright::GaussianBlurBranch>, gaussian_blur_branch)
HALIDE_REGISTER_GENERATOR(tilewright::GaussianBlurGenerator<tilewright::GaussianBlurExp>, gaussian_blur_exp)
HALIDE_REGISTER_GENERATOR(tilewright::GaussianBlurWindowGenerator, gaussian_blur_window)
HALIDE_REGISTER_GENERATOR(
    tilewright::GaussianBlurWindowDotGenerator<tilewright::GaussianBlurWindowDot>, gaussian_blur_window_dot)
HALIDE_REGISTER_GENERATOR(
    tilewright::GaussianBlurWindowDotGenerator<tilewright::GaussianBlurColours>, gaussian_blur_window_colours)
HALIDE_REGISTER_GENERATOR(
    tilewright::GaussianBlurProductsGenerator<tilewright::GaussianBlurProducts>, gaussian_blur_products)
HALIDE_REGISTER_GENERATOR(tilewright::GaussianBlurProductsGenerator<tilewright::GaussianBlurFusedProducts>,
    gaussian_blur_fused_products)
HALIDE_REGISTER_GENERATOR(tilewright::GaussianBlurRingProductsGenerator, gaussian_blur_ring_products)
HALIDE_REGISTER_GENERATOR(tilewright::GaussianBlurHalfProductsGenerator, gaussian_blur_half_products)
HALIDE_REGISTER_GENERATOR(tilewright::GaussianBlurFloatProductsGenerator, gaussian_blur_float_products)
HALIDE_REGISTER_GENERATOR(tilewright::GaussianBlurChunksGenerator, gaussian_blur_chunks)
HALIDE_REGISTER_GENERATOR(tilewright::GaussianBlurTermsGenerator, gaussian_blur_terms)
HALIDE_REGISTER_GENERATOR(tilewright::GaussianBlurRowCopies, gaussian_blur_realigned)
HALIDE_REGISTER_GENERATOR(tilewright::GaussianBlurPlaneCopies, gaussian_blur_planes)
HALIDE_REGISTER_GENERATOR(tilewright::GaussianBlurShortSumsGenerator, gaussian_blur_short_sums)
HALIDE_REGISTER_GENERATOR(
    tilewright::GaussianBlurDotsGenerator<tilewright::GaussianBlurDots>, gaussian_blur_dots)
HALIDE_REGISTER_GENERATOR(
    tilewright::GaussianBlurDotsGenerator<tilewright::GaussianBlurDotRows>, gaussian_blur_dot_rows)
