#include "generators/algorithms/matmul/matmul.h"
#include "generators/algorithms/matmul/tiles.h"
#include "generators/algorithms/matmul/workers.h"
#include "generators/row_generator.h"

namespace tilewright {

// What the generators of all forms share: A (K columns, M rows), B (N columns, K rows) and A B (N columns, M rows).
template<typename Self>
class MatmulOperator : public Operator<Self> {
public:
    Halide::GeneratorInput<Halide::Buffer<float, 2>> a{"a"}, b{"b"};
    Halide::GeneratorOutput<Halide::Buffer<float, 2>> output{"output"};

protected:
    Extents size() {
        return {a.dim(1).extent(), b.dim(0).extent(), a.dim(0).extent()};
    }

    int setting(const std::string &name) {
        return Site{{}, {}, {}, this->settings()}[name];
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

class MatmulGenerator : public MatmulOperator<MatmulGenerator> {
public:
    void generate() {
        Matmul form(a, b, size().depth);
        finish(form);
    }
};

class MatmulSquaresGenerator : public MatmulOperator<MatmulSquaresGenerator> {
public:
    void generate() {
        MatmulSquares form(a, b, size(), setting("rows"), setting("columns"), setting("side"));
        finish(form);
    }
};

class MatmulTilesGenerator : public MatmulOperator<MatmulTilesGenerator> {
public:
    void generate() {
        MatmulTiles form(a, b, size(), setting("rows"), setting("columns"), setting("depth"));
        finish(form);
    }
};

class MatmulRunsGenerator : public MatmulOperator<MatmulRunsGenerator> {
public:
    void generate() {
        MatmulRuns form(a, b, size(), setting("rows"), setting("columns"), setting("depth"), setting("parts"));
        finish(form);
    }
};

class MatmulBlocksGenerator : public MatmulOperator<MatmulBlocksGenerator> {
public:
    void generate() {
        // A panel of B is two vectors wide. The sums take all vector registers but four: 32 registers with AVX-512, else 16.
        const int lanes = get_target().natural_vector_size<float>(), registers = std::max(16, 2 * lanes);
        // Blocks are of equal depth, so that the padding of the last one is small.
        const Extents extents = size();
        const int deepest = setting("depth");
        const Expr blocks = (extents.depth + deepest - 1) / deepest;
        MatmulBlocks form(a, b, extents, (registers - 4) / 2, 2 * lanes, (extents.depth - 1) / blocks + 1);
        finish(form);
    }
};

class MatmulWorkersGenerator : public MatmulOperator<MatmulWorkersGenerator> {
public:
    void generate() {
        const Rectangle rectangle{setting("lanes"), setting("across"), setting("down")};
        MatmulWorkers form(a, b, size(), {rectangle, 8, 8, setting("depth"), setting("slices"), Division::Copies(setting("copies"))});
        finish(form);
    }
};

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::MatmulGenerator, matmul)
HALIDE_REGISTER_GENERATOR(tilewright::MatmulSquaresGenerator, matmul_squares)
HALIDE_REGISTER_GENERATOR(tilewright::MatmulTilesGenerator, matmul_tiles)
HALIDE_REGISTER_GENERATOR(tilewright::MatmulRunsGenerator, matmul_runs)
HALIDE_REGISTER_GENERATOR(tilewright::MatmulBlocksGenerator, matmul_blocks)
HALIDE_REGISTER_GENERATOR(tilewright::MatmulWorkersGenerator, matmul_workers)
