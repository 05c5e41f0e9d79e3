// The generators of row_sum: the buffers and scalars of its definition and of its forms.
#include "generators/algorithms/row_sum/row_sum.h"
#include "generators/algorithms/row_sum/chunks.h"
#include "generators/algorithms/row_sum/configuration.h"
#include "generators/algorithms/row_sum/halves.h"
#include "generators/algorithms/row_sum/octets.h"
#include "generators/algorithms/row_sum/sliced.h"
#include "generators/instructions.h"
#include "generators/sum_of_image_generator.h"

namespace tilewright {

// Without as_floats where the sums are added in the output, and in its type.
class RowSumGenerator : public SumOfImageGenerator<RowSumGenerator> {
public:
    void configure() {
        if (in_output()) {
            image.set_type(element_type(type));
            sums.set_type(output_type(type));
        } else {
            SumOfImageGenerator::configure();
        }
    }

    void generate() {
        RowSum form(numbers(), image.width(), in_output() ? sums.type() : sum(), output(), in_output());
        finish(form);
    }

private:
    bool in_output() const {
        return configuration<RowSumConfiguration>().in_output;
    }
};

class RowSumSlicedGenerator : public SumOfImageGenerator<RowSumSlicedGenerator> {
public:
    void generate() {
        RowSumSliced form(
            numbers(), image.width(), setting("lanes"), setting("groups"), narrow(), sum(), output());
        finish(form);
    }
};

class RowSumHalvesGenerator : public SumOfImageGenerator<RowSumHalvesGenerator> {
public:
    void generate() {
        RowSumHalves form(numbers(), image.width(), setting("lanes"), narrow(), sum(), output());
        finish(form);
    }
};

class RowSumOctetsGenerator : public SumOfImageGenerator<RowSumOctetsGenerator> {
public:
    void generate() {
        RowSumOctets form(image, image.width(), setting("lanes") / 8, output());
        finish(form);
    }
};

// The form in chunks. words: the memory that contains the image; offset, stride: the image's position in it,
// in bytes.
class RowSumChunksGenerator : public SumGenerator<RowSumChunksGenerator> {
public:
    Input<Buffer<uint32_t, 1>> words{"words"};
    Input<int32_t> offset{"offset"}, stride{"stride"}, width{"width"}, height{"height"}, iterations{"turns"},
        pieces{"pieces"};

    void configure() {
        configure_sums();
    }

    void generate() {
        const int terms = configuration<RowSumChunksConfiguration>().splits ? setting("terms") : 0;
        RowSumChunks form(words, {words.dim(0).extent(), offset, stride, width, height, iterations, pieces},
            {setting("lanes"), terms, float_bits(type, get_target())}, element_type(type), output(),
            word_operations(get_target()));
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
