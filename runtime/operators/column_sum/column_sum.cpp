// The front of column_sum: which of its forms serves an image, and their arguments.
#include "tilewright/column_sum.h"
#include "generators/algorithms/column_sum/configuration.h"
#include "generators/algorithms/integers.h"
#include "runtime/operators/sums.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <numeric>

namespace tilewright {

const std::vector<Variant> &column_sum_variants();

namespace {

// How the rows of an image are folded into phases, and how those are split over blocks
// (generators/algorithms/column_sum/folded.h). These numbers divide the work within one row, so that times of
// rows cannot replace them; they were found on an H200.
struct Folding {
    int32_t period, chunks, steps, slices;

    Folding(const Placement &at, const Variant &variant) {
        const int chunk = at.element == 8 ? 8 : 16;  // bytes
        constexpr int wanted_threads = 64, wanted_blocks = 256, most_rows = 256,
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
                      in_step = variant.tunable("unroll") * variant.tunable("groups"),
                      blocks = (int32_t)ceil_div((int64_t)period * chunks, variant.tunable("lanes"));
        // No more than 257 bytes fit in 16 bits; beyond that, long slices are less work for the second
        // kernel.
        steps = (int32_t)std::clamp<int64_t>(
            (int64_t)rows * blocks / (wanted_blocks * in_step), 1, most_rows / in_step);
        slices = (int32_t)ceil_div(rows, (int64_t)in_step * steps);
    }
};

constexpr SumForm definition(
    "column_sum", bind_image_and_sums, [](const Variant &variant, const SumRequest &request, const Array &) {
        const Placement at(request.image());
        const int columns = variant.configuration<ColumnSumConfiguration>().columns;
        return at.offset % columns == 0 && at.stride % columns == 0 && at.width % columns == 0 &&
               at.width >= variant.tunable("lanes", 1);
    });

constexpr SumForm sliced("column_sum_sliced", bind_image_and_sums, has_group);

constexpr SumForm in_words(
    "column_sum_words",
    [](Launch &launch, const Variant &, const SumRequest &request, Array &sums) {
        const Placement at(request.image());
        launch.in("words", request.image(), words(request.image()))
            .value("offset", at.offset)
            .value("stride", at.stride)
            .value("height", at.height);
        bind_sums(launch, request, sums);
    },
    [](const Variant &variant, const SumRequest &request, const Array &) {
        const Placement at(request.image());
        const int alignment = variant.configuration<ColumnSumWordsConfiguration>().alignment;
        return at.offset % alignment == 0 && at.stride % alignment == 0;
    });

constexpr SumForm folded(
    "column_sum_folded", [](Launch &launch, const Variant &variant, const SumRequest &request, Array &sums) {
        const Placement at(request.image());
        const Folding folding(at, variant);
        const halide_type_t word{halide_type_uint, (uint8_t)(at.element == 8 ? 64 : 32)};
        launch.in("words", request.image(), words(request.image(), word))
            .value("offset", at.offset)
            .value("stride", at.stride)
            .value("width", at.width)
            .value("height", at.height)
            .value("period", folding.period)
            .value("chunks", folding.chunks)
            .value("steps", folding.steps)
            .value("slices", folding.slices);
        bind_sums(launch, request, sums);
    });

const SumOperator &sums_of_columns() {
    return immortal([] {
        return SumOperator("column_sum", "the sum of each column of an image", column_sum_variants(),
            {&definition, &sliced, &in_words, &folded}, 1);
    });
}

}  // namespace

const Operator &column_sum_operator() {
    return sums_of_columns();
}

void column_sum(const Array &image, Array &sums, const Call &call) {
    sums_of_columns().call(image, sums, call);
}

Array column_sum(const Array &image, Type output, const Call &call) {
    return sums_of_columns().call(image, output, call);
}

Array column_sum(const Array &image, const Call &call) {
    Array sums;
    column_sum(image, sums, call);
    return sums;
}

}  // namespace tilewright
