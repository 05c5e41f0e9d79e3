// The schedules of sobel, and the table of its variants.
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"
#include "sobel_definition.h"

namespace tilewright {

namespace {

Var xi{"xi"}, yi{"yi"}, block{"block"};

// One pixel after another.
void reference(Sobel &, ScheduleContext &) {}

// A vector at a time, rows spread over the cores.
void vectors(Sobel &sobel, ScheduleContext &context) {
    sobel.out.vectorize(sobel.x, context["lanes"], TailStrategy::GuardWithIf)
        .parallel(sobel.y, 16, TailStrategy::GuardWithIf);
}

// A pixel per thread.
void pixels(Sobel &sobel, ScheduleContext &context) {
    tiles_over_blocks(sobel.out, sobel.x, sobel.y, block, xi, yi, context["width"], context["height"],
        TailStrategy::GuardWithIf);
}

}  // namespace

// Every operator has a variant `reference`, the definition without a schedule, and `tuned`, which callers
// get.
static const ScheduleVariants &variants() {
    static const ScheduleVariants table = {
        variant("reference", cpu, "u8", reference),
        variant("tuned", cpu, "u8", vectors, {{"lanes", 32, 8, 64}}),
        variant("tuned", gpu, "u8", pixels, {{"width", 32, 16, 128}, {"height", 8, 1, 16}}),
    };
    return table;
}

static const Table table("sobel", variants);

}  // namespace tilewright
