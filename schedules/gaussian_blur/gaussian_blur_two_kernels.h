#pragma once
// The schedules of gaussian_blur on GPUs with two kernels, one per pass, and an image between them.
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"

namespace tilewright::gaussian_blur_two_kernels {

inline const Var xi{"xi"}, yi{"yi"}, block{"block"}, row_of_thread{"own"};

// One thread per pixel of a tile. Kernels are not cloned for the border, as that would double their code.
inline void tiles(Func stage, const Var &x, const Var &y, int width, int height, TailStrategy tail) {
    tiles_over_blocks(stage, x, y, block, xi, yi, width, height, tail).never_partition_all();
}

// One thread per pixel in both kernels. The caller says where the image between them is computed.
template<typename Form>
void thread_per_pixel(Form &blur, ScheduleContext &context) {
    const int width = context["width"], height = context["height"];
    tiles(blur.out, blur.x, blur.y, width, height, TailStrategy::GuardWithIf);
    blur.along_sum.compute_at(blur.out, xi);
    tiles(blur.down, blur.x, blur.y, width, height, TailStrategy::RoundUp);
    blur.down_sum.compute_at(blur.down, xi);
}

// Two kernels, with one thread per pixel in each. The results of the first go through global memory.
template<typename Form>
void separable(Form &blur, ScheduleContext &context) {
    blur.down.compute_root();
    thread_per_pixel(blur, context);
}

// Computes the image between the kernels in bands of rows: the rows of the output are divided into as many
// equal bands, of whole tiles of `height` rows, as there must be for a band to have at most `band` * 2^20
// elements. Both kernels run for one band after another, so that the image between them takes the memory of
// one band. The elements that count are its own: a row of it has a radius more at both ends. The pass down
// columns comes first, so that no row is computed twice. In a pipeline, whose sizes are not known, there is
// one band.
template<typename Form>
void in_bands(Form &blur, ScheduleContext &context, int height) {
    if (context.is_stage) {
        blur.down.compute_root();
        return;
    }
    const auto wide = [](const Halide::Expr &number) { return Halide::cast<int64_t>(number); };
    const Var band{"band"};
    const Halide::OutputImageParam out = context.buffers[1];
    const Halide::Expr elements = wide(out.height()) * (out.width() + blur.margins),
                       bands = ceil_div(elements, wide(context["band"]) << 20),
                       tiles = Halide::cast<int>(ceil_div(wide(out.height()), height * bands));
    blur.out.split(blur.y, band, blur.y, max(tiles, 1) * height, TailStrategy::GuardWithIf);
    blur.down.compute_at(blur.out, band);
}

// As separable, in bands of rows.
inline void separable_bands(GaussianBlur &blur, ScheduleContext &context) {
    in_bands(blur, context, context["height"]);
    thread_per_pixel(blur, context);
}

// Two kernels, in bands of rows. In both a thread computes `rows` pixels of a column, so that it loads each
// weight once for all of them. Threads of the second kernel that have no column do nothing: their taps would
// be behind the end of the image between the kernels. Rows without a store are in it, because the first
// kernel computes whole tiles.
inline void columns(GaussianBlurNear &blur, ScheduleContext &context) {
    const int width = context["width"], height = context["height"], rows = context["rows"];
    auto pass = [&](Func stage, Func sum, Halide::RVar tap, TailStrategy of_rows, TailStrategy of_tiles) {
        stage.split(blur.y, blur.y, row_of_thread, rows, of_rows)
            .reorder(row_of_thread, blur.x, blur.y)
            .unroll(row_of_thread);
        tiles(stage, blur.x, blur.y, width, height, of_tiles);
        sum.compute_at(stage, xi).store_in(MemoryType::Register).unroll(blur.y);
        sum.bound_extent(blur.y, rows);  // Halide does not see it where the first row depends on a band
        sum.update().reorder(blur.x, blur.y, tap).unroll(blur.y);
    };
    in_bands(blur, context, height * rows);
    pass(blur.out, blur.along_sum, blur.j, TailStrategy::PredicateStores, TailStrategy::GuardWithIf);
    pass(blur.down, blur.down_sum, blur.i, TailStrategy::RoundUp, TailStrategy::RoundUp);
}

}  // namespace tilewright::gaussian_blur_two_kernels
