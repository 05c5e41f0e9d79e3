#pragma once
// The schedules of pipelines that no operator has by itself: those of fused pipelines, tile by tile. The
// stages of staged pipelines are scheduled by variants (schedules/pipelines/stage_variants.h); the variants
// that no operator has are in the table at the end of pipeline.cpp.
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include "generators/algorithms/sums/band_sum.h"
#include "schedules/schedule.h"
#include <memory>

namespace tilewright {

// How a kind of machine computes a fused pipeline. A tile is a part of what a kernel reads its elements from:
// a blur, or the image before it as it is. The kernel computes its tiles itself, one after another, in shared
// memory or in the cache.
class FusedSchedule {
public:
    virtual ~FusedSchedule() = default;

    // Whether the tiles of images larger than the window are computed by the form for one reflection.
    virtual bool reflects_once() const = 0;
    // Whether the weights are a table; otherwise they are constants of unrolled loops.
    virtual bool weights_in_table() const = 0;
    // A sum's bands are rows (`along_rows`) or columns of a tile, or pieces of them: the elements of a band.
    virtual int in_band(bool along_rows) const = 0;
    // The number of partial sums that the bands of a line are added in.
    virtual int partial_sums() const = 0;

    // Schedules the kernel that computes an image, or sums along the rows of tiles or down their columns.
    // Returns the level at which a tile is computed. `transposed`: rows of the output are columns of the
    // tile. `is_output`: the Func is the output itself.
    virtual Halide::LoopLevel image(Halide::Func out, bool transposed, bool is_output) const = 0;
    virtual Halide::LoopLevel sums(BandSum &form, bool along_rows) const = 0;

    // Schedules a tile: a blur, or the image as it is.
    virtual void blur_tile(GaussianBlur &blur, Halide::LoopLevel level) const = 0;
    virtual void image_tile(Halide::Func tile, Halide::LoopLevel level) const = 0;
    // Schedules the transpose of a tile, for a consumer that reads it by columns; called after the tile
    // itself is scheduled.
    virtual void transposed_tile(Halide::Func tile, Halide::LoopLevel level) const = 0;
};

// The schedule for the machine of a target.
std::shared_ptr<const FusedSchedule> fused_schedule(const Halide::Target &target);

// Schedules the weights of a blur that is scheduled by a variant for GPUs, where the weights are constants of
// this pipeline. The loops over taps are unrolled, so that the weights become constants in the code; where
// there are many, they are a table. `rows`: what a thread computes of a column.
void constant_weights(GaussianBlur &blur, Halide::Func weight, int radius, int rows);

}  // namespace tilewright
