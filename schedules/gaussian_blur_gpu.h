#pragma once
#include "generators/algorithms/gaussian_blur/window.h"
#include "generators/algorithms/gaussian_blur/window_dot.h"
#include "generators/algorithms/gaussian_blur/window_floats.h"
#include "schedules/schedule.h"
#include <vector>

// The fast schedules of the Gaussian blur on GPUs: both passes in one kernel.
namespace tilewright {

namespace gaussian_blur_gpu {

using Halide::Func;
using Halide::LoopLevel;
using Halide::MemoryType;
using Halide::OutputImageParam;
using Halide::RVar;
using Halide::Var;

// The tunables of a window row for radii up to `radius`: a block makes `columns` pixels of `rows` * `groups` rows, and a thread
// `rows` pixels of a column (for u8: of four columns), then windows of `window` pixels. `large`: only for images larger than a tile
// with its halo, and not for the border `zero`, which spares half of the integer work for each pixel that is loaded.
inline std::vector<Tunable> tile(int radius, int columns, int rows, int groups, int window, bool large = false) {
    return {{"radius", radius}, {"columns", columns}, {"rows", rows}, {"groups", groups}, {"window", window}, {"large", large ? 1 : 0}};
}

// The same for dot products: taps below `high` may exceed a byte. Rows for whole words take widths that are multiples of 4
// and the border reflect, which is a word turned around.
inline std::vector<Tunable> word_tile(int radius, int high, bool any_width, int columns, int rows, int window) {
    std::vector<Tunable> tunables = tile(radius, columns, rows, 1, window);
    tunables.push_back({"high", high});
    tunables.push_back({"any_width", any_width ? 1 : 0});
    return tunables;
}

// What the accesses of 16 bytes rest on; the front sees to it.
inline void rows_of_16_bytes(OutputImageParam buffer, int elements) {
    buffer.set_host_alignment(16);
    buffer.dim(0).set_min(0);
    buffer.dim(1).set_min(0).set_stride((buffer.dim(1).stride() / elements) * elements);
}

// The tiles of the output over blocks; in a block, each group of threads takes some rows at a time, a window a thread, which is
// stored 16 bytes at a time.
template<typename Form>
void store_windows(Form &form) {
    const WindowDomain &to = form.to;
    RVar thread("thread");
    form.out.gpu_single_thread();  // nothing: the initial values are undefined
    form.out.update()
        .allow_race_conditions()
        .gpu_blocks(to.block_x, to.block_y)
        .fuse(to.segment, to.row, thread)
        .gpu_threads(thread, to.group)
        .unroll(to.part)
        .vectorize(to.lane);
}

// Computes what a thread needs of `f` for one window, in registers.
template<typename Form>
Func &keep_window(Form &form, Func &f) {
    return f.compute_at(form.out, form.to.turn)
        .store_in(MemoryType::Register)
        .bound_extent(form.x, form.tile.window)
        .bound_extent(form.y, 1);
}

// Loads the words that a thread needs of a bordered image, in registers.
inline void keep_words(BorderedWords &words, LoopLevel thread) {
    words.source.compute_at(thread).store_in(MemoryType::Register).unroll(words.y).unroll(words.x);
    if (words.any_width) {
        words.column.compute_at(thread).store_in(MemoryType::Register).unroll(words.x);
        words.picks.compute_at(thread).store_in(MemoryType::Register).unroll(words.x).unroll(words.c);
    }
}

// A tile a block. Down columns: a thread owns `rows` rows of one column, its accumulators in registers, so that each pixel
// is loaded once for all of them; the results go to shared memory. Along rows: a thread reads a window from there into
// registers, 16 bytes at a time.
inline void window(GaussianBlurWindow &blur, Site &site) {
    const Var x = blur.x, y = blur.y, t = blur.t;
    Var group("group");
    store_windows(blur);

    blur.down.compute_at(blur.out, blur.to.block_x)
        .store_in(MemoryType::GPUShared)
        .align_bounds(x, 4)
        .align_storage(x, 4)
        .split(y, group, y, blur.tile.rows)
        .reorder(y, x, group)
        .gpu_threads(x, group)
        .unroll(y);
    blur.weight.in(blur.down_sum).compute_at(blur.down, x).store_in(MemoryType::Register).unroll(t);
    blur.pixel.compute_at(blur.down, x).store_in(MemoryType::Register).unroll(x).unroll(y);
    blur.down_sum.compute_at(blur.down, x).store_in(MemoryType::Register).unroll(x).unroll(y);
    blur.down_sum.update().reorder(x, y, blur.i).unroll(x).unroll(y).unroll(blur.i);

    blur.weight.in(blur.along_sum).compute_at(blur.out, blur.to.turn).store_in(MemoryType::Register).unroll(t);
    blur.down.in(blur.along_sum)
        .compute_at(blur.out, blur.to.turn)
        .store_in(MemoryType::Register)
        .align_bounds(x, 4)
        .vectorize(x, 4)
        .unroll(x)
        .unroll(y);
    keep_window(blur, blur.along_sum).unroll(x).unroll(y);
    blur.along_sum.update().reorder(x, y, blur.j).unroll(x).unroll(y).unroll(blur.j);
    keep_window(blur, blur.along).vectorize(x).unroll(y);

    blur.out.never_partition_all();
    rows_of_16_bytes(site.buffers[0], 1);
    rows_of_16_bytes(site.buffers[1], 4);
}

// A tile a block. Down columns: a thread owns `rows` rows of one word, which it loads and turns in registers; the bytes go to
// shared memory. Along rows: a thread reads a window of words from there, 16 bytes at a time.
inline void window_dot(GaussianBlurWindowDot &blur, Site &site) {
    const Var x = blur.x, y = blur.y, c = blur.c, g = blur.g;
    Var group("group");
    store_windows(blur);

    blur.down.compute_at(blur.out, blur.to.block_x)
        .store_in(MemoryType::GPUShared)
        .align_bounds(x, 4)
        .align_storage(x, 4)
        .split(y, group, y, blur.tile.rows)
        .reorder(y, x, group)
        .gpu_threads(x, group)
        .unroll(y);
    blur.down_byte.compute_at(blur.down, y).unroll(c).unroll(y);
    blur.turned.compute_at(blur.down, x).store_in(MemoryType::Register).unroll(c).unroll(g).unroll(x);
    keep_words(blur.words, LoopLevel(blur.down, x));

    blur.down.in(blur.along)
        .compute_at(blur.out, blur.to.turn)
        .store_in(MemoryType::Register)
        .align_bounds(x, 4)
        .vectorize(x, 4)
        .unroll(x)
        .unroll(y);
    keep_window(blur, blur.along).unroll(x).unroll(y);

    blur.out.never_partition_all();
    rows_of_16_bytes(site.buffers[0], 1);
    rows_of_16_bytes(site.buffers[1], 4);
}

// A tile a block. Down columns: a thread owns `rows` rows of one word, four columns, with accumulators in registers; the bytes
// go to shared memory, as floats. Along rows: a thread reads a window of pixels from there, 16 bytes at a time.
inline void window_floats(GaussianBlurWindowFloats &blur, Site &site) {
    const Var x = blur.x, y = blur.y, t = blur.t;
    Var group("group"), lane("lane");
    const int pixels = 4 * blur.tile.window;
    store_windows(blur);

    blur.down.compute_at(blur.out, blur.to.block_x)
        .store_in(MemoryType::GPUShared)
        .align_bounds(x, 4)
        .align_storage(x, 4)
        .split(x, x, lane, 4)
        .split(y, group, y, blur.tile.rows)
        .reorder(lane, y, x, group)
        .gpu_threads(x, group)
        .vectorize(lane)
        .unroll(y);
    blur.weight.in(blur.down_sum).compute_at(blur.down, x).store_in(MemoryType::Register).unroll(t);
    keep_words(blur.words, LoopLevel(blur.down, x));
    blur.down_sum.compute_at(blur.down, x).store_in(MemoryType::Register).bound_extent(x, 4).unroll(x).unroll(y);
    blur.down_sum.update().reorder(x, y, blur.i).unroll(x).unroll(y).unroll(blur.i);

    blur.weight.in(blur.along_sum).compute_at(blur.out, blur.to.turn).store_in(MemoryType::Register).unroll(t);
    blur.down.in(blur.along_sum)
        .compute_at(blur.out, blur.to.turn)
        .store_in(MemoryType::Register)
        .align_bounds(x, 4)
        .vectorize(x, 4)
        .unroll(x)
        .unroll(y);
    blur.along_sum.compute_at(blur.out, blur.to.turn).store_in(MemoryType::Register).bound_extent(x, pixels).bound_extent(y, 1).unroll(x).unroll(y);
    blur.along_sum.update().reorder(x, y, blur.j).unroll(x).unroll(y).unroll(blur.j);
    keep_window(blur, blur.along).unroll(x).unroll(y);

    blur.out.never_partition_all();
    rows_of_16_bytes(site.buffers[0], 1);
    rows_of_16_bytes(site.buffers[1], 4);
}

}  // namespace gaussian_blur_gpu

}  // namespace tilewright
