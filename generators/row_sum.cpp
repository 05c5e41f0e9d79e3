// The generators of row_sum: the buffers and scalars of its definition and of its forms.
#include "generators/algorithms/row_sum/row_sum.h"
#include "generators/algorithms/row_sum/chunks.h"
#include "generators/algorithms/row_sum/configuration.h"
#include "generators/algorithms/row_sum/halves.h"
#include "generators/algorithms/row_sum/octets.h"
#include "generators/algorithms/row_sum/sliced.h"
#include "generators/algorithms/sums/sum_types.h"
#include "generators/variant_generator.h"

namespace tilewright {

// What the generators of all forms share whose input is the image itself.
template<typename Self>
class RowSumOfImage : public VariantGenerator<Self> {
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

class RowSumGenerator : public RowSumOfImage<RowSumGenerator> {
public:
    void generate() {
        const bool in_output = configuration<RowSumConfiguration>().in_output;
        RowSum form(
            image, image.width(), in_output ? sums.type() : sum_type(image.type()), sums.type(), in_output);
        finish(form);
    }
};

class RowSumSlicedGenerator : public RowSumOfImage<RowSumSlicedGenerator> {
public:
    void generate() {
        const Halide::Type sum = sum_type(image.type()), narrow = image.type() == UInt(8) ? UInt(16) : sum;
        RowSumSliced form(
            image, image.width(), setting("lanes"), setting("groups"), narrow, sum, sums.type());
        finish(form);
    }
};

class RowSumHalvesGenerator : public RowSumOfImage<RowSumHalvesGenerator> {
public:
    void generate() {
        const Halide::Type sum = sum_type(image.type()), narrow = image.type() == UInt(8) ? UInt(16) : sum;
        RowSumHalves form(image, image.width(), setting("lanes"), narrow, sum, sums.type());
        finish(form);
    }
};

class RowSumOctetsGenerator : public RowSumOfImage<RowSumOctetsGenerator> {
public:
    void generate() {
        RowSumOctets form(image, image.width(), setting("lanes") / 8, sums.type());
        finish(form);
    }
};

// The form in chunks. words: the memory that contains the image; offset, stride: the image's position in it,
// in bytes.
class RowSumChunksGenerator : public VariantGenerator<RowSumChunksGenerator> {
public:
    Input<Buffer<uint32_t, 1>> words{"words"};
    Input<int32_t> offset{"offset"}, stride{"stride"}, width{"width"}, height{"height"}, iterations{"turns"},
        pieces{"pieces"};
    Output<Buffer<void, 1>> sums{"sums"};

    void configure() {
        sums.set_type(output_type(type));
    }

    void generate() {
        const int terms = configuration<RowSumChunksConfiguration>().splits ? setting("terms") : 0;
        RowSumChunks form(words, {words.dim(0).extent(), offset, stride, width, height, iterations, pieces},
            {setting("lanes"), terms}, element_type(type), sums.type());
        sums = form.out;
        apply(form, {words, sums});
    }
};

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::RowSumGenerator, row_sum)
HALIDE_REGISTER_GENERATOR(tilewright::RowSumSlicedGenerator, row_sum_sliced)
HALIDE_REGISTER_GENERATOR(tilewright::RowSumHalvesGenerator, row_sum_halves)
HALIDE_REGISTER_GENERATOR(tilewright::RowSumOctetsGenerator, row_sum_octets)
HALIDE_REGISTER_GENERATOR(tilewright::RowSumChunksGenerator, row_sum_chunks)
