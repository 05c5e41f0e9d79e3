// The generators of column_sum: the buffers and scalars of its definition and of its forms.
#include "generators/algorithms/column_sum/column_sum.h"
#include "generators/algorithms/column_sum/configuration.h"
#include "generators/algorithms/column_sum/folded.h"
#include "generators/algorithms/column_sum/sliced.h"
#include "generators/algorithms/column_sum/words.h"
#include "generators/sum_of_image_generator.h"

namespace tilewright {

// The definition.
class ColumnSumGenerator : public SumOfImageGenerator<ColumnSumGenerator> {
public:
    void generate() {
        ColumnSum form(numbers(), image.height(), sum(), output());
        finish(form);
    }
};

// The form in slices.
class ColumnSumSlicedGenerator : public SumOfImageGenerator<ColumnSumSlicedGenerator> {
public:
    void generate() {
        ColumnSumSliced form(numbers(), image.width(), image.height(),
            {setting("lanes"), setting("rows"), setting("slices"), setting("tile"), 1024 * setting("task")},
            narrow(), sum(), output());
        sums = form.out;
        apply(form, {image, sums});
    }
};

// The form in words. words: the memory that contains the image; offset, stride: the image's position in it,
// in bytes.
class ColumnSumWordsGenerator : public SumGenerator<ColumnSumWordsGenerator> {
public:
    Input<Buffer<uint32_t, 1>> words{"words"};
    Input<int32_t> offset{"offset"}, stride{"stride"}, height{"height"};

    void configure() {
        configure_sums();
    }

    void generate() {
        const auto configured = configuration<ColumnSumWordsConfiguration>();
        const int unit = configured.alignment;  // offset and stride must be multiples of it
        ColumnSumWords form(words, words.dim(0).extent(), offset / unit * unit, stride / unit * unit, height,
            configured.words, output());
        sums = form.out;
        apply(form, {words, sums});
    }
};

// The form in chunks, with the same inputs, of f64 words of 64 bits, and the numbers of
// ColumnSumFolded::Layout.
class ColumnSumFoldedGenerator : public SumGenerator<ColumnSumFoldedGenerator> {
public:
    Input<Buffer<void, 1>> words{"words"};
    Input<int32_t> offset{"offset"}, stride{"stride"}, width{"width"}, height{"height"};
    Input<int32_t> period{"period"}, chunks{"chunks"}, steps{"steps"}, slices{"slices"};

    void configure() {
        words.set_type(Halide::UInt(type == "f64" ? 64 : 32));
        configure_sums();
    }

    void generate() {
        ColumnSumFolded form(words,
            {words.dim(0).extent(), offset, stride, width, height, period, chunks, steps, slices},
            {setting("lanes"), setting("groups"), setting("unroll"), setting("terms"),
                float_bits(type, get_target())},
            element_type(type), output());
        sums = form.out;
        apply(form, {words, sums});
    }
};

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::ColumnSumGenerator, column_sum)
HALIDE_REGISTER_GENERATOR(tilewright::ColumnSumSlicedGenerator, column_sum_sliced)
HALIDE_REGISTER_GENERATOR(tilewright::ColumnSumWordsGenerator, column_sum_words)
HALIDE_REGISTER_GENERATOR(tilewright::ColumnSumFoldedGenerator, column_sum_folded)
