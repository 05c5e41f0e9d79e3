#pragma once
// The fast schedules of gaussian_blur on GPUs: both passes in one kernel.
#include "generators/algorithms/gaussian_blur/colours.h"
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/gaussian_blur/window.h"
#include "generators/algorithms/gaussian_blur/window_dot.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::gaussian_blur_gpu {

using Halide::OutputImageParam;

// A window variant: what it says of its form, its tile with the ranges of its numbers, and up to which radius
// it may serve a blur.
struct Tile {
    GaussianBlurWindowConfiguration configuration;
    std::vector<Tunable> tunables;
    int most_radius = configuration.radius;
};

template<typename Form>
ScheduleVariant variant(std::string name, Backends where, std::string types,
    void (*apply)(Form &, ScheduleContext &), const Tile &tile) {
    const auto radius = (double)tile.most_radius, channels = (double)tile.configuration.channels;
    return tilewright::variant(
        std::move(name), where, std::move(types), apply, tile.configuration, tile.tunables)
        .serves("radius", {.most = radius})
        .serves("channels", {.least = channels, .most = channels});
}

// For radii up to `radius`. A thread block computes `columns` pixels of `rows` * `groups` rows. A thread
// computes `rows` pixels of a column (for u8: of four columns), and then windows of `window` pixels.
inline Tile tile(int radius, int columns, int rows, int groups, int window) {
    return {{.radius = radius},
        {{"columns", columns, columns / 4, 2 * columns}, {"rows", rows, rows / 4, 2 * rows},
            {"groups", groups, 1, 4}, {"window", window, 4, 16}}};
}

// The same, with threads that read rows inside the image without any arithmetic of the border. They need
// registers for all rows that they read, so that this is for small radii.
inline Tile in_two_ways(Tile made) {
    made.configuration.two_ways = true;
    return made;
}

// The same, with rows that threads find in a table.
inline Tile by_table(Tile made) {
    made.configuration.table = true;
    return made;
}

// The same for dot products. A window is whole vectors of words, and rows are computed by fours.
inline Tile word_tile(int radius, int high, bool any_width, int columns, int rows, int window) {
    return {{.radius = radius, .high = high, .any_width = any_width},
        {{"columns", columns, columns / 4, 2 * columns}, {"rows", rows, rows / 4, 2 * rows},
            {"groups", 1, 1, 4}, {"window", window, 16, 64}}};
}

// The same for blurs whose radius is one more: their outermost taps for u8 are mostly 0.
inline Tile for_next_radius(Tile made) {
    made.most_radius++;
    return made;
}

// The same for images of so many channels.
inline Tile colour_tile(int channels, int radius, int columns, int rows, int window) {
    return {{.radius = radius, .channels = channels, .high = ceil_div(radius, 4)},
        {{"columns", columns, columns / 4, 2 * columns}, {"rows", rows, rows - 8, rows + 8},
            {"groups", 1, 1, 4}, {"window", window, window, 2 * window}}};
}

// Promises that accesses of 16 bytes are aligned. The front only calls these variants for such buffers.
inline void rows_of_16_bytes(OutputImageParam buffer, int elements) {
    buffer.set_host_alignment(16);
    buffer.dim(0).set_min(0);
    buffer.dim(1).set_min(0).set_stride(multiple_of(elements, buffer.dim(1).stride()));
}

// The lanes of the vectors in which a window is stored: the greatest power of two that divides it, of at most
// 16 bytes. Halide would store other ones to a GPU in parts of 8 bytes, and OpenCL has no vectors of 12
// elements.
inline int lanes_of_window(int window, int bytes) {
    return std::min(window & -window, 16 / bytes);
}

// A load of 16 bytes from shared memory serves eight threads at a time, best if these read from all banks.
// Eight neighbouring windows of more than 16 bytes would not, so that eight threads take the windows of so
// many rows, and a row begins an odd number of 16 bytes after the one above. 1 where the tile does not let
// them.
template<typename Form>
int rows_of_eight(const Form &form) {
    const int rows = std::max(1, form.tile.window / 4);
    const bool fits =
        form.tile.segments() * rows % 8 == 0 && form.tile.rows_at_once(form.workers()) % rows == 0;
    return fits && 8 % rows == 0 ? rows : 1;
}

// Spreads the tiles of the output over thread blocks. In a block, each group of threads computes some rows at
// a time, with one window per thread, and stores 16 bytes at a time.
template<typename Form>
void store_windows(Form &form, int rows_of_eight = 1) {
    const WindowDomain &to = form.to;
    RVar thread("thread"), lane("lane"), segment("segment"), row("row");
    undefined_on_gpu(form.out);
    Halide::Stage stage = form.out.update();
    stage.allow_race_conditions().gpu_blocks(to.block_x, to.block_y);
    if (rows_of_eight > 1) {
        stage.split(to.segment, to.segment, segment, 8 / rows_of_eight)
            .split(to.row, to.row, row, rows_of_eight)
            .fuse(segment, row, segment)
            .fuse(segment, to.segment, to.segment);
    }
    stage.fuse(to.segment, to.row, thread).gpu_threads(thread, to.group).unroll(to.part);
    const int lanes = lanes_of_window(form.tile.window, form.out.type().bytes());
    if (lanes == form.tile.window) {
        stage.vectorize(to.lane);
    } else {
        stage.split(to.lane, to.lane, lane, lanes).unroll(to.lane).vectorize(lane);
    }
}

// Computes the part of `f` that a thread needs for one window, in registers.
template<typename Form>
Func &window_in_registers(Form &form, Func &f) {
    return f.compute_at(form.out, form.to.iteration)
        .store_in(MemoryType::Register)
        .bound_extent(form.x, form.tile.window)
        .bound_extent(form.y, 1);
}

// The pass down columns writes to shared memory, in rows that 16 bytes divide.
template<typename Form>
Func &down_in_shared(Form &form) {
    return form.down.compute_at(form.out, form.to.block_x)
        .store_in(MemoryType::GPUShared)
        .align_bounds(form.x, 4)
        .align_storage(form.x, 4);
}

// The pass along rows, `consumer`, reads its window from there into registers, 16 bytes at a time.
template<typename Form>
void read_down_in_registers(Form &form, Func consumer) {
    form.down.in(consumer)
        .compute_at(form.out, form.to.iteration)
        .store_in(MemoryType::Register)
        .align_bounds(form.x, 4)
        .vectorize(form.x, 4)
        .unroll(form.x)
        .unroll(form.y);
}

template<typename Form>
void finish(Form &form, ScheduleContext &context) {
    form.out.never_partition_all();
    rows_of_16_bytes(context.buffers[0], 1);
    rows_of_16_bytes(context.buffers[1], 4);
}

// Loads the words of an extended image that a thread needs, in registers.
inline void words_in_registers(BorderedWords &words, LoopLevel thread) {
    words.source.compute_at(thread).store_in(MemoryType::Register).unroll(words.y).unroll(words.x);
    if (words.any_width) {
        words.column.compute_at(thread).store_in(MemoryType::Register).unroll(words.x);
        words.picks.compute_at(thread).store_in(MemoryType::Register).unroll(words.x).unroll(words.c);
    }
}

// The rows that a thread reads in two ways are in its registers.
inline void rows_in_two_ways(RowsInTwoWays &rows, LoopLevel thread) {
    rows.row.compute_at(thread)
        .store_in(MemoryType::Register)
        .bound_extent(rows.x, 1)
        .bound_extent(rows.g, 1)
        .unroll(rows.k);
    rows.row.update(0).unroll(rows.inside);
    rows.row.update(1).unroll(rows.elsewhere);
}

// The table of rows is in shared memory, and a thread reads four at a time.
inline void rows_by_table(GaussianBlurWindow &blur) {
    const Var y = blur.y;
    blur.place.compute_at(blur.out, blur.to.block_x)
        .store_in(MemoryType::GPUShared)
        .align_bounds(y, 4)
        .gpu_threads(y);
    blur.place.in(blur.pixel)
        .compute_at(blur.down, blur.x)
        .store_in(MemoryType::Register)
        .align_bounds(y, 4)
        .vectorize(y, 4)
        .unroll(y);
}

// One tile per thread block. Down columns: a thread computes `rows` rows of one column, with its accumulators
// in registers, so that it loads each pixel once for all of them. The results go to shared memory. Along
// rows: a thread reads a window from there into registers, 16 bytes at a time.
inline void window(GaussianBlurWindow &blur, ScheduleContext &context) {
    const Var x = blur.x, y = blur.y, t = blur.t;
    Var group("group"), eight("eight"), of_eight("of_eight");
    const int rows = rows_of_eight(blur);
    store_windows(blur, rows);
    down_in_shared(blur)
        .align_storage(x, rows > 1 ? round_up(blur.workers(), 8) + 4 : 4)
        .split(y, group, y, blur.tile.rows)
        .reorder(y, x, group)
        .gpu_threads(x, group)
        .unroll(y);
    blur.weight.in(blur.down_sum).compute_at(blur.down, x).store_in(MemoryType::Register).unroll(t);
    blur.down_sum.compute_at(blur.down, x).store_in(MemoryType::Register).unroll(x).unroll(y);
    if (blur.two_ways) {
        rows_in_two_ways(*blur.two_ways, LoopLevel(blur.down, x));
    } else {
        blur.pixel.compute_at(blur.down, x).store_in(MemoryType::Register).unroll(x).unroll(y);
    }
    if (blur.table) {
        rows_by_table(blur);
    }
    if (blur.two_ways || blur.table) {  // sums are made eight by eight, which takes fewer registers
        blur.down_sum.update()
            .split(y, eight, of_eight, 8, Halide::TailStrategy::GuardWithIf)
            .reorder(x, of_eight, blur.i, eight)
            .unroll(eight)
            .unroll(of_eight);
    } else {
        blur.down_sum.update().reorder(x, y, blur.i).unroll(y);
    }
    blur.down_sum.update().unroll(x).unroll(blur.i);

    blur.weight.in(blur.along_sum)
        .compute_at(blur.out, blur.to.iteration)
        .store_in(MemoryType::Register)
        .unroll(t);
    read_down_in_registers(blur, blur.along_sum);
    window_in_registers(blur, blur.along_sum).unroll(x).unroll(y);
    blur.along_sum.update().reorder(x, y, blur.j).unroll(x).unroll(y).unroll(blur.j);
    Func &stored = window_in_registers(blur, blur.along);
    if (!blur.converts) {
        stored.vectorize(x, lanes_of_window(blur.tile.window, 4));
    }
    stored.unroll(x).unroll(y);

    finish(blur, context);
}

// The pass down columns by dot products: a thread computes `rows` rows of one word, which it transposes in
// registers. The bytes go to shared memory.
template<typename Form>
void dot_columns(Form &blur) {
    const Var x = blur.x, y = blur.y, c = blur.c, g = blur.g;
    Var group("group");
    down_in_shared(blur)
        .split(y, group, y, blur.tile.rows)
        .reorder(y, x, group)
        .gpu_threads(x, group)
        .unroll(y);
    blur.down_byte.compute_at(blur.down, y).unroll(c).unroll(y);
    blur.transposed.compute_at(blur.down, x)
        .store_in(MemoryType::Register)
        .unroll(c)
        .unroll(blur.k)
        .unroll(g)
        .unroll(x);
    if (blur.two_ways) {
        rows_in_two_ways(*blur.two_ways, LoopLevel(blur.down, x));
    }
}

// One tile per thread block: the pass down columns, and then along rows, where a thread reads a window of
// words from shared memory, 16 bytes at a time.
inline void window_dot(GaussianBlurWindowDot &blur, ScheduleContext &context) {
    store_windows(blur);
    dot_columns(blur);
    if (!blur.two_ways) {
        words_in_registers(blur.words, LoopLevel(blur.down, blur.x));
    }

    read_down_in_registers(blur, blur.along);
    window_in_registers(blur, blur.along).unroll(blur.x).unroll(blur.y);

    finish(blur, context);
}

// As window_dot. Between the passes, each thread makes one word per row of a plane, in shared memory too; the
// places and picks of its word are the same in all rows. Neighbouring threads make words of the same pixels:
// so they read the same words, and no two words of one bank.
inline void colours(GaussianBlurColours &blur, ScheduleContext &context) {
    const Var x = blur.x, y = blur.y, c = blur.c, n = blur.n;
    Var thread("thread"), row("row");
    store_windows(blur);
    dot_columns(blur);
    blur.source.compute_at(blur.down, x).store_in(MemoryType::Register).unroll(y).unroll(x);

    blur.plane.compute_at(blur.out, blur.to.block_x)
        .store_in(MemoryType::GPUShared)
        .align_bounds(n, 4)
        .align_storage(n, 4)
        .bound(c, 0, blur.channels)
        .reorder(c, n, y)
        .fuse(c, n, thread)
        .split(y, y, row, 8)
        .reorder(row, y, thread)
        .unroll(row)
        .gpu_threads(thread);
    for (Func *numbers : {&blur.place, &blur.picks}) {
        numbers->compute_at(blur.plane, thread).store_in(MemoryType::Register).unroll(blur.k);
    }
    blur.plane.in(blur.along)
        .compute_at(blur.out, blur.to.iteration)
        .store_in(MemoryType::Register)
        .align_bounds(n, 4)
        .vectorize(n, 4)
        .unroll(n)
        .unroll(c)
        .unroll(y);
    window_in_registers(blur, blur.along).unroll(x).unroll(y);

    finish(blur, context);
}

// Windows for 16-bit floats, by radius. On an H200 (2026-11-29, ms, f16), with the tiles of 32 rows that
// OpenCL has:
//     1920 x 1080, sigma 1 / 2.25                       .0085 / .0101, tiles of 32 rows .0093 / .0135
//     1920 x 1080, sigma 3 / 5 / 7.5 / 10, tuned_large  .0113 / .0149 / .0193 / .0281
//     the same, tuned_window                            .0137 / .0193 / .0295 / .0297
//     640 x 480, sigma 5 / 7.5 / 10, tuned_large .0136 / .0178 / .0156, tuned_window .0094 / .0128 / .0128
inline ScheduleVariants half_variants() {
    constexpr double large_images = 1000;
    const char *types = "f16 bf16",
               *sentence =
                   "As tuned_window for f32, whose pixels are converted where they are loaded and stored.";
    ScheduleVariants variants;
    const auto add = [&](Backends where, const char *name, const Tile &made, int registers) {
        auto one = variant(
            std::string(name) + "_" + std::to_string(made.configuration.radius), where, types, window, made)
                       .says(sentence);
        if (made.configuration.table) {
            one = std::move(one).meant_for("height", {.least = large_images});
            one = std::move(one).serves("width", {.least = (double)made.tunables.front().value});
        }
        variants.push_back(registers > 0 ? std::move(one).registers("", registers) : std::move(one));
    };
    add(cuda, "tuned_window", in_two_ways(tile(4, 256, 24, 1, 8)), 48);
    add(cuda, "tuned_window", in_two_ways(tile(9, 192, 24, 1, 8)), 56);
    for (const int radius : {12, 20, 30}) {
        add(cuda, "tuned_large", by_table(tile(radius, 384, 48, 1, 8)), 72);
    }
    add(cuda, "tuned_large", by_table(tile(40, 352, 32, 1, 8)), 64);
    add(opencl, "tuned_window", tile(4, 256, 32, 1, 8), 0);
    add(gpu, "tuned_window", tile(12, 256, 32, 1, 8), 0);
    add(gpu, "tuned_window", tile(20, 256, 32, 1, 8), 0);
    add(gpu, "tuned_window", tile(40, 176, 32, 1, 8), 0);
    return variants;
}

}  // namespace tilewright::gaussian_blur_gpu
