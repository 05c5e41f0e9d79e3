// The front of row_sum: which of its forms serves an image, and their arguments.
#include "tilewright/row_sum.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/row_sum/configuration.h"
#include "runtime/operators/sums.h"
#include "runtime/process/immortal.h"
#include <algorithm>

namespace tilewright {

const std::vector<Variant> &row_sum_variants();

namespace {

// How many chunks a row may touch, wherever it begins.
int32_t chunks_of(const Placement &at) {
    return (int32_t)ceil_div((int64_t)at.width * at.element + 16 - at.element, 16);
}

// How many of a row's iterations a piece takes: the tunable, and more for rows so long that their pieces
// would not fit a grid.
int32_t iterations_of_piece(int32_t of_row, const Variant &variant) {
    constexpr int32_t many_pieces = 16384;
    return std::min(std::max(variant.tunable("turns"), (int32_t)ceil_div(of_row, many_pieces)), of_row);
}

// The definition may add in the output itself.
constexpr SumForm definition(
    "row_sum", [](Launch &launch, const Variant &variant, const SumRequest &request, Array &sums) {
        if (variant.configuration<RowSumConfiguration>().in_output) {
            launch.in("image", request.image()).out("sums", sums);
        } else {
            bind_image_and_sums(launch, variant, request, sums);
        }
    });

constexpr SumForm sliced("row_sum_sliced", bind_image_and_sums, has_group),
    octets("row_sum_octets", bind_image_and_sums, has_group);

constexpr SumForm halves("row_sum_halves", bind_image_and_sums,
    [](const Variant &variant, const SumRequest &request, const Array &) {
        const int32_t width = Placement(request.image()).width, lanes = variant.tunable("lanes");
        return width >= lanes && width <= 2 * lanes;
    });

constexpr SumForm in_chunks(
    "row_sum_chunks", [](Launch &launch, const Variant &variant, const SumRequest &request, Array &sums) {
        const Placement at(request.image());
        const int32_t of_row = (int32_t)ceil_div(chunks_of(at), variant.tunable("lanes"));
        const bool splits = variant.configuration<RowSumChunksConfiguration>().splits;
        const int32_t iterations = splits ? iterations_of_piece(of_row, variant) : of_row;
        launch.in("words", request.image(), words(request.image()))
            .value("offset", at.offset)
            .value("stride", at.stride)
            .value("width", at.width)
            .value("height", at.height)
            .value("turns", iterations)
            .value("pieces", (int32_t)ceil_div(of_row, iterations));
        bind_sums(launch, request, sums);
    });

const SumOperator &sums_of_rows() {
    return immortal([] {
        return SumOperator("row_sum", "the sum of each row of an image", row_sum_variants(),
            {&definition, &sliced, &octets, &halves, &in_chunks}, 0);
    });
}

}  // namespace

const Operator &row_sum_operator() {
    return sums_of_rows();
}

void row_sum(const Array &image, Array &sums, const Call &call) {
    sums_of_rows().call(image, sums, call);
}

Array row_sum(const Array &image, Type output, const Call &call) {
    return sums_of_rows().call(image, output, call);
}

Array row_sum(const Array &image, const Call &call) {
    Array sums;
    row_sum(image, sums, call);
    return sums;
}

}  // namespace tilewright
