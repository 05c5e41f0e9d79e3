// The schedules of recursive_gaussian, and the table of its rows. Those in tiles:
// schedules/recursive_gaussian_tiles.h.
#include "generators/algorithms/recursive_gaussian/recursive_gaussian.h"
#include "generators/algorithms/recursive_gaussian/configuration.h"
#include "generators/algorithms/recursive_gaussian/runs.h"
#include "schedules/moves.h"
#include "schedules/recursive_gaussian_tiles.h"
#include "schedules/schedule.h"
#include "schedules/transpose_blocks.h"

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
// kernels.
void thread_per_line(RecursiveRuns along, int threads) {
    for (Func f : {along.causal, along.anticausal}) {
        f.compute_root();
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

// One thread per row, then one thread per column. Neighbouring threads read pixels that are a row apart in
// the first case, and side by side in the second.
void columns(RecursiveGaussianRuns &blur, ScheduleContext &context) {
    thread_per_line(blur.along_x, context["threads"]);
    blur.across.compute_root()
        .bound(blur.x, 0, blur.strip)
        .split(blur.y, yo, yi, 8, TailStrategy::RoundUp)
        .reorder(blur.x, yi, blur.s, yo)
        .fuse(blur.s, yo, block)
        .gpu_blocks(block)
        .gpu_threads(blur.x, yi);
    thread_per_line(blur.along_y, context["threads"]);
    tiles_over_blocks(blur.out, blur.x, blur.y, block, xi, yi, 32, 8, TailStrategy::GuardWithIf);
}

// A transpose of the whole image, tile by tile.
void transpose(TransposeBlocks blocks) {
    blocks.out.compute_root();
    tile_in_shared(blocks, 1);
}

// Transposes, filters the columns, transposes back, and filters the columns: neighbouring threads always read
// pixels that are side by side.
void transposed(RecursiveGaussianTransposed &blur, ScheduleContext &context) {
    transpose(blur.there);
    thread_per_line(blur.along_x, context["threads"]);
    transpose(blur.back);
    thread_per_line(blur.along_y, context["threads"]);
    tiles_over_blocks(blur.out, blur.x, blur.y, block, xi, yi, 32, 8, TailStrategy::GuardWithIf);
}

}  // namespace

static const ScheduleRows &rows() {
    using namespace recursive_gaussian_tiles;
    const RecursiveGaussianTransposedConfiguration straight{}, diagonal{.diagonal = true};
    const RecursiveGaussianTilesConfiguration grey{}, coloured{.colours = true};
    static const ScheduleRows table = {
        row("reference", cpu, "u8 u16 f32", reference).with("strict_float"),
        family("tuned",
            {
                row("tuned_any", cpu, "u8 u16 f32", lines,
                    {{"run", 8}, {"row_vectors", 1, 1, 4}, {"strip", 32, 16, 64}, {"chunk", 64, 16, 256},
                        {"strips", 8, 1, 32}}),
            }),

        row("columns", gpu, "f32", columns, {{"run", 8, 1, 16}, {"strip", 32}, {"threads", 64, 32, 256}}),
        row("transposed", gpu, "f32", transposed, straight, {{"run", 8, 1, 16}, {"threads", 64, 32, 256}}),
        row("diagonal", gpu, "f32", transposed, diagonal, {{"run", 8, 1, 16}, {"threads", 64, 32, 256}}),
        family("blocks",
            {
                row("blocks_aligned", gpu, "f32", tiles_aligned, settings())
                    .registers("kernel_tails", 168)
                    .registers("", 96),
                row("blocks_any", gpu, "f32", tiles_of_any_size, grey, settings())
                    .registers("kernel_tails", 168)
                    .registers("", 128),
            }),
        family("tuned",
            {
                row("tuned_aligned", gpu, "f32", tiles_aligned, settings())
                    .registers("kernel_tails", 168)
                    .registers("", 96),
                row("tuned_any", gpu, "u8 u16 f32", tiles_of_any_size, coloured, settings())
                    .registers("kernel_tails", 168)
                    .registers("", 128),
            }),
    };
    return table;
}

static const Table table("recursive_gaussian", rows);

}  // namespace tilewright
