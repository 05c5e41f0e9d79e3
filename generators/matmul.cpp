// The generators of matmul: the matrices of its definition and of its forms.
#include "generators/algorithms/matmul/matmul.h"
#include "generators/algorithms/matmul/configuration.h"
#include "generators/algorithms/matmul/fragments.h"
#include "generators/algorithms/matmul/lanes.h"
#include "generators/algorithms/matmul/tiles.h"
#include "generators/algorithms/matmul/workers.h"
#include "generators/check_tunables.h"
#include "generators/float_conversions.h"
#include "generators/instructions.h"
#include "generators/variant_generator.h"

namespace tilewright {

// What the generators of all forms share: A (K columns, M rows), B (N columns, K rows), of f32, f64 or 16-bit
// floats, and A B (N columns, M rows), of f64 or, of the other types, f32.
template<typename Self>
class MatmulGeneratorBase : public VariantGenerator<Self> {
public:
    Halide::GeneratorInput<Halide::Buffer<void, 2>> a{"a"}, b{"b"};
    Halide::GeneratorOutput<Halide::Buffer<void, 2>> output{"output"};

    void configure() {
        a.set_type(element_type(this->type));
        b.set_type(element_type(this->type));
        output.set_type(sum_type());
    }

protected:
    Halide::Type sum_type() const {
        return Halide::Float(this->type.value() == "f64" ? 64 : 32);
    }
    // The elements of A or B in the type of the sums.
    Halide::Func numbers(Halide::Func matrix) const {
        const FloatBits bits = float_bits(this->type, this->get_target());
        if (bits.empty()) {
            return matrix;
        }
        Halide::Var x{"x"}, y{"y"};
        Halide::Func numbers{"numbers"};
        numbers(x, y) = bits.number(matrix(x, y));
        return numbers;
    }
    Extents size() {
        return {a.dim(1).extent(), b.dim(0).extent(), a.dim(0).extent()};
    }

    template<typename Form>
    void finish(Form &form) {
        output = form.out;
        for (int dimension : {0, 1}) {
            a.dim(dimension).set_min(0);
            b.dim(dimension).set_min(0);
            output.dim(dimension).set_min(0);
        }
        this->apply(form, {a, b, output});
        a.set_estimates({{0, 1024}, {0, 1024}});
        b.set_estimates({{0, 1024}, {0, 1024}});
        output.set_estimates({{0, 1024}, {0, 1024}});
    }
};

class MatmulGenerator : public MatmulGeneratorBase<MatmulGenerator> {
public:
    void generate() {
        const Extents of = size();
        if (configuration<MatmulConfiguration>().zeros_beyond) {
            const int tile = setting("depth");
            Matmul form(zero_beyond(numbers(a), of.depth, of.rows),
                zero_beyond(numbers(b), of.columns, of.depth), ceil_div(of.depth, tile) * tile);
            finish(form);
        } else {
            Matmul form(numbers(a), numbers(b), of.depth);
            finish(form);
        }
    }
};

class MatmulRunsGenerator : public MatmulGeneratorBase<MatmulRunsGenerator> {
public:
    void generate() {
        const auto tile = configuration<MatmulRunsConfiguration>();
        MatmulRuns form(
            numbers(a), numbers(b), size(), tile.rows, tile.columns, tile.depth, setting("parts"));
        finish(form);
    }
};

class MatmulBlocksGenerator : public MatmulGeneratorBase<MatmulBlocksGenerator> {
public:
    void generate() {
        // A panel of B is two vectors wide. The sums use all vector registers but four; there are 32 with
        // AVX-512, and 16 otherwise.
        const int lanes = get_target().natural_vector_size(sum_type()),
                  registers = std::max(16, 2 * get_target().natural_vector_size<float>());
        // Blocks have nearly equal depths, so that the padding of the last one is small.
        const Extents extents = size();
        const Expr blocks = ceil_div(extents.depth, min(setting("depth"), deepest_block(extents)));
        MatmulBlocks form(numbers(a), numbers(b), extents, (registers - 4) / 2, 2 * lanes,
            (extents.depth - 1) / blocks + 1);
        finish(form);
    }

private:
    // So deep that the copied block of B has an eighth of the elements of A, B and the product; but at least
    // 128, so that tiles of the product are not read and written too often.
    static Expr deepest_block(const Extents &extents) {
        const auto wide = [](const Expr &extent) { return cast<int64_t>(extent); };
        const Expr elements =
            wide(extents.rows) * extents.depth + wide(extents.columns) * (wide(extents.rows) + extents.depth);
        return cast<int>(clamp(elements / (8 * wide(extents.columns)), 128, 1 << 20));
    }
};

class MatmulWorkersGenerator : public MatmulGeneratorBase<MatmulWorkersGenerator> {
public:
    void generate() {
        const Division division = matmul_division([&](const char *name) { return setting(name); },
            configuration<MatmulWorkersConfiguration>().copies);
        check_tunables(variant().name, tunables, division.why_not(setting("unroll")));
        MatmulWorkers form(numbers(a), numbers(b), size(), division);
        finish(form);
    }
};

class MatmulFragmentsGenerator : public MatmulGeneratorBase<MatmulFragmentsGenerator> {
public:
    void generate() {
        const FragmentDivision division = this->division();
        check_tunables(variant().name, tunables, division.why_not());
        Extents extents = size();
        if (division.of_words()) {
            extents.columns *= 2;
            extents.depth *= 2;
        }
        if (division.is_turned()) {
            MatmulFragments form(
                transposed(b), transposed(a), {extents.columns, extents.rows, extents.depth}, division);
            return finish(form);
        }
        MatmulFragments form(a, b, extents, division, nvidia_pair_of_halves);
        finish(form);
    }

    // Rows of 16-bit floats are words of two, which are copied as they are.
    void configure() {
        if (division().of_words()) {
            a.set_type(Halide::Float(32));
            b.set_type(Halide::Float(32));
            output.set_type(Halide::Float(32));
        } else {
            MatmulGeneratorBase::configure();
        }
    }

private:
    static Halide::Func transposed(const Halide::Func &matrix) {
        Halide::Var x{"x"}, y{"y"};
        Halide::Func turned{"turned"};
        turned(x, y) = matrix(y, x);
        return turned;
    }
    FragmentDivision division() const {
        return fragment_division([&](const char *name) { return setting(name); },
            configuration<MatmulFragmentsConfiguration>(), std::string(type));
    }
};

class MatmulLanesGenerator : public MatmulGeneratorBase<MatmulLanesGenerator> {
public:
    void generate() {
        const LaneDivision division = lane_division([&](const char *name) { return setting(name); });
        check_tunables(variant().name, tunables, division.why_not());
        const LaneProduct product{tf32_product_call.prefix, tf32_product_call.instruction, division.ahead};
        MatmulLanes form(a, b, size(), division, added_product(product));
        finish(form);
    }
};

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::MatmulGenerator, matmul)
HALIDE_REGISTER_GENERATOR(tilewright::MatmulRunsGenerator, matmul_runs)
HALIDE_REGISTER_GENERATOR(tilewright::MatmulBlocksGenerator, matmul_blocks)
HALIDE_REGISTER_GENERATOR(tilewright::MatmulWorkersGenerator, matmul_workers)
HALIDE_REGISTER_GENERATOR(tilewright::MatmulFragmentsGenerator, matmul_fragments)
HALIDE_REGISTER_GENERATOR(tilewright::MatmulLanesGenerator, matmul_lanes)
