#include "tilewright/column_sum.h"
#include "runtime/operators/sums.h"
#include <algorithm>
#include <numeric>

namespace tilewright {

const std::vector<Row> &column_sum_rows();

namespace {

// How the rows of an image are folded into phases, and how those are split over blocks (generators/algorithms/column_sum/folded.h).
struct Folding {
    int32_t period, chunks, steps, slices;

    Folding(const Placement &at, const Row &row) {
        constexpr int chunk = 16, wanted_threads = 64, wanted_blocks = 256, most_rows = 256, most_slices = 32768;  // a grid has 65535 blocks along its second axis
        const int32_t bytes = at.width * at.element;
        period = chunk / std::gcd(chunk, at.stride);
        // Rows of one phase begin at the same byte of a chunk; of several, at any.
        chunks = ceil_div(bytes + (period == 1 ? at.offset % chunk : chunk - at.element), chunk);
        // Thin images: more phases fill the threads. Very tall ones: more phases are fewer slices.
        while ((period * chunks < wanted_threads || at.height > (int64_t)period * most_rows * most_slices) && period < at.height) {
            period *= 2;
        }
        const int32_t rows = ceil_div(at.height, period), in_step = row.tunable("unroll") * row.tunable("groups"),
                      blocks = ceil_div((int64_t)period * chunks, row.tunable("lanes"));
        // No more than 257 bytes fit in 16 bits; beyond that, long slices are less work for the second kernel.
        steps = (int32_t)std::clamp<int64_t>((int64_t)rows * blocks / (wanted_blocks * in_step), 1, most_rows / in_step);
        slices = ceil_div(rows, (int64_t)in_step * steps);
    }
};

class ColumnSumOperator : public SumOperator {
public:
    std::string name() const override {
        return "column_sum";
    }
    std::string summary() const override {
        return "the sum of each column of an image";
    }
    const std::vector<Row> &rows() const override {
        return column_sum_rows();
    }

    bool serves(const Row &row, std::span<const Array> inputs, const Array &, const Settings &) const override {
        const Placement at = placement(inputs[0]);
        if (row.form == "column_sum_sliced") {
            return at.width >= row.tunable("lanes");
        }
        if (row.form == "column_sum_words" || row.form == "column_sum_folded") {
            constexpr int32_t few = 64, narrow = 512;
            const bool aligned =
                row.form == "column_sum_folded" || (at.offset % row.tunable("alignment") == 0 && at.stride % row.tunable("alignment") == 0);
            return aligned && (row.schedule != "tuned_few_rows" || at.height <= few) &&
                   (row.schedule != "tuned_narrow" || at.width * at.element <= narrow);
        }
        return enough_for_autoscheduler(row, inputs[0]);
    }

    void run(const Row &row, Device device, std::span<const Array> inputs, Array &sums, const Settings &) const override {
        const Array &image = inputs[0];
        const Placement at = placement(image);
        Launch launch(row, device);
        if (row.form == "column_sum_words") {
            launch.in(image, words(image)).value(at.offset).value(at.stride).value(at.height);
        } else if (row.form == "column_sum_folded") {
            const Folding folding(at, row);
            launch.in(image, words(image)).value(at.offset).value(at.stride).value(at.width).value(at.height);
            launch.value(folding.period).value(folding.chunks).value(folding.steps).value(folding.slices);
        } else {
            launch.in(image);
        }
        launch.out(sums).run();
    }

protected:
    int kept_axis() const override {
        return 1;
    }
    // Around the edges of groups of columns (8, 64, 512), slices (32, 128, 256 rows) and few rows (64); and millions of pixels, over which
    // threads that race meet.
    std::vector<std::pair<int64_t, int64_t>> sizes() const override {
        return {{1, 1},    {3, 5},     {5, 3},      {31, 64},    {33, 63},   {64, 129},
                {65, 512}, {257, 513}, {1031, 127}, {300, 1025}, {3, 70001}, {70001, 3}, {1000, 1031}, {2000, 2050}};
    }
    std::pair<int64_t, int64_t> largest() const override {
        return {2100, 150};
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
