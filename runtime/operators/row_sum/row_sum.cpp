#include "tilewright/row_sum.h"
#include "runtime/operators/sums.h"
#include <algorithm>

namespace tilewright {

const std::vector<Row> &row_sum_rows();

namespace {

constexpr int32_t most_turns = 32;  // of a lane: 32 chunks of 16 bytes, two packed sums of 16 bits

// How many chunks a row may touch, wherever it begins.
int32_t chunks_of(const Placement &at) {
    return ceil_div((int64_t)at.width * at.element + 16 - at.element, 16);
}

class RowSumOperator : public SumOperator {
public:
    std::string name() const override {
        return "row_sum";
    }
    std::string summary() const override {
        return "the sum of each row of an image";
    }
    const std::vector<Row> &rows() const override {
        return row_sum_rows();
    }

    bool serves(const Row &row, std::span<const Array> inputs, const Array &, const Settings &) const override {
        const Placement at = placement(inputs[0]);
        if (row.form == "row_sum_sliced") {
            return at.width >= row.tunable("lanes") && (row.schedule != "tuned_few_rows" || (at.height < 64 && at.width > 65536));
        }
        if (row.form == "row_sum_chunks") {
            // Short rows would leave lanes idle; a few long ones would leave most of a GPU idle, and are split.
            constexpr int32_t few = 128, medium_turns = 16;
            const int32_t most = (row.schedule == "tuned_medium" ? medium_turns : most_turns) * row.tunable("lanes");
            return splits(row) || (chunks_of(at) <= most && (row.schedule != "tuned_many_rows" || at.height >= few));
        }
        return enough_for_autoscheduler(row, inputs[0]);
    }

    void run(const Row &row, Device device, std::span<const Array> inputs, Array &sums, const Settings &) const override {
        const Array &image = inputs[0];
        Launch launch(row, device);
        if (row.form == "row_sum_chunks") {
            const Placement at = placement(image);
            const int32_t of_row = ceil_div(chunks_of(at), row.tunable("lanes"));
            const int32_t turns = splits(row) ? turns_of_piece(of_row, row) : of_row;
            launch.in(image, words(image)).value(at.offset).value(at.stride).value(at.width).value(at.height);
            launch.value(turns).value(ceil_div(of_row, turns));
        } else {
            launch.in(image);
        }
        launch.out(sums).run();
    }

protected:
    int kept_axis() const override {
        return 0;
    }
    // Around the edges of groups of pixels (8, 64, 512, 2048), slices (16 384 pixels) and pieces (32 768); and millions of pixels, over which
    // threads that race meet.
    std::vector<std::pair<int64_t, int64_t>> sizes() const override {
        return {{1, 1},      {5, 3},      {3, 5},      {64, 31},     {63, 33},     {129, 64},  {512, 65}, {513, 257},
                {127, 1031}, {1025, 300}, {200, 2049}, {131, 16461}, {129, 33001}, {3, 70001}, {70001, 3}, {1000, 1031}, {2000, 2050}};
    }
    std::pair<int64_t, int64_t> largest() const override {
        return {130, 32753};
    }

private:
    // How many of a row's turns a piece takes: the tunable, and more for rows so long that their pieces would not fit a grid.
    static int32_t turns_of_piece(int32_t of_row, const Row &row) {
        constexpr int32_t many_pieces = 16384;
        return std::min({std::max(row.tunable("turns"), ceil_div(of_row, many_pieces)), most_turns, of_row});
    }

    // Whether the row's library splits rows of the image into pieces.
    static bool splits(const Row &row) {
        return row.tunable("terms") != 0;
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
