#pragma once
#include "generators/algorithms/sums/band_sum.h"
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include "schedules/schedule.h"

// Schedules of pipelines that no operator has by itself.
namespace tilewright {

// ---- stages by themselves

// Of a colour image that a thread makes pixel by pixel: all channels in it.
void colours_in_a_thread(Halide::Func out, int channels);

// Two kernels. A line of a band a thread, bands over blocks; then a line's bands by the threads of a block, which meet in shared memory.
void bands_over_blocks(BandSum &form);

// ---- fused: tile by tile. A tile is `width` elements of `height` rows of what a kernel takes its elements from, a blur or the image
// before it as it is; it is made where it is consumed, in shared memory or in the cache.

struct Tile {
    int width, height;

    // Bands of a sum are rows or columns of a tile, in pieces that keep the threads of a block busy.
    int in_band(bool along_rows, bool on_gpu) const {
        return !along_rows ? height : on_gpu ? height : width;
    }
};

inline Tile fused_tile(bool on_gpu) {
    return on_gpu ? Tile{128, 32} : Tile{256, 64};
}

// Tiles of the output over blocks of threads, or over cores. `turned`: rows of the output are columns of the tile. Gives the level at
// which a tile is made.
Halide::LoopLevel image_on_gpu(Halide::Func out, bool turned, bool is_output);
Halide::LoopLevel image_on_cpu(Halide::Func out, bool turned, bool is_output, const Halide::Target &target);

// The same for sums, along the rows of tiles or down their columns.
Halide::LoopLevel sums_on_gpu(BandSum &form, bool along_rows);
Halide::LoopLevel sums_on_cpu(BandSum &form, bool along_rows, const Halide::Target &target);

// A tile of a blur: both passes, accumulators in registers.
template<typename Form>
void blur_on_gpu(Form &blur, Halide::LoopLevel level);
template<typename Form>
void blur_on_cpu(Form &blur, Halide::LoopLevel level, const Halide::Target &target);

// A tile of the image as it is.
void copy_on_gpu(Halide::Func copy, Halide::LoopLevel level);
void copy_on_cpu(Halide::Func copy, Halide::LoopLevel level, const Halide::Target &target);

// A tile on a core, turned in squares, for consumers that read it by columns.
void turned_on_cpu(Halide::Func tile, Halide::LoopLevel level);

}  // namespace tilewright
