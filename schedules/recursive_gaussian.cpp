// The schedules of recursive_gaussian, and the table of its rows. Those in tiles:
// schedules/recursive_gaussian_tiles.h.
#include "generators/algorithms/recursive_gaussian/recursive_gaussian.h"
#include "generators/algorithms/recursive_gaussian/bands.h"
#include "generators/algorithms/recursive_gaussian/configuration.h"
#include "generators/algorithms/recursive_gaussian/copies.h"
#include "generators/algorithms/recursive_gaussian/line.h"
#include "generators/algorithms/recursive_gaussian/strips.h"
#include "schedules/diagonals.h"
#include "schedules/moves.h"
#include "schedules/recursive_gaussian_tiles.h"
#include "schedules/schedule.h"
#include "schedules/turned_squares.h"
#include <algorithm>

namespace tilewright {

namespace {

using Halide::Func;
using Halide::MemoryType;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

Var xi{"xi"}, yi{"yi"}, xo{"xo"}, yo{"yo"}, block{"block"}, lane{"lane"}, task{"task"}, band{"band"};

// ------------------------------------------------------------------------------------------------------- CPU

// Lines one after another: first all rows, then all columns.
void reference(RecursiveGaussian &blur, ScheduleContext &) {
    for (RecursiveLines lines : {blur.along_x, blur.along_y}) {
        lines.causal.compute_root();
        lines.anticausal.compute_root();
    }
}

// Both filters of lines. The lanes of vectors are samples of neighbouring lines.
void filter(RecursiveRuns &lines, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>();
    for (int stage = 0; stage < 4; stage++) {
        Halide::Stage update = lines.filtered.update(stage);
        update.vectorize(lines.v, lanes, TailStrategy::RoundUp);
        if (stage % 2 == 1) {
            update.reorder(lines.v, lines.c, lines.n);
        }
    }
}

// Both filters of rows, a few rows per iteration of the loop `group` of `at`.
void filter_rows(RecursiveRows &rows, Func at, const Var &group, ScheduleContext &context) {
    rows.lines.filtered.compute_at(at, group).bound_extent(
        rows.lines.v, rows.shape.square * context["row_vectors"]);
    filter(rows.lines, context);
}

// Rows are transposed in registers when they are read: `chunk` elements per iteration of the causal filter's
// loop.
void transpose_in_chunks(RecursiveRows &rows, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>();
    const RVar no{"no"}, ni{"ni"};
    Func filtered = rows.lines.filtered;
    filtered.update(1)
        .split(rows.lines.n, no, ni, context["chunk"] / rows.shape.run)
        .reorder(rows.lines.v, rows.lines.c, ni, no)
        .never_partition(no, ni);
    rows.transposed.compute_at(filtered, no)
        .reorder_storage(rows.v, rows.x)
        .split(rows.x, xo, xi, rows.squares_in.columns, TailStrategy::RoundUp)
        .split(rows.v, yo, yi, rows.shape.square, TailStrategy::RoundUp)
        .reorder(yi, xi, xo, yo)
        .vectorize(yi)
        .unroll(xi);
    turn_in_registers(rows.squares_in, rows.transposed, xo);
    const Var x = rows.padded.args()[0];
    rows.padded.compute_at(filtered, no).split(x, xo, xi, lanes, TailStrategy::RoundUp).vectorize(xi);
}

// The samples of filtered rows as `samples` has them, element x of row y: square by square, transposed in
// registers. With colours, those of a square's rows are computed as runs of pixels first, because the run
// that a sample is in depends on the number of channels.
void samples_in_squares(
    RecursiveRows &rows, Func samples, const Var &x, const Var &y, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>(), side = rows.shape.square;
    const Var xs{"xs"}, ys{"ys"};
    samples.split(x, xs, x, side, TailStrategy::RoundUp)
        .split(y, ys, y, side, TailStrategy::RoundUp)
        .reorder(x, y, xs, ys)
        .vectorize(x)
        .unroll(y);
    turn_in_registers(rows.squares_out, samples, xs);
    if (context.configuration<RecursiveGaussianConfiguration>().colours) {
        rows.square.compute_at(samples, ys)
            .bound(rows.i, 0, rows.shape.run)
            .reorder_storage(rows.v, rows.i)
            .reorder(rows.v, rows.i)
            .vectorize(rows.v, lanes)
            .unroll(rows.i);
    }
}

// The filters of columns, a strip per iteration of the loop `loop` of `at`.
void filter_columns(RecursiveRuns &along_y, Func at, const Var &loop, ScheduleContext &context, int strip) {
    along_y.filtered.compute_at(at, loop).bound_extent(along_y.v, strip).bound_extent(along_y.c, 1);
    filter(along_y, context);
}

// Sample after sample of one line: a vector of lines would hold one of them.
void line(RecursiveGaussianLine &blur, ScheduleContext &) {
    blur.along.filtered.compute_root();
    blur.out.split(blur.x, xo, xi, blur.run, TailStrategy::GuardWithIf).unroll(xi);
}

// First groups of rows, then strips of columns are spread over the cores: `strips` of them per task, so that
// small images are left to one core.
void strips(RecursiveGaussianStrips &blur, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>(), strip = blur.shape.strip;
    blur.out.split(blur.x, xo, xi, strip, TailStrategy::GuardWithIf)
        .split(blur.y, yo, yi, blur.shape.run, TailStrategy::GuardWithIf)
        .split(xo, task, xo, context["strips"], TailStrategy::GuardWithIf)
        .reorder(xi, yi, yo, xo, task)
        .vectorize(xi, lanes, TailStrategy::GuardWithIf)
        .unroll(yi)
        .parallel(task);
    filter_columns(blur.along_y, blur.out, xo, context, strip);
    const int rows_at_once = blur.shape.square * context["row_vectors"],
              strips_at_once = std::max(1, context["chunk"] / strip);
    const Var so{"so"}, si{"si"};
    blur.strips.compute_root()
        .bound(blur.x, 0, strip)
        .split(blur.y, yo, yi, rows_at_once, TailStrategy::RoundUp)
        .split(blur.s, so, si, strips_at_once, TailStrategy::RoundUp)
        .reorder(blur.x, yi, si, so, yo)
        .split(yo, task, yo, context["strips"], TailStrategy::GuardWithIf)
        .parallel(task);
    samples_in_squares(blur.rows, blur.strips, blur.x, yi, context);
    filter_rows(blur.rows, blur.strips, yo, context);
    transpose_in_chunks(blur.rows, context);
    // Memory is allocated once for all strips of a task.
    blur.along_y.filtered.hoist_storage(blur.out, task);
    blur.rows.lines.filtered.hoist_storage(blur.strips, task);
}

// The states at the edges of bands, from the image's first reading: sums of `sum_vectors` vectors of columns
// at a time, which stay in the cache, then the scan along y.
void states_of_bands(RecursiveGaussianBands &blur, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>(), vectors = context["sum_vectors"];
    const Var vo{"vo"}, vi{"vi"}, chunk{"chunk"};
    const auto in_vectors = [&](Halide::Stage stage) {
        stage.split(blur.v, vo, vi, lanes, TailStrategy::GuardWithIf).vectorize(vi);
    };
    const auto sums = [&](Func tails) {
        tails.bound(blur.k, 0, 6);
        in_vectors(tails);
        in_vectors(tails.update());
        tails.update().reorder(vi, blur.k, vo, blur.r, blur.t).unroll(blur.k).unroll(vo, 2);
    };
    const RVar k = blur.all.x, band_of_tails = blur.all.y;
    in_vectors(blur.states.update(0));
    blur.states.update(0)
        .allow_race_conditions()
        .split(vo, chunk, vo, vectors, TailStrategy::GuardWithIf)
        .reorder(vi, vo, k, chunk, band_of_tails)
        .unroll(k)
        .parallel(band_of_tails);
    blur.tails.compute_at(blur.states, chunk);
    sums(blur.tails);
    for (int scan : {1, 2}) {
        const Halide::RDom &r = scan == 1 ? blur.scan : blur.steps;
        in_vectors(blur.states.update(scan));
        blur.states.update(scan)
            .split(vo, chunk, vo, vectors, TailStrategy::GuardWithIf)
            .reorder(vi, r.x, vo, r.y, chunk)
            .unroll(r.x)
            .parallel(chunk);
    }
    blur.last.compute_root().bound(blur.k, 0, 3);
    in_vectors(blur.last);
    blur.last.split(vo, chunk, vo, vectors, TailStrategy::GuardWithIf)
        .reorder(vi, blur.k, vo, chunk)
        .unroll(blur.k)
        .parallel(chunk);
    blur.tails_of_last.compute_at(blur.last, chunk);
    sums(blur.tails_of_last);
}

// The states at the edges of bands first. Then bands are spread over the cores: the columns of a band are
// filtered strip by strip, and then its rows, a few at a time.
void bands(RecursiveGaussianBands &blur, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>(), strip = blur.shape.strip,
              wide = lanes * 4 / blur.out.types()[0].bytes();
    states_of_bands(blur, context);
    blur.out.split(blur.y, band, blur.y, blur.numbers.tile, TailStrategy::GuardWithIf)
        .split(blur.y, yo, yi, blur.shape.square * context["row_vectors"])
        .split(blur.x, xo, xi, context["chunk"], TailStrategy::GuardWithIf)
        .reorder(xi, yi, xo, yo, band)
        .vectorize(xi, wide, TailStrategy::GuardWithIf)
        .parallel(band)
        .never_partition(band);
    blur.pixels.compute_at(blur.out, xo);
    samples_in_squares(blur.rows, blur.pixels, blur.x, blur.y, context);
    filter_rows(blur.rows, blur.out, yo, context);

    const Var strips{"strips"};
    blur.rows.transposed.compute_at(blur.out, band)
        .reorder_storage(blur.rows.v, blur.rows.x)
        .split(blur.rows.x, strips, xi, strip, TailStrategy::RoundUp)
        .split(xi, xo, xi, blur.rows.squares_in.columns)
        .split(blur.rows.v, yo, yi, blur.shape.square, TailStrategy::RoundUp)
        .reorder(yi, xi, xo, yo, strips)
        .vectorize(yi)
        .unroll(xi);
    turn_in_registers(blur.rows.squares_in, blur.rows.transposed, xo);
    filter_columns(blur.along_y, blur.rows.transposed, strips, context, strip);
    blur.padded.compute_at(blur.rows.transposed, strips)
        .vectorize(blur.padded.args()[0], wide, TailStrategy::RoundUp);
    blur.ends.compute_at(blur.rows.transposed, strips)
        .bound(blur.k, 0, 6)
        .unroll(blur.k)
        .vectorize(blur.v, lanes, TailStrategy::RoundUp);
    blur.along_y.filtered.hoist_storage(blur.out, band);
    blur.rows.lines.filtered.hoist_storage(blur.out, band);
}

// --------------------------------------------------------------------------------- GPU: the documented steps

// One thread per line, which filters it from one end to the other and back. The two filters are separate
// kernels. A filter is a Func that reads itself, so all of its state is stored for each sample. In memory
// the samples of a line follow each other, or, `side_by_side`, those of the same place in all lines.
void thread_per_line(RecursiveLines along, int threads, int samples, bool side_by_side) {
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
            .gpu_threads(lane)
            .unroll(along.n.x, samples, TailStrategy::GuardWithIf);
    }
}

// The result of the filters as pixels.
void store(Func out, ScheduleContext &context) {
    const int width = context["width"], height = context["height"];
    tiles_over_blocks(
        out, out.args()[0], out.args()[1], block, xi, yi, width, height, TailStrategy::GuardWithIf);
}

// One thread per row, then one thread per column. Neighbouring threads read pixels that are a row apart in
// the first case, and side by side in the second.
void columns(RecursiveGaussian &blur, ScheduleContext &context) {
    thread_per_line(blur.along_x, context["threads"], context["samples"], false);
    thread_per_line(blur.along_y, context["threads"], context["samples"], true);
    store(blur.out, context);
}

// Computes `copy`, which has the samples i of all lines v side by side, tile by tile: a tile of `lines` is
// computed in shared memory, in the order in which its pixels are in memory, and is written in the order of
// the copy. The shared rows are `pad` pixels longer than the tile's.
void transpose(
    Func lines, Func copy, const Var &i, const Var &v, ScheduleContext &context, bool in_diagonals) {
    const int side = context["side"], pad = context["pad"];
    copy.compute_root();
    const auto tiles = [&](Halide::Stage stage, TailStrategy at_edges) {
        stage.tile(i, v, xo, yo, xi, yi, side, side, at_edges).reorder(yi, xi, xo, yo);
        if (in_diagonals) {
            blocks_along_diagonals(stage, xo, yo, block, context["square"]);
        } else {
            stage.gpu_blocks(xo, yo);
        }
        stage.gpu_threads(yi, xi);
    };
    if (in_diagonals) {  // tiles of one size, as in schedules/transpose_steps.h
        const Halide::OutputImageParam in = context.buffers[0];
        tiles(copy.specialize(in.width() >= side && in.height() >= side), TailStrategy::ShiftInwards);
    }
    tiles(copy, TailStrategy::GuardWithIf);
    const Var x = lines.args()[0], y = lines.args()[1], part_x{"part_x"}, part_y{"part_y"};
    lines.compute_at(copy, in_diagonals ? block : xo)
        .store_in(MemoryType::GPUShared)
        .bound_storage(x, side + pad)  // where a tile crosses an edge, its size is known only at run time
        .bound_storage(y, side)
        .split(x, part_x, xi, side, TailStrategy::PredicateLoads)  // each has one part
        .split(y, part_y, yi, side, TailStrategy::PredicateLoads)
        .reorder(xi, yi, part_x, part_y)
        .gpu_threads(xi, yi);
}

// The same for the definition, of which the filters `along` read the copy.
void transpose(Func lines, const RecursiveLines &along, ScheduleContext &context, bool in_diagonals) {
    Func copy = lines.in({along.causal, along.anticausal});
    const Var u = copy.args()[0], v = copy.args()[1], c = copy.args()[2];
    copy.reorder_storage(v, u, c);
    transpose(lines, copy, u, v, context, in_diagonals);
}

// Transposes, filters the columns, transposes back, and filters the columns: neighbouring threads always read
// pixels that are side by side. `in_diagonals`: blocks that run at the same time write to different places of
// the memory's partitions.
template<bool in_diagonals>
void transposed(RecursiveGaussian &blur, ScheduleContext &context) {
    transpose(blur.row, blur.along_x, context, in_diagonals);
    thread_per_line(blur.along_x, context["threads"], context["samples"], true);
    transpose(blur.column, blur.along_y, context, in_diagonals);
    thread_per_line(blur.along_y, context["threads"], context["samples"], true);
    store(blur.out, context);
}

// As transposed, with copies of other types or in other memory. An image of the device is read and written by
// two coordinates, and one kernel cannot do both.
void copies(RecursiveGaussianCopies &blur, ScheduleContext &context) {
    if (context.configuration<RecursiveGaussianCopiesConfiguration>().textures) {
        blur.rows.store_in(MemoryType::GPUTexture);
        blur.columns.store_in(MemoryType::GPUTexture);
    }
    transpose(blur.row, blur.rows, blur.i, blur.v, context, false);
    thread_per_line(blur.along_x, context["threads"], context["samples"], true);
    transpose(blur.column, blur.columns, blur.i, blur.v, context, false);
    thread_per_line(blur.along_y, context["threads"], context["samples"], true);
    store(blur.out, context);
}

const RecursiveGaussianConfiguration grey{}, coloured{.colours = true};

ScheduleRows tuned_cpu_rows() {
    const RecursiveGaussianConfiguration narrow{.most_elements = 16};
    const std::vector<Tunable> of_strips = {{"run", 8, 4, 16}, {"row_vectors", 1, 1, 4},
        {"strip", 64, 16, 256}, {"chunk", 64, 64, 512}, {"strips", 8, 1, 32}};
    const std::vector<Tunable> of_bands = {{"run", 4, 4, 16}, {"row_vectors", 1, 1, 3},
        {"strip", 512, 64, 1024}, {"chunk", 256, 64, 512}, {"sum_vectors", 32, 2, 256}};
    return family("tuned",
        {
            row("tuned_line", cpu, "u8 u16 f32", line, {{"run", 8, 4, 16}})
                .says("One row or one column, sample after sample, without the filters of the other axis."),
            row("tuned_bands", cpu, "u8 u16 f32", bands, grey, of_bands)
                .says("Bands of rows over the cores: what enters each band is found first."),
            row("tuned_colour_bands", cpu, "u8 u16 f32", bands, coloured, of_bands)
                .says("As tuned_bands, for any number of channels."),
            row("tuned_narrow", cpu, "u8 u16 f32", strips, narrow,
                {{"run", 8, 4, 16}, {"row_vectors", 1, 1, 4}, {"strip", 16, 16, 256}, {"chunk", 64, 64, 512},
                    {"strips", 8, 1, 32}})
                .says("As tuned_any, in strips of 16 samples, for rows that have no more."),
            row("tuned_grey", cpu, "u8 u16 f32", strips, grey, of_strips)
                .says("As tuned_any, for one channel."),
            row("tuned_any", cpu, "u8 u16 f32", strips, coloured, of_strips)
                .says("Strips of lines over the cores; a vector filters neighbouring lines at once."),
        });
}

}  // namespace

static const ScheduleRows &rows() {
    using namespace recursive_gaussian_tiles;
    using CopiesConfiguration = RecursiveGaussianCopiesConfiguration;
    const std::vector<Tunable> with_transposes = {{"side", 16, 8, 32}, {"pad", 1, 0, 8},
        {"threads", 64, 32, 256}, {"samples", 8, 1, 16}, {"width", 32, 16, 128}, {"height", 8, 1, 16}};
    std::vector<Tunable> in_diagonals = with_transposes;
    in_diagonals.push_back({"square", 32, 8, 64});
    static const ScheduleRows table = {
        row("reference", cpu, "u8 u16 f32", reference)
            .with("strict_float")
            .says("Line by line: both filters of all rows, then both filters of all columns."),
        tuned_cpu_rows(),

        row("columns", gpu, "f32", columns,
            {{"threads", 64, 32, 256}, {"samples", 8, 1, 16}, {"width", 32, 16, 128}, {"height", 8, 1, 16}})
            .with("strict_float")
            .says("One thread per row, then one per column; along rows, neighbours read a row apart."),
        row("transposed", gpu, "f32", transposed<false>, with_transposes)
            .with("strict_float")
            .says("Filters columns, between transposes in shared memory: all accesses coalesce."),
        row("diagonal", gpu, "f32", transposed<true>, in_diagonals)
            .with("strict_float")
            .says("As transposed, with the blocks of the transposes walked along diagonals."),
        row("half", gpu, "f32", copies, CopiesConfiguration{.half = true}, with_transposes)
            .with("strict_float")
            .says("As transposed, with half-precision floats between rows and columns: 11 bits are kept."),
        row("texture", opencl, "f32", copies, CopiesConfiguration{.textures = true}, with_transposes)
            .with("strict_float")
            .says("As transposed, with the transposed copies as images of the device."),
        row("texture_half", opencl, "f32", copies, CopiesConfiguration{.half = true, .textures = true},
            with_transposes)
            .with("strict_float")
            .says("As texture, with half-precision floats between rows and columns: 11 bits are kept."),
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
