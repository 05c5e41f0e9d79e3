#pragma once
// A call of min_plus_convolution as its libraries take it, and how their work is split. Not installed.
#include "generators/algorithms/integers.h"
#include "generators/algorithms/min_plus_convolution/configuration.h"
#include "runtime/dispatch/views.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <utility>

namespace tilewright {

// Pairs i < n and j < m with i + j < length.
inline double pairs_of(double n, double m, double length) {
    const auto triangle = [](double side) { return side > 0 ? .5 * side * (side + 1) : 0.; };
    return triangle(length) - triangle(length - n) - triangle(length - m) + triangle(length - n - m);
}

// The shorter vector is `a`, and both are as long as the output can see: n and m. `length` entries of the
// output have a sum; the caller may ask for one entry more.
struct MinPlusRequest : Request {
    Array a, b, accumulated;
    int64_t n = 0, m = 0, length = 0;

    MinPlusRequest() = default;
    MinPlusRequest(std::span<const Array> inputs, int64_t entries)
        : a(inputs[0]), b(inputs[1]), length(std::min(entries, a.size() + b.size() - 1)) {
        if (inputs.size() > 2) {
            accumulated = inputs[2];
        }
        n = std::min(a.size(), length);
        m = std::min(b.size(), length);
        if (n > m) {
            std::swap(a, b);
            std::swap(n, m);
        }
    }

    // Sums that the output is the least of: i + j < length.
    double pairs() const {
        return pairs_of((double)n, (double)m, (double)length);
    }
};

// The first n elements.
inline View first(const Array &vector, int64_t n) {
    View view = image(vector);
    view.dims[0].extent = n;
    return view;
}

// What an output is held against where nothing is accumulated: one element for all. It outlives everything,
// and so does its copy on a device.
inline const Array &nothing(Type type) {
    static const std::array<Array, 3> &all = *new std::array<Array, 3>([] {
        std::array<Array, 3> made = {Array(Type::f64, {1}), Array(Type::f32, {1}), Array(Type::i32, {1})};
        made[0].as<double>()[0] = std::numeric_limits<double>::infinity();
        made[1].as<float>()[0] = std::numeric_limits<float>::infinity();
        made[2].as<int32_t>()[0] = std::numeric_limits<int32_t>::max();
        return made;
    }());
    return all[type == Type::f64 ? 0 : type == Type::f32 ? 1 : 2];
}

inline const Array &accumulated_of(const MinPlusRequest &request) {
    return request.accumulated.empty() ? nothing(request.a.type()) : request.accumulated;
}

// The place of the first of n elements that is `wrong`, or n. All elements are looked at first, with a flag
// of an element's size in place of a bool, because GCC 12 makes vectors of that loop only: 100000 f32 take 8
// us in place of 35.
template<typename T, typename Wrong>
int64_t first_that(const T *x, int64_t n, Wrong wrong) {
    std::conditional_t<sizeof(T) == 8, T, uint32_t> any = 0;
    for (int64_t i = 0; i < n; i++) {
        if constexpr (sizeof(T) == 8) {
            any = wrong(x[i]) ? 1 : any;
        } else {
            any |= wrong(x[i]) ? 1 : 0;
        }
    }
    return any != 0 ? std::find_if(x, x + n, wrong) - x : n;
}

// When `tuned` prunes. These conditions of speed are no choice of a row, which measured times could make: how
// much pruning saves depends on the values, of which the host knows nothing before the first step of the
// plan.

// On a GPU `tuned` prunes from `pairs` pairs on: finding the blocks must cost less than a tenth of the dense
// form (an estimate from the times of its kernels). It goes on with the pruned form where at most the part
// `asked` of all pairs has to be evaluated, because lists are walked at a lower rate than whole ranges.
// Measured on an H200.
struct PruningThreshold {
    double pairs, asked;
};
inline PruningThreshold pruning_threshold(Type type) {
    return type == Type::f64 ? PruningThreshold{2e10, .75} :
           type == Type::f32 ? PruningThreshold{8e10, .5} :
                               PruningThreshold{8e10, .45};
}

// The same on a CPU: `tuned` sifts from so many pairs on, and goes on with the sieve where it evaluates at
// most this part of all elements. Measured on one AMD Zen 4 core at 100,000 f64: the first half takes 3 % of
// the dense form's time, and the sieve takes 3 to 7 times as long per pair.
constexpr double fewest_pairs_to_sift = 1e9, most_sifted = .1;

// How the work of the pruned forms is split (generators/algorithms/min_plus_convolution/pruned.h).
struct PrunedSplit {
    int64_t run, own, owners, tile, words, segments, tiles, segments_of_part, parts;

    PrunedSplit(const Row &row, const MinPlusRequest &request)
        : PrunedSplit(row.configuration<MinPlusPrunedConfiguration>().tile(), request) {}

    // The lists of blocks are in one buffer; a grid has at most 65535 blocks along its second axis.
    bool fits() const {
        return tiles <= 65535 && 256 * segments * tiles <= most_bytes;
    }

private:
    PrunedSplit(const MinPlusTile &of, const MinPlusRequest &request)
        : run(of.run), own(of.outputs_per_worker), owners(of.workers), tile(of.size()) {
        const int64_t blocks = ceil_div(request.n, run);
        words = ceil_div(blocks, 32);
        segments = ceil_div(blocks, 256);
        tiles = ceil_div(request.length, tile);
        segments_of_part = ceil_div(segments, std::max<int64_t>(1, ceil_div(6000, tiles)));
        parts = ceil_div(segments, segments_of_part);
    }
};

// What the first pruned form (which finds the blocks that can matter) leaves for the second one (which
// evaluates them).
struct Pruning {
    Array low_of_blocks, low_of_windows, chosen, best, limits, asked;
    View best_view;

    Pruning(Type type, const PrunedSplit &of)
        : low_of_blocks(type, {32, of.words}, 0),
          low_of_windows(type, {32, of.words + (of.tiles - 1) * (of.tile / of.run) / 32 + 1}, 0),
          chosen(Type::u32, {of.tiles, of.segments * 8}, 0), best(type, {of.tiles * of.tile}, 0),
          limits(type, {of.tiles, 2}, 0), asked(Type::i32, {1}, 0),
          best_view{halide_type(type), {{of.owners, 1}, {of.own, of.owners}, {of.tiles, of.tile}}, 0} {}
};

}  // namespace tilewright
