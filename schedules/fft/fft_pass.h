#pragma once
// The schedules of one pass of a Fourier transform, for the tables of fft2d and fresnel.
#include "generators/algorithms/fft2d/pass.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"
#include <algorithm>
#include <string>
#include <vector>

namespace tilewright {

// How a variant describes its pass: the options of FftPassShape, and the numbers of its schedule.
struct PassNumbers {
    FftPassShape::Lines lines = FftPassShape::Lines::along;
    FftPassShape::Numbered numbered = FftPassShape::Numbered::none;
    bool twiddled = false, chirp_first = false, chirp_last = false, convolve = false, serves_all = false,
         clustered = false;
    int together = 1;  // lines per thread block, or per task of a core
    int threads = 0;   // butterflies of a line that are computed side by side; 0: as many as the stage of the
                       // largest radix has
    // By CUDA: how many quarters of a round of blocks later those begin of which each block fetches what they
    // read (generators/algorithms/next_block.h). 0: none.
    int ahead = 0;
    int pad = 1;  // which rows of cells are longer by one, against bank conflicts: 0 none, 1 those of the
                  // last digit, 2 all
    const char *type = "c64";
};

// What a pass does, for people: "Columns of 512 points: all stages in shared memory, 8 lines at a time."
inline std::string pass_sentence(Backends where, const FftPassShape &shape, int together) {
    const bool part = shape.is_part();
    std::string text = shape.lines == FftPassShape::Lines::along  ? "Rows" :
                       shape.lines == FftPassShape::Lines::across ? "Columns" :
                                                                    "Rows into columns";
    text += (part ? " in parts of " : " of ") + std::to_string(shape.length()) + " points: all stages ";
    text += where == cpu    ? "in a core's cache, " :
            shape.clustered ? "in a cluster's shared memory, " :
                              "in shared memory, ";
    text += together == 1 ? "one line at a time" : std::to_string(together) + " lines at a time";
    text += shape.convolve ? ", there and back" : "";
    text += shape.chirp_first || shape.chirp_last ? ", with phases" : "";
    return text + ".";
}

// The row of a pass over lines whose length is the product of the radices.
inline ScheduleVariant pass_variant(const std::string &name, Backends where,
    void (*schedule)(FftPass &, ScheduleContext &), const std::vector<int> &radices, const PassNumbers &n) {
    FftPassShape shape(radices);
    shape.lines = n.lines;
    shape.numbered = n.numbered;
    shape.twiddled = n.twiddled;
    shape.chirp_first = n.chirp_first;
    shape.chirp_last = n.chirp_last;
    shape.convolve = n.convolve;
    shape.serves_all = n.serves_all;
    shape.clustered = n.clustered;
    const int threads =
        n.threads ? n.threads : shape.points_of_block() / *std::max_element(radices.begin(), radices.end());
    // A thread unrolls its butterflies. 16 of them were an expression of more than 256 nested brackets, which
    // the clang of OpenCL drivers refuses (PoCL 3.1, fresnel/fused_convolved_rows_256, threads=1).
    const int fewest = std::max(1, threads / 4),
              most = std::min(1024, std::max(threads, shape.points_of_block()));
    std::vector<Tunable> tunables = {
        {"together", n.together, 1, 64}, {"threads", threads, fewest, most}, {"pad", n.pad, 0, 2}};
    if (n.ahead > 0) {
        tunables.push_back({"ahead", n.ahead, 0, 4});
    }
    return variant(name, where, n.type, schedule, shape, std::move(tunables))
        .says(pass_sentence(where, shape, n.together));
}

// The lines of one length that a variant is made for.
struct PassLines {
    std::vector<int> radices;
    int together;
    int pad = 1;
    Backends where = gpu;
    int registers = 0;  // at most so many for a thread on CUDA; 0: as many as it likes
    int threads = 0;    // as in PassNumbers
    int ahead = 0;      // as in PassNumbers
};

// A variant for each length: NAME_LENGTH, with the options that `numbers` makes of its lines together.
template<typename Numbers>
ScheduleVariants pass_variants(const std::string &name, void (*schedule)(FftPass &, ScheduleContext &),
    Numbers numbers, const std::vector<PassLines> &lengths) {
    ScheduleVariants variants;
    for (const PassLines &lines : lengths) {
        PassNumbers n = numbers(lines.together);
        n.pad = lines.pad;
        n.threads = lines.threads;
        n.ahead = lines.ahead;
        const std::string length = std::to_string(FftPassShape(lines.radices).length());
        ScheduleVariant made = pass_variant(name + "_" + length, lines.where, schedule, lines.radices, n);
        variants.push_back(lines.registers ? std::move(made).registers("", lines.registers) : made);
    }
    return variants;
}

// The lengths of whole lines: rows and columns on a GPU, and short ones of either kind in a core's cache
// (schedules/fft/fft_lines.h has the long ones). By OpenCL as by CUDA: devices whose blocks have less shared
// memory than a pass takes transform its lines in parts, or as lines of any length.
inline const std::vector<PassLines> &whole_rows() {
    static const std::vector<PassLines> lengths = {{{4, 4}, 16}, {{4, 8}, 16}, {{8, 8}, 16}, {{8, 16}, 16},
        {{16, 16}, 8}, {{8, 8, 8}, 1, 2}, {{8, 8, 16}, 2, 2}, {{8, 16, 16}, 1, 2}, {{16, 16, 16}, 1, 2},
        {{16, 16, 32}, 1, 2, gpu, 128}};
    return lengths;
}
inline const std::vector<PassLines> &whole_columns() {
    static const std::vector<PassLines> lengths = {{{4, 4}, 16}, {{4, 8}, 16}, {{8, 8}, 16}, {{8, 16}, 16},
        {{16, 16}, 16}, {{8, 8, 8}, 4, 2}, {{8, 8, 16}, 4, 2}, {{16, 16, 8}, 8, 2, gpu, 64},
        {{16, 16, 16}, 4, 2, gpu, 64, 0, 1}};
    return lengths;
}

// Columns in the shared memory of clusters of eight blocks.
inline const std::vector<PassLines> &clustered_columns() {
    static const std::vector<PassLines> lengths = {
        {{32, 16, 8}, 8, 1, cuda, 128}, {{32, 32, 8}, 8, 1, cuda, 128}};
    return lengths;
}

// Lengths that are no powers of two, but sides of many images. FftMixed takes others, and would take 1.3 to
// 2.8 times as long for these (docs/PERFORMANCE.md).
inline const std::vector<PassLines> &other_rows() {
    static const std::vector<PassLines> lengths = {{{10, 8, 6}, 2, 2, gpu, 0, 80},
        {{10, 8, 8}, 2, 2, gpu, 0, 80}, {{10, 9, 8}, 2, 2, gpu, 0, 90}, {{10, 10, 10}, 2, 2},
        {{12, 10, 9}, 2, 2, gpu, 0, 120}, {{16, 10, 8}, 1, 2, gpu, 0, 160}, {{12, 12, 10}, 1, 2, gpu, 0, 144},
        {{16, 12, 8}, 1, 2}, {{20, 12, 8}, 1, 2, gpu, 0, 240}, {{20, 10, 10}, 1, 2},
        {{15, 12, 12}, 1, 2, gpu, 0, 180}, {{16, 16, 10}, 1, 2, gpu, 0, 256}, {{15, 20, 10}, 1, 2},
        {{16, 16, 15}, 1, 2, gpu, 0, 256}};
    return lengths;
}
inline const std::vector<PassLines> &other_columns() {
    static const std::vector<PassLines> lengths = {{{10, 8, 6}, 8, 2, gpu, 64, 80},
        {{10, 8, 8}, 8, 2, gpu, 64, 80}, {{10, 9, 8}, 8, 2, gpu, 64, 90}, {{10, 10, 10}, 4, 2},
        {{12, 10, 9}, 4, 2, gpu, 0, 120}, {{16, 10, 8}, 4, 2}, {{12, 12, 10}, 4, 1, gpu, 40, 120},
        {{16, 12, 8}, 4, 2}, {{20, 12, 8}, 4, 2, gpu, 64, 96}, {{20, 10, 10}, 4, 2},
        {{15, 12, 12}, 4, 2, gpu, 0, 90}, {{16, 16, 10}, 4, 2, gpu, 0, 128},
        {{15, 20, 10}, 4, 2, gpu, 80, 0, 1}, {{16, 16, 15}, 4, 2, gpu, 128, 128, 1}};
    return lengths;
}

inline const std::vector<PassLines> &lines_in_cache() {
    static const std::vector<PassLines> lengths = {
        {{4, 4}, 16, 1, cpu}, {{4, 8}, 16, 1, cpu}, {{8, 8}, 16, 1, cpu}, {{2, 8, 8}, 16, 1, cpu}};
    return lengths;
}

// Promises that a pass has a whole number of groups of `together` lines.
inline void whole_groups_of_lines(FftPass &f, ScheduleContext &context, int together) {
    Halide::OutputImageParam &output = context.buffers.back();
    const int lines = (f.shape.lines == FftPassShape::Lines::along ? 1 : 0) + (f.is_f64 ? 1 : 0);
    output.dim(lines).set_extent(multiple_of(together, output.dim(lines).extent()));
}

// Whether rows of cells that have a digit are longer by one (PassNumbers::pad).
inline bool is_padded(const FftPass &f, int digit, int pad) {
    const int last = f.count - (f.shape.clustered ? 2 : 1);  // of a block
    return (pad > 0 && digit == last) || (pad > 1 && digit > 0 && digit < last);
}

// How many lines a block of threads takes. In libraries for GPUs older than compute capability 8.0, whose
// blocks may have 48 KB of shared memory, a half, a quarter and so on of what the variant says.
inline int lines_of_block(const FftPass &f, const ScheduleContext &context) {
    const int capability = context.target.get_cuda_capability_lower_bound();
    int together = context["together"], bytes = 2 * f.type.bytes();
    for (int s = 0; s < f.count; s++) {
        const int radix = f.is_spread(s) ? 1 : f.shape.radix[(size_t)s];
        bytes *= radix + (is_padded(f, s, context["pad"]) ? 1 : 0);
    }
    while (!f.shape.clustered && capability >= 0 && capability < 80 && together % 2 == 0 &&
           bytes * together > 48 * 1024) {
        together /= 2;
    }
    return together;
}

// The loops of one stage of `cells`: the other digits, those of neighbouring points first, are spread over
// the threads. The update of a stage computes its factors for each butterfly. A digit that is the number of
// the block has one value, and so has the first digit where the stage is that of such a digit.
inline void stage_over_threads(FftPass &f, size_t number, int threads) {
    Halide::Stage stage = f.cells.update((int)number);
    Var butterfly, outer, inner;
    bool first = true;
    for (int s = f.count - 1; s >= 0; s--) {
        const int digit = f.stages[number].digit;
        if (s == digit || f.is_spread(s) || (s == 0 && f.is_spread(digit))) {
            continue;
        }
        if (first) {
            butterfly = f.digits[(size_t)s];
            first = false;
        } else {
            Var fused;
            stage.fuse(butterfly, f.digits[(size_t)s], fused);
            butterfly = fused;
        }
    }
    stage.split(butterfly, outer, inner, threads, Halide::TailStrategy::GuardWithIf).unroll(outer);
    if (f.is_spread(f.stages[number].digit)) {
        // Every first digit has cells of its own.
        stage.allow_race_conditions();
        stage.reorder(outer, f.of_block.x, f.line, inner, f.digits.back()).gpu_threads(f.line, inner);
        stage.unroll(f.of_block.x);
    } else if (f.shape.clustered) {
        stage.reorder(outer, f.line, inner, f.digits.back()).gpu_threads(f.line, inner);
    } else if (f.across()) {
        stage.reorder(outer, f.line, inner).gpu_threads(f.line, inner);
    } else {
        stage.reorder(outer, inner, f.line).gpu_threads(inner, f.line);
    }
    for (Halide::Func &factor : f.stages[number].factors) {
        factor.compute_at(f.cells, outer);
    }
}

// Each thread block transforms a few lines, which it keeps in shared memory: one stage after another with a
// barrier between them, and one thread per butterfly. Neighbouring threads have neighbouring columns, or
// neighbouring points of a row. Rows of cells that are longer by one put the points that neighbouring threads
// read into different banks.
inline void lines_in_shared(FftPass &f, ScheduleContext &context) {
    const int together = lines_of_block(f, context), threads = context["threads"], pad = context["pad"];
    const bool neighbours_first = f.shape.lines != FftPassShape::Lines::along;
    const Halide::RVar iteration = f.last_stage.x, side = f.last_stage.y;
    Var block{"block"}, within{"within"};

    undefined_on_gpu(f.out);
    Halide::Stage last = f.out.update();
    // Every butterfly writes to other positions.
    last.allow_race_conditions();
    if (f.shape.is_padded()) {
        last.split(f.line, block, within, together, Halide::TailStrategy::GuardWithIf);
        f.cells.bound_extent(f.line, together);
    } else {
        last.split(f.line, block, within, together);
        whole_groups_of_lines(f, context, together);
    }
    if (f.shape.clustered) {  // whose blocks follow each other along x
        const Halide::RVar of_cluster = f.last_stage.z;
        last.reorder({iteration, within, side, of_cluster, block, f.batch}).gpu_threads(within, side);
        last.gpu_blocks(of_cluster, block, f.batch);
        f.cells.compute_at(f.out, of_cluster);
    } else {
        if (neighbours_first) {
            last.reorder({iteration, within, side, block, f.batch}).gpu_threads(within, side);
        } else {
            last.reorder({iteration, side, within, block, f.batch}).gpu_threads(side, within);
        }
        last.gpu_blocks(block, f.batch);
        f.cells.compute_at(f.out, block);
    }
    last.unroll(iteration);
    for (Halide::Func &factor : f.last_factors) {
        factor.compute_at(f.out, iteration);
    }

    f.cells.store_in(Halide::MemoryType::GPUShared);
    for (int s = 0; s < f.count; s++) {
        if (f.is_spread(s)) {
            continue;
        }
        const int radix = f.shape.radix[(size_t)s];
        f.cells.bound(f.digits[(size_t)s], 0, radix);
        if (is_padded(f, s, pad)) {
            f.cells.align_storage(f.digits[(size_t)s], radix + 1);
        }
    }
    for (size_t i = 0; i < f.stages.size(); i++) {
        stage_over_threads(f, i, threads);
    }
    for (Halide::OutputImageParam &field : context.buffers) {
        field.set_host_alignment(8);
    }
}

// A core transforms a few lines at a time, which it keeps in its cache. The same points of different lines
// are the lanes of vectors: one stage after another, with all arithmetic on whole vectors. Rows are
// transposed as they are read and written.
inline void lines_in_vectors(FftPass &f, ScheduleContext &context) {
    const int together = context["together"],
              lanes = std::min(together, context.target.natural_vector_size<float>());
    Var block{"block"}, within{"within"}, task{"task"};
    Halide::Stage last = f.out.update();
    last.allow_race_conditions().split(f.line, block, within, together);
    last.reorder({within, f.last_stage.x, f.last_stage.y, block, f.batch})
        .fuse(block, f.batch, block)
        .vectorize(within, lanes);
    last.split(block, task, block, 8, TailStrategy::GuardWithIf).parallel(task);
    for (Halide::Func &factor : f.last_factors) {
        factor.compute_at(f.out, f.last_stage.x);
    }
    // Memory is allocated once per task: the first use of new pages costs as much time as a pass.
    f.cells.compute_at(f.out, block).hoist_storage(f.out, task);
    for (int s = 0; s < f.count; s++) {
        f.cells.bound(f.digits[(size_t)s], 0, f.shape.radix[(size_t)s]);
    }
    for (size_t i = 0; i < f.stages.size(); i++) {
        Halide::Stage stage = f.cells.update((int)i);
        Var inner;
        std::vector<Halide::VarOrRVar> order = {f.line};
        for (int s = f.count - 1; s >= 0; s--) {
            if (s != f.stages[i].digit) {
                order.push_back(f.digits[(size_t)s]);
            }
        }
        stage.reorder(order).vectorize(f.line, lanes);
        for (Halide::Func &factor : f.stages[i].factors) {
            factor.compute_at(f.cells, order[1].var);
        }
    }
    if (!f.across()) {
        f.cells.reorder_storage(f.line, f.digits.back());
    }
    whole_groups_of_lines(f, context, together);
}

}  // namespace tilewright
