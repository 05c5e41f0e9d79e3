#pragma once
// The schedule of matmul on the tensor cores of compute capability 9.0.
#include "generators/algorithms/matmul/fragments.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"
#include <vector>

namespace tilewright::matmul_fragments {

// Copies the matrices into zero-padded panels in kernels of their own.
inline void pack(MatmulFragments &f) {
    Var far{"far"}, near{"near"}, some{"some"}, one{"one"};
    if (f.panels_a.defined()) {
        f.panels_a.compute_root()
            .bound_extent(f.v, 4)
            .bound_extent(f.l, 32)
            .bound_extent(f.m, f.division.rows() / 16)
            .split(f.k, far, near, 4, TailStrategy::RoundUp)
            .split(f.m, some, one, 2);
        f.panels_a.reorder(f.v, f.l, near, one, some, far, f.b)
            .vectorize(f.v)
            .gpu_threads(f.l, near, one)
            .gpu_blocks(some, far, f.b);
    }
    f.panels_b.compute_root()
        .bound_extent(f.v, 4)
        .bound_extent(f.n, f.division.columns)
        .bound_extent(f.h, f.product.parts())
        .split(f.k, far, near, 4, TailStrategy::RoundUp)
        .split(f.n, some, one, 32);
    f.panels_b.reorder(f.v, f.h, one, near, some, far, f.b)
        .vectorize(f.v)
        .unroll(f.h)
        .gpu_threads(one, near)
        .gpu_blocks(some, far, f.b);
}

// Where the sums of the tensor cores are stored.
inline Func stored(const MatmulFragments &f) {
    return f.division.adds_shares() ? f.partial : f.out;
}

// Copies a block of the depth of a panel to shared memory, 16 bytes per thread and iteration, one block ahead
// of the products: sliding window keeps the blocks in a ring of two.
inline void tile_in_shared(MatmulFragments &f, Func tile, const Var &inner, const Var &outer, int blocks) {
    Var all{"all"}, turn{"turn"};
    const RVar once = variable(f.domain, 3);
    tile.store_at(stored(f), once)
        .compute_at(f.sum, f.depth.x)
        .fold_storage(f.k, 2 * blocks)
        .store_in(MemoryType::GPUShared)
        .bound_extent(f.v, 4)
        .fuse(inner, outer, all)
        .fuse(all, f.k, all)
        .split(all, turn, all, f.division.threads(), TailStrategy::GuardWithIf)
        .reorder(f.v, turn, all, f.b)
        .vectorize(f.v)
        .unroll(turn)
        .gpu_threads(all);
}

// Elements that are not finite are summed again, by a thread each, in an update of out.
inline void sum_again(MatmulFragments &f, int update) {
    f.out.update(update)
        .allow_race_conditions()
        .gpu_threads(variable(f.again, 2), variable(f.again, 3))
        .gpu_blocks(variable(f.again, 4), variable(f.again, 5));
    f.plain.compute_at(f.out, variable(f.again, 0))
        .store_in(MemoryType::Register)
        .bound_extent(f.x, 1)
        .bound_extent(f.y, 1);
}

// A thread reads words of four rows of B, and stores both parts of each as they are in the tile. Of A it
// reads its own words.
inline void in_parts(MatmulFragments &f) {
    Var all{"all"}, turn{"turn"};
    f.tile_b.compute_at(f.sum, f.depth.x)
        .store_in(MemoryType::GPUShared)
        .bound_extent(f.v, 4)
        .bound_extent(f.n, f.division.columns)
        .bound_extent(f.h, f.product.parts())
        .bound_extent(f.k, f.division.depth / 4)
        .fuse(f.n, f.k, all)
        .split(all, turn, all, f.division.threads())
        .reorder(f.v, f.h, turn, all, f.b)
        .vectorize(f.v)
        .unroll(f.h)
        .unroll(turn)
        .gpu_threads(all);
    f.word_b.compute_at(f.tile_b, turn).vectorize(f.v);
}

// The second kernel adds the shares of the depth.
inline void add_shares(MatmulFragments &f) {
    f.partial.compute_root().align_storage(f.x, 4);
    undefined_on_gpu(f.out);
    sum_again(f, 0);
    f.added.compute_at(f.out, variable(f.again, 1))
        .store_in(MemoryType::Register)
        .bound_extent(f.x, 1)
        .bound_extent(f.y, 1);
}

// Copies a block of the depth of A and B to shared memory as they are, 16 bytes per thread and iteration,
// `ahead` blocks ahead of the products. Of turned products A alone.
inline void rows_in_shared(MatmulFragments &f, ScheduleContext &context) {
    Var all{"all"}, turn{"turn"};
    const FragmentDivision &division = f.division;
    f.tile_a.bound_extent(f.k, division.is_turned() ? 16 : division.depth / 4)
        .bound_extent(f.l, division.is_turned() ? division.depth : 64)
        .bound_extent(f.m, division.rows() / 64)
        .fuse(f.k, f.l, all)
        .fuse(all, f.m, all);
    std::vector<Func> tiles = {f.tile_a};
    if (division.both_in_rows()) {
        tiles.push_back(f.tile_b);
        f.tile_b.bound_extent(f.k, 8)
            .bound_extent(f.l, 2 * division.depth)
            .bound_extent(f.n, division.sixty_fours())
            .fuse(f.k, f.l, all)
            .fuse(all, f.n, all);
    }
    for (Func tile : tiles) {
        tile.store_at(stored(f), variable(f.domain, 3))
            .compute_at(f.sum, f.depth.x)
            .fold_storage(f.h, division.slots())
            .store_in(MemoryType::GPUShared)
            .bound_extent(f.v, 4)
            .split(all, turn, all, division.threads(), TailStrategy::GuardWithIf)
            .reorder(f.v, turn, all, f.h, f.b)
            .vectorize(f.v)
            .unroll(turn)
            .gpu_threads(all);
    }
    for (size_t matrix = 0; matrix < tiles.size() && !division.in_halves(); matrix++) {
        aligned_rows(context.buffers[division.is_turned() ? 1 : matrix], 16);
    }
}

// What a thread reads of the tiles, and its parts.
inline void words_in_registers(MatmulFragments &f) {
    if (f.products.defined()) {
        f.products.compute_at(f.sum, f.m).unroll(f.m).unroll(f.k);
    }
    for (Func part : f.parts) {
        part.compute_at(f.sum, f.m).bound_extent(f.v, 4).unroll(f.v).unroll(f.m).unroll(f.k);
    }
    f.words.compute_at(f.sum, f.m).bound_extent(f.v, 4).unroll(f.m).unroll(f.k);
    if (f.fours.defined()) {
        f.words.unroll(f.v);
    } else {
        f.words.vectorize(f.v);
    }
}

// Cuts the matrices into f16 numbers in kernels of their own, after those that look for the scales. Threads
// of a warp read neighbouring numbers of a row.
inline void cut_into_halves(MatmulFragments &f) {
    Var far{"far"}, near{"near"}, lane{"lane"}, word{"word"};
    for (size_t matrix = 0; matrix < f.halves.size(); matrix++) {
        HalfParts &p = f.halves[matrix];
        p.of_run.compute_root().bound_extent(p.t, HalfParts::runs);
        if (matrix == 0) {
            p.of_run.split(p.i, far, near, 4, TailStrategy::GuardWithIf)
                .gpu_threads(p.t, near)
                .gpu_blocks(far);
        } else {
            p.of_run.split(p.i, far, near, 64, TailStrategy::GuardWithIf)
                .reorder(near, p.t, far)
                .gpu_threads(near)
                .gpu_blocks(p.t, far);
        }
        p.in_run.compute_at(p.of_run, matrix == 0 ? p.t : near).store_in(MemoryType::Register);
        p.in_run.update().unroll(variable(p.steps, 0));
        p.scale.compute_root().gpu_tile(p.i, far, near, 64, TailStrategy::GuardWithIf);
        p.of_line.compute_at(p.scale, near).store_in(MemoryType::Register);
        p.of_line.update().unroll(p.all_runs.x, 8);
        p.parts.compute_root()
            .bound_extent(p.v, 4)
            .bound_extent(p.h, 2)
            .fuse(p.v, p.q, word)
            .split(word, word, lane, 32, TailStrategy::GuardWithIf)
            .split(p.j, far, near, 8, TailStrategy::GuardWithIf);
        p.parts.reorder(p.h, lane, near, far, word).unroll(p.h).gpu_threads(lane, near);
        if (matrix == 0) {
            p.parts.gpu_blocks(word, far);
        } else {
            p.parts.gpu_blocks(far, word);
        }
    }
}

// A block of four warps computes a tile of out. Its sums stay in registers as those of
// matmul_workers::workers() do.
inline void fragments(MatmulFragments &f, ScheduleContext &context) {
    const FragmentDivision &division = f.division;
    const RVar element = variable(f.domain, 0), four = variable(f.domain, 1), thread = variable(f.domain, 2),
               once = variable(f.domain, 3), of_group = variable(f.domain, 4), row = variable(f.domain, 5),
               group = variable(f.domain, 6);
    Func to = stored(f);
    undefined_on_gpu(to);
    to.update(0).allow_race_conditions().gpu_blocks(of_group, row, group).gpu_threads(thread);
    to.update(0).unroll(four);
    if (division.aligns_out() || division.is_turned()) {
        to.update(0).vectorize(element);
    } else {
        to.update(0).unroll(element);
    }
    if (division.aligns_out()) {
        aligned_rows(context.buffers[2], division.alignment_of_out());
    }

    f.sum.store_at(to, of_group).compute_at(to, once).store_in(MemoryType::Stack);
    context.fold_per_thread(f.sum, f.t);
    f.sum.bound_extent(f.r, f.product.results()).bound_extent(f.m, division.tiles);
    f.sum.reorder(f.r, f.m, f.t, f.bx).gpu_threads(f.t).unroll(f.r).unroll(f.m);
    f.sum.update().reorder(f.r, f.m, f.t, f.bx, f.depth.x);
    f.sum.update().gpu_threads(f.t).unroll(f.r).unroll(f.m);
    if (division.a_in_rows() || division.is_turned()) {
        rows_in_shared(f, context);
        if (division.in_halves()) {
            cut_into_halves(f);
            sum_again(f, 1);
        }
        if (division.both_in_rows()) {
            return;
        }
        f.fours.compute_at(f.sum, f.m)
            .bound_extent(f.v, division.is_turned() ? 2 : 4)
            .vectorize(f.v)
            .unroll(f.l)
            .unroll(f.m)
            .unroll(f.k);
    } else {
        f.tile_a.bound_extent(f.l, 32).bound_extent(f.m, division.rows() / 16);
    }
    words_in_registers(f);
    if (division.adds_shares()) {
        add_shares(f);
    }
    if (division.copies == FragmentDivision::Copies::parts) {
        return in_parts(f);
    }

    if (f.panels_a.defined()) {
        tile_in_shared(f, f.tile_a, f.l, f.m, division.depth / 8);
    }
    f.tile_b.bound_extent(f.n, division.columns).bound_extent(f.h, f.product.parts());
    tile_in_shared(f, f.tile_b, f.n, f.h, division.depth / 4);
    pack(f);
    if (f.product.parts() == 2 && !division.adds_shares()) {
        sum_again(f, 1);
    }
}

// The tunables of a division (see FragmentDivision): with panels, and without.
inline std::vector<Tunable> tiles(int tiles, int columns, int depth, int group, int groups = 1) {
    return {{"tiles", tiles, 1, 2}, {"groups", groups, 1, 3}, {"columns", columns, 64, 256},
        {"depth", depth, 16, 64}, {"group", group, 1, 64}};
}
inline std::vector<Tunable> rows(int tiles, int groups, int columns, int depth, int group, int ahead) {
    return {{"tiles", tiles, 1, 2}, {"groups", groups, 1, 3}, {"columns", columns, 64, 256},
        {"depth", depth, 16, 32}, {"group", group, 1, 64}, {"ahead", ahead, 1, 8}};
}
inline std::vector<Tunable> clusters(int groups, int columns, int shares, int ahead) {
    return {{"tiles", 1}, {"groups", groups, 1, 2}, {"columns", columns, 64, 256}, {"depth", 32},
        {"shares", shares, 2, 8}, {"ahead", ahead, 1, 6}};
}
inline std::vector<Tunable> shares(int tiles, int columns, int depth, int blocks) {
    return {{"tiles", tiles, 1, 2}, {"groups", 1}, {"columns", columns, 64, 256}, {"depth", depth, 16, 64},
        {"blocks", blocks, 66, 1056}};
}

}  // namespace tilewright::matmul_fragments
