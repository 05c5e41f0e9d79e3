#include "tilewright/row_sum.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/row_sum/configuration.h"
#include "runtime/operators/sums.h"
#include <algorithm>
#include <cmath>

namespace tilewright {

const std::vector<Row> &row_sum_rows();

namespace {

// How many chunks a row may touch, wherever it begins.
int32_t chunks_of(const Placement &at) {
    return (int32_t)ceil_div((int64_t)at.width * at.element + 16 - at.element, 16);
}

// The forms whose rows add a row of the image in groups of `lanes` pixels.
bool adds_groups(const Row &row) {
    return row.form == "row_sum_sliced" || row.form == "row_sum_octets";
}

class RowSumOperator : public SumOperator {
public:
    RowSumOperator() : SumOperator("row_sum", "the sum of each row of an image", row_sum_rows(), 0) {}

protected:
    bool accepts_image(const Row &row, const Array &image) const override {
        const Placement at(image);
        if (adds_groups(row)) {
            return at.width >= row.tunable("lanes");
        }
        if (row.form == "row_sum_halves") {
            const int32_t lanes = row.tunable("lanes");
            return at.width >= lanes && at.width <= 2 * lanes;
        }
        if (row.form == "row_sum_chunks") {
            const auto serves = row.configuration<RowSumChunksConfiguration>();
            return serves.splits || chunks_of(at) <= row_sum_exact_chunks * row.tunable("lanes");
        }
        if (row.form == "row_sum") {
            const auto serves = row.configuration<RowSumConfiguration>();
            // Float sums of wider images would not be exact.
            return !serves.in_output || serves.most_width == 0 || at.width <= serves.most_width;
        }
        return true;
    }

    bool is_meant_for(const Row &row, const Measures &measures) const override {
        const double height = measures.numbers[0], width = measures.numbers[1];
        if (adds_groups(row)) {
            const auto serves = row.configuration<RowSumSlicedConfiguration>();
            return width >= serves.least_width && (serves.most_rows == 0 || height <= serves.most_rows);
        }
        if (row.form == "row_sum_chunks") {
            const auto serves = row.configuration<RowSumChunksConfiguration>();
            const double chunks = std::ceil((width * element_bytes(row) + 16 - element_bytes(row)) / 16);
            return serves.splits ||
                   (chunks <= serves.most_iterations * row.tunable("lanes") && height >= serves.least_rows);
        }
        if (row.form == "row_sum") {
            const int most = row.configuration<RowSumConfiguration>().most_width;
            return most == 0 || width <= most;
        }
        return true;
    }

    Launch &bind(Launch &launch, const Row &row, const Array &image) const override {
        if (row.form != "row_sum_chunks") {
            return launch.in("image", image);
        }
        const Placement at(image);
        const int32_t of_row = (int32_t)ceil_div(chunks_of(at), row.tunable("lanes"));
        const auto configuration = row.configuration<RowSumChunksConfiguration>();
        const int32_t iterations = configuration.splits ? iterations_of_piece(of_row, row) : of_row;
        return launch.in("words", image, words(image))
            .value("offset", at.offset)
            .value("stride", at.stride)
            .value("width", at.width)
            .value("height", at.height)
            .value("turns", iterations)
            .value("pieces", (int32_t)ceil_div(of_row, iterations));
    }

private:
    // How many of a row's iterations a piece takes: the tunable, and more for rows so long that their pieces
    // would not fit a grid.
    static int32_t iterations_of_piece(int32_t of_row, const Row &row) {
        constexpr int32_t many_pieces = 16384;
        const int32_t most = row.configuration<RowSumChunksConfiguration>().most_iterations;
        return std::min(
            {std::max(row.tunable("turns"), (int32_t)ceil_div(of_row, many_pieces)), most, of_row});
    }
};

}  // namespace

const Operator &row_sum_operator() {
    static const auto &op = *new RowSumOperator;  // never destroyed (inside.h)
    return op;
}

void row_sum(const Array &image, Array &sums, const Call &call) {
    static_cast<const RowSumOperator &>(row_sum_operator()).call(image, sums, call);
}

Array row_sum(const Array &image, Type output, const Call &call) {
    return static_cast<const RowSumOperator &>(row_sum_operator()).call(image, output, call);
}

Array row_sum(const Array &image, const Call &call) {
    Array sums;
    row_sum(image, sums, call);
    return sums;
}

}  // namespace tilewright
