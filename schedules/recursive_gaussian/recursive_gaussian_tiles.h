#pragma once
// The schedules of recursive_gaussian in tiles, for GPUs: four kernels, three without scans. Every stage of a
// thread block counts its threads along one dimension, because the sizes of a second one would multiply for
// the whole block. Unrolled loops are inside the loop over threads, because otherwise every iteration needs a
// barrier.
#include "generators/algorithms/recursive_gaussian/configuration.h"
#include "generators/algorithms/recursive_gaussian/tiles.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"
#include <vector>

namespace tilewright::recursive_gaussian_tiles {

using Halide::OutputImageParam;
using Halide::Stage;

// The tunables. steps: how many steps of the carries a thread computes at a time, with their loads in flight
// together; 16 in place of 8 took the carries along x from .025 to .021 ms. runs: how many runs of a line a
// thread sums per iteration of a loop: a blur of u8 8192 x 8192 by CUDA with four takes .95 of its time with
// two (H200, 2026-11-29).
inline const std::vector<Tunable> settings = {{"steps", 16, 4, 32}, {"runs", 4, 1, 4}};

// The same for colours. pass: see channels_in_passes().
inline std::vector<Tunable> settings_of_colours() {
    std::vector<Tunable> all = settings;
    all.push_back({"pass", 64, 1, 256});
    return all;
}

// The same for f64, whose tiles have two runs. States are kept for whole groups of `steps`, so that with 16
// the carries of a line of one pixel's width would take twice the memory of those of f32.
inline std::vector<Tunable> settings_of_f64() {
    return {{"steps", 8, 4, 32}, {"runs", 2, 1, 2}, {"pass", 64, 1, 256}};
}

// Weighted sums in the registers of a thread, `at_once` runs per iteration of a loop. Weights are loaded 16
// bytes at a time: those of samples once, the matrices of each run where they are used. So are samples, where
// those of a line are `side_by_side` in memory.
inline void sums_in_registers(TileSums &sums, const LoopLevel &thread, bool side_by_side, int at_once = 1) {
    const auto load = [&](Func weights, const LoopLevel &at) {
        weights.compute_at(at).vectorize(sums.k, 4, TailStrategy::RoundUp).unroll(sums.k).unroll(sums.row);
    };
    load(sums.weights, thread);
    sums.of_tile.compute_at(thread).unroll(sums.k);
    const RVar turn{"turn"}, part{"part"};
    sums.of_tile.update()
        .split(sums.part.y, turn, part, at_once)
        .reorder(sums.k, sums.part.x, part, turn)
        .unroll(sums.k)
        .unroll(sums.part.x)
        .unroll(part);
    const LoopLevel run(sums.of_tile, part);
    load(sums.matrices, run);
    if (side_by_side) {
        sums.samples.compute_at(run).vectorize(sums.i, 4).unroll(sums.i);
    }
    sums.of_runs.compute_at(run).unroll(sums.k);
    sums.halves.compute_at(run).unroll(sums.k);
    sums.halves.update().reorder(sums.k, sums.sample).unroll(sums.sample).unroll(sums.k);
}

// Both filters of a line in the registers of a thread.
inline void in_registers(TileFilters filters, Func at, Var thread) {
    for (Func filter : {filters.causal, filters.anticausal}) {
        filter.compute_at(at, thread);
        filter.update(0).unscheduled();
        filter.update(1).unscheduled();
    }
    filters.causal.update(2).unroll(filters.n);
    filters.anticausal.update(2).unroll(filters.m);
}

// Copies a tile to shared memory, `pixels` of them per load.
inline void vectors_to_shared(Func f, Func at, Var block, Var i, Var v, int tile, int pixels) {
    Var a{"a"}, z{"z"}, zo{"zo"};
    f.compute_at(at, block)
        .store_in(MemoryType::GPUShared)
        .align_storage(i, tile + 4)
        .bound_extent(i, tile)
        .bound_extent(v, tile)
        .split(i, i, a, pixels)
        .fuse(i, v, z)
        .split(z, zo, z, tile)
        .reorder(a, zo, z)
        .vectorize(a)
        .unroll(zo)
        .gpu_threads(z);
}

// Copies a tile to shared memory, one thread per column: neighbouring threads load neighbouring pixels.
inline void columns_to_shared(Func f, Func at, Var block, Var i, Var v, int tile) {
    f.compute_at(at, block)
        .store_in(MemoryType::GPUShared)
        .align_storage(i, tile + 4)
        .bound_extent(i, tile)
        .bound_extent(v, tile)
        .reorder(v, i)
        .unroll(v)
        .gpu_threads(i);
}

// Stores a filtered tile in shared memory, where it is read transposed: one thread per row, 16 bytes per
// store.
inline void transpose_in_shared(Func f, Func at, Var block, Var i, Var v, int tile) {
    Var a{"a"};
    f.compute_at(at, block)
        .store_in(MemoryType::GPUShared)
        .align_storage(i, tile + 4)
        .split(i, i, a, 4)
        .reorder(a, i, v)
        .vectorize(a)
        .unroll(i)
        .gpu_threads(v);
}

// Kernel 2, where there are scans: one thread per line and direction computes the states at the edges of all
// tiles of the line, along y and along x. Because the distance from step to step is constant, the compiler
// keeps the state in registers instead of memory (carries along x: .107 -> .021 ms).
inline void scan_tiles(TiledGaussian &blur, const LoopLevel &at) {
    for (ImageCarries &carries : blur.carries) {
        const RVar k = carries.r[0], step = carries.r[1], batch = carries.r[2], group = carries.r[3];
        carries.states.compute_at(at);
        carries.states.update()
            .allow_race_conditions()
            .reorder(k, step, batch, carries.v, group, carries.dir, carries.c)
            .unroll(k)
            .unroll(step)
            .gpu_blocks(group, carries.dir, carries.c)
            .gpu_threads(carries.v);
    }
}

// Kernel 3: the carries along y, filtered along x. A block has a whole row of them: it sums its tiles, of
// which `at_once` at a time go through shared memory, one per thread; then a thread per direction scans these
// sums; then it filters the tiles. The sums and what is scanned lie in `memory`.
inline void filter_carries(TiledGaussian &blur, const LoopLevel &at, MemoryType memory) {
    const int tile = blur.tile, at_once = tile;
    const Var i = blur.i, v = blur.v, k = blur.k, t = blur.t, g = blur.g, c = blur.c, turn{"turn"};
    Func filtered = blur.carries_filtered, tails = blur.carry_tails;
    filtered.compute_at(at)
        .align_bounds(i, tile)
        .bound(v, 0, 1)
        .split(t, turn, t, at_once, TailStrategy::GuardWithIf)
        .reorder(t, i, v, turn, g, c)
        .unroll(t, 8)
        .gpu_blocks(g, c)
        .gpu_threads(i);
    transpose_in_shared(blur.carries_transposed, filtered, turn, i, t, tile);
    blur.carries_transposed.bound_extent(t, at_once).bound_extent(i, tile);
    in_registers(blur.filters[0], blur.carries_transposed, t);
    blur.rows_to_filter.compute_at(blur.carries_transposed, t).vectorize(i, 4).unroll(i);

    tails.compute_at(filtered, g)
        .store_in(memory)
        .bound(k, 0, 6)
        .bound_extent(v, 1)
        .split(t, turn, t, at_once, TailStrategy::RoundUp)
        .reorder(k, t, v, turn)
        .unroll(k)
        .gpu_threads(t);
    sums_in_registers(blur.sums[2], LoopLevel(tails, t), true);
    columns_to_shared(blur.carries_to_sum, tails, turn, i, t, tile);

    for (TileCarries &along : blur.along) {
        along.states.compute_at(filtered, g).store_in(memory).bound_extent(along.v, 1).bound(along.dir, 0, 2);
        along.states.update()
            .reorder(along.r.x, along.r.y, along.r.z, along.v, along.dir)
            .unroll(along.r.x)
            .unroll(along.r.y)
            .gpu_threads(along.dir);
        blur.edge_of_carries.compute_at(along.states, along.dir);
    }
}

// Kernel 1: the tails of each tile. The caller says which blocks there are.
inline Func &sum_tiles(TiledGaussian &blur, const LoopLevel &at, const ScheduleContext &context) {
    blur.tails.compute_at(at)
        .bound(blur.k, 0, 6)
        .bound(blur.axis, 0, 2)
        .reorder(blur.k, blur.axis, blur.v, blur.t, blur.g, blur.c)
        .unroll(blur.k)
        .unroll(blur.axis)
        .gpu_threads(blur.v);
    sums_in_registers(blur.sums[0], LoopLevel(blur.tails, blur.v), true, context["runs"]);
    sums_in_registers(blur.sums[1], LoopLevel(blur.tails, blur.v), false, context["runs"]);
    return blur.tails;
}

// One thread block per tile, and one thread per row and then per column of it. The filters of both are in
// registers, one after the other.
inline void tiles_aligned(RecursiveGaussianAligned &blur, ScheduleContext &context) {
    const Var x = blur.x, y = blur.y, i = blur.i, v = blur.v, t = blur.t, g = blur.g, c = blur.c;
    const int tile = blur.tile, pixels = 16 / context.buffers[0].type().bytes();  // that 16 bytes hold
    sum_tiles(blur, LoopLevel::root(), context).gpu_blocks(t, g);
    vectors_to_shared(blur.tile_of_samples, blur.tails, t, i, v, tile, pixels);
    scan_tiles(blur, LoopLevel::root());
    filter_carries(blur, LoopLevel::root(), MemoryType::GPUShared);

    blur.out.reorder(y, x, t, g).unroll(y).gpu_blocks(t, g).gpu_threads(x);
    in_registers(blur.filters[2], blur.out, x);
    transpose_in_shared(blur.transposed, blur.out, t, i, v, tile);
    in_registers(blur.filters[1], blur.transposed, v);
    blur.row.compute_at(blur.transposed, v).vectorize(i, pixels).unroll(i);

    // Sides are whole tiles, and rows begin at multiples of 16 bytes. The front only calls these variants for
    // such images.
    OutputImageParam in = context.buffers[0], out = context.buffers[1];
    const Expr width = multiple_of(tile, in.width()), height = multiple_of(tile, in.height());
    in.set_host_alignment(16);
    out.set_host_alignment(16);
    in.dim(0).set_bounds(0, width);
    in.dim(1).set_bounds(0, height).set_stride(multiple_of(tile, in.dim(1).stride()));
    out.dim(0).set_bounds(0, tile);
    out.dim(1).set_bounds(0, tile).set_stride(multiple_of(tile, out.dim(1).stride()));
    out.dim(2).set_bounds(0, width / tile).set_stride(tile);
    out.dim(3).set_bounds(0, height / tile).set_stride(out.dim(1).stride() * tile);
}

// The channels of an image of `pass` * 2^20 pixels or more are filtered one after another, each by all
// kernels, so that what is between the kernels takes the memory of one channel. In smaller images a channel
// would not fill a large GPU: there, and in a pipeline, whose sizes are not known, each kernel does all
// channels. Returns the loop around the kernels. Its steps divide the channels: a guard in a kernel would
// have barriers inside, which PoCL 3.1 compiles wrongly.
inline LoopLevel channels_in_passes(RecursiveGaussianTiles &blur, const ScheduleContext &context) {
    if (!context.configuration<RecursiveGaussianConfiguration>().colours || context.is_stage) {
        return LoopLevel::root();
    }
    const Var pass{"pass"};
    const OutputImageParam out = context.buffers[1];
    const Expr pixels = Halide::cast<int64_t>(out.width()) * out.height(),
               is_large = pixels >= Halide::cast<int64_t>(context["pass"]) << 20;
    blur.out.split(blur.c, pass, blur.c, select(is_large, 1, out.channels()), TailStrategy::RoundUp);
    // Inside the loop Halide does not see that the groups begin at 0, and divides more carefully.
    const Expr carry_rows = 6 * ceil_div(out.height(), blur.tile);
    blur.carries_filtered.bound(blur.g, 0, ceil_div(carry_rows, blur.rows));
    return {blur.out, pass};
}

// The same for any size: pixels are read one by one, and the result goes through shared memory once more, so
// that all tiles are computed whole and pixels outside the image are not stored.
inline void tiles_of_any_size(RecursiveGaussianTiles &blur, ScheduleContext &context) {
    const Var x = blur.x, y = blur.y, i = blur.i, v = blur.v, t = blur.t, g = blur.g, c = blur.c;
    const int tile = blur.tile;
    Var xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, block{"block"};
    const LoopLevel pass = channels_in_passes(blur, context);
    sum_tiles(blur, pass, context).fuse(t, g, block).gpu_blocks(block, c);
    columns_to_shared(blur.tile_of_samples, blur.tails, block, i, v, tile);
    scan_tiles(blur, pass);
    filter_carries(blur, pass, MemoryType::Heap);

    blur.out.tile(x, y, xo, yo, xi, yi, tile, tile, TailStrategy::GuardWithIf)
        .reorder(yi, xi, xo, yo, c)
        .fuse(xo, yo, block)
        .gpu_blocks(block, c)
        .gpu_threads(xi);
    blur.filtered.compute_at(blur.out, block)
        .store_in(MemoryType::GPUShared)
        .reorder(y, x)
        .unroll(y)
        .gpu_threads(x);
    in_registers(blur.filters[2], blur.filtered, x);
    columns_to_shared(blur.source, blur.out, block, i, v, tile);
    transpose_in_shared(blur.transposed, blur.out, block, i, v, tile);
    in_registers(blur.filters[1], blur.transposed, v);
    blur.row.compute_at(blur.transposed, v).vectorize(i, 4).unroll(i);
}

}  // namespace tilewright::recursive_gaussian_tiles
