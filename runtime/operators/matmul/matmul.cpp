// The front of matmul: which of its forms serves a product, and their arguments. Long because all forms share
// the parts of products that are too large for one launch.
#include "tilewright/matmul.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/matmul/configuration.h"
#include "runtime/dispatch/choice/choice.h"
#include "runtime/dispatch/operator_of.h"
#include "runtime/dispatch/padding.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright {

const std::vector<Variant> &matmul_variants();

namespace {

// of one launch: the grids of all kernels stay within 65535 in y and z
constexpr int64_t most_rows = 4 * 65535;
constexpr int64_t most_columns = 64 * 65535;

// output (M x N) = a (M x K) b (K x N)
struct Size {
    int64_t m, k, n;
};

struct MatmulRequest : Request {
    const Array &a() const {
        return inputs[0];
    }
    const Array &b() const {
        return inputs[1];
    }
    Size size() const {
        return {a().shape()[0], a().shape()[1], b().shape()[1]};
    }
    // The same for other matrices.
    MatmulRequest with_inputs(const Array &a, const Array &b) const {
        MatmulRequest other = *this;
        other.inputs = {a, b};
        other.output_shape = {a.shape()[0], b.shape()[1]};
        return other;
    }
};

// Rows and columns of the panels that a variant's library copies a and b into, with the depth that is copied
// at once: (rows of a, columns of b, depth); rows or columns 0: that matrix is read in place.
struct Copies {
    int64_t rows = 0, columns = 0, depth = 0;
    int64_t parts = 1;  // of each number of b
};

// The bytes of a number in panels: 16-bit floats are there as f32, or two per word.
int64_t word_of(const Variant &variant) {
    return variant.type == "f64" ? sizeof(double) : sizeof(float);
}

// The elements of the output that a thread block computes, or several that share the depth of a tile; with 0
// blocks, as many as the device has units for. 0 rows: of a variant of the CPU, which has no such tiles.
struct Tile {
    int rows = 0, columns = 0, blocks = 1;
};

bool is_aligned(const Array &a, int64_t bytes) {
    return a.offset_bytes() % bytes == 0 && a.strides()[0] * (int64_t)size_of(a.type()) % bytes == 0;
}

Input matrix(const char *name) {
    return {.name = name, .types = {Type::f32, Type::f64, Type::f16, Type::bf16}, .axes = Axes::image};
}

int64_t span(const Array &a) {
    return a.shape()[0] * a.strides()[0] * (int64_t)size_of(a.type());
}

// Products that a library does not compute at once are split.
class MatmulForm : public FormOf<MatmulRequest> {
public:
    using FormOf::FormOf;

    Plan plan(const OperatorOf<MatmulRequest> &op, const Variant &variant, Device device,
        const MatmulRequest &request, Array &output) const final {
        const int64_t bytes_of_column = request.size().k * (int64_t)size_of(request.b().type());
        if (span(request.b()) > most_bytes && bytes_of_column <= most_bytes) {
            return plan_of_columns(op, variant, device, request, output);
        }
        const bool too_tall = is_too_tall(variant, request, output);
        if (!too_tall && !is_too_wide(variant, request)) {
            return FormOf::plan(op, variant, device, request, output);
        }
        // The upper and the lower half of the output, or the left and the right one.
        const auto [m, k, n] = request.size();
        const int64_t all = too_tall ? m : n, half = all > 1024 ? all / 2 / 512 * 512 : all / 2;
        Plan plan;
        for (const auto &[begin, count] : {std::pair{(int64_t)0, half}, {half, all - half}}) {
            const MatmulRequest part =
                too_tall ? request.with_inputs(request.a().crop(begin, 0, count, k), request.b()) :
                           request.with_inputs(request.a(), request.b().crop(0, begin, k, count));
            Array output_part = too_tall ? output.crop(begin, 0, count, n) : output.crop(0, begin, m, count);
            plan.append(plan_of_part(op, variant, device, part, output_part));
        }
        return plan;
    }

    virtual Tile tile(const Variant &) const {
        return {};
    }

protected:
    virtual Copies copies(const Variant &, const Size &) const {
        return {};
    }

    // Whether a library addresses one panel of a and one of b. Parts of the product have no smaller ones.
    bool addresses_a_panel(const Variant &variant, const Size &size) const {
        const Copies copies = this->copies(variant, size);
        return std::max(copies.rows, copies.columns * copies.parts) * copies.depth * word_of(variant) <=
               most_bytes;
    }

    void bind(Launch &launch, const Variant &, const MatmulRequest &request, Array &output) const override {
        launch.in("a", request.a()).in("b", request.b()).out("output", output);
    }

private:
    // A part that the variant does not serve takes one of `tuned`.
    static Plan plan_of_part(const OperatorOf<MatmulRequest> &op, const Variant &variant, Device device,
        const MatmulRequest &part, Array &output) {
        return op.plan(op.serves(variant, part, output) ? variant : op.choose(part, output, "tuned", device),
            device, part, output);
    }

    // Where the rows of b are too far apart for a library: copies of some of its columns, one after another.
    static Plan plan_of_columns(const OperatorOf<MatmulRequest> &op, const Variant &variant, Device device,
        const MatmulRequest &request, const Array &output) {
        const auto [m, k, n] = request.size();
        const int64_t fitting = most_bytes / k / (int64_t)size_of(request.b().type()),
                      together = fitting > 512 ? fitting / 512 * 512 : fitting;
        Plan plan;
        for (int64_t x = 0; x < n; x += together) {
            const int64_t count = std::min(together, n - x);
            plan.then(
                [&op, &variant, device, request, of_b = request.b().crop(0, x, k, count),
                    of_output = output.crop(0, x, m, count), is_narrow = together < 512]() mutable {
                    const MatmulRequest part =
                        request.with_inputs(request.a(), of_b.clone(is_narrow ? 0 : Array::padded));
                    return plan_of_part(op, variant, device, part, of_output);
                },
                {&variant});
        }
        return plan;
    }

    // Whether the output has more rows than a library computes at once.
    bool is_too_tall(const Variant &variant, const MatmulRequest &request, const Array &output) const {
        const Size size = request.size();
        const Copies copies = this->copies(variant, size);
        const bool large_panels =
            copies.rows != 0 && round_up(size.m, copies.rows) * copies.depth * word_of(variant) > most_bytes;
        const bool large_grid = variant.backend != Backend::cpu && size.m > most_rows;
        return size.m > 1 &&
               (large_panels || large_grid || span(request.a()) > most_bytes || span(output) > most_bytes);
    }

    // The same of columns.
    bool is_too_wide(const Variant &variant, const MatmulRequest &request) const {
        const Size size = request.size();
        const Copies copies = this->copies(variant, size);
        const bool large_panels =
            copies.columns != 0 &&
            round_up(size.n, copies.columns) * copies.depth * copies.parts * word_of(variant) > most_bytes;
        return size.n > 1 && (large_panels || (variant.backend != Backend::cpu && size.n > most_columns));
    }
};

struct BlocksForm final : MatmulForm {
    using MatmulForm::MatmulForm;

protected:
    Copies copies(const Variant &variant, const Size &size) const override {
        constexpr int64_t two_vectors = 32;  // at most
        return {.columns = two_vectors, .depth = std::min<int64_t>(size.k, variant.tunable("depth"))};
    }
};

struct WorkersForm final : MatmulForm {
    using MatmulForm::MatmulForm;

    bool serves(const Variant &variant, const MatmulRequest &request, const Array &output) const override {
        const Size size = request.size();
        const Division division = division_of(variant);
        if (division.copies == Division::Copies::none) {
            return size.m % 128 == 0 && size.n % 128 == 0 && size.m % division.tile_rows() == 0 &&
                   size.n % division.tile_columns() == 0 && size.k % division.depth == 0 &&
                   is_aligned(request.a(), 16) && is_aligned(request.b(), 16) && is_aligned(output, 16);
        }
        // Both panels are in one buffer.
        const Copies copies = this->copies(variant, size);
        return addresses_a_panel(variant, size) &&
               (division.copies != Division::Copies::together ||
                   2 * round_up(std::max(size.m, size.n), copies.rows) * copies.depth * word_of(variant) <=
                       most_bytes);
    }

    Tile tile(const Variant &variant) const override {
        const Division division = division_of(variant);
        return {division.tile_rows(), division.tile_columns()};
    }

protected:
    Copies copies(const Variant &variant, const Size &size) const override {
        const Division division = division_of(variant);
        if (division.copies == Division::Copies::none) {
            return {};
        }
        const bool together = division.copies == Division::Copies::together;
        const int64_t across = division.tile_columns(), down = division.tile_rows(),
                      rows = together ? std::max(across, down) : down;
        return {.rows = rows,
            .columns = together ? rows : across,
            .depth = round_up(round_up(size.k, division.depth), 32)};
    }

private:
    static Division division_of(const Variant &variant) {
        return matmul_division([&](const char *name) { return variant.tunable(name); },
            variant.configuration<MatmulWorkersConfiguration>().copies);
    }
};

struct FragmentsForm final : MatmulForm {
    using MatmulForm::MatmulForm;

    bool serves(const Variant &variant, const MatmulRequest &request, const Array &output) const override {
        const Size size = request.size();
        const FragmentDivision division = division_of(variant);
        // A map is of one matrix: boxes take a launch per product, where other variants do small ones at
        // once.
        if (!addresses_a_panel(variant, size) || (division.in_boxes() && request.images > 1 &&
                                                     (double)size.m * (double)size.n < elements_that_fill)) {
            return false;
        }
        const int whole = division.in_boxes()     ? 8 :
                          division.both_in_rows() ? division.product().numbers_per_word() * division.depth :
                                                    4;
        const bool a_fits = size.k % whole == 0 && is_aligned(request.a(), 16),
                   b_fits = size.n % 8 == 0 && is_aligned(request.b(), 16),
                   output_fits = size.n % 4 == 0 && is_aligned(output, division.alignment_of_out());
        if (division.is_turned()) {
            return size.n % 4 == 0 && is_aligned(request.b(), 16);
        }
        if (division.in_halves()) {
            return true;
        }
        return !division.a_in_rows() || (a_fits && output_fits && (b_fits || !division.both_in_rows()));
    }

    Tile tile(const Variant &variant) const override {
        const FragmentDivision division = division_of(variant);
        return division.is_turned() ?
                   Tile{division.columns, division.rows(), 0} :
                   Tile{division.rows(), division.columns, division.adds_shares() ? 0 : division.shares};
    }

protected:
    void bind(
        Launch &launch, const Variant &variant, const MatmulRequest &request, Array &output) const override {
        if (!division_of(variant).of_words()) {
            return MatmulForm::bind(launch, variant, request, output);
        }
        launch.in("a", request.a(), in_words(request.a()))
            .in("b", request.b(), in_words(request.b()))
            .out("output", output);
    }

    Copies copies(const Variant &variant, const Size &size) const override {
        const FragmentDivision division = division_of(variant);
        if (division.in_halves()) {
            return {.rows = division.rows(),
                .columns = division.columns,
                .depth = round_up(size.k, 2 * division.depth)};
        }
        if (!division.has_panels()) {
            return {};
        }
        const TensorProduct product = division.product();
        // A block is copied ahead.
        const int64_t depth =
            round_up(ceil_div(size.k, product.numbers_per_word()), division.depth) + division.depth;
        if (division.is_turned()) {
            return {.rows = division.columns, .depth = product.parts() * depth};
        }
        return {.rows = division.a_in_rows() ? 0 : division.rows(),
            .columns = division.columns,
            .depth = depth,
            .parts = product.parts()};
    }

private:
    // Of 16-bit floats, two per word.
    static View in_words(const Array &matrix) {
        return {halide_type(Type::f32),
            {{matrix.shape()[1] / 2, 1}, {matrix.shape()[0], matrix.strides()[0] / 2}},
            matrix.offset_bytes()};
    }

    static FragmentDivision division_of(const Variant &variant) {
        return fragment_division([&](const char *name) { return variant.tunable(name); },
            variant.configuration<MatmulFragmentsConfiguration>(), variant.type);
    }
};

struct LanesForm final : MatmulForm {
    using MatmulForm::MatmulForm;

    bool serves(const Variant &, const MatmulRequest &request, const Array &output) const override {
        return request.size().k % 4 == 0 && request.size().n % 4 == 0 && is_aligned(request.a(), 16) &&
               is_aligned(request.b(), 16) && is_aligned(output, 16);
    }

    Tile tile(const Variant &variant) const override {
        return {variant.tunable("rows"), variant.tunable("columns")};
    }
};

struct RunsForm final : MatmulForm {
    using MatmulForm::MatmulForm;

    Tile tile(const Variant &variant) const override {
        const auto of = variant.configuration<MatmulRunsConfiguration>();
        return {of.rows, of.columns, 0};
    }
};

struct DefinitionForm final : MatmulForm {
    using MatmulForm::MatmulForm;

    // `direct`, `shared` and `registers` name what they are divided by.
    Tile tile(const Variant &variant) const override {
        const int side = variant.tunable("tile", variant.tunable("threads", 0) * variant.tunable("side", 0));
        return {variant.tunable("height", side), variant.tunable("width", side)};
    }
};

constexpr DefinitionForm definition("matmul");
constexpr RunsForm runs("matmul_runs");
constexpr BlocksForm blocks("matmul_blocks");
constexpr WorkersForm workers("matmul_workers");
constexpr FragmentsForm fragments("matmul_fragments");
constexpr LanesForm lanes("matmul_lanes");

class Matmul : public OperatorOf<MatmulRequest> {
public:
    Matmul()
        : OperatorOf(
              {.name = "matmul",
                  .summary = "the product of two matrices",
                  .inputs = {matrix("a"), matrix("b")},
                  .makes = Makes::matrix,
                  .notes = "Both matrices have one type. The output of f64 is f64; of others it is f32, and "
                           "the\nproducts of f16 and bf16 are exact.\n"
                           "Each element is within 2 K 2^-24 (|a| |b|) of the exact sum of K products, of "
                           "f64 within\n2 K 2^-53 (|a| |b|); on the tensor cores a denormal f16 number "
                           "counts as 2^-14 in that.\n"
                           "On NVIDIA GPUs of compute capability 9.0 `tuned` may take the tensor cores (the "
                           "schedules\n`tensor`, of f16 and bf16 `tuned_tensor`), within the same bound. For "
                           "f32 arithmetic\nalone, name `tuned_large`.\n",
                  .measures = {"m", "k", "n"}},
              matmul_variants(), {&definition, &runs, &blocks, &workers, &fragments, &lanes}) {}

    Measures measures(const MatmulRequest &request) const override {
        const Size size = request.size();
        return {(double)size.m, (double)size.k, (double)size.n};
    }

    // Of the product: its sides, its tiles of 32 x 64 elements, and the padding of a variant's own tiles.
    double measure(std::string_view name, const Variant &variant, const Measures &measures) const override {
        const double m = measures.numbers[0], n = measures.numbers[2];
        if (const Tile tile = static_cast<const MatmulForm &>(form(variant)).tile(variant);
            name == measure_of_padding && tile.rows > 0) {
            const double units = std::max(1., measures.numbers[3]),
                         tiles = std::ceil(m / tile.rows) * std::ceil(n / tile.columns),
                         all = tile.blocks == 0 ?
                                   tiles :
                                   std::ceil(tiles * tile.blocks / units) * units / tile.blocks;
            return all * tile.rows * tile.columns / (m * n);
        }
        return name == "shorter_side" ? std::min(m, n) :
               name == "longer_side"  ? std::max(m, n) :
               name == "tiles"        ? std::ceil(m / 32) * std::ceil(n / 64) :
                                        OperatorOf::measure(name, variant, measures);
    }

protected:
    MatmulRequest read(std::span<const Array> inputs, const Settings &) const override {
        if (inputs[0].shape()[1] != inputs[1].shape()[0]) {
            refuse(Fault::input, "the first matrix must have as many columns as the second has rows", "a, b",
                inputs[0].describe() + ", " + inputs[1].describe());
        }
        if (inputs[0].type() != inputs[1].type()) {
            refuse(Fault::input, "both matrices must have the same type", "a, b",
                inputs[0].describe() + ", " + inputs[1].describe());
        }
        MatmulRequest request;
        request.type = name_of(inputs[0].type());
        request.output_type = inputs[0].type() == Type::f64 ? Type::f64 : Type::f32;
        request.output_shape = {inputs[0].shape()[0], inputs[1].shape()[1]};
        return request;
    }
};

}  // namespace

const Operator &matmul_operator() {
    return immortal([] { return Matmul(); });
}

void matmul(const Array &a, const Array &b, Array &output, const Call &call) {
    const Array inputs[] = {a, b};
    matmul_operator()(inputs, output, {}, call);
}

}  // namespace tilewright
