#pragma once
// The schedules of matmul on a CPU.
#include "generators/algorithms/matmul/matmul.h"
#include "generators/algorithms/matmul/tiles.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"

namespace tilewright::matmul_cpu {

// The elements of a vector of sums.
template<typename Form>
int lanes_of(const Form &m, const ScheduleContext &context) {
    return context.target.natural_vector_size(m.out.type());
}

// Tasks of `chunk` panels of A are spread over the cores. For each block of the depth, all cores copy the
// panels of B first. Then a task copies its panels of A, row by row, because they are read one number at a
// time. Then it multiplies each panel of B, which is in the first-level cache, by its panels of A, which are
// in the second-level cache. The sums of a tile stay in registers for a whole block.
inline void blocks(MatmulBlocks &m, ScheduleContext &context) {
    const int lanes = lanes_of(m, context);
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
    m.a.compute_at(m.out, task).reorder_storage(m.k, m.i, m.p, m.t).bound_storage(m.k, m.depth + 16);
    m.a.reorder(m.k, m.i, m.p, m.t).vectorize(m.k, lanes, TailStrategy::RoundUp);
    m.b.compute_at(m.out, block).reorder(m.j, m.k, m.q, m.t).vectorize(m.j, lanes).unroll(m.j).parallel(m.q);
}

// One task per strip of columns. It reads its strip of each row of B once, and sums all rows of out in the
// first-level cache. B is not copied: with few rows of A, its elements are not read often enough to save the
// time of the copy.
inline void few_rows(Matmul &m, ScheduleContext &context) {
    const int lanes = lanes_of(m, context);
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
inline void few_columns(Matmul &m, ScheduleContext &context) {
    const int lanes = lanes_of(m, context);
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

// One task per 256 rows, and one element after another: B has so few elements that they stay in the cache.
inline void small_rows(Matmul &m, ScheduleContext &) {
    Var task{"task"};
    m.out.split(m.y, task, m.y, 256, TailStrategy::GuardWithIf).parallel(task);
}

// One tile of `rows` rows and two vectors of columns after another, whose sums stay in registers over all of
// k. Nothing is copied: A and B are so small that they stay in the first two caches. Tiles that would pass an
// edge of out are moved inside, so that some of its elements are computed twice.
inline void small_tiles(Matmul &m, ScheduleContext &context) {
    const int lanes = lanes_of(m, context), columns = 2 * lanes,
              rows = context[context.target.natural_vector_size<float>() >= 16 ? "rows" : "narrow_rows"];
    Var xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"};
    m.out.tile(m.x, m.y, xo, yo, xi, yi, columns, rows, TailStrategy::ShiftInwards)
        .reorder(xi, yi, yo, xo)
        .vectorize(xi, lanes)
        .unroll(xi)
        .unroll(yi);
    m.sum.compute_at(m.out, yo)
        .store_in(MemoryType::Stack)
        .bound_extent(m.x, columns)
        .bound_extent(m.y, rows)
        .vectorize(m.x, lanes)
        .unroll(m.x)
        .unroll(m.y);
    m.sum.update().reorder(m.x, m.y, m.k).vectorize(m.x, lanes).unroll(m.x).unroll(m.y);
}

}  // namespace tilewright::matmul_cpu
