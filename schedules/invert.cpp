#include "generators/invert.h"
#include "schedules/schedule.h"

namespace tilewright {

namespace {

using Halide::TailStrategy;
using Halide::Var;

Var xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, block{"block"};

// One pixel after another.
void reference(Invert &, Site &) {
}

// A vector at a time, rows spread over the cores.
void vectors(Invert &invert, Site &site) {
    invert.out.vectorize(invert.x, site["lanes"], TailStrategy::GuardWithIf).parallel(invert.y, 16, TailStrategy::GuardWithIf);
}

// A pixel a thread. Blocks are counted along one axis: the second one of a grid ends at 65535.
void direct(Invert &invert, Site &site) {
    invert.out.tile(invert.x, invert.y, xo, yo, xi, yi, site["width"], site["height"], TailStrategy::GuardWithIf)
        .fuse(xo, yo, block).gpu_blocks(block).gpu_threads(xi, yi);
}

}  // namespace

const Rows &rows() {
    static const Rows table = {
        row("reference", cpu, "u8", reference),
        row("tuned", cpu, "u8", vectors, {{"lanes", 64, 16, 64}}),
        row("tuned", gpu, "u8", direct, {{"width", 32, 16, 128}, {"height", 8, 1, 16}}),
        automatic<Invert>("auto", cpu, "u8", "Mullapudi2016"),
        automatic<Invert>("auto", gpu, "u8", "Anderson2021"),
    };
    return table;
}

}  // namespace tilewright
