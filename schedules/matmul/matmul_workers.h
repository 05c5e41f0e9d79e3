#pragma once
// The fast schedule of matmul on GPUs: each thread keeps its sums in registers over the whole depth.
#include "generators/algorithms/matmul/workers.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"
#include <algorithm>
#include <vector>

namespace tilewright::matmul_workers {

// Copies zero-padded panels of A and B in kernels of their own. A is transposed on the way, through 32 by 33
// words of shared memory.
inline void copy_panels(MatmulWorkers &m, int words_per_thread) {
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
inline void tile_in_shared(MatmulWorkers &m, Func tile, int workers, int per_worker, bool transposed) {
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
inline void workers(MatmulWorkers &m, ScheduleContext &context) {
    const Division &division = m.division;
    const bool whole_tiles = division.copies == Division::Copies::none;
    const RVar element = variable(m.domain, 0), group = variable(m.domain, 1), worker = variable(m.domain, 2),
               once = variable(m.domain, 3), tile_x = variable(m.domain, 4), tile_y = variable(m.domain, 5);
    Var xi{"xi"}, yi{"yi"};
    m.out.gpu_tile(m.x, m.y, xi, yi, 16, 16, TailStrategy::GuardWithIf);  // of undefined values: no kernel
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
    // Rows are innermost: ptxas then orders the instructions 3 to 9 % better.
    m.sum.update().gpu_threads(m.w).unroll(m.i).unroll(m.j).unroll(near);
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

// The tunables of a division of the work (see Division and Rectangle, and why_not() there for which go
// together); `unroll` is how much of a block of the depth is unrolled.
struct Numbers {
    int lanes, across, down, slices, depth, unroll;
};

inline std::vector<Tunable> division(Numbers n) {
    constexpr int outputs = 8;  // of a worker, along rows and along columns
    return {{"lanes", n.lanes, 3, 28}, {"across", n.across, 1, 4}, {"down", n.down, 1, 4},
        {"slices", n.slices, 1, 8}, {"depth", n.depth, 8, 144}, {"unroll", n.unroll, 4, 72},
        {"width", outputs, 4, 16}, {"height", outputs, 4, 16}};
}

}  // namespace tilewright::matmul_workers
