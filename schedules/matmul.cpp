// The schedules of matmul, and the table of its rows.
#include "generators/algorithms/matmul/matmul.h"
#include "generators/algorithms/matmul/configuration.h"
#include "generators/algorithms/matmul/tiles.h"
#include "generators/algorithms/matmul/workers.h"
#include "schedules/moves.h"
#include "schedules/schedule.h"
#include <algorithm>

namespace tilewright {

namespace {

using Halide::Func;
using Halide::MemoryType;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Var;

RVar variable(const Halide::RDom &domain, int dimension) {
    return RVar(domain[dimension].name());
}

// Elements one after another, in the order of memory.
void reference(Matmul &, ScheduleContext &) {}

// One thread per element, which reads from global memory.
void direct(Matmul &matmul, ScheduleContext &context) {
    Var xi{"xi"}, yi{"yi"};
    matmul.out.gpu_tile(
        matmul.x, matmul.y, xi, yi, context["width"], context["height"], TailStrategy::GuardWithIf);
}

// The panels, with their zeros, are copied first. Then a thread keeps a tile of sums in registers and reads
// its operands from the panels in global memory. Neighbouring threads read the same words, which come from
// the caches.
void registers(MatmulSquares &m, ScheduleContext &) {
    const RVar j = variable(m.domain, 0), i = variable(m.domain, 1), thread_x = variable(m.domain, 2),
               thread_y = variable(m.domain, 3), q = variable(m.domain, 4), p = variable(m.domain, 5);
    undefined_on_gpu(m.out);
    m.out.update()
        .allow_race_conditions()
        .gpu_blocks(q, p)
        .gpu_threads(thread_x, thread_y)
        .unroll(j)
        .unroll(i);
    m.part.compute_at(m.out, thread_x).store_in(MemoryType::Register).unroll(m.j).unroll(m.i);
    m.part.update().reorder(m.j, m.i, m.inner.x).vectorize(m.j, 4).unroll(m.j).unroll(m.i);

    const int copied = 16;  // a thread block of copied x copied threads copies a tile
    Var u{"u"}, v{"v"};
    m.a.compute_root()
        .reorder(m.k, m.i, m.p, m.t)
        .gpu_tile(m.k, m.i, u, v, copied, copied, TailStrategy::GuardWithIf)
        .gpu_blocks(m.p);
    Var uo{"uo"}, vo{"vo"};
    m.b.compute_root().split(m.j, uo, u, 2 * copied).split(m.k, vo, v, copied / 2, TailStrategy::GuardWithIf);
    m.b.reorder(u, v, vo, uo, m.q, m.t).gpu_blocks(vo, uo, m.q).gpu_threads(u, v);
    m.a.never_partition_all();
    m.b.never_partition_all();
}

// Copies a tile of A and one of B to shared memory, with one thread per element.
void tiles_in_shared(Panels &m, Func consumer, RVar block) {
    m.a.compute_at(consumer, block).store_in(MemoryType::GPUShared);
    m.a.reorder_storage(m.k, m.i, m.p, m.t)
        .reorder(m.k, m.i, m.p, m.t)
        .gpu_threads(m.k, m.i)
        .never_partition_all();
    m.b.compute_at(consumer, block)
        .store_in(MemoryType::GPUShared)
        .gpu_threads(m.j, m.k)
        .never_partition_all();
    m.part.compute_at(consumer, m.j).store_in(MemoryType::Register).update().unroll(m.inner.x);
}

// One thread block per tile. For each block of the depth, a tile of A and one of B are copied to shared
// memory. The sums are in shared memory too; within a block of the depth a thread sums in a register.
void shared(MatmulTiles &m, ScheduleContext &) {
    const RVar j = variable(m.domain, 0), i = variable(m.domain, 1), q = variable(m.domain, 2),
               p = variable(m.domain, 3);
    undefined_on_gpu(m.out);
    m.out.update().allow_race_conditions().gpu_blocks(q, p).gpu_threads(j, i);
    m.tile.compute_at(m.out, q).store_in(MemoryType::GPUShared).gpu_threads(m.j, m.i);
    m.tile.update().reorder(m.j, m.i, m.q, m.p, m.block.x).gpu_threads(m.j, m.i);
    tiles_in_shared(m, m.tile, m.block.x);
}

// As `shared`, but the runs of blocks of the depth are spread over thread blocks too, because products of few
// elements have no other parallel work. A second kernel adds the sums of the runs. 528 parts fill an H200.
void runs(MatmulRuns &m, ScheduleContext &) {
    const RVar j = variable(m.domain, 0), i = variable(m.domain, 1), q = variable(m.domain, 2),
               p = variable(m.domain, 3);
    Var xi{"xi"}, yi{"yi"};
    m.out.gpu_tile(m.x, m.y, xi, yi, 32, 4, TailStrategy::GuardWithIf);
    m.out.update().gpu_tile(m.x, m.y, xi, yi, 32, 4, TailStrategy::GuardWithIf);
    m.summed.compute_root();
    m.summed.update().allow_race_conditions().gpu_blocks(q, p, m.s).gpu_threads(j, i);
    m.tile.compute_at(m.summed, q).store_in(MemoryType::GPUShared).gpu_threads(m.j, m.i);
    m.tile.update().reorder(m.j, m.i, m.q, m.p, m.block.x).gpu_threads(m.j, m.i);
    tiles_in_shared(m, m.tile, m.block.x);
}

// Copies zero-padded panels of A and B in kernels of their own. A is transposed on the way, through 32 by 33
// words of shared memory.
void copy_panels(MatmulWorkers &m, int words_per_thread) {
    Var rows{"rows"}, row{"row"}, far{"far"}, near{"near"}, word{"word"}, u{"u"}, v{"v"};
    const Division &division = m.division;
    const bool together = division.copies == Division::Copies::together;
    const int widest = std::max(division.tile_columns(), division.tile_rows());
    m.panels.compute_root().bound_extent(m.r, together ? widest : division.tile_rows());
    m.panels.split(m.r, rows, row, 32)
        .split(m.k, far, near, 32, TailStrategy::RoundUp)
        .split(near, word, near, 32 / words_per_thread);
    m.panels.reorder(word, row, near, rows, far, m.b)
        .unroll(word)
        .gpu_threads(row, near)
        .gpu_blocks(rows, far, m.b);

    const Var along_a = together ? m.kk : m.k, across_a = together ? m.rr : m.r;
    m.piece.compute_at(m.panels, rows).store_in(MemoryType::GPUShared);
    m.piece.bound_extent(along_a, 32)
        .bound_extent(across_a, 32)
        .align_storage(along_a, 33)
        .split(across_a, u, v, 32 / words_per_thread);
    if (together) {
        m.piece.reorder(u, m.kk, v, m.kb, m.rb, m.b);
    } else {
        m.piece.reorder(u, m.k, v, m.b);
    }
    m.piece.unroll(u).gpu_threads(along_a, v);

    if (!together) {
        const int columns = division.tile_columns();
        m.panels_b.compute_root().bound_extent(m.r, columns).split(m.r, rows, row, std::min(columns, 64));
        m.panels_b.split(m.k, far, near, 4 * words_per_thread, TailStrategy::RoundUp)
            .split(near, word, near, 4);
        m.panels_b.reorder(word, row, near, rows, far, m.b)
            .unroll(word)
            .gpu_threads(row, near)
            .gpu_blocks(rows, far, m.b);
    }
}

// Copies a tile of a block of the depth to shared memory, four words per thread and iteration. The tile has
// elements for `workers` workers, `per_worker` each; its planes (see MatmulWorkers) are 16 banks apart.
// `transposed`: the rows of the matrix are contiguous along k.
void tile_in_shared(MatmulWorkers &m, Func tile, int workers, int per_worker, bool transposed) {
    Var all{"all"}, f{"f"}, inner{"inner"}, kq{"kq"}, kv{"kv"}, iteration{"turn"};
    tile.compute_at(m.sum, m.depth.y).store_in(MemoryType::GPUShared).align_storage(m.n, workers + 4);
    tile.bound_extent(m.v, 4).bound_extent(m.n, workers).bound_extent(m.h, per_worker / 4);
    Var vector = m.v;
    if (transposed) {
        tile.fuse(m.v, m.h, f)
            .fuse(f, m.n, f)
            .split(m.k, kq, kv, 4)
            .split(f, f, inner, 32)
            .fuse(inner, kq, all)
            .fuse(all, f, all);
        vector = kv;
    } else {
        tile.fuse(m.h, m.n, f).fuse(f, m.k, all);
    }
    tile.split(all, iteration, all, m.division.workers(), TailStrategy::GuardWithIf)
        .reorder(vector, iteration, all, m.b);
    tile.vectorize(vector).unroll(iteration).gpu_threads(all);
}

// Each block of the depth of the panels is copied to shared memory. Each thread keeps its sums in registers
// over the whole depth; the thread block waits at a barrier after each block.
//
// How the sums stay in registers: storage of a thread block that is not shared memory is private to each
// thread. `sum` is stored there, at the thread block, and the dimension of the workers is folded to one. So
// all workers use the same 64 cells, each in its own copy. The indices of the cells are constants once the
// loops are unrolled, so the cells become registers. For this, `sum` must be computed inside a loop of the
// thread block, which is the loop `once`. MemoryType::Register does not work: sliding window would count the
// workers from another origin, and would not fold. A test checks that no kernel has a stack, which sums
// outside of registers would need.
//
// On an H200, beside cuBLAS in f32: 512 .0141 ms (1.00x), 1024 .0635 (.88x), 2048 .389 (.88x), 4096 2.837
// (.94x), 8192 21.6 (.99x).
void workers(MatmulWorkers &m, ScheduleContext &context) {
    const Division &division = m.division;
    const bool whole_tiles = division.copies == Division::Copies::none;
    const RVar element = variable(m.domain, 0), group = variable(m.domain, 1), worker = variable(m.domain, 2),
               once = variable(m.domain, 3), tile_x = variable(m.domain, 4), tile_y = variable(m.domain, 5);
    undefined_on_gpu(m.out);
    m.out.update().allow_race_conditions().gpu_blocks(tile_x, tile_y).gpu_threads(worker).unroll(group);
    if (whole_tiles) {
        m.out.update().vectorize(element);
    } else {
        m.out.update().unroll(element);
    }
    if (division.slices > 1) {
        m.slice_sum.compute_at(m.out, once)
            .store_in(MemoryType::GPUShared)
            .bound_extent(m.i, division.width)
            .bound_extent(m.j, division.height);
        m.slice_sum.reorder_storage(m.i, m.w, m.j, m.bx).reorder(m.i, m.j, m.w, m.bx).gpu_threads(m.w);
        m.slice_sum.vectorize(m.i, 4).unroll(m.i).unroll(m.j);
    }

    m.sum.store_at(m.out, tile_x).compute_at(m.out, once).store_in(MemoryType::Stack);
    context.fold_per_thread(m.sum, m.w);
    m.sum.bound_extent(m.i, division.width).bound_extent(m.j, division.height);
    m.sum.reorder(m.i, m.j, m.w, m.bx).gpu_threads(m.w).vectorize(m.i, 4).unroll(m.i).unroll(m.j);
    const RVar far{"far"}, near{"near"};
    m.sum.update()
        .split(m.depth.x, far, near, context["unroll"])
        .reorder(m.j, m.i, near, far, m.w, m.bx, m.depth.y);
    m.sum.update().gpu_threads(m.w).unroll(m.i).unroll(m.j).unroll(near);  // rows innermost: ptxas then
                                                                           // orders the instructions 3 to 9 %
                                                                           // better
    m.operand_a.compute_at(m.sum, far)
        .bound_extent(m.j, division.height)
        .vectorize(m.j, 4)
        .unroll(m.j)
        .unroll(m.k);
    m.operand_b.compute_at(m.sum, far)
        .bound_extent(m.i, division.width)
        .vectorize(m.i, 4)
        .unroll(m.i)
        .unroll(m.k);

    tile_in_shared(m, m.tile_a, division.rectangle.rows(), division.height, whole_tiles);
    tile_in_shared(m, m.tile_b, division.rectangle.columns(), division.width, false);
    if (whole_tiles) {
        for (Halide::OutputImageParam &matrix : context.buffers) {
            for (int dimension : {0, 1}) {
                matrix.dim(dimension).set_extent(multiple_of(32, matrix.dim(dimension).extent()));
            }
            matrix.dim(1).set_stride(multiple_of(4, matrix.dim(1).stride()));
            matrix.set_host_alignment(16);
        }
    } else {
        copy_panels(m, 8);
    }
}

// The tunables of a division of the work (see Division and Rectangle); `unroll` is how much of a block of the
// depth is unrolled.
struct Numbers {
    int lanes, across, down, slices, depth, unroll;
};

std::vector<Tunable> division(Numbers n) {
    return {{"lanes", n.lanes, 0, 31}, {"across", n.across, 1, 4}, {"down", n.down, 1, 4},
        {"slices", n.slices, 1, 4}, {"depth", n.depth, 8, 128}, {"unroll", n.unroll, 4, 48}};
}

// Tasks of `chunk` panels of A are spread over the cores. For each block of the depth, all cores copy the
// panels of B first. Then a task copies its panels of A, row by row, because they are read one number at a
// time. Then it multiplies each panel of B, which is in the first-level cache, by its panels of A, which are
// in the second-level cache. The sums of a tile stay in registers for a whole block.
void blocks(MatmulBlocks &m, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>(), deepest = context["depth"];
    const RVar j = variable(m.domain, 0), i = variable(m.domain, 1), q = variable(m.domain, 2),
               p = variable(m.domain, 3), block = variable(m.domain, 4);
    RVar task{"task"}, po{"po"};
    m.out.vectorize(m.x, lanes, TailStrategy::GuardWithIf).parallel(m.y, 64, TailStrategy::GuardWithIf);
    m.out.update()
        .allow_race_conditions()
        .split(p, task, p, context["chunk"])
        .reorder(j, i, p, q, task, block);
    m.out.update().vectorize(j, lanes).unroll(j).parallel(task);
    m.part.compute_at(m.out, p).store_in(MemoryType::Stack).vectorize(m.j, lanes).unroll(m.j).unroll(m.i);
    m.part.update().reorder(m.j, m.i, m.inner.x).vectorize(m.j, lanes).unroll(m.j).unroll(m.i);
    m.a.compute_at(m.out, task).reorder_storage(m.k, m.i, m.p, m.t).bound_storage(m.k, deepest + 16);
    m.a.reorder(m.k, m.i, m.p, m.t).vectorize(m.k, lanes, TailStrategy::RoundUp);
    m.b.compute_at(m.out, block).reorder(m.j, m.k, m.q, m.t).vectorize(m.j, lanes).unroll(m.j).parallel(m.q);
}

// One task per strip of columns. It reads its strip of each row of B once, and sums all rows of out in the
// first-level cache. B is not copied: with few rows of A, its elements are not read often enough to save the
// time of the copy.
void few_rows(Matmul &m, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>();
    Var strip{"strip"};
    m.out.split(m.x, strip, m.x, context["strip"], TailStrategy::GuardWithIf)
        .reorder(m.x, m.y, strip)
        .parallel(strip);
    m.out.vectorize(m.x, lanes, TailStrategy::GuardWithIf);
    m.sum.compute_at(m.out, strip).vectorize(m.x, lanes, TailStrategy::RoundUp);
    m.sum.update().reorder(m.x, m.y, m.k).vectorize(m.x, lanes, TailStrategy::GuardWithIf);
}

// One task per 16 rows. A row is multiplied by all columns of B at once, in sums of `vectors` vectors along
// k. The few columns of B are transposed first, so that k is contiguous in both matrices.
void few_columns(Matmul &m, ScheduleContext &context) {
    const int lanes = context.target.natural_vector_size<float>();
    const RVar far{"far"}, near{"near"};
    Var along{"along"}, task{"task"};
    Func transposed = m.b.in();
    m.sum.update().split(m.k.x, far, near, lanes * context["vectors"]);
    Func partial = m.sum.update().rfactor(near, along);
    m.out.split(m.y, task, m.y, 16, TailStrategy::GuardWithIf).parallel(task);
    m.sum.compute_at(m.out, m.y);
    partial.compute_at(m.out, m.y)
        .reorder_storage(along, m.x, m.y)
        .reorder(along, m.x, m.y)
        .vectorize(along, lanes, TailStrategy::RoundUp);
    partial.update().reorder(along, m.x, far, m.y).vectorize(along, lanes).unroll(along);
    const Var k = transposed.args()[1];
    transposed.compute_root()
        .reorder_storage(k, transposed.args()[0])
        .split(k, task, k, 1024, TailStrategy::GuardWithIf)
        .parallel(task);
}

}  // namespace

static const ScheduleRows &rows() {
    using enum Division::Copies;
    // Panels of both matrices in one buffer stay below the most bytes of an array up to most_depth.
    const MatmulWorkersConfiguration small_whole{.copies = none, .most_side = 640, .most_depth = 65536},
        small{.copies = together, .most_side = 640, .most_depth = 65536},
        medium_whole{.copies = none, .most_side = 1536, .most_depth = 65536},
        medium{.copies = together, .most_side = 1536, .most_depth = 65536},
        shallow{.copies = apart, .most_depth = 2048}, large{.copies = apart};
    const MatmulConfiguration flat{.most_rows = 8}, thin{.most_columns = 8};
    const MatmulTilesConfiguration tiles_of_16{.rows = 16, .columns = 16, .depth = 16};
    const MatmulSquaresConfiguration panels_of_64{.rows = 64, .columns = 64};
    static const ScheduleRows table = {
        row("reference", cpu, "f32", reference),
        row("direct", gpu, "f32", direct, {{"width", 16, 8, 64}, {"height", 16, 2, 32}}),
        family("tuned",
            {
                row("tuned_few_rows", cpu, "f32", few_rows, flat, {{"strip", 1024, 256, 4096}}),
                row("tuned_few_columns", cpu, "f32", few_columns, thin, {{"vectors", 4, 1, 8}}),
                row("tuned_any", cpu, "f32", blocks, {{"depth", 512, 128, 640}, {"chunk", 6, 2, 24}}),
            }),
        row("shared", gpu, "f32", shared, tiles_of_16),
        row("registers", gpu, "f32", registers, panels_of_64, {{"side", 8, 4, 8}}),
        family("tuned",
            {
                row("tuned_small_whole", cuda, "f32", workers, small_whole, division({7, 1, 1, 4, 128, 16})),
                row("tuned_small", cuda, "f32", workers, small, division({7, 1, 1, 4, 64, 16})),
                row("tuned_medium_whole", cuda, "f32", workers, medium_whole, division({7, 2, 2, 2, 64, 16})),
                row("tuned_medium", cuda, "f32", workers, medium, division({7, 2, 2, 2, 48, 12})),
                row("tuned_shallow", cuda, "f32", workers, shallow, division({14, 2, 2, 1, 16, 16})),
                row("tuned_large", cuda, "f32", workers, large, division({25, 2, 2, 1, 24, 24})),
                row("tuned_small", opencl, "f32", workers, small, division({7, 1, 1, 2, 32, 16})),
                row("tuned_large", opencl, "f32", workers, large, division({25, 2, 2, 1, 24, 24})),
                row("tuned_any", gpu, "f32", runs, tiles_of_16, {{"parts", 528, 132, 2112}}),
            }),
        automatic<Matmul>("auto", cpu, "f32", "Mullapudi2016"),
        automatic<Matmul>("auto", gpu, "f32", "Anderson2021"),
    };
    return table;
}

static const Table table("matmul", rows);

}  // namespace tilewright
