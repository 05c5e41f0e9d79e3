#pragma once
// Conditions on indices, and promises about them, that keep the sizes of tiles constant.
#include "Halide.h"

namespace tilewright {

// 0 <= i < n as one unsigned comparison, for n >= 0. Bounds inference does not see through the casts. So a
// condition that is made of this does not narrow the region that is computed: a tile keeps its constant size,
// also where it crosses the edge of an image.
inline Halide::Expr below(Halide::Expr i, Halide::Expr n) {
    return Halide::cast<uint32_t>(i) < Halide::cast<uint32_t>(n);
}

// The index i, with the promise to Halide that 0 <= i < n. The caller must know that this is true: nothing
// checks it.
inline Halide::Expr promised(Halide::Expr i, Halide::Expr n) {
    return Halide::unsafe_promise_clamped(i, 0, n - 1);
}

// piece ^ turn, for numbers below `pieces`, a power of two, of which Halide knows the bounds.
inline Halide::Expr exchanged(const Halide::Expr &piece, const Halide::Expr &turn, int pieces) {
    Halide::Expr place = 0;
    for (int bit = 1; bit < pieces; bit *= 2) {
        place += (piece / bit + turn / bit) % 2 * bit;
    }
    return place;
}

// As select, but only the value that the condition chooses is computed.
inline Halide::Expr if_else(Halide::Expr condition, Halide::Expr yes, Halide::Expr no) {
    using Halide::Internal::Call;
    return Call::make(yes.type(), Call::if_then_else, {condition, yes, no}, Call::PureIntrinsic);
}

}  // namespace tilewright
