// The schedules of recursive_gaussian, and the table of its rows. Those in tiles:
// schedules/recursive_gaussian_tiles.h.
#include "generators/algorithms/recursive_gaussian/recursive_gaussian.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/recursive_gaussian/configuration.h"
#include "generators/algorithms/recursive_gaussian/runs.h"
#include "schedules/moves.h"
#include "schedules/recursive_gaussian_tiles.h"
#include "schedules/schedule.h"

namespace tilewright {

namespace {

using Halide::Func;
using Halide::MemoryType;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

Var xi{"xi"}, yi{"yi"}, xo{"xo"}, yo{"yo"}, block{"block"}, lane{"lane"}, task{"task"};

// ------------------------------------------------------------------------------------------------------- CPU

// Lines one after another: first all rows, then all columns.
void reference(RecursiveGaussian &blur, ScheduleContext &) {
    for (RecursiveLines lines : {blur.along_x, blur.along_y}) {
        lines.causal.compute_root();
        lines.anticausal.compute_root();
    }
}

// First strips of rows, then strips of columns are spread over the cores. The lanes of vectors are samples of
// neighbouring lines. Rows are transposed in registers, `chunk` pixels at a time, when they are read and when
// they are written. The results of a strip's filters stay in the cache.
void lines(RecursiveGaussianRuns &blur, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>(), run = blur.run, chunk = context["chunk"];
    const int rows = lanes * context["row_vectors"], columns = blur.strip;
    RVar no{"no"}, ni{"ni"};

    // Memory is allocated once for all strips of a task: allocated for each, half of the time would be spent
    // on new pages.
    auto vectors = [&](RecursiveRuns &along, Func at, Var strip, int all) {
        for (Func f : {along.causal, along.anticausal}) {
            f.compute_at(at, strip).hoist_storage(at, task).bound_extent(along.v, all);
            f.update(0).vectorize(along.v, lanes, TailStrategy::RoundUp);
            f.update(1).vectorize(along.v, lanes, TailStrategy::RoundUp).reorder(along.v, along.c, along.n);
        }
    };
    blur.out.split(blur.x, xo, xi, columns, TailStrategy::GuardWithIf)
        .split(blur.y, yo, yi, run, TailStrategy::GuardWithIf)
        .split(xo, task, xo, context["strips"], TailStrategy::GuardWithIf)
        .reorder(xi, yi, yo, xo, task)
        .vectorize(xi, lanes, TailStrategy::GuardWithIf)
        .unroll(yi)
        .parallel(task);
    vectors(blur.along_y, blur.out, xo, columns);

    blur.across.compute_root()
        .bound(blur.x, 0, columns)
        .split(blur.y, yo, yi, rows, TailStrategy::RoundUp)
        .split(blur.s, xo, xi, chunk / columns, TailStrategy::RoundUp)
        .split(yo, task, yo, context["strips"], TailStrategy::GuardWithIf)
        .reorder(blur.x, xi, yi, xo, yo, task)
        .vectorize(blur.x, run)
        .unroll(blur.x)
        .parallel(task);
    vectors(blur.along_x, blur.across, yo, rows);
    blur.along_x.causal.update(1)
        .split(blur.along_x.n, no, ni, chunk / run)
        .reorder(blur.along_x.v, blur.along_x.c, ni, no);
    blur.transposed.compute_at(blur.along_x.causal, no)
        .reorder_storage(blur.v, blur.x)
        .split(blur.x, xo, xi, lanes, TailStrategy::RoundUp)
        .split(blur.v, yo, yi, lanes, TailStrategy::RoundUp)
        .reorder(yi, xi, xo, yo)
        .vectorize(xi)
        .unroll(yi);
    blur.padded.compute_at(blur.along_x.causal, no)
        .split(blur.x, xo, xi, lanes, TailStrategy::RoundUp)
        .vectorize(xi);
    blur.along_x.causal.update(1).never_partition(no, ni);
    blur.square.compute_at(blur.across, xo)
        .bound(blur.i, 0, run)
        .reorder(blur.i, blur.v)
        .vectorize(blur.v, lanes)
        .unroll(blur.i);
    blur.across.specialize(blur.channels == 1);
}

// --------------------------------------------------------------------------------- GPU: the documented steps

// One thread per line, which filters it from one end to the other and back. The two filters are separate
// kernels. A filter is a Func that reads itself, so all of its state is stored for each sample. In memory
// the samples of a line follow each other, or, `side_by_side`, those of the same place in all lines.
void thread_per_line(RecursiveLines along, int threads, bool side_by_side) {
    for (Func f : {along.causal, along.anticausal}) {
        f.compute_root();
        if (side_by_side) {
            f.reorder_storage(along.v, along.i, along.c);
        }
        f.update(0)
            .split(along.v, block, lane, threads, TailStrategy::GuardWithIf)
            .gpu_blocks(block)
            .gpu_threads(lane);
        f.update(1)
            .split(along.v, block, lane, threads, TailStrategy::GuardWithIf)
            .reorder(along.n, lane, block, along.c)
            .gpu_blocks(block)
            .gpu_threads(lane);
    }
}

// The result of the filters as pixels.
void store(RecursiveGaussian &blur, ScheduleContext &context) {
    const int width = context["width"], height = context["height"];
    tiles_over_blocks(blur.out, blur.x, blur.y, block, xi, yi, width, height, TailStrategy::GuardWithIf);
}

// One thread per row, then one thread per column. Neighbouring threads read pixels that are a row apart in
// the first case, and side by side in the second.
void columns(RecursiveGaussian &blur, ScheduleContext &context) {
    thread_per_line(blur.along_x, context["threads"], false);
    thread_per_line(blur.along_y, context["threads"], true);
    store(blur, context);
}

// Stores the transpose of `lines`, which the filters `along` read, tile by tile: a tile is computed in shared
// memory, in the order in which its pixels are in memory, and is written in the order of the transpose. The
// shared rows are `pad` pixels longer than the tile's.
//
// In diagonals: tiles are numbered along the lines, `tiles` of them in each. So the tile after number n on
// its diagonal has the number n + tiles + 1, and a split by tiles + 1 makes the diagonals a loop.
void transpose(Func lines, const RecursiveLines &along, ScheduleContext &context, bool in_diagonals) {
    const int side = context["side"], pad = context["pad"];
    Func stored = lines.in({along.causal, along.anticausal});
    const Var u = stored.args()[0], v = stored.args()[1], c = stored.args()[2], step{"step"},
              diagonal_number{"diagonal_number"};
    stored.compute_root()
        .reorder_storage(v, u, c)
        .tile(u, v, xo, yo, xi, yi, side, side, TailStrategy::GuardWithIf)
        .reorder(yi, xi, xo, yo, c)
        .fuse(xo, yo, block);
    if (in_diagonals) {
        const Halide::Expr tiles = ceil_div(Halide::Expr(along.n.x.extent()), side);
        stored.split(block, step, diagonal_number, tiles + 1, TailStrategy::GuardWithIf)
            .reorder(yi, xi, step, diagonal_number, c)
            .fuse(step, diagonal_number, block);
    }
    stored.gpu_blocks(block).gpu_threads(yi, xi);
    const Var x = lines.args()[0], y = lines.args()[1];
    lines.compute_at(stored, block)
        .store_in(MemoryType::GPUShared)
        .align_storage(x, side + pad)
        .split(x, xo, xi, side, TailStrategy::PredicateLoads)  // where a tile crosses an edge of the image
        .split(y, yo, yi, side, TailStrategy::PredicateLoads)
        .reorder(xi, yi, xo, yo)
        .gpu_threads(xi, yi);
}

// Transposes, filters the columns, transposes back, and filters the columns: neighbouring threads always read
// pixels that are side by side. `in_diagonals`: blocks that run at the same time write to different places of
// the memory's partitions.
template<bool in_diagonals>
void transposed(RecursiveGaussian &blur, ScheduleContext &context) {
    transpose(blur.row, blur.along_x, context, in_diagonals);
    thread_per_line(blur.along_x, context["threads"], true);
    transpose(blur.column, blur.along_y, context, in_diagonals);
    thread_per_line(blur.along_y, context["threads"], true);
    store(blur, context);
}

}  // namespace

static const ScheduleRows &rows() {
    using namespace recursive_gaussian_tiles;
    const RecursiveGaussianTilesConfiguration grey{}, coloured{.colours = true};
    static const ScheduleRows table = {
        row("reference", cpu, "u8 u16 f32", reference)
            .with("strict_float")
            .says("Line by line: both filters of all rows, then both filters of all columns."),
        family("tuned",
            {
                row("tuned_any", cpu, "u8 u16 f32", lines,
                    {{"run", 8}, {"row_vectors", 1, 1, 4}, {"strip", 32, 16, 64}, {"chunk", 64, 16, 256},
                        {"strips", 8, 1, 32}})
                    .says("Strips of lines over the cores; a vector filters neighbouring lines at once."),
            }),

        row("columns", gpu, "f32", columns,
            {{"threads", 64, 32, 256}, {"width", 32, 16, 128}, {"height", 8, 1, 16}})
            .with("strict_float")
            .says("One thread per row, then one per column; along rows, neighbours read a row apart."),
        row("transposed", gpu, "f32", transposed<false>,
            {{"side", 16, 8, 32}, {"pad", 1, 0, 8}, {"threads", 64, 32, 256}, {"width", 32, 16, 128},
                {"height", 8, 1, 16}})
            .with("strict_float")
            .says("Filters columns, between transposes in shared memory: all accesses coalesce."),
        row("diagonal", gpu, "f32", transposed<true>,
            {{"side", 16, 8, 32}, {"pad", 1, 0, 8}, {"threads", 64, 32, 256}, {"width", 32, 16, 128},
                {"height", 8, 1, 16}})
            .with("strict_float")
            .says("As transposed, with the blocks of the transposes walked along diagonals."),
        family("blocks",
            {
                row("blocks_aligned", gpu, "f32", tiles_aligned, settings())
                    .registers("kernel_tails", 168)
                    .registers("", 96)
                    .says("Tiles in parallel: what enters each tile is found first; for whole tiles."),
                row("blocks_any", gpu, "f32", tiles_of_any_size, grey, settings())
                    .registers("kernel_tails", 168)
                    .registers("", 128)
                    .says("Tiles in parallel: what enters each tile is found first; for any size."),
            }),
        family("tuned",
            {
                row("tuned_aligned", gpu, "f32", tiles_aligned, settings())
                    .registers("kernel_tails", 168)
                    .registers("", 96)
                    .says("As blocks_aligned: two reads of the image and one write, for whole tiles."),
                row("tuned_any", gpu, "u8 u16 f32", tiles_of_any_size, coloured, settings())
                    .registers("kernel_tails", 168)
                    .registers("", 128)
                    .says("As blocks_any, also for colours: two reads of the image and one write."),
            }),
    };
    return table;
}

static const Table table("recursive_gaussian", rows);

}  // namespace tilewright
