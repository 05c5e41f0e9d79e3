#include "tilewright/matmul.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/matmul/configuration.h"
#include "runtime/dispatch/operator_of.h"
#include <algorithm>
#include <utility>

namespace tilewright {

const std::vector<Row> &matmul_rows();

namespace {

constexpr int64_t most_rows = 4 * 65535;  // of one launch: the grids of all kernels stay within 65535 in y
                                          // and z
constexpr int64_t most_columns = 64 * 65535;
constexpr int64_t most_depth = 32 * 65535;  // of the forms that copy panels on a GPU

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
};

// The request for other matrices.
MatmulRequest with_inputs(const MatmulRequest &request, const Array &a, const Array &b) {
    MatmulRequest other = request;
    other.inputs = {a, b};
    other.output_shape = {a.shape()[0], b.shape()[1]};
    return other;
}

// Of a row of workers.
Division::Copies copies_of(const Row &row) {
    return row.configuration<MatmulWorkersConfiguration>().copies;
}

// Whether a number is within a bound, of which 0 means that there is none.
bool within(int64_t number, int64_t bound) {
    return bound == 0 || number <= bound;
}

// Of a row of workers.
Division division_of(const Row &row) {
    return matmul_division([&](const char *name) { return row.tunable(name); }, copies_of(row));
}

// Of a row of fragments.
FragmentDivision fragments_of(const Row &row) {
    return {row.tunable("tiles"), row.tunable("columns"), row.tunable("depth"), row.tunable("group")};
}

// Rows and columns of the panels that a row's library copies a and b into, with the depth that is copied at
// once: (rows of a, columns of b, depth); rows or columns 0: that matrix is read in place.
struct Copies {
    int64_t rows = 0, columns = 0, depth = 0;
    int64_t parts = 1;  // of each number of b

    Copies(const Row &row, const Size &size) {
        if (row.form == "matmul_blocks") {
            columns = 32;  // at most: two vectors
            depth = std::min<int64_t>(size.k, row.tunable("depth"));
        } else if (row.form == "matmul_workers" && copies_of(row) != Division::Copies::none) {
            const Division division = division_of(row);
            const bool together = division.copies == Division::Copies::together;
            const int64_t across = division.tile_columns(), down = division.tile_rows();
            rows = together ? std::max(across, down) : down;
            columns = together ? rows : across;
            depth = round_up(round_up(size.k, division.depth), 32);
        } else if (row.form == "matmul_fragments") {
            const FragmentDivision division = fragments_of(row);
            rows = division.rows();
            columns = division.columns;
            depth = round_up(size.k, division.depth) + division.depth;  // a block is copied ahead
            parts = 2;
        }
    }
};

// Few elements for the depth: tiles of registers would leave most of a GPU idle, or be mostly padding.
// Measured on an H200.
bool is_thin(const Size &size) {
    return std::min(size.m, size.n) <= 16 || ceil_div(size.m, 32) * ceil_div(size.n, 64) < 24;
}

// Rows for few rows or few columns on a CPU keep sums of all of these for a strip, whose memory is bounded
// here.
bool has_few_scratch(const MatmulConfiguration &serves, const Size &size) {
    constexpr int64_t most = 1024;
    return (serves.most_rows == 0 || size.m <= most) && (serves.most_columns == 0 || size.n <= most);
}

bool is_aligned(const Array &a, int64_t bytes) {
    return a.offset_bytes() % bytes == 0 && a.strides()[0] * (int64_t)sizeof(float) % bytes == 0;
}

Input matrix(const char *name) {
    return {.name = name, .types = {Type::f32}, .axes = Axes::image};
}

class Matmul : public OperatorOf<MatmulRequest> {
public:
    Matmul()
        : OperatorOf(
              {.name = "matmul",
                  .summary = "the product of two matrices",
                  .inputs = {matrix("a"), matrix("b")},
                  .makes = Makes::matrix,
                  .notes = "Each element is within 2 K 2^-24 (|a| |b|) of the exact sum of K products.\n"
                           "On NVIDIA GPUs of compute capability 9.0 `tuned` may take the tensor cores "
                           "(the schedules\n`tensor`), within the same bound. For f32 arithmetic alone, "
                           "name `tuned_large`.\n"},
              matmul_rows()) {}

protected:
    MatmulRequest read(std::span<const Array> inputs, const Settings &) const override {
        if (inputs[0].shape()[1] != inputs[1].shape()[0]) {
            refuse(Fault::input, "the first matrix must have as many columns as the second has rows", "a, b",
                inputs[0].describe() + ", " + inputs[1].describe());
        }
        MatmulRequest request;
        request.type = "f32";
        request.output_type = Type::f32;
        request.output_shape = {inputs[0].shape()[0], inputs[1].shape()[1]};
        return request;
    }

    bool accepts_request(const Row &row, const MatmulRequest &request, const Array &output) const override {
        const Size size = request.size();
        if (!row.autoscheduler.empty()) {
            return size.m >= 4 && size.n >= 64;  // the tiles that the plug-ins made
        }
        if (row.form == "matmul") {
            const auto serves = row.configuration<MatmulConfiguration>();
            return has_few_scratch(serves, size) && size.m >= serves.whole_rows &&
                   size.n >= serves.whole_columns;
        }
        if (row.form == "matmul_fragments") {
            return size.k >= FragmentDivision::least_depth && size.k <= most_depth;
        }
        if (row.form != "matmul_workers") {
            return true;
        }
        if (size.k > most_depth) {
            return false;
        }
        const auto serves = row.configuration<MatmulWorkersConfiguration>();
        if (serves.copies == Division::Copies::none) {
            const Division division = division_of(row);
            return size.m % 128 == 0 && size.n % 128 == 0 && size.m % division.tile_rows() == 0 &&
                   size.n % division.tile_columns() == 0 && size.k % division.depth == 0 &&
                   is_aligned(request.a(), 16) && is_aligned(request.b(), 16) && is_aligned(output, 16);
        }
        // Both panels are in one buffer.
        const Copies copies(row, size);
        return serves.copies != Division::Copies::together ||
               2 * round_up(std::max(size.m, size.n), copies.rows) * copies.depth * (int64_t)sizeof(float) <=
                   most_bytes;
    }

    bool is_meant_for(const Row &row, const Measures &measures) const override {
        const Size size = {
            (int64_t)measures.numbers[0], (int64_t)measures.numbers[1], (int64_t)measures.numbers[2]};
        if (row.form == "matmul") {
            const auto serves = row.configuration<MatmulConfiguration>();
            return within(size.m, serves.most_rows) && within(size.n, serves.most_columns) &&
                   within(size.k, serves.most_depth) && size.n >= serves.least_columns &&
                   size.k >= serves.least_depth;
        }
        if (row.form == "matmul_fragments") {
            const auto serves = row.configuration<MatmulFragmentsConfiguration>();
            return !is_thin(size) && within(std::max(size.m, size.n), serves.most_side);
        }
        if (row.form != "matmul_workers") {
            return true;
        }
        const auto serves = row.configuration<MatmulWorkersConfiguration>();
        return !is_thin(size) && within(std::max(size.m, size.n), serves.most_side) &&
               within(size.k, serves.most_depth);
    }

    Measures measures_of(const MatmulRequest &request) const override {
        const Size size = request.size();
        return {(double)size.m, (double)size.k, (double)size.n};
    }

    Plan plan(const Row &row, Device device, const MatmulRequest &request, Array &output) const override {
        if (is_too_tall(row, request, output)) {
            return halves(row, device, request, output, true);
        }
        if (is_too_wide(row, request)) {
            return halves(row, device, request, output, false);
        }
        Plan plan;
        plan.launch(row, device).in("a", request.a()).in("b", request.b()).out("output", output);
        return plan;
    }

private:
    // Whether the output has more rows than a library computes at once.
    static bool is_too_tall(const Row &row, const MatmulRequest &request, const Array &output) {
        constexpr int64_t element = sizeof(float);
        const Size size = request.size();
        const Copies copies(row, size);
        const auto span = [&](const Array &a) { return a.shape()[0] * a.strides()[0] * element; };
        const bool large_panels =
            copies.rows != 0 && round_up(size.m, copies.rows) * copies.depth * element > most_bytes;
        const bool large_grid = row.backend != Backend::cpu && size.m > most_rows;
        return size.m > 1 &&
               (large_panels || large_grid || span(request.a()) > most_bytes || span(output) > most_bytes);
    }

    // The same of columns.
    static bool is_too_wide(const Row &row, const MatmulRequest &request) {
        const Size size = request.size();
        const Copies copies(row, size);
        const bool large_panels = copies.columns != 0 && round_up(size.n, copies.columns) * copies.depth *
                                                                 copies.parts * (int64_t)sizeof(float) >
                                                             most_bytes;
        return size.n > 1 && (large_panels || (row.backend != Backend::cpu && size.n > most_columns));
    }

    // The upper and the lower half of the output, or the left and the right one.
    Plan halves(const Row &row, Device device, const MatmulRequest &request, Array &output, bool rows) const {
        const auto [m, k, n] = request.size();
        const int64_t all = rows ? m : n, half = all / 2;
        Plan plan;
        for (const auto &[begin, count] : {std::pair{(int64_t)0, half}, {half, all - half}}) {
            const MatmulRequest part =
                rows ? with_inputs(request, request.a().crop(begin, 0, count, k), request.b()) :
                       with_inputs(request, request.a(), request.b().crop(0, begin, k, count));
            Array output_part = rows ? output.crop(begin, 0, count, n) : output.crop(0, begin, m, count);
            plan.append(this->plan(row, device, part, output_part));
        }
        return plan;
    }
};

}  // namespace

const Operator &matmul_operator() {
    static const auto &op = *new Matmul;  // never destroyed (inside.h)
    return op;
}

void matmul(const Array &a, const Array &b, Array &output, const Call &call) {
    const Array inputs[] = {a, b};
    matmul_operator()(inputs, output, {}, call);
}

}  // namespace tilewright
