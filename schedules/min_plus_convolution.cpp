#include "generators/algorithms/min_plus_convolution/min_plus_convolution.h"
#include "generators/algorithms/min_plus_convolution/pruned.h"
#include "generators/algorithms/min_plus_convolution/tiles.h"
#include "schedules/schedule.h"

namespace tilewright {

namespace {

using Halide::Func;
using Halide::MemoryType;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

Var block{"block"}, thread{"thread"};

// ---------------------------------------------------------------------------------------------------------- CPU

// One output after another.
void reference(MinPlusConvolution &, Site &) {
}

// A strip of outputs a task, in vectors that stay in registers while i passes: a pair costs one addition, which reads b at any
// alignment, and one minimum.
void strips(MinPlusStrips &m, Site &site) {
    const int lanes = site.target.natural_vector_size(m.b.type());
    m.out.split(m.k, block, m.k, m.width, TailStrategy::GuardWithIf).vectorize(m.k, lanes).parallel(block);
    m.of_strip.compute_at(m.out, block).store_in(MemoryType::Stack).bound_extent(m.x, m.width).vectorize(m.x, lanes).unroll(m.x);
    m.of_strip.update().reorder(m.x, m.r.x, m.r.y, m.q).vectorize(m.x, lanes).unroll(m.x).unroll(m.r.x);
    m.a.compute_root().vectorize(m.i, lanes, TailStrategy::RoundUp);
    m.b.compute_root().vectorize(m.j, lanes, TailStrategy::RoundUp);
}

// ---------------------------------------------------------------------------------------------------------- GPU

// An output a thread, straight from global memory.
void direct(MinPlusConvolution &m, Site &site) {
    m.out.gpu_tile(m.k, block, thread, site["threads"], TailStrategy::GuardWithIf);
    m.least.compute_at(m.out, thread);
}

// The padded vectors, in global memory once.
void pad(MinPlusVectors &m) {
    m.a.compute_root().gpu_tile(m.i, block, thread, 256);
    m.b.compute_root().bound(m.rest, 0, m.tile.own).reorder(m.rest, m.quotient).gpu_tile(m.quotient, block, thread, 64).unroll(m.rest);
}

// The minimum of the parts: a thread an output, eight loads under way.
void combine(MinPlusTiles &m) {
    m.out.gpu_tile(m.k, block, thread, 64, TailStrategy::GuardWithIf);
    m.least.compute_at(m.out, thread).update().unroll(m.parts.x);
}

// A tile and part a block of threads, an owner a thread; `own` outputs are in its registers.
void owners_are_threads(MinPlusTiles &m, Func stage) {
    stage.bound(m.x, 0, m.tile.own).bound(m.t, 0, m.tile.owners).reorder(m.x, m.t, m.q, m.u).unroll(m.x).gpu_threads(m.t);
}

// The least sums so far of an owner, a run of i at a time: own x run additions and comparisons without a branch.
void in_registers(MinPlusTiles &m, Func consumer) {
    m.of_chunk.compute_at(consumer, m.t).unroll(m.x).update().reorder(m.x, m.r.x, m.r.y).unroll(m.x).unroll(m.r.x);
}

// The windows of a and b that a chunk meets are brought to shared memory, by all threads, where `at` stands.
void stage(MinPlusTiles &m, Halide::LoopLevel at) {
    Var turn{"turn"}, lane{"lane"};
    m.a.compute_at(at).store_in(MemoryType::GPUShared).split(m.i, turn, lane, m.tile.owners).gpu_threads(lane);
    m.b.compute_at(at).store_in(MemoryType::GPUShared).bound(m.rest, 0, m.tile.own).reorder_storage(m.quotient, m.rest)
        .split(m.quotient, turn, lane, m.tile.owners).reorder(m.rest, turn, lane).gpu_threads(lane).unroll(m.rest);
}

// a and b are padded in global memory once, and the caches serve the windows. The range of i is split over blocks until there are
// enough of them.
void registers(MinPlusTiles &m, Site &) {
    combine(m);
    owners_are_threads(m, m.part.compute_root().reorder_storage(m.t, m.x, m.q, m.u));
    m.part.gpu_blocks(m.q, m.u);
    in_registers(m, m.part);
    pad(m);
}

// A chunk of i a block of threads, and its windows of a and b in shared memory: two kernels in all.
void staged_once(MinPlusTiles &m, Site &) {
    combine(m);
    owners_are_threads(m, m.part.compute_root().reorder_storage(m.t, m.x, m.q, m.u));
    m.part.gpu_blocks(m.q, m.u);
    in_registers(m, m.part);
    stage(m, {m.part, m.q});
}

// Chunk after chunk through shared memory, and the minimum so far there too.
void staged(MinPlusTiles &m, Site &) {
    combine(m);
    owners_are_threads(m, m.part.compute_root().reorder_storage(m.t, m.x, m.q, m.u));
    m.part.gpu_blocks(m.q, m.u);
    m.of_chunks.compute_at(m.part, m.q).store_in(MemoryType::GPUShared).reorder_storage(m.t, m.x).gpu_threads(m.t).unroll(m.x);
    m.of_chunks.update().reorder(m.x, m.t, m.z).gpu_threads(m.t).unroll(m.x);
    in_registers(m, m.of_chunks);
    stage(m, {m.of_chunks, m.z});
}

// ---------------------------------------------------------------------------------------------------------- pruned, on a GPU

// A value a thread, with all that is summed up for it: `width` along the first dimension are a block. No thread goes beyond the last
// value, as some of these are the library's outputs, and what they are made of is.
void a_value_a_thread(Kept &kept, int width) {
    const std::vector<Var> args = kept.values.args();
    kept.values.compute_root().split(args[0], block, thread, width, TailStrategy::GuardWithIf).gpu_threads(thread).gpu_blocks(block);
    for (size_t i = 1; i < args.size(); i++) {
        kept.values.gpu_blocks(args[i]);
    }
    kept.steps.compute_at(kept.values, thread);
}

// A tile's outputs an owner, then the owners.
void schedule(MinPlusBlocks &m, MinPlusGreatest &greatest) {
    a_value_a_thread(greatest.of_owner, m.tile.owners);
    a_value_a_thread(greatest.of_tile, 32);
}

// Bits a word a thread; counts a segment a thread; lists a word a thread, which puts each of its bits into its place: no two into the
// same. Then the registers of a tile walk the lists.
void schedule(MinPlusBlocks &m, MinPlusPass &pass) {
    const RVar bit(pass.listed.x.name()), word(pass.listed.y.name());
    a_value_a_thread(pass.bits, 128);
    pass.count.compute_root().gpu_tile(m.s, block, thread, 64, TailStrategy::GuardWithIf).gpu_blocks(m.q);
    pass.list.compute_root();
    pass.list.update().allow_race_conditions().reorder(bit, word, m.s, m.q).split(m.s, block, thread, 16, TailStrategy::GuardWithIf).gpu_threads(word, thread).gpu_blocks(block, m.q);
    pass.part.compute_root().reorder_storage(m.t, m.x, m.q, m.u).bound(m.x, 0, m.tile.own).bound(m.t, 0, m.tile.owners)
        .reorder(m.x, m.t, m.q, m.u).gpu_blocks(m.q, m.u).gpu_threads(m.t).unroll(m.x);
    pass.least.compute_at(pass.part, m.t).unroll(m.x).update().reorder(m.x, pass.r.x, pass.r.y, pass.r.z).unroll(m.x).unroll(pass.r.x);
}

// A lane a thread: it walks its words and keeps half of the levels' counts in registers.
void schedule(MinPlusBlocks &m, MinPlusCounts &counts) {
    Var half{"half"}, in_half{"in_half"};
    counts.of_lane.compute_root().bound(m.level, 0, m.levels).split(m.level, half, in_half, m.levels / 2)
        .reorder(in_half, m.lane, half, m.q).unroll(in_half).gpu_blocks(half, m.q).gpu_threads(m.lane);
    counts.steps.compute_at(counts.of_lane, m.lane).unroll(m.level)
        .update().reorder(m.level, counts.r.x, counts.r.y, m.lane, m.q).unroll(m.level);
    a_value_a_thread(counts.total, m.levels);
}

// A kernel for each step of all tiles; what the second half needs stays in global memory.
void plan(MinPlusPlan &m, Site &) {
    pad(m);
    for (int greatest : {0, 1}) {
        a_value_a_thread(m.blocks_a[greatest], 64);
        a_value_a_thread(m.blocks_b[greatest], 64);
        a_value_a_thread(m.windows[greatest], 64);
    }
    a_value_a_thread(m.spread_of_lane, m.lanes);
    a_value_a_thread(m.spread, 32);
    schedule(m, m.below);
    a_value_a_thread(m.pick, 32);
    schedule(m, m.pass);
    a_value_a_thread(m.pass.best, m.tile.owners);
    schedule(m, m.bound);
    schedule(m, m.above);
    a_value_a_thread(m.middle, 32);
    m.limits.split(m.q, block, thread, 32, TailStrategy::GuardWithIf).reorder(m.level, thread, block).gpu_blocks(block).gpu_threads(thread);
    a_value_a_thread(m.asked_of_lane, m.lanes);
    a_value_a_thread(m.asked, 1);
}

// As `plan`; the last pass ends in the kernel that makes the output.
void pruned(MinPlusPruned &m, Site &) {
    pad(m);
    schedule(m, m.pass_m);
    a_value_a_thread(m.pass_m.best, m.tile.owners);
    schedule(m, m.bound);
    schedule(m, m.pass_c);
    m.out.gpu_tile(m.k, block, thread, 128, TailStrategy::GuardWithIf);
    m.least.compute_at(m.out, thread);
}

// A tile (see MinPlusTile); `runs` a chunk, 0: as many as the caller says; `several` chunks a part.
std::vector<Tunable> tile(int own, int owners, int run, int runs, int several = 0) {
    return {{"own", own, 1, 16}, {"owners", owners, 32, 512}, {"run", run, 4, 32}, {"runs", runs, 0, 64}, {"several", several}};
}

}  // namespace

static const Rows &rows() {
    static const Rows table = {
        row("reference", cpu, "f64 f32 i32", reference).with("strict_float"),
        row("tuned", cpu, "f64 f32 i32", strips, {{"vectors", 12, 4, 24}, {"run", 4, 1, 8}}).with("strict_float"),
        automatic<MinPlusConvolution>("auto", cpu, "f64 f32 i32", "Mullapudi2016").with("strict_float"),

        row("direct", gpu, "f64", direct, {{"threads", 512, 32, 1024}}).with("strict_float"),
        row("shared", gpu, "f64", staged, tile(1, 256, 8, 32, 1)).with("strict_float"),
        family("registers", {
            row("registers_small", gpu, "f64", staged_once, tile(4, 64, 4, 8)).with("strict_float"),
            row("registers_small", gpu, "f32", staged_once, tile(8, 32, 8, 4)).with("strict_float"),
            row("registers_small", gpu, "i32", staged_once, tile(4, 32, 4, 16)).with("strict_float"),
            row("registers_medium", gpu, "f64 f32", staged_once, tile(8, 128, 16, 16)).with("strict_float"),
            row("registers_medium", gpu, "i32", staged_once, tile(8, 32, 8, 32)).with("strict_float"),
            row("registers_any", gpu, "f64", registers, tile(8, 128, 32, 0)).with("strict_float"),
            row("registers_any", gpu, "f32 i32", registers, tile(16, 128, 32, 0)).with("strict_float"),
        }),
        family("pruned", {
            row("pruned", gpu, "f64 f32 i32", pruned, {{"own", 8}, {"owners", 64}, {"run", 8}}).with("strict_float"),
            row("pruned_always", gpu, "f64 f32 i32", plan, {{"own", 8}, {"owners", 64}, {"run", 8}, {"tenths", 6, 1, 20}}).with("strict_float"),
        }),
        row("tuned", gpu, "f64 f32 i32", direct, {{"threads", 128, 32, 1024}}).with("strict_float"),
    };
    return table;
}

static const Table table("min_plus_convolution", rows);

}  // namespace tilewright
