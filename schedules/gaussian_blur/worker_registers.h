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

}  // namespace tilewright::gaussian_blur_products
