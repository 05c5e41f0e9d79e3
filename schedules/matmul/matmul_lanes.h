#pragma once
// The schedule of matmul on the tensor cores by single warps.
#include "generators/algorithms/matmul/lanes.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"
#include <vector>

namespace tilewright::matmul_lanes {

// Copies rows to shared memory as they are, 16 bytes per thread and iteration, blocks ahead of the products.
inline void rows_in_shared(MatmulLanes &f, Func tile, int pieces, int lines) {
    const Var turn{"turn"}, all{"copies"};
    tile.store_at(f.out, variable(f.domain, 3))
        .compute_at(f.sum, f.depth.x)
        .fold_storage(f.h, f.division.slots())
        .store_in(MemoryType::GPUShared)
        .bound_extent(f.v, 4)
        .bound_extent(f.p, pieces)
        .bound_extent(f.l, lines)
        .fuse(f.p, f.l, all)
        .split(all, turn, all, f.division.workers(), TailStrategy::GuardWithIf);
    tile.reorder(std::vector<Halide::VarOrRVar>{f.v, turn, all, f.h, tile.args()[4]})
        .vectorize(f.v)
        .unroll(turn)
        .gpu_threads(all);
}

// What a worker computes in its registers for a block of the depth.
inline void multiply(MatmulLanes &f) {
    const auto in_registers = [&](Func made) {
        return made.compute_at(f.sum, f.w).store_in(MemoryType::Register);
    };
    for (const Func &fours : {f.fours_a, f.fours_b}) {
        in_registers(fours).bound_extent(f.v, 4).bound_extent(f.i, 4).vectorize(f.v).unroll(f.i).unroll(f.k);
    }
    in_registers(f.least_a).bound_extent(f.i, 4).unroll(f.i).unroll(f.k);
    in_registers(f.least_b).bound_extent(f.v, 4).unroll(f.v).unroll(f.k);
    for (const Func &words : {f.words_a, f.words_b, f.inside_b}) {
        in_registers(words).bound_extent(f.v, 4).bound_extent(f.i, 4).unroll(f.v).unroll(f.i).unroll(f.k);
    }
    in_registers(f.products).bound_extent(f.m, 2).bound_extent(f.n, 4).unroll(f.m).unroll(f.n);
    const RVar product = variable(f.steps, 0), step = variable(f.steps, 1);
    f.products.update().reorder(f.n, f.m, product, step).unroll(f.n).unroll(f.m).unroll(product).unroll(step);
}

// The sums stay in registers as those of matmul_workers::workers() do.
inline void lanes(MatmulLanes &f, ScheduleContext &context) {
    const RVar element = variable(f.domain, 0), cell = variable(f.domain, 1), worker = variable(f.domain, 2),
               once = variable(f.domain, 3), across = variable(f.domain, 4), down = variable(f.domain, 5);
    undefined_on_gpu(f.out);
    f.out.update().allow_race_conditions().gpu_blocks(across, down).gpu_threads(worker);
    f.out.update().unroll(cell).vectorize(element);

    for (Func made : {f.value, f.added, f.plain}) {
        made.compute_at(f.out, cell).store_in(MemoryType::Register).bound_extent(f.v, 4).vectorize(f.v);
    }
    f.plain.update().vectorize(f.v);
    f.lost.compute_at(f.out, cell).store_in(MemoryType::Register);

    const auto four_by_two = [&](Halide::Stage stage) { stage.unroll(f.n).unroll(f.r).unroll(f.m); };
    f.slice_sum.compute_at(f.out, once)
        .store_in(MemoryType::GPUShared)
        .bound_extent(f.n, 4)
        .bound_extent(f.r, 4)
        .bound_extent(f.m, 2)
        .reorder_storage(f.n, f.w, f.r, f.m, f.bx)
        .gpu_threads(f.w)
        .vectorize(f.n)
        .unroll(f.r)
        .unroll(f.m);
    f.sum.store_at(f.out, across).compute_at(f.out, once).store_in(MemoryType::Stack);
    context.fold_per_thread(f.sum, f.w);
    f.sum.bound_extent(f.n, 4).bound_extent(f.r, 4).bound_extent(f.m, 2).gpu_threads(f.w);
    four_by_two(f.sum);
    f.sum.update().reorder(f.n, f.r, f.m, f.w, f.bx, f.depth.x).gpu_threads(f.w);
    four_by_two(f.sum.update());
    multiply(f);

    rows_in_shared(f, f.tile_a, f.division.depth / 4, f.division.rows);
    rows_in_shared(f, f.tile_b, f.division.columns / 4, f.division.depth);
    for (const Halide::OutputImageParam &matrix : context.buffers) {
        aligned_rows(matrix, 16);
    }
}

// The tunables of a division (see LaneDivision).
inline std::vector<Tunable> slices(int rows, int columns, int slices, int depth, int ahead) {
    return {{"rows", rows, 32, 128}, {"columns", columns, 32, 128}, {"slices", slices, 1, 8},
        {"depth", depth, 16, 128}, {"ahead", ahead, 1, 8}};
}

}  // namespace tilewright::matmul_lanes
