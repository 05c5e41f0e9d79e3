#pragma once
// The schedules of gaussian_blur on GPUs with two kernels, one per pass, and an image between them.
#include "generators/algorithms/gaussian_blur/chunks.h"
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"

namespace tilewright::gaussian_blur_two_kernels {

inline const Var xi{"xi"}, yi{"yi"}, block{"block"}, row_of_thread{"own"};

// One thread per pixel of a tile. Kernels are not cloned for the border, as that would double their code.
inline void tiles(Func stage, const Var &x, const Var &y, int width, int height, TailStrategy tail) {
    tiles_over_blocks(stage, x, y, block, xi, yi, width, height, tail).never_partition_all();
}

// One thread per pixel in both kernels. The caller says where the image between them is computed.
template<typename Form>
void thread_per_pixel(Form &blur, ScheduleContext &context) {
    const int width = context["width"], height = context["height"];
    tiles(blur.out, blur.x, blur.y, width, height, TailStrategy::GuardWithIf);
    blur.along_sum.compute_at(blur.out, xi);
    tiles(blur.down, blur.x, blur.y, width, height, TailStrategy::RoundUp);
    blur.down_sum.compute_at(blur.down, xi);
}

// Two kernels, with one thread per pixel in each. The results of the first go through global memory.
template<typename Form>
void separable(Form &blur, ScheduleContext &context) {
    blur.down.compute_root();
    thread_per_pixel(blur, context);
}

// Two kernels. In both a thread computes `rows` pixels of a column, so that it loads each weight once for all
// of them. Threads of the second kernel that have no column do nothing: their taps would be behind the end of
// the image between the kernels. Rows without a store are in it, because the first kernel computes whole
// tiles.
inline void columns(GaussianBlurNear &blur, ScheduleContext &context) {
    const int width = context["width"], height = context["height"], rows = context["rows"];
    auto pass = [&](Func stage, Func sum, Halide::RVar tap, TailStrategy of_rows, TailStrategy of_tiles) {
        stage.split(blur.y, blur.y, row_of_thread, rows, of_rows)
            .reorder(row_of_thread, blur.x, blur.y)
            .unroll(row_of_thread);
        tiles(stage, blur.x, blur.y, width, height, of_tiles);
        sum.compute_at(stage, xi).store_in(MemoryType::Register).bound_extent(blur.y, rows).unroll(blur.y);
        sum.update().reorder(blur.x, blur.y, tap).unroll(blur.y);
    };
    blur.down.compute_root();
    pass(blur.out, blur.along_sum, blur.j, TailStrategy::PredicateStores, TailStrategy::GuardWithIf);
    pass(blur.down, blur.down_sum, blur.i, TailStrategy::RoundUp, TailStrategy::RoundUp);
}

// A pass by chunks: a thread keeps its sums, the weights of a chunk, and what else a chunk reads, in
// registers. `along`: the dimension of its own outputs.
inline void sums_by_chunks(const GaussianBlurChunks &blur, Func sum, const LoopLevel &thread,
    const Var &along, const GaussianBlurChunks::Taps &taps) {
    const Halide::RVar tap(taps.chunks.x.name()), chunk(taps.chunks.y.name()), rest(taps.rest.x.name());
    sum.compute_at(thread).store_in(MemoryType::Register);
    for (const Var &dimension : {blur.x, blur.y, blur.c}) {
        sum.bound_extent(dimension, dimension.name() == along.name() ? blur.shape.own : 1);
    }
    sum.unroll(along);
    sum.update(0).reorder(along, tap, chunk).unroll(along).unroll(tap);
    sum.update(1).reorder(along, rest).unroll(along);
    Func weight = taps.weight;
    weight.compute_at(sum, chunk).store_in(MemoryType::Register).unroll(weight.args()[0]);
}

// Spreads a stage over blocks of `threads` threads: neighbouring threads are neighbours along `line`, up to
// `width` of them, and then along `across`. So blocks of images with few lines are full too.
inline Func &threads_in_tiles(
    Func &stage, const Var &line, const Var &across, const Expr &width, int threads) {
    const Var of_tile{"of_tile"}, thread{"thread"};
    return stage.split(line, line, of_tile, width, TailStrategy::GuardWithIf)
        .fuse(of_tile, across, across)
        .split(across, across, thread, threads, TailStrategy::GuardWithIf)
        .fuse(across, line, block)
        .gpu_threads(thread)
        .never_partition_all();
}

// Two kernels, in bands of rows. Neighbouring threads have neighbouring columns in the first kernel, and rows
// in the second one, which reads columns of the image between the kernels: so that image is stored by
// columns, and both kernels read whole lines of memory.
//
// The rows of the output are divided into as many equal bands, of whole tiles of rows, as there must be for a
// band to have at most `band` * 2^20 elements. Both kernels run for one band after another, so that the image
// between them takes the memory of one band. The elements that count are its own: a row of it has a radius
// more at both ends. The pass down columns comes first, so that no row is computed twice.
inline void chunks(GaussianBlurChunks &blur, ScheduleContext &context) {
    const int own = blur.shape.own, threads = context["threads"];
    const Var thread{"thread"}, element{"element"}, band{"band"}, lane{"lane"}, own_x{"own_x"};
    for (Halide::OutputImageParam buffer : context.buffers) {
        for (int d = 0; d < 3; d++) {
            buffer.dim(d).set_min(0);
        }
        buffer.dim(0).set_stride(Expr());
    }
    const Halide::OutputImageParam out = context.buffers[1];
    const auto wide = [](const Expr &number) { return Halide::cast<int64_t>(number); };
    constexpr int lines = gaussian_blur_lines_of_tile;
    const Expr height = out.dim(1).extent(),
               elements_of_row = out.dim(0).extent() * out.dim(2).extent() + blur.margins,
               bands = ceil_div(wide(height) * elements_of_row, wide(context["band"]) << 20),
               tiles = Halide::cast<int>(ceil_div(wide(height), lines * bands));
    blur.out.split(blur.y, band, blur.y, max(tiles, 1) * lines, TailStrategy::GuardWithIf)
        .split(blur.x, blur.x, own_x, own, TailStrategy::PredicateStores)
        .reorder(own_x, blur.y, blur.x, blur.c, band)
        .unroll(own_x);
    threads_in_tiles(blur.out, blur.y, blur.x, min(height, lines), threads).gpu_blocks(block, blur.c);
    sums_by_chunks(blur, blur.along_sum, LoopLevel(blur.out, thread), blur.x, blur.by_x);

    const int lanes = std::min(own, 16 / blur.down.type().bytes());
    blur.down.compute_at(blur.out, band)
        .reorder_storage(blur.y, blur.c, blur.x)
        .align_bounds(blur.y, own)
        .align_storage(blur.y, own)
        .split(blur.y, blur.y, row_of_thread, own, TailStrategy::RoundUp)
        .split(row_of_thread, row_of_thread, lane, lanes)
        .fuse(blur.c, blur.x, element)
        .reorder(lane, row_of_thread, element, blur.y)
        .unroll(row_of_thread)
        .vectorize(lane);
    threads_in_tiles(blur.down, element, blur.y, min(elements_of_row, lines), threads).gpu_blocks(block);
    sums_by_chunks(blur, blur.down_sum, LoopLevel(blur.down, thread), blur.y, blur.by_y);
    blur.pixels.compute_at(blur.down_sum, Halide::RVar(blur.by_y.chunks.y.name()))
        .store_in(MemoryType::Register)
        .bound_extent(blur.x, 1)
        .bound_extent(blur.c, 1)
        .bound_extent(blur.g, 1)
        .unroll(blur.k);
    blur.pixels.update(0).unroll(blur.inside.x);
    blur.pixels.update(1).unroll(blur.elsewhere.x);
    blur.rows.compute_root().gpu_tile(blur.y, block, yi, 256, TailStrategy::GuardWithIf);
}

}  // namespace tilewright::gaussian_blur_two_kernels
