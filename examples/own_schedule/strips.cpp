// Schedules of the transpose, as the package's own are written: functions from the definition to nothing, and
// the table of variants.
#include "generators/algorithms/transpose/transpose.h"
#include "schedules/schedule.h"

namespace tilewright {

namespace {

Var xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, step{"step"}, block{"block"};

// GPU: a thread writes a strip of neighbouring pixels, so that the rows it reads are written whole.
void strips(Transpose &t, ScheduleContext &context) {
    t.out
        .tile(t.x, t.y, xo, yo, xi, yi, context["strip"] * context["width"], context["height"],
            TailStrategy::GuardWithIf)
        .split(xi, xi, step, context["strip"])
        .fuse(xo, yo, block)
        .gpu_blocks(block)
        .gpu_threads(xi, yi)
        .unroll(step);
}

// CPU: a core takes tiles, and reads a tile's columns one after the other.
void tiles(Transpose &t, ScheduleContext &context) {
    t.out.tile(t.x, t.y, xo, yo, xi, yi, context["width"], context["height"], TailStrategy::GuardWithIf)
        .fuse(xo, yo, block)
        .parallel(block);
}

}  // namespace

static const ScheduleVariants &variants() {
    static const ScheduleVariants table = {
        variant("strips", gpu, "u8 f32", strips,
            {{"strip", 4, 1, 16}, {"width", 8, 1, 64}, {"height", 32, 1, 64}}),
        variant("strips", cpu, "u8 f32", tiles, {{"width", 64, 8, 512}, {"height", 64, 8, 512}}),
    };
    return table;
}

static const Table table("transpose", variants);

}  // namespace tilewright
