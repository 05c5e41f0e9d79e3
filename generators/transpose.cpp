// The generators of transpose: the buffers and scalars of its definition and of its forms.
#include "generators/algorithms/transpose/transpose.h"
#include "generators/algorithms/transpose/blocks.h"
#include "generators/algorithms/transpose/configuration.h"
#include "generators/algorithms/transpose/flat.h"
#include "generators/algorithms/transpose/patch.h"
#include "generators/algorithms/transpose/squares.h"
#include "generators/algorithms/transpose/words.h"
#include "generators/instructions.h"
#include "generators/variant_generator.h"
#include "schedules/passes/whole_registers.h"
#include "schedules/transpose/transposed_lanes.h"
#include "schedules/transpose/turned_squares.h"
#include <map>
#include <string>

namespace tilewright {

namespace {

// The type that pixels are moved as: an unsigned integer of the pixel's size. A pixel of 3 or 6 bytes (rgb8,
// rgb16) is three of them, and one of more than 8 bytes (words) any number.
Halide::Type pixel_type(const std::string &type) {
    const std::map<std::string, int> bits = {
        {"u8", 8}, {"u16", 16}, {"f32", 32}, {"u64", 64}, {"rgb8", 8}, {"rgb16", 16}, {"words", 32}};
    return Halide::UInt(bits.at(type));
}

int channels_of(const std::string &type) {
    return type.starts_with("rgb") ? 3 : 1;
}

int pixel_bytes(const std::string &type) {
    return channels_of(type) * pixel_type(type).bytes();
}

Patch patch_of(const std::string &type, bool instruction) {
    const Permute permute = [](Halide::Expr low, Halide::Expr high, uint32_t selector) {
        return nvidia_pick(low, high, Halide::Expr(selector));
    };
    return {pixel_bytes(type), instruction ? permute : Permute()};
}

}  // namespace

// The definition. image and output: x, y, and for pixels of several words the number of the word.
class TransposeGenerator : public VariantGenerator<TransposeGenerator> {
public:
    Input<Buffer<>> image{"image"};
    Output<Buffer<>> output{"output"};

    void configure() {
        const std::string name = type;
        const int dimensions = channels_of(name) == 3 || name == "words" ? 3 : 2;
        image.set_type(pixel_type(name));
        image.set_dimensions(dimensions);
        output.set_type(pixel_type(name));
        output.set_dimensions(dimensions);
    }

    void generate() {
        Transpose transpose(image);
        output = transpose.out;
        if (image.dimensions() == 3) {
            for (Halide::OutputImageParam buffer :
                {Halide::OutputImageParam(image), Halide::OutputImageParam(output)}) {
                const int channels = channels_of(type);
                buffer.dim(0).set_stride(channels > 1 ? Expr(channels) : buffer.dim(2).extent());
                buffer.dim(2).set_min(0).set_stride(1);
                if (channels > 1) {
                    buffer.dim(2).set_extent(channels);
                }
            }
        }
        apply(transpose, {image, output});

        const Halide::Region estimates{{0, 8192}, {0, 8192}, {0, 3}};
        image.set_estimates({estimates.begin(), estimates.begin() + image.dimensions()});
        output.set_estimates({estimates.begin(), estimates.begin() + image.dimensions()});
    }
};

// The form in blocks. image and output: x, y. pitch: the distance between the output's rows, in pixels.
class TransposeBlocksGenerator : public VariantGenerator<TransposeBlocksGenerator> {
public:
    Input<Buffer<void, 2>> image{"image"};
    Input<int32_t> pitch{"pitch"};
    Output<Buffer<void, 2>> output{"output"};

    void configure() {
        image.set_type(pixel_type(type));
        output.set_type(pixel_type(type));
    }

    void generate() {
        const ScheduleContext context{get_target(), type, {}, settings()};
        const auto form = configuration<TransposeBlocksConfiguration>();
        const BlockShape shape{
            context["width"], context["height"], context["across"], context["down"], form.aligned, false};
        TransposeBlocks transpose(image, image.height(), image.width(), pitch, shape);
        output = transpose.out;
        apply(transpose, {image, output});
    }
};

// The form in squares. memory and output: all memory of the input and of the output.
class TransposeSquaresGenerator : public VariantGenerator<TransposeSquaresGenerator> {
public:
    Input<Buffer<void, 1>> memory{"memory"};
    Input<int32_t> pitch{"pitch"}, output_pitch{"output_pitch"};  // from row to row, in elements
    Input<int32_t> output_elements{"output_elements"};            // in all of the output's memory
    Input<int32_t> width{"width"}, height{"height"};              // of the output, in pixels
    Output<Buffer<void, 1>> output{"output"};

    void configure() {
        memory.set_type(pixel_type(type));
        output.set_type(pixel_type(type));
    }

    void generate() {
        const ScheduleContext context{get_target(), type, {}, settings()};
        const int bytes = pixel_type(type).bytes(), square = best_square(get_target(), pixel_type(type));
        SquaresShape shape{context["width"], context["height"], square, square, channels_of(type), 1, 0};
        const auto form = configuration<TransposeSquaresConfiguration>();
        if (form.rows != 0) {
            shape.rows = form.rows;
            shape.columns = 1024 / bytes / form.rows;
        } else if (form.lanes != 0) {
            shape.lanes = form.lanes;
        } else if ((form.in_registers || form.in_columns) && square == 16 / bytes) {
            shape.lanes = lanes_of_registers(get_target());
        }
        if (shape.lanes != 0) {
            shape.columns = 16 / bytes;
            shape.rows = shape.lanes * shape.columns;
        }
        if (form.in_columns) {
            shape.down = context["down"];
        }
        TransposeSquares transpose(
            memory, width, height, {memory.dim(0).extent(), pitch}, {output_elements, output_pitch}, shape);
        output = transpose.out;
        memory.dim(0).set_min(0);
        output.dim(0).set_min(0);
        apply(transpose, {memory, output});
    }

protected:
    Halide::Pipeline build_pipeline() override {
        Halide::Pipeline pipeline = VariantGenerator::build_pipeline();
        shuffle_whole_registers(pipeline);
        return pipeline;
    }
};

// The form in patches. words and output: the images as 32-bit words, with the dimensions word, patch in x,
// row, patch in y.
class TransposePatchesGenerator : public VariantGenerator<TransposePatchesGenerator> {
public:
    Input<Buffer<uint32_t, 4>> words{"words"};
    Output<Buffer<uint32_t, 4>> output{"output"};

    void generate() {
        TransposePatches transpose(
            words, patch_of(type, configuration<TransposePatchesConfiguration>().permute));
        output = transpose.out;
        for (Halide::OutputImageParam buffer :
            {Halide::OutputImageParam(words), Halide::OutputImageParam(output)}) {
            buffer.dim(0).set_bounds(0, transpose.bytes);
            buffer.dim(1).set_min(0).set_stride(transpose.bytes);
            buffer.dim(2).set_bounds(0, 4);
            buffer.dim(3).set_min(0);
        }
        apply(transpose, {words, output});
    }
};

// The form in words. image and output: word in a row, row. words: those of a pixel.
class TransposeWordsGenerator : public VariantGenerator<TransposeWordsGenerator> {
public:
    Input<Buffer<uint32_t, 2>> image{"image"};
    Input<int32_t> words{"words"};
    Output<Buffer<uint32_t, 2>> output{"output"};

    void generate() {
        TransposeWords transpose(
            image, image.width(), image.height(), words, {setting("side"), setting("down")});
        output = transpose.out;
        apply(transpose, {image, output});
    }
};

// The form for any alignment. memory: all memory of the input. output and output_bytes: all memory of the
// output, as words and as bytes.
class TransposeFlatGenerator : public VariantGenerator<TransposeFlatGenerator> {
public:
    Input<Buffer<uint32_t, 1>> memory{"memory"};
    Input<int32_t> offset{"offset"}, stride{"stride"};  // of the input, in bytes
    Input<int32_t> output_offset{"output_offset"}, output_stride{"output_stride"};
    Input<int32_t> output_words{"output_words"};      // of all of the output's memory
    Input<int32_t> width{"width"}, height{"height"};  // of the input, in pixels
    Output<Buffer<uint32_t, 1>> output{"output"};
    Output<Buffer<uint8_t, 1>> output_bytes{"output_bytes"};

    void generate() {
        const ScheduleContext context{get_target(), type, {}, settings()};
        const FlatShape shape{context["groups"], context["patches"], context["rows"], context["words"]};
        TransposeFlat transpose(memory, memory.dim(0).extent(), output_words, width, height, {offset, stride},
            {output_offset, output_stride},
            patch_of(type, configuration<TransposeFlatConfiguration>().permute), shape);
        output = transpose.out;
        output_bytes = transpose.edges;
        apply(transpose, {memory, output, output_bytes});
    }
};

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::TransposeGenerator, transpose)
HALIDE_REGISTER_GENERATOR(tilewright::TransposeBlocksGenerator, transpose_blocks)
HALIDE_REGISTER_GENERATOR(tilewright::TransposeSquaresGenerator, transpose_squares)
HALIDE_REGISTER_GENERATOR(tilewright::TransposePatchesGenerator, transpose_patches)
HALIDE_REGISTER_GENERATOR(tilewright::TransposeWordsGenerator, transpose_words)
HALIDE_REGISTER_GENERATOR(tilewright::TransposeFlatGenerator, transpose_flat)
