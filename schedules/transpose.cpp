#include "generators/algorithms/transpose/transpose.h"
#include "generators/algorithms/transpose/blocks.h"
#include "generators/algorithms/transpose/configuration.h"
#include "generators/algorithms/transpose/flat.h"
#include "generators/algorithms/transpose/patch.h"
#include "schedules/schedule.h"

namespace tilewright {

namespace {

using Halide::Func;
using Halide::MemoryType;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

Var xi{"xi"}, yi{"yi"}, xo{"xo"}, yo{"yo"}, xv{"xv"}, yv{"yv"},
    block{"block"}, task{"task"}, lane{"lane"}, row_of_lanes{"row_of_lanes"}, step{"step"};

// ---------------------------------------------------------------------------------------------------------- CPU

// One pixel after another.
void reference(Transpose &, Site &) {
}

// Tasks of `grain` blocks of width x height pixels of the output are spread over the cores.
void spread(Transpose &t, int width, int height, int grain, TailStrategy tail) {
    t.out.tile(t.x, t.y, xo, yo, xi, yi, width, height, tail).fuse(xo, yo, block)
        .split(block, task, block, grain, TailStrategy::GuardWithIf).parallel(task);
}

// Block after block of the output: the block's rows of the input are read whole cache lines at a time, turned in squares of `square`
// pixels in registers, and written whole lines at a time. Blocks at the right and at the bottom move inwards. What matters most is
// that blocks are long in the direction of the input: height 64 to 256 took u8 from 19.6 to 10.3 ms (8192 x 8192, two cores).
void blocks(Transpose &t, Site &site) {
    const int width = site["width"], height = site["height"], square = site["square"];
    const int line = 64 / t.in.type().bytes();
    Func turned = t.in.in(t.out), read = t.in.in(turned);
    Var u = turned.args()[0], v = turned.args()[1];

    spread(t, width, height, site["grain"], TailStrategy::ShiftInwards);
    t.out.vectorize(xi, std::min(line, width)).unroll(xi);
    turned.compute_at(t.out, block).reorder_storage(v, u)
        .tile(u, v, xo, yo, xv, yv, square, square).reorder(yv, xv, yo, xo).vectorize(xv).unroll(yv);
    read.compute_at(t.out, block).vectorize(read.args()[0], std::min(line, height)).unroll(read.args()[0]);
}

// As `blocks`, channel by channel: colours are taken apart as they are read and put together as they are written.
void colour_blocks(Transpose &t, Site &site) {
    blocks(t, site);
    const Var c = t.out.args()[2];
    Func turned = t.in.in(t.out), read = t.in.in(turned);
    t.out.reorder(c, xi, yi, block, task).unroll(c);
    read.reorder(read.args()[2], read.args()[0], read.args()[1]).unroll(read.args()[2]);
}

// Pixel by pixel, for images too thin for blocks.
void thin(Transpose &t, Site &site) {
    spread(t, site["width"], site["height"], 1, TailStrategy::GuardWithIf);
}

// ---------------------------------------------------------------------------------------------------------- GPU

// A pixel a thread, straight from memory to memory: a warp writes a row, but reads a column.
void direct(Transpose &t, Site &site) {
    const int tile = site["tile"];
    t.out.tile(t.x, t.y, xo, yo, xi, yi, tile, tile, TailStrategy::GuardWithIf)
        .fuse(xo, yo, block).gpu_blocks(block).gpu_threads(xi, yi);
}

// A patch of 4 x 4 pixels a thread, pixel by pixel: for images whose rows are not whole words.
void patches_by_pixels(Transpose &t, Site &site) {
    t.out.tile(t.x, t.y, xo, yo, xi, yi, 4 * site["across"], 4 * site["down"], TailStrategy::GuardWithIf)
        .tile(xi, yi, xi, yi, xv, yv, 4, 4).fuse(xo, yo, block).gpu_blocks(block).gpu_threads(xi, yi).unroll(xv).unroll(yv);
}

// A patch of 4 x 4 pixels a thread, in registers: four words are read and four are written.
void patches_in_registers(TransposePatches &t, Site &site) {
    t.out.tile(t.p, t.q, xo, yo, xi, yi, site["across"], site["down"], TailStrategy::GuardWithIf)
        .reorder(t.j, t.r, xi, yi, xo, yo).fuse(xo, yo, block).gpu_blocks(block).gpu_threads(xi, yi).unroll(t.j).unroll(t.r);
    Func words = t.in.in(t.turned);
    words.compute_at(t.out, xi).unroll(words.args()[0]).unroll(words.args()[2]);
}

// A block of across x (down patches) patches goes through shared memory. A thread turns `patches` patches in registers, with lanes along
// the rows of the input; then lanes run along the rows of the output. Both sides move whole patch rows (4, 8 or 16 bytes) an instruction,
// and the odd pitch of the shared rows keeps the turn free of bank conflicts.
void patches_in_shared(TransposePatches &t, Site &site) {
    const int across = site["across"], down = site["down"], high = down * site["patches"], bytes = t.bytes;
    const bool whole = bytes != 3;  // a row of a patch is one vector
    Var qi{"qi"}, pi{"pi"}, word{"word"};

    // Blocks at the right and at the bottom move inwards; what two blocks write, they write alike.
    t.out.split(t.p, xo, pi, high, TailStrategy::ShiftInwards).split(t.q, yo, qi, across, TailStrategy::ShiftInwards)
        .split(qi, yv, row_of_lanes, across * down / high);
    if (whole) {
        t.out.split(pi, step, lane, high).vectorize(t.j).reorder(t.j, step, t.r, yv, lane, row_of_lanes, xo, yo);
    } else {
        t.out.reorder(t.j, pi).fuse(t.j, pi, word).split(word, step, lane, high).reorder(step, t.r, yv, lane, row_of_lanes, xo, yo);
    }
    t.out.fuse(lane, row_of_lanes, lane).split(lane, row_of_lanes, lane, across)  // blocks of the shape of the first half's
        .gpu_blocks(xo, yo).gpu_threads(lane, row_of_lanes).unroll(step).unroll(t.r).unroll(yv);

    t.turned.compute_at(t.out, xo).store_in(MemoryType::GPUShared).reorder_storage(t.j, t.p, t.q, t.r)
        .align_storage(t.p, high + 1)
        .split(t.p, t.p, step, site["patches"]).reorder(t.j, t.r, step, t.q, t.p).gpu_threads(t.q, t.p).unroll(t.r).unroll(step);
    if (whole) {
        t.turned.vectorize(t.j);
    } else {
        t.turned.unroll(t.j);
    }
    Func words = t.in.in(t.turned);
    words.compute_at(t.turned, t.q).unroll(words.args()[2]).unroll(words.args()[3]);
    if (whole) {
        words.vectorize(words.args()[0]);
    } else {
        words.unroll(words.args()[0]);
    }
    for (Halide::OutputImageParam &buffer : site.buffers) {
        if (whole) {
            buffer.set_host_alignment(4 * bytes);
            buffer.dim(2).set_stride((buffer.dim(2).stride() / bytes) * bytes);
            buffer.dim(3).set_stride((buffer.dim(3).stride() / bytes) * bytes);
        }
    }
}

// A tile goes through shared memory, whose rows are `pad` pixels longer than the tile's, so that a column spreads over the banks. Lanes
// run along the rows of the input, then along those of the output. Tiles are whole everywhere; what lies outside is not stored.
void tiles_in_shared(TransposeBlocks &t, Site &site) {
    const auto &s = t.shape;
    t.out.gpu_single_thread();  // nothing: the initial values are undefined
    t.out.update().allow_race_conditions()
        .gpu_blocks(t.r[4], t.r[5], t.r[6]).gpu_threads(t.r[2], t.r[3]).unroll(t.r[0]).unroll(t.r[1]);
    t.tile.compute_at(t.out, t.r[4]).store_in(MemoryType::GPUShared)
        .align_storage(t.i, s.width + (s.aligned > 1 ? s.aligned : 0) + site["pad"])
        .split(t.i, xo, t.i, s.down).split(t.j, yo, t.j, s.across).reorder(xo, yo, t.j, t.i)
        .gpu_threads(t.j, t.i).unroll(xo).unroll(yo);
    t.out.never_partition_all();
}

// A block of patches goes through shared memory: aligned words in, aligned words out, shifted together on the way. A second kernel
// writes the bytes at the ends of the rows.
void any_alignment(TransposeFlat &t, Site &site) {
    const auto &s = t.shape;
    const int down = site["down"];
    t.out.gpu_single_thread();    // nothing: the initial values are undefined
    t.edges.gpu_single_thread();  // likewise
    t.out.update().allow_race_conditions()
        .gpu_blocks(t.words[4], t.words[5], t.words[6]).gpu_threads(t.words[2], t.words[3]).unroll(t.words[0]).unroll(t.words[1]);
    t.turned.compute_at(t.out, t.words[4]).store_in(MemoryType::GPUShared).bound(t.j, 0, t.bytes)
        .reorder_storage(t.j, t.p, t.q, t.r).align_storage(t.p, s.groups | 1)
        .split(t.p, t.p, step, s.groups / down).reorder(t.j, t.r, step, t.q, t.p)
        .fuse(t.q, t.p, block).split(block, row_of_lanes, lane, 32, TailStrategy::GuardWithIf)
        .gpu_threads(lane, row_of_lanes).unroll(t.j).unroll(t.r).unroll(step);
    t.raw.bound_extent(t.k, t.bytes + 1).bound_extent(t.q, 1).bound_extent(t.y, 4 * (s.groups / down))
        .compute_at(t.turned, lane).store_in(MemoryType::Register).unroll(t.k).unroll(t.y).unroll(t.q);

    RVar outer{"outer"}, inner{"inner"};
    t.edges.update().allow_race_conditions().split(t.ends.y, outer, inner, 128, TailStrategy::GuardWithIf)
        .reorder(t.ends.x, inner, outer).gpu_blocks(outer).gpu_threads(inner).unroll(t.ends.x);

    site.buffers[0].set_host_alignment(4).dim(0).set_min(0);
    site.buffers[1].set_host_alignment(4).dim(0).set_min(0);
    site.buffers[2].dim(0).set_min(0);
    t.out.never_partition_all();
    t.edges.never_partition_all();
}

}  // namespace

static const Rows &rows() {
    const TransposeConfiguration whole{.at_least_a_block = true};
    const TransposeBlocksConfiguration anywhere{}, diagonal{.diagonal = true};
    const TransposePatchesConfiguration any_size{}, whole_patches{.at_least_a_block = true};
    const TransposeFlatConfiguration flat{};
    static const Rows table = {
        row("reference", cpu, "u8 u16 f32 rgb8", reference),
        automatic<Transpose>("auto", cpu, "u8 u16 f32 rgb8", "Mullapudi2016"),
        automatic<Transpose>("auto", gpu, "u8", "Anderson2021"),
        family("tuned", {
            row("tuned_blocks", cpu, "u8", blocks, whole, {{"width", 64}, {"height", 256, 64, 512}, {"square", 16, 8, 64}, {"grain", 32, 1, 128}}),
            row("tuned_blocks", cpu, "u16", blocks, whole, {{"width", 64}, {"height", 128, 64, 512}, {"square", 16, 8, 64}, {"grain", 32, 1, 128}}),
            row("tuned_blocks", cpu, "f32", blocks, whole, {{"width", 64}, {"height", 128, 64, 512}, {"square", 8, 4, 16}, {"grain", 32, 1, 128}}),
            row("tuned_blocks", cpu, "rgb8", colour_blocks, whole,
                {{"width", 64}, {"height", 128, 64, 512}, {"square", 16, 8, 64}, {"grain", 32, 1, 128}}),
            row("tuned_squares", cpu, "u8 u16", blocks, whole, {{"width", 16}, {"height", 16}, {"square", 16}, {"grain", 256, 1, 1024}}),
            row("tuned_squares", cpu, "f32", blocks, whole, {{"width", 16}, {"height", 16}, {"square", 8}, {"grain", 256, 1, 1024}}),
            row("tuned_squares", cpu, "rgb8", colour_blocks, whole, {{"width", 16}, {"height", 16}, {"square", 16}, {"grain", 256, 1, 1024}}),
            row("tuned_any", cpu, "u8 u16 f32 rgb8", thin, {{"width", 1024}, {"height", 64}}),
        }),

        row("direct", gpu, "u8", direct, {{"tile", 16, 8, 32}}),
        row("shared", gpu, "u8", tiles_in_shared, anywhere, {{"width", 16}, {"height", 16}, {"across", 16}, {"down", 16}, {"pad", 0}}),
        row("padded", gpu, "u8", tiles_in_shared, anywhere, {{"width", 16}, {"height", 16}, {"across", 16}, {"down", 16}, {"pad", 4, 1, 16}}),
        row("diagonal", gpu, "u8", tiles_in_shared, diagonal, {{"width", 16}, {"height", 16}, {"across", 16}, {"down", 16}, {"pad", 4, 1, 16}}),
        family("vector4", {
            row("vector4_aligned", gpu, "u8", patches_in_registers, any_size, {{"across", 16, 4, 32}, {"down", 16, 4, 32}}),
            row("vector4_any", gpu, "u8", patches_by_pixels, {{"across", 16, 4, 32}, {"down", 16, 4, 32}}),
        }),

        family("tuned", {
            row("tuned_aligned", gpu, "u8", patches_in_shared, whole_patches, {{"across", 32, 16, 32}, {"down", 8, 4, 16}, {"patches", 4, 1, 4}}),
            row("tuned_aligned", gpu, "u16", patches_in_shared, whole_patches, {{"across", 32, 16, 32}, {"down", 8, 4, 16}, {"patches", 4, 1, 4}}),
            row("tuned_aligned", gpu, "f32", patches_in_shared, whole_patches, {{"across", 16, 16, 32}, {"down", 16, 4, 16}, {"patches", 1, 1, 4}}),
            row("tuned_aligned", cuda, "rgb8", patches_in_shared, TransposePatchesConfiguration{.permute = true, .at_least_a_block = true},
                {{"across", 32, 16, 32}, {"down", 8, 4, 16}, {"patches", 2, 1, 4}}),
            row("tuned_aligned", opencl, "rgb8", patches_in_shared, whole_patches,
                {{"across", 32, 16, 32}, {"down", 8, 4, 16}, {"patches", 2, 1, 4}}),
            row("tuned_any", cuda, "u8", any_alignment, flat, {{"groups", 33}, {"down", 11}, {"patches", 32}, {"rows", 8}, {"words", 1}}),
            row("tuned_any", opencl, "u8", any_alignment, flat, {{"groups", 32}, {"down", 16}, {"patches", 32}, {"rows", 16}, {"words", 1}}),
            row("tuned_any", gpu, "rgb8", any_alignment, flat, {{"groups", 32}, {"down", 16}, {"patches", 16}, {"rows", 8}, {"words", 3}}),
            row("tuned_any", gpu, "u16", tiles_in_shared, TransposeBlocksConfiguration{.aligned = 16},
                {{"width", 128}, {"height", 64}, {"across", 32}, {"down", 8}, {"pad", 2}}),
            row("tuned_any", gpu, "f32", tiles_in_shared, TransposeBlocksConfiguration{.aligned = 8},
                {{"width", 128}, {"height", 64}, {"across", 32}, {"down", 8}, {"pad", 1}}),
        }),
    };
    return table;
}

static const Table table("transpose", rows);

}  // namespace tilewright
