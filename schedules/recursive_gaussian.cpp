// The schedules of recursive_gaussian, and the table of its variants. Those on CPUs:
// schedules/recursive_gaussian/recursive_gaussian_cpu.h; those in tiles:
// schedules/recursive_gaussian/recursive_gaussian_tiles.h.
#include "generators/algorithms/recursive_gaussian/recursive_gaussian.h"
#include "generators/algorithms/recursive_gaussian/configuration.h"
#include "generators/algorithms/recursive_gaussian/tile_size.h"
#include "generators/algorithms/recursive_gaussian/transposed_copies.h"
#include "schedules/diagonal_blocks.h"
#include "schedules/recursive_gaussian/recursive_gaussian_cpu.h"
#include "schedules/recursive_gaussian/recursive_gaussian_tiles.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"

namespace tilewright {

namespace {

Var xi{"xi"}, yi{"yi"}, xo{"xo"}, yo{"yo"}, block{"block"}, lane{"lane"};

// --------------------------------------------------------------------------------- GPU: the documented steps

// One thread per line, which filters it from one end to the other and back. The two filters are separate
// kernels. A filter is a Func that reads itself, so all of its state is stored for each sample. In memory
// the samples of a line follow each other, or, `side_by_side`, those of the same place in all lines.
void thread_per_line(RecursiveLines along, int threads, int samples, bool side_by_side) {
    for (Func f : {along.causal, along.anticausal}) {
        f.compute_root();
        if (side_by_side) {
            f.reorder_storage(along.v, along.i, along.c);
        }
        f.update(0)
            .split(along.v, block, lane, threads, TailStrategy::GuardWithIf)
            .gpu_blocks(block)
            .gpu_threads(lane);
        f.update(1)
            .split(along.v, block, lane, threads, TailStrategy::GuardWithIf)
            .reorder(along.n, lane, block, along.c)
            .gpu_blocks(block)
            .gpu_threads(lane)
            .unroll(along.n.x, samples, TailStrategy::GuardWithIf);
    }
}

// The result of the filters as pixels.
void store(Func out, ScheduleContext &context) {
    const int width = context["width"], height = context["height"];
    tiles_over_blocks(
        out, out.args()[0], out.args()[1], block, xi, yi, width, height, TailStrategy::GuardWithIf);
}

// One thread per row, then one thread per column. Neighbouring threads read pixels that are a row apart in
// the first case, and side by side in the second.
void columns(RecursiveGaussian &blur, ScheduleContext &context) {
    thread_per_line(blur.along_x, context["threads"], context["samples"], false);
    thread_per_line(blur.along_y, context["threads"], context["samples"], true);
    store(blur.out, context);
}

// Computes `copy`, which has the samples i of all lines v side by side, tile by tile: a tile of `lines` is
// computed in shared memory, in the order in which its pixels are in memory, and is written in the order of
// the copy. The shared rows are `pad` pixels longer than the tile's.
void transpose(
    Func lines, Func copy, const Var &i, const Var &v, ScheduleContext &context, bool in_diagonals) {
    const int side = context["side"], pad = context["pad"];
    copy.compute_root();
    const auto tiles = [&](Halide::Stage stage, TailStrategy at_edges) {
        stage.tile(i, v, xo, yo, xi, yi, side, side, at_edges).reorder(yi, xi, xo, yo);
        if (in_diagonals) {
            blocks_along_diagonals(stage, xo, yo, block, context["square"]);
        } else {
            stage.gpu_blocks(xo, yo);
        }
        stage.gpu_threads(yi, xi);
    };
    if (in_diagonals) {  // tiles of one size, as in schedules/transpose/transpose_steps.h
        const Halide::OutputImageParam in = context.buffers[0];
        tiles(copy.specialize(in.width() >= side && in.height() >= side), TailStrategy::ShiftInwards);
    }
    tiles(copy, TailStrategy::GuardWithIf);
    const Var x = lines.args()[0], y = lines.args()[1], part_x{"part_x"}, part_y{"part_y"};
    lines.compute_at(copy, in_diagonals ? block : xo)
        .store_in(MemoryType::GPUShared)
        .bound_storage(x, side + pad)  // where a tile crosses an edge, its size is known only at run time
        .bound_storage(y, side)
        .split(x, part_x, xi, side, TailStrategy::PredicateLoads)  // each has one part
        .split(y, part_y, yi, side, TailStrategy::PredicateLoads)
        .reorder(xi, yi, part_x, part_y)
        .gpu_threads(xi, yi);
}

// The same for the definition, of which the filters `along` read the copy.
void transpose(Func lines, const RecursiveLines &along, ScheduleContext &context, bool in_diagonals) {
    Func copy = lines.in({along.causal, along.anticausal});
    const Var u = copy.args()[0], v = copy.args()[1], c = copy.args()[2];
    copy.reorder_storage(v, u, c);
    transpose(lines, copy, u, v, context, in_diagonals);
}

// Transposes, filters the columns, transposes back, and filters the columns: neighbouring threads always read
// pixels that are side by side. `in_diagonals`: blocks that run at the same time write to different places of
// the memory's partitions.
template<bool in_diagonals>
void transposed(RecursiveGaussian &blur, ScheduleContext &context) {
    transpose(blur.row, blur.along_x, context, in_diagonals);
    thread_per_line(blur.along_x, context["threads"], context["samples"], true);
    transpose(blur.column, blur.along_y, context, in_diagonals);
    thread_per_line(blur.along_y, context["threads"], context["samples"], true);
    store(blur.out, context);
}

// As transposed, with copies of other types or in other memory. An image of the device is read and written by
// two coordinates, and one kernel cannot do both.
void copies(RecursiveGaussianCopies &blur, ScheduleContext &context) {
    if (context.configuration<RecursiveGaussianCopiesConfiguration>().textures) {
        blur.rows.store_in(MemoryType::GPUTexture);
        blur.columns.store_in(MemoryType::GPUTexture);
    }
    transpose(blur.row, blur.rows, blur.i, blur.v, context, false);
    thread_per_line(blur.along_x, context["threads"], context["samples"], true);
    transpose(blur.column, blur.columns, blur.i, blur.v, context, false);
    thread_per_line(blur.along_y, context["threads"], context["samples"], true);
    store(blur.out, context);
}

const RecursiveGaussianConfiguration coloured{.colours = true};
const RecursiveGaussianConfiguration near{.near = true}, coloured_near{.colours = true, .near = true},
    coloured_two{.colours = true, .two_sigmas = true};

// A variant for images of one channel.
ScheduleVariant grey(ScheduleVariant variant) {
    return std::move(variant).serves("channels", {.most = 1});
}

// One band has no edges. Bands with carries cost no more than filtering all rows and then all columns from
// about this size on. Measured with bands of 64 rows on two cores of an AMD EPYC (Zen 4, 2026-11-22): at
// 256 x 256 the two are equal, at 100 x 100 bands take 1.8 times as long, at 4096 x 4096 .7.
ScheduleVariant in_bands(ScheduleVariant variant) {
    return std::move(variant)
        .serves("height", {.least = recursive_band + 1})
        .meant_for("height", {.least = 2 * recursive_tile})
        .meant_for("width", {.least = 256});
}

ScheduleVariants tuned_cpu_variants() {
    using recursive_gaussian_cpu::bands, recursive_gaussian_cpu::line, recursive_gaussian_cpu::strips;
    const std::vector<Tunable> of_strips = {{"run", 8, 4, 16}, {"row_vectors", 1, 1, 4},
        {"strip", 64, 16, 256}, {"chunk", 64, 64, 512}, {"strips", 8, 1, 32}};
    const std::vector<Tunable> of_bands = {{"run", 4, 4, 16}, {"row_vectors", 1, 1, 3},
        {"strip", 128, 64, 512}, {"chunk", 128, 64, 512}, {"sum_vectors", 32, 2, 256}};
    return family("tuned",
        {
            grey(variant("tuned_line", cpu, "u8 u16 f32", line, {{"run", 8, 4, 16}}))
                .serves("shorter_side", {.most = 1})
                .kept_for("images of one row or one column")
                .says("One row or one column, sample after sample, without the filters of the other axis."),
            in_bands(grey(variant("tuned_bands", cpu, "u8 u16 f32", bands, of_bands)))
                .says("Bands of rows over the cores: what enters each band is found first."),
            in_bands(variant("tuned_colour_bands", cpu, "u8 u16 f32", bands, coloured, of_bands))
                .says("As tuned_bands, for any number of channels."),
            grey(variant("tuned_narrow", cpu, "u8 u16 f32", strips,
                     {{"run", 8, 4, 16}, {"row_vectors", 1, 1, 4}, {"strip", 16, 16, 256},
                         {"chunk", 64, 64, 512}, {"strips", 8, 1, 32}}))
                .meant_for("elements", {.most = 16})
                .says("As tuned_any, in strips of 16 samples, for rows that have no more."),
            grey(variant("tuned_grey", cpu, "u8 u16 f32", strips, of_strips))
                .says("As tuned_any, for one channel."),
            variant("tuned_any", cpu, "u8 u16 f32 f64 f16 bf16", strips, coloured, of_strips)
                .says("Strips of lines over the cores; a vector filters neighbouring lines at once."),
        });
}

ScheduleVariants blocks_variants() {
    using namespace recursive_gaussian_tiles;
    return family("blocks", {
                                grey(variant("blocks_near", gpu, "u8 u16 f32", tiles_aligned, near, settings))
                                    .in("tuned")
                                    .registers("kernel_carries_filtered", 128)
                                    .registers("", 96)
                                    .says("As blocks_aligned, without scans, for sigmas up to 5: a tile's "
                                          "neighbours alone add."),
                                grey(variant("blocks_aligned", gpu, "u8 u16 f32", tiles_aligned, settings))
                                    .in("tuned")
                                    .registers("kernel_carries_filtered", 168)
                                    .registers("", 96)
                                    .says("Tiles in parallel: what enters each tile is found first; for "
                                          "whole tiles."),
                                grey(variant("blocks_any", gpu, "f32", tiles_of_any_size, settings))
                                    .registers("kernel_tails", 168)
                                    .registers("kernel_carries_filtered", 168)
                                    .registers("", 128)
                                    .says("Tiles in parallel: what enters each tile is found first; for any "
                                          "size."),
                            });
}

// Tiles of images of any size and any number of channels: for sigmas up to 5, and for all.
ScheduleVariants coloured_tiles() {
    using namespace recursive_gaussian_tiles;
    const std::string types = "u8 u16 f32 f16 bf16";
    const auto any = [](const std::string &of_types, const std::vector<Tunable> &tunables) {
        return variant("tuned_any", gpu, of_types, tiles_of_any_size, coloured_two, tunables)
            .registers("kernel_tails", 168)
            .registers("kernel_carries_filtered", 168)
            .registers("", 128)
            .says("As blocks_any, also for colours and another sigma down columns: two reads, one write.");
    };
    return {
        variant("tuned_near", gpu, types, tiles_of_any_size, coloured_near, settings_of_colours())
            .registers("kernel_tails", 168)
            .registers("", 128)
            .says("As tuned_any, without scans, for sigmas up to 5: a tile's neighbours alone add."),
        any(types, settings_of_colours()),
        any("f64", settings_of_f64()),
    };
}

ScheduleVariants tuned_gpu_variants() {
    using namespace recursive_gaussian_tiles;
    return family("tuned", {coloured_tiles()});
}

}  // namespace

static const ScheduleVariants &variants() {
    using namespace recursive_gaussian_tiles;
    using CopiesConfiguration = RecursiveGaussianCopiesConfiguration;
    const Range image_of_device{.most = 16384};  // elements that it has at least along each axis
    const std::vector<Tunable> with_transposes = {{"side", 16, 8, 32}, {"pad", 1, 0, 8},
        {"threads", 64, 32, 256}, {"samples", 8, 1, 16}, {"width", 32, 16, 128}, {"height", 8, 1, 16}};
    std::vector<Tunable> in_diagonals = with_transposes;
    in_diagonals.push_back({"square", 32, 8, 64});
    static const ScheduleVariants table = {
        variant("reference", cpu, "u8 u16 f32 f64 f16 bf16", recursive_gaussian_cpu::reference)
            .with("strict_float")
            .says("Line by line: both filters of all rows, then both filters of all columns."),
        tuned_cpu_variants(),

        variant("columns", gpu, "f32", columns,
            {{"threads", 64, 32, 256}, {"samples", 16, 1, 16}, {"width", 32, 16, 128}, {"height", 8, 1, 16}})
            .with("strict_float")
            .says("One thread per row, then one per column; along rows, neighbours read a row apart."),
        variant("transposed", gpu, "f32", transposed<false>, with_transposes)
            .with("strict_float")
            .says("Filters columns, between transposes in shared memory: all accesses coalesce."),
        variant("diagonal", gpu, "f32", transposed<true>, in_diagonals)
            .with("strict_float")
            .says("As transposed, with the blocks of the transposes walked along diagonals."),
        grey(variant("half", gpu, "f32", copies, CopiesConfiguration{.half = true}, with_transposes))
            .with("strict_float")
            .says("As transposed, with half-precision floats between rows and columns: 11 bits are kept."),
        grey(
            variant("texture", opencl, "f32", copies, CopiesConfiguration{.textures = true}, with_transposes))
            .serves("longer_side", image_of_device)
            .with("strict_float")
            .says("As transposed, with the transposed copies as images of the device."),
        grey(variant("texture_half", opencl, "f32", copies,
                 CopiesConfiguration{.half = true, .textures = true}, with_transposes))
            .serves("longer_side", image_of_device)
            .with("strict_float")
            .says("As texture, with half-precision floats between rows and columns: 11 bits are kept."),
        blocks_variants(),
        tuned_gpu_variants(),
    };
    return table;
}

static const Table table("recursive_gaussian", variants);

}  // namespace tilewright
