#pragma once
// What the schedules of products by single warps share.
#include "Halide.h"
#include <vector>

namespace tilewright::gaussian_blur_products {

struct Extent {
    Halide::Var dimension;
    int elements;
};

// Keeps what a worker of a blur computes of a Func in its registers: these dimensions have so many elements.
template<typename Blur>
void in_registers(
    const Blur &blur, Halide::Func f, const Halide::LoopLevel &level, const std::vector<Extent> &extents) {
    f.compute_at(level).store_in(Halide::MemoryType::Register).bound_extent(blur.worker, 1);
    for (const Extent &extent : extents) {
        f.bound_extent(extent.dimension, extent.elements).unroll(extent.dimension);
    }
}

// Keeps so many entries of taps in the shared memory of a block, to which a lane brings four words at a time.
template<typename Blur>
void taps_in_shared(Blur &blur, const Halide::RVar &segment, int entries) {
    blur.taps.compute_at(blur.out, segment)
        .store_in(Halide::MemoryType::GPUShared)
        .bound(blur.v, 0, 4)
        .bound(blur.worker, 0, 32)
        .bound(blur.p, 0, 2)
        .bound(blur.k, 0, entries)
        .gpu_threads(blur.worker)
        .vectorize(blur.v)
        .unroll(blur.p)
        .unroll(blur.k);
}

}  // namespace tilewright::gaussian_blur_products
