#pragma once
// Scheduling moves that the schedules of several operators share.
#include "Halide.h"
#include <vector>

namespace tilewright {

// Divides a stage into tiles: one thread block per tile, and one thread (xi, yi) per element of it. The
// thread blocks are counted along one dimension, `block`, because the second dimension of a grid ends at
// 65535.
inline Halide::Func &tiles_over_blocks(Halide::Func &stage, const Halide::Var &x, const Halide::Var &y,
    const Halide::Var &block, const Halide::Var &xi, const Halide::Var &yi, int width, int height,
    Halide::TailStrategy tail) {
    const Halide::Var xo{"xo"}, yo{"yo"};
    return stage.tile(x, y, xo, yo, xi, yi, width, height, tail)
        .fuse(xo, yo, block)
        .gpu_blocks(block)
        .gpu_threads(xi, yi);
}

// Marks `out` as computed on the GPU. For a Func whose pure stage is `undef`: no kernel results from it, but
// without this Halide would copy `out` from the host.
inline void undefined_on_gpu(Halide::Func out) {
    out.gpu_single_thread();
}

// Transposes in registers, on a CPU, by squares of `square` x `square` elements. `transposed` is a Func whose
// storage order is the transpose of the order in which it is computed; the caller says where it is computed.
inline Halide::Func &in_squares(
    Halide::Func &transposed, int square, Halide::TailStrategy tail = Halide::TailStrategy::Auto) {
    const Halide::Var u = transposed.args()[0], v = transposed.args()[1], xo{"xo"}, yo{"yo"}, xv{"xv"},
                      yv{"yv"};
    return transposed.reorder_storage(v, u)
        .tile(u, v, xo, yo, xv, yv, square, square, tail)
        .reorder(yv, xv, yo, xo)
        .vectorize(xv)
        .unroll(yv);
}

// Promises that the rows and columns of the buffers are counted from 0, as the front counts them.
inline void from_origin(const std::vector<Halide::OutputImageParam> &buffers) {
    for (Halide::OutputImageParam buffer : buffers) {
        buffer.dim(0).set_min(0);
        buffer.dim(1).set_min(0);
    }
}

// A dimension of a reduction domain as a variable, for functions that take one.
inline Halide::RVar variable(const Halide::RDom &domain, int dimension) {
    return Halide::RVar(domain[dimension].name());
}

// A value that is a multiple of n, as an expression that Halide sees to be one. As a constraint on an extent
// or a stride it promises, and checks at each call, that the caller's value is a multiple of n.
inline Halide::Expr multiple_of(int n, const Halide::Expr &value) {
    return (value / n) * n;
}

// Promises that the rows of a buffer begin at multiples of `bytes`, so that a vector of so many bytes is
// loaded and stored at once. The front sees to it.
inline void aligned_rows(Halide::OutputImageParam buffer, int bytes) {
    buffer.set_host_alignment(bytes);
    buffer.dim(0).set_min(0);
    buffer.dim(1).set_stride(multiple_of(bytes / buffer.type().bytes(), buffer.dim(1).stride()));
}

}  // namespace tilewright
