#pragma once
// The schedules of passes over lines of any smooth length, for the tables of fft2d and fresnel.
#include "generators/algorithms/fft2d/mixed_blocks.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"

namespace tilewright {

// Each thread block transforms a few lines, which it keeps in shared memory. The Func of a stage's strides is
// computed once per stage, and not only to load them once: Halide puts a barrier at the end of each iteration
// of the loop over stages only where an iteration has a barrier inside, and this Func brings one.
inline void mixed_lines_in_shared(FftMixedBlocks &f, ScheduleContext &context) {
    undefined_on_gpu(f.out);
    const Halide::RVar turn = variable(f.writing, 0), iteration = variable(f.writing, 1),
                       thread = variable(f.writing, 2), block = variable(f.writing, 3);
    Halide::Stage last = f.out.update();
    last.allow_race_conditions()
        .reorder({turn, iteration, thread, block, f.batch})
        .unroll(turn)
        .gpu_threads(thread)
        .gpu_blocks(block, f.batch);
    // Where factors are a loop, it is around the turns.
    const auto multiplied_in_turns = [&](Halide::Stage factors, const Halide::RDom &loop) {
        if (loop.defined()) {
            factors.reorder(f.turn, variable(loop, 0));
        }
        factors.unroll(f.turn);
    };
    f.sources.compute_at(f.out, iteration).store_in(Halide::MemoryType::Register);
    f.results.compute_at(f.out, iteration).store_in(Halide::MemoryType::Register).unroll(f.turn);
    const int multiplied = f.results.num_update_definitions() - 1;
    for (int i = 0; i < multiplied; i++) {
        f.results.update(i).unscheduled();
    }
    multiplied_in_turns(f.results.update(multiplied), f.last_factors);
    f.cells.compute_at(f.out, block)
        .store_in(Halide::MemoryType::GPUShared)
        .bound(f.at, 0, (f.is_f64 ? 2 : 1) * f.size);
    f.received.compute_at(f.cells, variable(f.reading, 0))
        .store_in(Halide::MemoryType::Register)
        .unroll(f.turn);
    multiplied_in_turns(f.received.update(), f.first_factors);
    Halide::Stage reads = f.cells.update(0);
    reads.allow_race_conditions()
        .reorder({variable(f.reading, 0), variable(f.reading, 1), f.block, f.batch})
        .gpu_threads(variable(f.reading, 1));
    if (f.shape.convolves) {
        const Halide::RVar turn = variable(f.multiplying, 0), iteration = variable(f.multiplying, 1),
                           thread = variable(f.multiplying, 2);
        Halide::Stage update = f.cells.update(f.multiplied);
        update.allow_race_conditions()
            .reorder({turn, iteration, thread, f.block, f.batch})
            .unroll(turn)
            .gpu_threads(thread);
        f.responses.compute_at(f.cells, iteration).store_in(Halide::MemoryType::Register).unroll(f.turn);
    }
    for (const FftMixedBlocks::Stages &stages : f.stages) {
        const Halide::RVar of_thread = variable(stages.loops, 1), stage = variable(stages.loops, 2);
        Halide::Stage update = f.cells.update(stages.update);
        update.allow_race_conditions()
            .reorder({variable(stages.loops, 0), of_thread, stage, f.block, f.batch})
            .gpu_threads(of_thread);
        if (f.shape.unrolled()) {
            update.unroll(stage);
        } else {
            Halide::Func(stages.strides).compute_at(f.cells, stage).store_in(Halide::MemoryType::GPUShared);
        }
    }
    for (Halide::OutputImageParam &field : context.buffers) {
        field.set_host_alignment(8);
    }
}

// A core transforms 16 lines at a time, of f64 8, in its cache. They are the lanes of vectors: without AVX2,
// of 4 lanes each, one after another, because code for all lanes at once would be three times as large.
inline void mixed_lines_in_vectors(FftMixed &f, ScheduleContext &context) {
    const int lanes = f.is_f64 ? 8 : 16, width = context.target.has_feature(Halide::Target::AVX2) ? lanes : 4;
    const Halide::Var block{"block"}, lane{"lane"}, task{"task"};
    f.out.split(f.across(), block, lane, lanes, TailStrategy::GuardWithIf)
        .reorder({lane, f.along(), block, f.batch})
        .vectorize(lane)
        .fuse(block, f.batch, block)
        .split(block, task, block, 4, TailStrategy::GuardWithIf)
        .parallel(task);
    if (f.is_f64) {
        f.out.bound(f.part, 0, 2).reorder(f.part, lane).unroll(f.part);
    }
    f.cells.compute_at(f.out, block)
        .hoist_storage(f.out, task)
        .bound(f.at, 0, 2 * f.length)
        .bound_extent(f.line, lanes);
    f.cells.update(0).reorder({f.line, variable(f.reading, 0), f.batch}).vectorize(f.line, width);
    const Halide::RVar result = variable(f.reading_by_loop, 0), butterfly = variable(f.reading_by_loop, 1);
    f.cells.update(1).reorder({f.line, result, butterfly, f.batch}).vectorize(f.line, width);
    f.pairs.compute_at(f.cells, butterfly)
        .store_in(Halide::MemoryType::Stack)
        .bound_storage(f.j, largest_loop_radix / 2 + 1)
        .vectorize(f.line, width);
    f.halves.compute_at(f.cells, butterfly)
        .store_in(Halide::MemoryType::Stack)
        .bound_storage(f.k, largest_loop_radix / 2 + 1)
        .vectorize(f.line, width);
    f.halves.update().reorder({f.line, variable(f.terms, 0), f.k}).vectorize(f.line, width);
    for (const FftMixed::Stages &stages : f.stages) {
        const Halide::RVar stage = variable(stages.loops, 1);
        f.cells.update(stages.update)
            .reorder({f.line, variable(stages.loops, 0), stage, f.batch})
            .vectorize(f.line, width);
        Halide::Func(stages.strides).compute_at(f.cells, stage);
    }
}

// A variant of a GPU: `words` is how many words of 8 bytes a block of threads keeps.
inline ScheduleVariant mixed_variant(const std::string &name, Backends where, const std::string &type,
    const FftMixedShape &shape, int threads, int words, const std::string &sentence) {
    const int parts = type == "c64" ? 1 : 2;
    return variant(name, where, type, mixed_lines_in_shared, shape,
        {{"threads", threads, 64, 512}, {"words", words / parts, 4096 / parts, words / parts}})
        .registers("", 64 * parts)
        .one_for("fft")
        .says(sentence + " all stages in shared memory.");
}

// How many words a block keeps in shared memory in variants that every GPU of compute capability 8.0 and
// above can run: 98.8 KB, where the smallest of these GPUs have 99. `fused_mixed_long` has 106 KB, because
// eight lines of 1600 need them. Libraries of CUDA for older GPUs have 48 KB, and so have those of OpenCL,
// behind which there are no others for devices with less memory.
constexpr int words_of_every_gpu = 12640, words_of_older_gpus = 6120;

// The variants of a GPU's backend, and those of the CPU. For the same lines, the front takes the one with the
// least work (runtime/operators/fft_mixed.cpp).
inline ScheduleVariants mixed_variants(Backends where) {
    using Radices = FftMixedShape::Radices;
    if (where == cpu) {
        const std::string sentence =
            " of any length with prime factors up to 13 and one up to 61, all stages in a core's cache.";
        return {variant("fused_mixed_rows", cpu, "c64", mixed_lines_in_vectors, FftMixedShape{})
                    .one_for("fft")
                    .says("Rows" + sentence),
            variant("fused_mixed_columns", cpu, "c64", mixed_lines_in_vectors, FftMixedShape{.columns = true})
                .one_for("fft")
                .says("Columns" + sentence)};
    }
    // A loop over stages that may have no iteration, with a barrier inside, makes PoCL 3.1 compile what
    // follows twice; nine of them take it minutes. OpenCL's stages are no loops, and fewer.
    if (where == opencl) {
        return {mixed_variant("fused_mixed", opencl, "c64", {.radices = Radices::unrolled}, 256,
                    words_of_older_gpus, "Lines of many lengths:"),
            mixed_variant("fused_mixed_large", opencl, "c64", {.radices = Radices::unrolled_large}, 256,
                words_of_older_gpus, "Lines with a prime factor of 17 to 23:")};
    }
    return {mixed_variant("fused_mixed", cuda, "c64", {.radices = Radices::common}, 256, words_of_older_gpus,
                "Lines of many lengths:"),
        mixed_variant("fused_mixed_long", cuda, "c64", {.radices = Radices::common}, 512, 13600,
            "Long lines of many lengths:"),
        mixed_variant("fused_mixed_every", cuda, "c64", {.radices = Radices::every}, 512, words_of_every_gpu,
            "Lines with prime factors up to 13:"),
        mixed_variant("fused_mixed_large", cuda, "c64", {.radices = Radices::large}, 512, words_of_every_gpu,
            "Lines with a prime factor of 17 to 23:"),
        mixed_variant("fused_mixed_convolved", cuda, "c64", {.radices = Radices::common, .convolves = true},
            512, words_of_every_gpu, "Lines of any length, as convolutions of longer ones:")};
}

// Those of f64, which transform lines of every length. By CUDA many powers of two have passes of their own
// (schedules/fft2d.cpp).
inline ScheduleVariants mixed_variants_of_f64() {
    using Radices = FftMixedShape::Radices;
    return family(
        "tuned", {mixed_variant("tuned", cuda, "c128", {.radices = Radices::every, .serves_all = true}, 256,
                      words_of_every_gpu, "Lines of f64:"),
                     mixed_variant("tuned", opencl, "c128", {.radices = Radices::unrolled}, 256,
                         words_of_older_gpus, "Lines of f64:"),
                     variant("tuned_any", cpu, "c128", mixed_lines_in_vectors, FftMixedShape{.columns = true})
                         .says("Columns of f64 of any length, all stages in a core's cache.")});
}

// The rows of f64 on a CPU, whose columns are above, in a family of their own, so that they too have code for
// CPUs without AVX2, as the two of c64 have; and lines with large radices, which alone transform a field
// whose sides both have such a factor.
inline ScheduleVariants other_mixed_variants_of_f64() {
    return family(
        "fused", {mixed_variant("fused_mixed_large", cuda, "c128", {.radices = FftMixedShape::Radices::large},
                      256, words_of_every_gpu, "Lines of f64 with a prime factor of 17 to 23:")
                         .in("tuned"),
                     variant("fused_mixed_rows", cpu, "c128", mixed_lines_in_vectors, FftMixedShape{})
                         .one_for("fft")
                         .says("Rows of f64 of any length, all stages in a core's cache.")});
}

}  // namespace tilewright
