#include "schedules/pipeline.h"
#include <algorithm>

namespace tilewright {

using Halide::Func;
using Halide::LoopLevel;
using Halide::MemoryType;
using Halide::Target;
using Halide::TailStrategy;
using Halide::Var;

namespace {

Var xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, xv{"xv"}, yv{"yv"}, block{"block"}, task{"task"}, thread{"thread"}, turn{"turn"};
Var segment{"segment"}, lane{"lane"}, line{"line"}, lo{"lo"}, li{"li"}, bo{"bo"}, bi{"bi"};

// The second kernel of sums: a few lines a block, the bands of each split over its threads.
void total_on_gpu(BandSum &form) {
    form.out.split(form.line, xo, xi, 32, TailStrategy::GuardWithIf).gpu_blocks(xo).gpu_threads(xi).never_partition_all();
    form.collected.compute_at(form.out, xo)
        .store_in(MemoryType::GPUShared)
        .reorder_storage(form.line, form.term)
        .reorder(form.line, form.term)
        .gpu_threads(form.line, form.term);
    form.collecting.compute_at(form.collected, form.line).store_in(MemoryType::Register).update().unroll(form.each, 4, TailStrategy::GuardWithIf);
}

// A tile in shared memory, whose rows are a word longer than they need be: a column then spreads over the banks.
void in_shared(Func tile, const LoopLevel &level) {
    const Tile size = fused_tile(true);
    const int bytes = tile.type().bytes();
    tile.compute_at(level)
        .store_in(MemoryType::GPUShared)
        .bound_extent(tile.args()[0], size.width)
        .bound_extent(tile.args()[1], size.height)
        .align_storage(tile.args()[0], size.width + std::max(1, 4 / bytes));
}

}  // namespace

void colours_in_a_thread(Func out, int channels) {
    const Var c = out.args()[2];
    out.bound(c, 0, channels).reorder(c, xi, yi, block).unroll(c);
}

void bands_over_blocks(BandSum &form) {
    form.of_band.compute_root()
        .split(form.line, lo, li, 128, TailStrategy::RoundUp)
        .reorder(li, lo, form.band)
        .fuse(lo, form.band, block)
        .gpu_blocks(block)
        .gpu_threads(li)
        .never_partition_all();
    form.adding.compute_at(form.of_band, li).store_in(MemoryType::Register).update().unroll(form.k, 8);
    total_on_gpu(form);
}

LoopLevel image_on_gpu(Func out, bool turned, bool is_output) {
    const Tile tile = fused_tile(true);
    const Var x = out.args()[0], y = out.args()[1];
    const TailStrategy tail = is_output ? TailStrategy::GuardWithIf : TailStrategy::RoundUp;
    if (turned) {  // lanes along the output's rows
        const int at_once = tile.width / tile.height;
        out.tile(x, y, xo, yo, xi, yi, tile.height, tile.width, tail).split(yi, yi, yv, at_once).fuse(xi, yv, thread).reorder(yi, thread, xo, yo);
    } else {
        out.tile(x, y, xo, yo, thread, yi, tile.width, tile.height, tail).reorder(yi, thread, xo, yo);
    }
    out.fuse(xo, yo, block).gpu_blocks(block).gpu_threads(thread).never_partition_all();
    return {out, block};
}

LoopLevel image_on_cpu(Func out, bool turned, bool is_output, const Target &target) {
    const Tile tile = fused_tile(false);
    const TailStrategy tail = is_output ? TailStrategy::GuardWithIf : TailStrategy::RoundUp;
    out.tile(out.args()[0], out.args()[1], xo, yo, xi, yi, turned ? tile.height : tile.width, turned ? tile.width : tile.height, tail)
        .fuse(xo, yo, task)
        .parallel(task)
        .vectorize(xi, target.natural_vector_size(out.type()));
    return {out, task};
}

LoopLevel sums_on_gpu(BandSum &form, bool along_rows) {
    const Tile tile = fused_tile(true);
    const int lines = along_rows ? tile.height : tile.width;
    form.of_band.compute_root()
        .split(form.line, lo, li, lines, TailStrategy::RoundUp)
        .split(form.band, bo, bi, tile.width / lines, TailStrategy::RoundUp)
        .reorder(li, bi, lo, bo)
        .fuse(li, bi, thread)
        .fuse(lo, bo, block)
        .gpu_blocks(block)
        .gpu_threads(thread)
        .never_partition_all();
    form.adding.compute_at(form.of_band, thread).store_in(MemoryType::Register).update().unroll(form.k, 8);
    total_on_gpu(form);
    return {form.of_band, block};
}

LoopLevel sums_on_cpu(BandSum &form, bool along_rows, const Target &target) {
    const Tile tile = fused_tile(false);
    const int lines = along_rows ? tile.height : tile.width, lanes = target.natural_vector_size(form.adding.type());
    const bool floats = form.adding.type().is_float();
    form.of_band.compute_root().split(form.line, lo, li, lines, TailStrategy::RoundUp).fuse(lo, form.band, task).parallel(task).vectorize(li, lanes);
    form.adding.compute_at(form.of_band, task).vectorize(form.line, lanes);
    if (!along_rows) {
        form.adding.update().reorder(form.line, form.k).vectorize(form.line, lanes);
    } else if (!floats) {
        form.adding.update().atomic().vectorize(form.k, lanes);
    }
    form.out.split(form.line, xo, xi, 64, TailStrategy::GuardWithIf);
    form.collecting.compute_at(form.out, xo).vectorize(form.line, lanes, TailStrategy::RoundUp);
    form.collecting.update().reorder(form.line, form.each).vectorize(form.line, lanes, TailStrategy::RoundUp);
    return {form.of_band, task};
}

// Down columns: a thread owns the rows of one column of the tile, its pixels and accumulators in registers; results go to shared
// memory. Along rows: a thread reads a window of 8 outputs from there into registers.
template<typename Form>
void blur_on_gpu(Form &blur, LoopLevel level) {
    const Tile tile = fused_tile(true);
    const int window = 8, segments = tile.width / window, at_once = tile.width / segments;
    const Var x = blur.x, y = blur.y;
    in_shared(blur.out, level);
    blur.out.split(x, segment, lane, window)
        .split(y, turn, line, at_once)
        .reorder(lane, turn, segment, line)
        .fuse(segment, line, thread)
        .reorder(lane, turn, thread)
        .gpu_threads(thread)
        .unroll(lane)
        .never_partition_all();
    blur.along_sum.compute_at(blur.out, turn).store_in(MemoryType::Register).unroll(x).unroll(y);
    blur.along_sum.update().reorder(x, y, blur.j).unroll(x).unroll(y).unroll(blur.j);
    blur.down.in(blur.along_sum).compute_at(blur.out, turn).store_in(MemoryType::Register).unroll(x).unroll(y);

    blur.down.compute_at(level).store_in(MemoryType::GPUShared).align_storage(x, 4).reorder(y, x).gpu_threads(x).unroll(y).never_partition_all();
    blur.down_sum.compute_at(blur.down, x).store_in(MemoryType::Register).unroll(x).unroll(y);
    blur.down_sum.update().reorder(x, y, blur.i).unroll(x).unroll(y).unroll(blur.i);
    blur.endless.compute_at(blur.down, x).store_in(MemoryType::Register).unroll(x).unroll(y);
}

// The tile with its halo stays in the cache; a few vectors at a time in registers.
template<typename Form>
void blur_on_cpu(Form &blur, LoopLevel level, const Target &target) {
    const Var x = blur.x, y = blur.y;
    const int lanes = target.natural_vector_size(blur.down_sum.type()), vectors = 4 * lanes;
    auto pass = [&](Func stage, Func sum, Halide::RVar tap) {
        stage.compute_at(level).split(x, xo, x, vectors, TailStrategy::RoundUp).reorder(x, y, xo).vectorize(x, lanes).unroll(x);
        sum.compute_at(stage, y).vectorize(x, lanes).unroll(x).update().reorder(x, tap).vectorize(x, lanes).unroll(x);
    };
    pass(blur.out, blur.along_sum, blur.j);
    pass(blur.down, blur.down_sum, blur.i);
    blur.endless.compute_at(level).vectorize(x, lanes, TailStrategy::RoundUp);
    blur.columns.compute_root().vectorize(x, lanes);
}

template void blur_on_gpu(GaussianBlur &, LoopLevel);
template void blur_on_gpu(GaussianBlurNear &, LoopLevel);
template void blur_on_cpu(GaussianBlur &, LoopLevel, const Target &);
template void blur_on_cpu(GaussianBlurFloats &, LoopLevel, const Target &);

void copy_on_gpu(Func copy, LoopLevel level) {
    in_shared(copy, level);
    const Var x = copy.args()[0], y = copy.args()[1];
    copy.reorder(y, x).gpu_threads(x).unroll(y, 8).never_partition_all();
}

void copy_on_cpu(Func copy, LoopLevel level, const Target &target) {
    copy.compute_at(level).vectorize(copy.args()[0], target.natural_vector_size(copy.type()), TailStrategy::RoundUp);
}

void turned_on_cpu(Func tile, LoopLevel level) {
    const int square = std::min(16, 64 / tile.type().bytes());
    Func turned = tile.in();
    const Var u = turned.args()[0], v = turned.args()[1];
    turned.compute_at(level)
        .reorder_storage(v, u)
        .tile(u, v, xo, yo, xv, yv, square, square, TailStrategy::RoundUp)
        .reorder(yv, xv, yo, xo)
        .vectorize(xv)
        .unroll(yv);
}

}  // namespace tilewright
