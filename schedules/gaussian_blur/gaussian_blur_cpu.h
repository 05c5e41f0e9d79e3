#pragma once
// The schedules of gaussian_blur on CPUs.
#include "Halide.h"
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/gaussian_blur/dots.h"
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include "generators/algorithms/gaussian_blur/short_sums.h"
#include "generators/algorithms/gaussian_blur/unrolled_taps.h"
#include "generators/algorithms/integers.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"
#include <bit>

namespace tilewright::gaussian_blur_cpu {

inline const Var xi{"xi"}, yi{"yi"}, xo{"xo"}, yo{"yo"}, task{"task"};

// Pixels one after another: first the whole pass down columns, then the whole pass along rows.
inline void reference(GaussianBlur &blur, ScheduleContext &) {
    blur.down.compute_root();
}

// How many rows a core computes at a time, from `rows` on: the halo must not be more work than the tile, and
// the tile's scratch must stay in the cache. A multiple of 4.
inline Expr tile_rows(const Expr &radius, int rows) {
    return 4 * select(radius <= 8, rows / 4, radius <= 20, rows / 2, rows);
}

// How many tiles of rows make a task: all of them where one core takes less than about 50 us for the image,
// because waking a second thread takes that long (docs/PERFORMANCE.md, "One thread or two"); otherwise
// `usual`.
inline Expr tiles_of_task(const ScheduleContext &context, const Expr &radius, int usual = 1) {
    if (context.is_stage) {
        return usual;
    }
    const Halide::OutputImageParam image = context.buffers[0];
    const float least = 300'000;
    const Expr work = cast<float>(image.width()) * cast<float>(image.height()) * cast<float>(radius + 4);
    return select(work < least, 1 << 20, usual);
}

// Tiles of rows are spread over the cores. Each first copies a chunk of the image and its halo to a dense
// scratch, because rows whose distance is a power of two would evict each other from the cache. It blurs the
// chunk down columns into full rows, which stay in the cache, and then along these rows, `vectors` vectors at
// a time in registers. The scratch rows extend beyond the border, so that any width works.
template<typename Form>
void lines(Form &blur, ScheduleContext &context) {
    const Var x = blur.x, y = blur.y;
    const int lanes = context.target.natural_vector_size(blur.down_sum.type()),
              block = lanes * context["vectors"];
    blur.out.split(y, yo, yi, tile_rows(blur.halo, context["rows"]), TailStrategy::GuardWithIf)
        .split(yo, task, yo, tiles_of_task(context, blur.radius), TailStrategy::GuardWithIf)
        .split(x, xo, xi, block, TailStrategy::PredicateStores)
        .reorder(xi, xo, yi, yo, task)
        .parallel(task)
        .vectorize(xi);
    blur.along_sum.compute_at(blur.out, xo).bound_extent(x, block).vectorize(x, lanes).unroll(x);
    blur.along_sum.update().reorder(x, blur.j).vectorize(x, lanes).unroll(x);

    Var chunk{"chunk"};
    blur.down.compute_at(blur.out, yo)
        .split(x, chunk, x, context["chunk"], TailStrategy::RoundUp)
        .split(x, xo, x, block, TailStrategy::RoundUp)
        .reorder(x, y, xo, chunk)
        .vectorize(x, lanes)
        .unroll(x);
    blur.down_sum.compute_at(blur.down, y).vectorize(x, lanes).unroll(x);
    blur.down_sum.update().reorder(x, blur.i).vectorize(x, lanes).unroll(x);
    // The loop over chunks is not partitioned, only the loops inside it: then only the vectors that meet the
    // border look up their positions.
    blur.down.never_partition(chunk);
    blur.extended.compute_at(blur.down, chunk).vectorize(x, lanes).never_partition(y);
    blur.columns.compute_root().vectorize(x, lanes);
}

// The sums of a pass of `dots`, which stay in registers: a vector has `lanes` elements along x, and every
// other dimension is unrolled.
inline void sums_in_registers(const GaussianBlurDots &blur, Func sum, const Var &other, int lanes,
    const std::vector<Halide::RDom> &parts) {
    const Var x = blur.x, c = blur.c;
    const auto in_vectors = [&](Halide::Stage stage) {
        stage.vectorize(x, lanes).unroll(x).unroll(other).unroll(c);
    };
    in_vectors(sum);
    int stage = 0;
    for (const Halide::RDom &k : parts) {
        if (stage == 1) {  // the change between the two parts
            in_vectors(sum.update(stage++));
        }
        in_vectors(sum.update(stage++).reorder(k.x, x, other, c, k.y).atomic().vectorize(k.x));
    }
}

// The image as `dots` reads it: a chunk of `columns` columns of it and its halo, in words of `group` rows of
// one column. `block` is the number of columns that the pass down columns computes at a time. The rows of
// words are a cache line longer than the chunk: a distance that is a power of two would have them evict each
// other (u8 4096 x 4096, sigma 1, chunks of 1024: 8.9 -> 5.8 ms; Zen 4, 2026-11-23).
inline void groups_of_rows(
    GaussianBlurDots &blur, const LoopLevel &chunk, int columns, int lanes, int block) {
    const Var x = blur.x, y = blur.y, c = blur.c;
    blur.groups.compute_at(chunk)
        .bound(c, 0, blur.channels)
        .align_bounds(x, blur.group)
        .reorder_storage(x, c, y)
        .align_storage(x, blur.group * columns + 64 / blur.groups.type().bytes())
        .never_partition(y);
    if (blur.channels == 1) {
        blur.groups.split(x, x, xi, blur.group)
            .split(x, xo, x, block)
            .reorder(x, xi, xo, y)
            .vectorize(x)
            .unroll(xi)
            .unroll(xo);
    } else {
        blur.groups.split(x, xo, x, blur.group * lanes).reorder(x, c, xo, y).vectorize(x).unroll(c);
        blur.packed.compute_at(blur.groups, y).vectorize(x, block);
    }
    blur.extended.compute_at(blur.groups, y).vectorize(x, block).unroll(y);
    blur.columns.compute_root().vectorize(x, lanes);
}

// The pass down columns of `dots`: a lane holds the word of one column.
inline void dots_down(GaussianBlurDots &blur, const ScheduleContext &context, int lanes) {
    const Var x = blur.x, y = blur.y, c = blur.c;
    const Var chunk{"chunk"}, phase_y{"phase_y"};
    const int block = 4 * lanes,  // columns of a channel that are computed at a time
        chunk_columns = std::max(1, context["chunk"] / (block * blur.channels)) * block;
    blur.down.compute_at(blur.out, yo)
        .bound(c, 0, blur.channels)
        .align_bounds(y, blur.group)
        .reorder_storage(x, c, y)
        .split(x, xo, x, block, TailStrategy::RoundUp)
        .split(xo, chunk, xo, chunk_columns / block, TailStrategy::GuardWithIf)
        .split(y, y, phase_y, blur.group)
        .reorder(x, phase_y, xo, c, y, chunk)
        .vectorize(x)
        .unroll(phase_y);
    blur.down_sum.compute_at(blur.down, xo)
        .bound_extent(x, block)
        .align_bounds(y, blur.group)
        .bound_extent(y, blur.group)
        .reorder_storage(x, y, c);
    sums_in_registers(blur, blur.down_sum, y, lanes, blur.of_column);
    // The loop over chunks is not partitioned, only the loops inside it: see `lines`.
    blur.down.never_partition(chunk);
    groups_of_rows(blur, {blur.down, chunk}, chunk_columns, lanes, block);
}

// What `dots` and `dots_in_order` share: the pass along rows, for `vectors` vectors at a time. The loops over
// rows are not partitioned: each partition would have both passes once more, a third of the library's size.
inline void dots_along(GaussianBlurDots &blur, int lanes, int vectors) {
    const Var x = blur.x, y = blur.y, c = blur.c, phase = blur.phase;
    const int channels = blur.channels;
    blur.out.vectorize(xi).never_partition(yi, yo, task);
    blur.word.compute_at(blur.out, xo)
        .bound_extent(x, lanes * vectors * channels)
        .align_bounds(x, channels)
        .split(x, x, c, channels)
        .unroll(c)
        .vectorize(x, lanes)
        .unroll(x);
    blur.along_sum.compute_at(blur.out, xo)
        .reorder_storage(x, phase, c, y)
        .bound(phase, 0, blur.group)
        .bound(c, 0, channels)
        .bound_extent(x, lanes * vectors);
    sums_in_registers(blur, blur.along_sum, phase, lanes, blur.of_row);
}

// Tiles of rows are spread over the cores, chunk by chunk as in `lines`, but with the type of the pixels
// everywhere. For the pass down columns, the chunk is first stored in words of `group` rows, so that a lane
// holds the word of one column. In the pass along rows, a lane holds a word of a row, and the phases are
// accumulators that are joined without a shuffle.
inline void dots(GaussianBlurDots &blur, ScheduleContext &context) {
    const Var x = blur.x, y = blur.y;
    const int lanes = context.target.natural_vector_size<int32_t>(), group = blur.group,
              channels = blur.channels, vectors = context["vectors"];
    from_origin(context.buffers);
    const Expr radius = group * blur.reach;
    blur.out.split(y, yo, yi, tile_rows(radius, context["rows"]), TailStrategy::GuardWithIf)
        .split(yo, task, yo, tiles_of_task(context, radius), TailStrategy::GuardWithIf)
        .split(x, xo, xi, group * lanes * vectors * channels, TailStrategy::PredicateStores)
        .reorder(xi, xo, yi, yo, task)
        .parallel(task);
    dots_along(blur, lanes, vectors);
    dots_down(blur, context, lanes);
}

// The groups of rows that a row is a sum of, rounded up to a power of two.
inline int groups_kept(const GaussianBlurDotsConfiguration &row) {
    return (int)std::bit_ceil((unsigned)(2 * ceil_div(row.most_radius, row.group) + 1));
}

// Strips of `rows` rows are spread over the cores, and each one is blurred from its top to its bottom, one
// group of rows at a time. A block of columns of the group is turned into words, and is blurred down columns
// at once with the groups above it, which are kept. So each row of the image is read once and in the order of
// its addresses, while the processor computes.
inline void dots_in_order(GaussianBlurDotRows &blur, ScheduleContext &context) {
    const Var x = blur.x, y = blur.y, c = blur.c, chunk{"chunk"};
    const int lanes = context.target.natural_vector_size<int32_t>(), group = blur.group,
              channels = blur.channels, vectors = context["vectors"], block = 4 * lanes;
    from_origin(context.buffers);
    blur.out.split(y, yo, yi, group, TailStrategy::GuardWithIf)
        .split(yo, task, yo, tiles_of_task(context, group * blur.reach, context["rows"] / group),
            TailStrategy::GuardWithIf)
        .split(x, xo, xi, group * lanes * vectors * channels, TailStrategy::PredicateStores)
        .reorder(xi, xo, yi, yo, task)
        .parallel(task);
    dots_along(blur, lanes, vectors);

    blur.down.compute_at(blur.out, yo)
        .bound(c, 0, channels)
        .align_bounds(y, group)
        .bound_extent(y, group)
        .reorder_storage(x, c, y)
        .hoist_storage(blur.out, task)
        .split(x, xo, x, block, TailStrategy::RoundUp)
        .split(xo, chunk, xo, std::max(1, context["chunk"] / (block * channels)), TailStrategy::GuardWithIf)
        .reorder(x, y, c, xo, chunk)
        .vectorize(x)
        .unroll(y)
        .never_partition(chunk);
    for (int side : {0, 1}) {
        blur.down.update(side).unroll(y);
    }
    blur.down_sum.compute_at(blur.down, c)
        .bound_extent(x, block)
        .align_bounds(y, group)
        .bound_extent(y, group)
        .reorder_storage(x, y, c);
    sums_in_registers(blur, blur.down_sum, y, lanes, blur.of_column);

    blur.groups.store_at(blur.out, task)
        .compute_at(blur.down, chunk)
        .bound(c, 0, channels)
        .reorder_storage(x, c, y)
        .fold_storage(y, groups_kept(context.configuration<GaussianBlurDotsConfiguration>()));
    blur.groups.split(x, xo, x, group * block)
        .reorder(x, c, xo, y)
        .vectorize(x, group * lanes)
        .unroll(x)
        .unroll(c);
    blur.packed.compute_at(blur.groups, xo).bound_extent(x, block * channels).vectorize(x, block).unroll(x);
    blur.extended.compute_at(blur.groups, xo)
        .store_in(Halide::MemoryType::Stack)
        .bound_extent(x, block * channels)
        .bound_extent(y, group)
        .vectorize(x, block)
        .unroll(x)
        .unroll(y);
    // Not in vectors: each element takes two divisions, which are as slow there and many times the code.
    blur.rows.compute_root();
    blur.columns.compute_root();
}

// Tiles of few rows are spread over the cores. In the pass down columns, all rows of a tile are computed at a
// time, a vector of columns after another: each pixel is loaded once for all of them, straight from the
// image. A chunk of columns stays in the first-level cache between the passes.
inline void terms(GaussianBlurTerms &blur, ScheduleContext &context) {
    const Var x = blur.x, y = blur.y;
    const Var chunk{"chunk"};
    const int lanes = context.target.natural_vector_size(blur.out.type()), rows = context["rows"],
              block = lanes * context["vectors"];
    from_origin(context.buffers);
    blur.out.split(y, yo, yi, rows, TailStrategy::GuardWithIf)
        .split(yo, task, yo, tiles_of_task(context, blur.radius), TailStrategy::GuardWithIf)
        .split(x, chunk, x, context["chunk"], TailStrategy::GuardWithIf)
        .split(x, xo, xi, block)
        .reorder(xi, xo, yi, chunk, yo, task)
        .parallel(task)
        .vectorize(xi, lanes)
        .unroll(xi)
        .never_partition(xo, yi, chunk, yo, task);
    blur.down.compute_at(blur.out, chunk)
        .bound_extent(y, rows)
        .split(x, xo, x, lanes, TailStrategy::RoundUp)
        .reorder(x, y, xo)
        .vectorize(x)
        .unroll(y);
    blur.extended.compute_at(blur.down, xo)
        .store_in(Halide::MemoryType::Stack)
        .bound_extent(x, lanes)
        .bound_extent(y, rows + 2 * blur.radius)
        .vectorize(x)
        .unroll(y);
    blur.columns.compute_root().vectorize(x, lanes);
}

// Tiles of few rows are spread over the cores. In the pass down columns, all rows of a tile are computed at a
// time, a vector of columns after another: each pixel is loaded once for all of them, straight from the
// image.
inline void short_sums(GaussianBlurShortSums &blur, ScheduleContext &context) {
    const Var x = blur.x, y = blur.y;
    const int lanes = context.target.natural_vector_size<uint8_t>(), rows = context["rows"],
              block = lanes * context["vectors"];
    from_origin(context.buffers);
    blur.out.split(y, yo, yi, rows, TailStrategy::GuardWithIf)
        .split(yo, task, yo, tiles_of_task(context, blur.radius, 4), TailStrategy::GuardWithIf)
        .split(x, xo, xi, block, TailStrategy::PredicateStores)
        .reorder(xi, xo, yi, yo, task)
        .parallel(task)
        .vectorize(xi)
        .never_partition(yi, yo, task);
    blur.along.compute_at(blur.out, xo).bound_extent(x, block).vectorize(x, lanes).unroll(x);
    blur.down.compute_at(blur.out, yo).bound_extent(y, rows).hoist_storage(blur.out, task);
    // The elements of a vector are different ones, which Halide does not see through the least of two places.
    blur.down.update()
        .reorder(blur.vectors.x, y, blur.vectors.y)
        .allow_race_conditions()
        .vectorize(blur.vectors.x)
        .unroll(y);
    for (int side : {1, 2}) {
        blur.down.update(side).unroll(y);
    }
    blur.extended.compute_at(blur.down, blur.vectors.y)
        .store_in(Halide::MemoryType::Stack)
        .bound_extent(y, rows + 2 * blur.radius)
        .vectorize(x)
        .unroll(y);
    // Not in vectors: each element takes two divisions, which are as slow there and many times the code.
    blur.rows.compute_root();
    blur.columns.compute_root();
}

}  // namespace tilewright::gaussian_blur_cpu
