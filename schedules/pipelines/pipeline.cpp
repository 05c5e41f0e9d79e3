// The schedules of fused pipelines on GPUs and CPUs, and the table of the variants that only pipelines have.
#include "schedules/pipelines/pipeline.h"
#include "generators/algorithms/transpose/transpose.h"
#include "schedules/gaussian_blur/gaussian_blur_two_kernels.h"
#include "schedules/shared_moves.h"
#include <algorithm>

namespace tilewright {

using Halide::Target;

namespace {

Var xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"}, yv{"yv"}, block{"block"}, task{"task"}, thread{"thread"},
    iteration{"turn"};
Var segment{"segment"}, lane{"lane"}, line{"line"}, lo{"lo"}, li{"li"}, bo{"bo"}, bi{"bi"};

// ------------------------------------------------------------------------------------------------------- GPU

// The second kernel of sums: a few lines per thread block, whose threads share the bands of each line.
void total_on_gpu(BandSum &form) {
    form.out.split(form.line, xo, xi, 32, TailStrategy::GuardWithIf)
        .gpu_blocks(xo)
        .gpu_threads(xi)
        .never_partition_all();
    form.collected.compute_at(form.out, xo)
        .store_in(MemoryType::GPUShared)
        .reorder_storage(form.line, form.term)
        .reorder(form.line, form.term)
        .gpu_threads(form.line, form.term);
    form.collecting.compute_at(form.collected, form.line)
        .store_in(MemoryType::Register)
        .update()
        .unroll(form.each, 4, TailStrategy::GuardWithIf);
}

// A thread computes a piece of a tile's row or column in registers, and tiles are in shared memory.
class FusedOnGpu : public FusedSchedule {
public:
    static constexpr int width = 128, height = 32;

    bool reflects_once() const override {
        return true;
    }
    bool weights_in_table() const override {
        return false;
    }
    int in_band(bool) const override {
        return height;  // also along rows: pieces of rows keep all threads of a block busy
    }
    int partial_sums() const override {
        return 8;
    }

    LoopLevel image(Func out, bool transposed, bool is_output) const override {
        const Var x = out.args()[0], y = out.args()[1];
        const TailStrategy tail = is_output ? TailStrategy::GuardWithIf : TailStrategy::RoundUp;
        if (transposed) {  // neighbouring threads write along the output's rows
            const int at_once = width / height;
            out.tile(x, y, xo, yo, xi, yi, height, width, tail)
                .split(yi, yi, yv, at_once)
                .fuse(xi, yv, thread)
                .reorder(yi, thread, xo, yo);
        } else {
            out.tile(x, y, xo, yo, thread, yi, width, height, tail).reorder(yi, thread, xo, yo);
        }
        out.fuse(xo, yo, block).gpu_blocks(block).gpu_threads(thread).never_partition_all();
        return {out, block};
    }

    LoopLevel sums(BandSum &form, bool along_rows) const override {
        const int lines = along_rows ? height : width;
        form.of_band.compute_root()
            .split(form.line, lo, li, lines, TailStrategy::RoundUp)
            .split(form.band, bo, bi, width / lines, TailStrategy::RoundUp)
            .reorder(li, bi, lo, bo)
            .fuse(li, bi, thread)
            .fuse(lo, bo, block)
            .gpu_blocks(block)
            .gpu_threads(thread)
            .never_partition_all();
        form.adding.compute_at(form.of_band, thread)
            .store_in(MemoryType::Register)
            .update()
            .unroll(form.k, 8);
        total_on_gpu(form);
        return {form.of_band, block};
    }

    // Down columns: a thread computes the rows of one column of the tile, with its pixels and accumulators in
    // registers. The results go to shared memory. Along rows: a thread reads a window of 8 outputs from there
    // into registers.
    void blur_tile(GaussianBlur &blur, LoopLevel level) const override {
        const int window = 8, segments = width / window, at_once = width / segments;
        const Var x = blur.x, y = blur.y;
        in_shared(blur.out, level);
        blur.out.split(x, segment, lane, window)
            .split(y, iteration, line, at_once)
            .reorder(lane, iteration, segment, line)
            .fuse(segment, line, thread)
            .reorder(lane, iteration, thread)
            .gpu_threads(thread)
            .unroll(lane)
            .never_partition_all();
        blur.along_sum.compute_at(blur.out, iteration).store_in(MemoryType::Register).unroll(x).unroll(y);
        blur.along_sum.update().reorder(x, y, blur.j).unroll(x).unroll(y).unroll(blur.j);
        blur.down.in(blur.along_sum)
            .compute_at(blur.out, iteration)
            .store_in(MemoryType::Register)
            .unroll(x)
            .unroll(y);

        blur.down.compute_at(level)
            .store_in(MemoryType::GPUShared)
            .align_storage(x, 4)
            .reorder(y, x)
            .gpu_threads(x)
            .unroll(y)
            .never_partition_all();
        blur.down_sum.compute_at(blur.down, x).store_in(MemoryType::Register).unroll(x).unroll(y);
        blur.down_sum.update().reorder(x, y, blur.i).unroll(x).unroll(y).unroll(blur.i);
        blur.extended.compute_at(blur.down, x).store_in(MemoryType::Register).unroll(x).unroll(y);
    }

    void image_tile(Func tile, LoopLevel level) const override {
        in_shared(tile, level);
        const Var x = tile.args()[0], y = tile.args()[1];
        tile.reorder(y, x).gpu_threads(x).unroll(y, 8).never_partition_all();
    }

    // Shared memory is read by columns as fast as by rows.
    void transposed_tile(Func, LoopLevel) const override {}

private:
    // Puts a tile into shared memory. Its rows are a word longer than they need to be, so that the elements
    // of a column are in different banks.
    static void in_shared(Func tile, const LoopLevel &level) {
        const int bytes = tile.type().bytes();
        tile.compute_at(level)
            .store_in(MemoryType::GPUShared)
            .bound_extent(tile.args()[0], width)
            .bound_extent(tile.args()[1], height)
            .align_storage(tile.args()[0], width + std::max(1, 4 / bytes));
    }
};

// ------------------------------------------------------------------------------------------------------- CPU

// Tiles are spread over the cores, and stay in the cache.
class FusedOnCpu : public FusedSchedule {
public:
    static constexpr int width = 256, height = 64;

    explicit FusedOnCpu(const Target &target) : target_(target) {}
    bool reflects_once() const override {
        return false;
    }
    bool weights_in_table() const override {
        return true;
    }
    int in_band(bool along_rows) const override {
        return along_rows ? width : height;
    }
    int partial_sums() const override {
        return 1;
    }

    LoopLevel image(Func out, bool transposed, bool is_output) const override {
        const TailStrategy tail = is_output ? TailStrategy::GuardWithIf : TailStrategy::RoundUp;
        const int across = transposed ? height : width, down = transposed ? width : height;
        out.tile(out.args()[0], out.args()[1], xo, yo, xi, yi, across, down, tail)
            .fuse(xo, yo, task)
            .parallel(task)
            .vectorize(xi, target_.natural_vector_size(out.type()));
        return {out, task};
    }

    LoopLevel sums(BandSum &form, bool along_rows) const override {
        const int lines = along_rows ? height : width,
                  lanes = target_.natural_vector_size(form.adding.type());
        const bool floats = form.adding.type().is_float();
        form.of_band.compute_root()
            .split(form.line, lo, li, lines, TailStrategy::RoundUp)
            .fuse(lo, form.band, task)
            .parallel(task)
            .vectorize(li, lanes);
        form.adding.compute_at(form.of_band, task).vectorize(form.line, lanes);
        if (!along_rows) {
            form.adding.update().reorder(form.line, form.k).vectorize(form.line, lanes);
        } else if (!floats) {
            form.adding.update().atomic().vectorize(form.k, lanes);
        }
        form.out.split(form.line, xo, xi, 64, TailStrategy::GuardWithIf);
        form.collecting.compute_at(form.out, xo).vectorize(form.line, lanes, TailStrategy::RoundUp);
        form.collecting.update()
            .reorder(form.line, form.each)
            .vectorize(form.line, lanes, TailStrategy::RoundUp);
        return {form.of_band, task};
    }

    // The tile and its halo stay in the cache. Each pass computes a few vectors at a time in registers.
    void blur_tile(GaussianBlur &blur, LoopLevel level) const override {
        const Var x = blur.x, y = blur.y;
        const int lanes = target_.natural_vector_size(blur.down_sum.type()), vectors = 4 * lanes;
        auto pass = [&](Func stage, Func sum, Halide::RVar tap) {
            stage.compute_at(level)
                .split(x, xo, x, vectors, TailStrategy::RoundUp)
                .reorder(x, y, xo)
                .vectorize(x, lanes)
                .unroll(x);
            sum.compute_at(stage, y)
                .vectorize(x, lanes)
                .unroll(x)
                .update()
                .reorder(x, tap)
                .vectorize(x, lanes)
                .unroll(x);
        };
        pass(blur.out, blur.along_sum, blur.j);
        pass(blur.down, blur.down_sum, blur.i);
        blur.extended.compute_at(level).vectorize(x, lanes, TailStrategy::RoundUp);
        blur.columns.compute_root().vectorize(x, lanes);
    }

    void image_tile(Func tile, LoopLevel level) const override {
        tile.compute_at(level).vectorize(
            tile.args()[0], target_.natural_vector_size(tile.type()), TailStrategy::RoundUp);
    }

    // Whole cache lines are read, and squares are transposed in registers.
    void transposed_tile(Func tile, LoopLevel level) const override {
        Func transposed = tile.in();
        in_squares(
            transposed.compute_at(level), std::min(16, 64 / tile.type().bytes()), TailStrategy::RoundUp);
    }

private:
    Target target_;
};

// ---------------------------------------------------------------------------- variants of staged pipelines

// One thread per pixel, which computes all its channels, from global memory to global memory.
void transpose_colours(TransposeColours &t, ScheduleContext &context) {
    const Var c = t.out.args()[2];
    tiles_over_blocks(
        t.out, t.x, t.y, block, xi, yi, context["tile"], context["tile"], TailStrategy::GuardWithIf);
    t.out.bound(c, 0, t.channels).reorder(c, xi, yi, block).unroll(c);
}

// The same on a CPU, pixel after pixel within a tile.
void transpose_colours_in_tiles(TransposeColours &t, ScheduleContext &context) {
    const Var c = t.out.args()[2];
    t.out.tile(t.x, t.y, xo, yo, xi, yi, context["width"], context["height"], TailStrategy::GuardWithIf)
        .fuse(xo, yo, task)
        .parallel(task)
        .bound(c, 0, t.channels)
        .reorder(c, xi, yi, task)
        .unroll(c);
}

// One block of the output after another, on a CPU. A block's rows of the input are read by whole cache lines,
// transposed in registers by squares of `square` x `square` pixels, and written by whole lines. Blocks that
// would cross the right or the bottom edge move inwards, so all blocks are whole. The operator's own variants
// are faster, but their form (generators/algorithms/transpose/squares.h) sees an image as one row of elements
// in memory, and a stage of a pipeline is a Func of rows and columns.
void transpose_blocks(Transpose &t, ScheduleContext &context) {
    const int width = context["width"], height = context["height"], square = context["square"];
    const int line = 64 / t.in.type().bytes();
    Func transposed = t.in.in(t.out), read = t.in.in(transposed);
    t.out.tile(t.x, t.y, xo, yo, xi, yi, width, height, TailStrategy::ShiftInwards)
        .fuse(xo, yo, block)
        .split(block, task, block, context["blocks_per_task"], TailStrategy::GuardWithIf)
        .parallel(task)
        .vectorize(xi, std::min(line, width))
        .unroll(xi);
    in_squares(transposed.compute_at(t.out, block), square);
    read.compute_at(t.out, block).vectorize(read.args()[0], std::min(line, height)).unroll(read.args()[0]);
}

// As `transpose_blocks`, each channel by itself: the channels are separated when pixels are read, and
// interleaved when they are written.
void transpose_colour_blocks(Transpose &t, ScheduleContext &context) {
    transpose_blocks(t, context);
    const Var c = t.out.args()[2];
    Func transposed = t.in.in(t.out), read = t.in.in(transposed);
    t.out.reorder(c, xi, yi, block, task).unroll(c);
    read.reorder(read.args()[2], read.args()[0], read.args()[1]).unroll(read.args()[2]);
}

// Two kernels. First, one thread per line of a band, with the bands spread over thread blocks. Then a few
// lines per thread block, whose threads add the bands of each line; their sums meet in shared memory.
void bands_over_blocks(BandSum &form, ScheduleContext &) {
    form.of_band.compute_root()
        .split(form.line, lo, li, 128, TailStrategy::RoundUp)
        .reorder(li, lo, form.band)
        .fuse(lo, form.band, block)
        .gpu_blocks(block)
        .gpu_threads(li)
        .never_partition_all();
    form.adding.compute_at(form.of_band, li).store_in(MemoryType::Register).update().unroll(form.k, 8);
    total_on_gpu(form);
}

}  // namespace

std::shared_ptr<const FusedSchedule> fused_schedule(const Target &target) {
    if (target.has_gpu_feature()) {
        return std::make_shared<FusedOnGpu>();
    }
    return std::make_shared<FusedOnCpu>(target);
}

void constant_weights(GaussianBlur &blur, Func weight, int radius, int rows) {
    const int most_unrolled = 40;
    blur.along_sum.bound_extent(blur.y, rows);
    if (radius <= most_unrolled) {
        blur.down_sum.update().unroll(blur.i);
        blur.along_sum.update().unroll(blur.j);
    } else {
        weight.compute_root().gpu_single_thread();
    }
}

// The variants of stages that no operator has by itself. They are not in the operators' tables, because no
// library is built from them.
static const ScheduleVariants &variants() {
    static const ScheduleVariants table = {
        variant("transpose_blocks", cpu, "u8", transpose_blocks,
            {{"width", 64}, {"height", 256, 64, 512}, {"square", 16, 8, 64},
                {"blocks_per_task", 32, 1, 128}}),
        variant("transpose_blocks", cpu, "u16", transpose_blocks,
            {{"width", 64}, {"height", 128, 64, 512}, {"square", 16, 8, 64},
                {"blocks_per_task", 32, 1, 128}}),
        variant("transpose_blocks", cpu, "f32", transpose_blocks,
            {{"width", 64}, {"height", 128, 64, 512}, {"square", 8, 4, 16}, {"blocks_per_task", 32, 1, 128}}),
        variant("transpose_blocks", cpu, "rgb8", transpose_colour_blocks,
            {{"width", 64}, {"height", 128, 64, 512}, {"square", 16, 8, 64},
                {"blocks_per_task", 32, 1, 128}}),
        variant("transpose_colours", cpu, "u8", transpose_colours_in_tiles, {{"width", 64}, {"height", 64}}),
        variant("transpose_colours", gpu, "u8", transpose_colours, {{"tile", 16, 8, 32}}),
        variant("bands_over_blocks", gpu, "u8", bands_over_blocks, {{"in_band", 128}, {"terms", 8}}),
        variant("blur_columns", gpu, "u8 u16 f32 f16 bf16", gaussian_blur_two_kernels::columns,
            {{"width", 64, 32, 128}, {"height", 2, 2, 8}, {"rows", 8, 2, 16}}),
        variant("blur_pixels", gpu, "u8 u16 f32 f64 f16 bf16",
            gaussian_blur_two_kernels::separable<GaussianBlur>,
            {{"width", 32, 16, 128}, {"height", 8, 1, 16}}),
    };
    return table;
}

static const Table table("pipeline", variants);

}  // namespace tilewright
