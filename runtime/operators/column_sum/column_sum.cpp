#include "tilewright/column_sum.h"
#include "generators/algorithms/column_sum/configuration.h"
#include "generators/algorithms/integers.h"
#include "runtime/operators/sums.h"
#include <algorithm>
#include <numeric>

namespace tilewright {

const std::vector<Row> &column_sum_rows();

namespace {

// How the rows of an image are folded into phases, and how those are split over blocks
// (generators/algorithms/column_sum/folded.h).
struct Folding {
    int32_t period, chunks, steps, slices;

    Folding(const Placement &at, const Row &row) {
        constexpr int chunk = 16, wanted_threads = 64, wanted_blocks = 256, most_rows = 256,
                      most_slices = 32768;  // a grid has 65535 blocks along its second axis
        const int32_t bytes = at.width * at.element;
        period = chunk / std::gcd(chunk, at.stride);
        // Rows of one phase begin at the same byte of a chunk; of several, at any.
        chunks = (int32_t)ceil_div(bytes + (period == 1 ? at.offset % chunk : chunk - at.element), chunk);
        // Thin images: more phases fill the threads. Very tall ones: more phases are fewer slices.
        while ((period * chunks < wanted_threads || at.height > (int64_t)period * most_rows * most_slices) &&
               period < at.height) {
            period *= 2;
        }
        const int32_t rows = (int32_t)ceil_div(at.height, period),
                      in_step = row.tunable("unroll") * row.tunable("groups"),
                      blocks = (int32_t)ceil_div((int64_t)period * chunks, row.tunable("lanes"));
        // No more than 257 bytes fit in 16 bits; beyond that, long slices are less work for the second
        // kernel.
        steps = (int32_t)std::clamp<int64_t>(
            (int64_t)rows * blocks / (wanted_blocks * in_step), 1, most_rows / in_step);
        slices = (int32_t)ceil_div(rows, (int64_t)in_step * steps);
    }
};

class ColumnSumOperator : public SumOperator {
public:
    ColumnSumOperator()
        : SumOperator("column_sum", "the sum of each column of an image", column_sum_rows(), 1) {}

protected:
    bool accepts_request(const Row &row, const SumRequest &request, const Array &) const override {
        const Placement at(request.image());
        if (row.form == "column_sum_sliced") {
            return at.width >= row.tunable("lanes");
        }
        if (row.form == "column_sum_words") {
            const auto serves = row.configuration<ColumnSumWordsConfiguration>();
            return at.offset % serves.alignment == 0 && at.stride % serves.alignment == 0 &&
                   (serves.most_rows == 0 || at.height <= serves.most_rows);
        }
        if (row.form == "column_sum_folded") {
            const int32_t most = row.configuration<ColumnSumFoldedConfiguration>().most_row_bytes;
            return most == 0 || at.width * at.element <= most;
        }
        if (row.form == "column_sum") {
            const auto [columns, most_rows, most_columns] = row.configuration<ColumnSumConfiguration>();
            if (at.offset % columns != 0 || at.stride % columns != 0 || at.width % columns != 0 ||
                (most_rows != 0 && at.height > most_rows) || (most_columns != 0 && at.width > most_columns) ||
                at.width < row.tunable("lanes", 1)) {
                return false;
            }
        }
        return enough_for_autoscheduler(row, request);
    }

    Plan plan(const Row &row, Device device, const SumRequest &request, Array &sums) const override {
        const Array &image = request.image();
        const Placement at(image);
        Plan plan;
        Launch &launch = plan.launch(row, device);
        if (row.form == "column_sum_words") {
            launch.in("words", image, words(image))
                .value("offset", at.offset)
                .value("stride", at.stride)
                .value("height", at.height);
        } else if (row.form == "column_sum_folded") {
            const Folding folding(at, row);
            launch.in("words", image, words(image))
                .value("offset", at.offset)
                .value("stride", at.stride)
                .value("width", at.width)
                .value("height", at.height)
                .value("period", folding.period)
                .value("chunks", folding.chunks)
                .value("steps", folding.steps)
                .value("slices", folding.slices);
        } else {
            launch.in("image", image);
        }
        launch.out("sums", sums);
        return plan;
    }
};

}  // namespace

const Operator &column_sum_operator() {
    static const auto &op = *new ColumnSumOperator;  // never destroyed (inside.h)
    return op;
}

void column_sum(const Array &image, Array &sums, const Call &call) {
    static_cast<const ColumnSumOperator &>(column_sum_operator()).call(image, sums, call);
}

Array column_sum(const Array &image, Type output, const Call &call) {
    return static_cast<const ColumnSumOperator &>(column_sum_operator()).call(image, output, call);
}

Array column_sum(const Array &image, const Call &call) {
    Array sums;
    column_sum(image, sums, call);
    return sums;
}

}  // namespace tilewright
