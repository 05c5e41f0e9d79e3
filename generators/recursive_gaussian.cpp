// The generators of recursive_gaussian: the buffers and scalars of its definition and of its forms.
#include "generators/algorithms/recursive_gaussian/recursive_gaussian.h"
#include "generators/algorithms/recursive_gaussian/bands.h"
#include "generators/algorithms/recursive_gaussian/configuration.h"
#include "generators/algorithms/recursive_gaussian/line.h"
#include "generators/algorithms/recursive_gaussian/strips.h"
#include "generators/algorithms/recursive_gaussian/tiles.h"
#include "generators/algorithms/recursive_gaussian/transposed_copies.h"
#include "generators/check_tunables.h"
#include "generators/float_conversions.h"
#include "generators/variant_generator.h"
#include "schedules/shared_moves.h"
#include <functional>
#include <map>

namespace tilewright {

using Halide::Buffer;
using Halide::GeneratorInput;
using Halide::GeneratorOutput;

namespace {

// The table of weights as a Func. The front gives one of these rows.
template<typename Table>
Halide::Func table_of(Table &weights, int tile) {
    weights.set_host_alignment(16);
    weights.dim(0).set_bounds(0, recursive_weight_pitch);
    weights.dim(1).set_bounds(0, recursive_weight_rows(tile)).set_stride(recursive_weight_pitch);
    return weights;
}

// The pixels of a variant.
Pixel pixel_of(const std::string &type, const Halide::Target &target) {
    return {element_type(type), float_bits(type, target)};
}

}  // namespace

// A generator whose recursions are of f64 where pixels are. Their numbers are inputs: step_0, step_1 and
// step_2 are gain, slope and a3, turn_0 to turn_8 the end_matrix; those of another axis than rows have its
// name, as step_y_0.
template<typename Self>
class RecursionGenerator : public VariantGenerator<Self> {
protected:
    void add_recursion(const std::string &axis = "") {
        add_numbers("step" + axis, 3);
        add_numbers("turn" + axis, 9);
    }
    Recursion recursion(const std::string &axis = "") const {
        const std::vector<Expr> step = numbers("step" + axis);
        return {{}, step[0], step[1], step[2], numbers("turn" + axis)};
    }

    // Gives image and output the elements of the variant.
    template<typename Image, typename Output>
    void set_pixels(Image &image, Output &output) const {
        image.set_type(element_type(this->type));
        output.set_type(element_type(this->type));
    }

    // The type of numbers and states.
    Halide::Type number() const {
        return Halide::Float(std::string(this->type) == "f64" ? 64 : 32);
    }
    void add_numbers(const std::string &name, int count) {
        for (int i = 0; i < count; i++) {
            const std::string input = name + "_" + std::to_string(i);
            number() == Halide::Float(64) ? add<double>(name, input) : add<float>(name, input);
        }
    }
    std::vector<Expr> numbers(const std::string &name) const {
        std::vector<Expr> all;
        for (const std::function<Expr()> &one : numbers_.at(name)) {
            all.push_back(one());
        }
        return all;
    }

private:
    std::map<std::string, std::vector<std::function<Expr()>>> numbers_;

    template<typename Number>
    void add(const std::string &name, const std::string &input_name) {
        auto *input = this->template add_input<Number>(input_name);
        numbers_[name].push_back([input] {
            input->set_estimate(1);
            return Expr(*input);
        });
    }
};

// The definition. image and output: x, y, c. The second recursion, `_y`, is that down columns.
class RecursiveGaussianGenerator : public RecursionGenerator<RecursiveGaussianGenerator> {
public:
    Input<Buffer<void, 3>> image{"image"};
    Output<Buffer<void, 3>> output{"output"};

    void configure() {
        set_pixels(image, output);
        add_recursion();
        add_recursion("_y");
    }

    void generate() {
        RecursiveGaussian blur(
            image, pixel_of(type, get_target()), image.width(), image.height(), recursion(), recursion("_y"));
        output = blur.out;
        image.dim(0).set_stride(Expr());  // colours are interleaved
        output.dim(0).set_stride(Expr());
        from_origin({image, output});
        apply(blur, {image, output});

        image.set_estimates({{0, 8192}, {0, 8192}, {0, 1}});
        output.set_estimates({{0, 8192}, {0, 8192}, {0, 1}});
    }
};

// The form with transposed copies. image and output: x, y.
class RecursiveGaussianCopiesGenerator : public RecursionGenerator<RecursiveGaussianCopiesGenerator> {
public:
    Input<Buffer<float, 2>> image{"image"};
    Output<Buffer<float, 2>> output{"output"};

    void configure() {
        add_recursion();
    }

    void generate() {
        const bool half = configuration<RecursiveGaussianCopiesConfiguration>().half;
        RecursiveGaussianCopies blur(
            image, image.width(), image.height(), recursion(), Halide::Float(half ? 16 : 32));
        output = blur.out;
        from_origin({image, output});
        apply(blur, {image, output});
    }
};

// The form of one line. image and output: its elements, in a row or in a column.
class RecursiveGaussianLineGenerator : public RecursionGenerator<RecursiveGaussianLineGenerator> {
public:
    Input<Buffer<void, 1>> image{"image"};
    Output<Buffer<void, 1>> output{"output"};

    void configure() {
        set_pixels(image, output);
        add_recursion();
    }

    void generate() {
        RecursiveGaussianLine blur(image, image.dim(0).extent(), recursion(), setting("run"));
        output = blur.out;
        for (Halide::OutputImageParam buffer :
            {Halide::OutputImageParam(image), Halide::OutputImageParam(output)}) {
            buffer.dim(0).set_min(0).set_stride(Expr());
        }
        apply(blur, {image, output});
    }
};

// What the generators of both forms in bands and strips share. image and output: rows of width * channels
// elements.
template<typename Self>
class RunsGenerator : public RecursionGenerator<Self> {
public:
    GeneratorInput<Buffer<void, 2>> image{"image"};
    GeneratorInput<int32_t> channels{"channels"};

protected:
    RunShape shape() const {
        const int lanes = this->get_target().template natural_vector_size<float>();
        return {this->setting("run"), this->setting("strip"), lanes};
    }
    // The number of channels: the call's, where the variant takes colours.
    Expr channels_of_row() const {
        return this->template configuration<RecursiveGaussianConfiguration>().colours ? Expr(channels) : 1;
    }
    template<typename Form, typename Output>
    void finish(Form &blur, Output &output) {
        output = blur.out;
        from_origin({image, output});
        this->apply(blur, {image, output});
    }
};

class RecursiveGaussianStripsGenerator : public RunsGenerator<RecursiveGaussianStripsGenerator> {
public:
    Output<Buffer<void, 2>> output{"output"};

    void configure() {
        set_pixels(image, output);
        add_recursion();
        add_recursion("_y");
    }

    void generate() {
        const Expr channels = channels_of_row();
        RecursiveGaussianStrips blur(image, pixel_of(type, get_target()), image.width() / channels,
            image.height(), channels, recursion(), recursion("_y"), shape());
        finish(blur, output);
    }
};

// weights: the table of TileNumbers. states: see RecursiveGaussianBands. It may lie in the
// memory of `output`.
class RecursiveGaussianBandsGenerator : public RunsGenerator<RecursiveGaussianBandsGenerator> {
public:
    Input<Buffer<float, 2>> weights{"weights"};
    Output<Buffer<float, 3>> states{"states"};
    Output<Buffer<void, 2>> output{"output"};

    void configure() {
        set_pixels(image, output);
        add_numbers("across", 9);
        add_numbers("behind", 9);
        add_recursion();
    }

    void generate() {
        const bool fits = recursive_band % setting("run") == 0;
        check_tunables(variant().name, tunables,
            fits ? "" : "run must divide the rows of a band, " + std::to_string(recursive_band));
        const TileNumbers tile{recursive_band, 1, recursive_carry_rows, numbers("across"), numbers("behind"),
            table_of(weights, recursive_band)};
        const Expr channels = channels_of_row();
        RecursiveGaussianBands blur(
            image, image.width() / channels, image.height(), channels, recursion(), tile, shape());
        states = blur.states;
        for (int dimension : {0, 1, 2}) {
            states.dim(dimension).set_min(0);
        }
        finish(blur, output);
    }
};

// What the generators of both forms in tiles share. weights: the table of TileNumbers; weights_y: the same of
// the axis down columns, where the variant serves another sigma there.
template<typename Self, int dimensions, int output_dimensions>
class TiledGenerator : public RecursionGenerator<Self> {
public:
    GeneratorInput<Buffer<void, dimensions>> image{"image"};
    GeneratorInput<Buffer<void, 2>> weights{"weights"};
    GeneratorOutput<Buffer<void, output_dimensions>> output{"output"};

    void configure() {
        this->set_pixels(image, output);
        weights.set_type(this->number());
        add_axis("");
        if (form().two_sigmas) {
            weights_y = this->template add_input<Buffer<>>("weights_y", this->number(), 2);
            add_axis("_y");
        }
    }

protected:
    TiledAxis along_x() {
        return axis("", table_of(weights, tile()));
    }
    TiledAxis along_y() {
        return form().two_sigmas ? axis("_y", table_of(*weights_y, tile())) : along_x();
    }

private:
    GeneratorInput<Buffer<>> *weights_y = nullptr;

    RecursiveGaussianConfiguration form() const {
        return this->template configuration<RecursiveGaussianConfiguration>();
    }
    int tile() const {
        return this->number() == Halide::Float(64) ? recursive_tile_of_f64 : recursive_tile;
    }
    void add_axis(const std::string &name) {
        this->add_recursion(name);
        this->add_numbers("across" + name, 9);
        this->add_numbers("behind" + name, 9);
    }
    TiledAxis axis(const std::string &name, const Halide::Func &table) const {
        return {this->recursion(name),
            {tile(), this->setting("steps"), recursive_carry_rows, this->numbers("across" + name),
                this->numbers("behind" + name), table, form().near}};
    }
};

// The form for any size. image and output: x, y, c. There is one channel unless the variant says
// `colours`.
class RecursiveGaussianTilesGenerator : public TiledGenerator<RecursiveGaussianTilesGenerator, 3, 3> {
public:
    void generate() {
        RecursiveGaussianTiles blur(
            image, pixel_of(type, get_target()), image.width(), image.height(), along_x(), along_y());
        output = blur.out;
        image.dim(0).set_min(0);
        image.dim(1).set_min(0);
        output.dim(0).set_bounds(0, image.width());
        output.dim(1).set_bounds(0, image.height());
        const bool colours = configuration<RecursiveGaussianConfiguration>().colours;
        for (Halide::OutputImageParam buffer :
            {Halide::OutputImageParam(image), Halide::OutputImageParam(output)}) {
            if (colours) {
                buffer.dim(0).set_stride(Expr());
                buffer.dim(2).set_min(0).set_stride(1);
            } else {
                buffer.dim(2).set_bounds(0, 1);
            }
        }
        apply(blur, {image, output});
    }
};

// The form for whole tiles. image: x, y. output: x and y in the tile, tile along x and along y.
class RecursiveGaussianAlignedGenerator : public TiledGenerator<RecursiveGaussianAlignedGenerator, 2, 4> {
public:
    void generate() {
        RecursiveGaussianAligned blur(image, image.width(), image.height(), along_x());
        output = blur.out;
        apply(blur, {image, output});
    }
};

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::RecursiveGaussianGenerator, recursive_gaussian)
HALIDE_REGISTER_GENERATOR(tilewright::RecursiveGaussianCopiesGenerator, recursive_gaussian_copies)
HALIDE_REGISTER_GENERATOR(tilewright::RecursiveGaussianLineGenerator, recursive_gaussian_line)
HALIDE_REGISTER_GENERATOR(tilewright::RecursiveGaussianStripsGenerator, recursive_gaussian_strips)
HALIDE_REGISTER_GENERATOR(tilewright::RecursiveGaussianBandsGenerator, recursive_gaussian_bands)
HALIDE_REGISTER_GENERATOR(tilewright::RecursiveGaussianTilesGenerator, recursive_gaussian_tiles)
HALIDE_REGISTER_GENERATOR(tilewright::RecursiveGaussianAlignedGenerator, recursive_gaussian_aligned)
