#pragma once
// A form of recursive_gaussian that computes several samples of a line per step. Row: tuned on CPUs.
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/recursive_gaussian/recursive_gaussian.h"
#include <string>
#include <vector>

namespace tilewright {

// Both filters of lines line(v, i, c), 0 <= i < length, in steps of `run` samples. Step t has samples t run
// ... (t + 1) run - 1, and then d and e, so that a step only reads the end of the step before. Beyond its end
// a line continues with its last sample, as the edge rule says, up to the end of the last run.
struct RecursiveRuns : Halide::NamesInterface {
    Var v{"v"}, c{"c"}, t{"t"};
    int run;
    RDom n;
    Func causal, anticausal;

    // ends: the same as line, for reading the first and the last sample; a schedule may compute line
    // otherwise.
    RecursiveRuns(
        const std::string &name, Func line, Func ends, Expr length, const Recursion &recursion, int run)
        : run(run), n(0, ceil_div(length, run), name + "_n"), causal(name + "_causal"),
          anticausal(name + "_anticausal") {
        const Expr steps = ceil_div(length, run), back = steps - 1 - n;
        const std::vector<Expr> none(size_t(run) + 2, Halide::undef<float>());
        const size_t d = size_t(run), e = d + 1, last = d - 1;
        auto slot = [&](Func f, Expr step, size_t k) { return f(v, c, step)[(int)k]; };
        // One sample. w is its value before the run plus its rise since then, so that w is rounded only once
        // per run.
        auto advance = [&](Tuple &z, Expr sample, Expr before, Expr &rise) {
            const Tuple next = recursion.step(sample, z);
            rise = rise.defined() ? rise + next[1] : next[1];
            z = Tuple(before + rise, next[1], next[2]);
        };

        causal(v, c, t) = Tuple(none);
        anticausal(v, c, t) = Tuple(none);
        std::vector<Expr> start = none, end = none, forward = none, backward = none;
        start[last] = ends(v, 0, c);
        start[d] = start[e] = 0.f;
        Tuple z(slot(causal, n - 1, last), slot(causal, n - 1, d), slot(causal, n - 1, e));
        Expr before = z[0], rise;
        for (size_t i = 0; i < d; i++) {
            advance(z, line(v, n * run + (int)i, c), before, rise);
            forward[i] = z[0];
        }
        forward[d] = z[1];
        forward[e] = z[2];
        causal(v, c, -1) = Tuple(start);
        causal(v, c, n) = Tuple(forward);

        z = recursion.end_state(
            {slot(causal, steps - 1, last), slot(causal, steps - 1, d), slot(causal, steps - 1, e)},
            ends(v, length - 1, c));
        end[0] = z[0];
        end[d] = z[1];
        end[e] = z[2];
        z = Tuple(
            slot(anticausal, back + 1, 0), slot(anticausal, back + 1, d), slot(anticausal, back + 1, e));
        before = z[0];
        rise = Expr();
        for (size_t i = d; i-- > 0;) {
            advance(z, slot(causal, back, i), before, rise);
            backward[i] = z[0];
        }
        backward[d] = z[1];
        backward[e] = z[2];
        anticausal(v, c, steps) = Tuple(end);
        anticausal(v, c, back) = Tuple(backward);
    }

    // The filtered sample i of a line, 0 <= i < run * steps; `k` is i % run.
    Expr sample(Expr v, Expr i, Expr k, Expr c) const {
        std::vector<Expr> samples;
        for (int j = 0; j < run; j++) {
            samples.push_back(anticausal(v, c, i / run)[j]);
        }
        return run == 1 ? samples[0] : mux(k, samples);
    }
    Expr sample(Expr v, Expr i, Expr c) const {
        return sample(v, i, i % run, c);
    }
};

// The definition with its lines in runs. image: rows of width * channels elements; beyond the image its last
// row and its last pixels are repeated. Between the filters the image is stored in strips, `strip` elements
// of all rows.
struct RecursiveGaussianRuns : Halide::NamesInterface {
    static constexpr const char *name = "recursive_gaussian_runs";
    Var x{"x"}, y{"y"}, s{"s"}, v{"v"}, i{"i"}, c{"c"};
    Expr width, height, channels;
    int run, strip;
    Func in, padded{"padded"}, transposed{"turned"}, line_x{"line_x"}, square{"square"}, across{"across"},
        line_y{"line_y"}, out{"out"};
    RecursiveRuns along_x, along_y;

    RecursiveGaussianRuns(
        Func image, Expr width, Expr height, Expr channels, const Recursion &recursion, int run, int strip)
        : width(width), height(height), channels(channels), run(run), strip(strip), in(image),
          along_x("along_x", rows(), row_ends(), width, recursion, run),
          along_y("along_y", columns(), line_y, height, recursion, run) {
        out(x, y) = as_pixel(in.type(), along_y.sample(x, y, 0));
    }

private:
    // padded: the image, whose lines continue beyond their ends.
    Func rows() {
        const Expr n = width * channels;
        padded(x, v) = sample(v, select(x < n, likely(x), n - channels + x % channels));
        transposed(v, x) = padded(x, v);
        line_x(v, i, c) = transposed(v, i * channels + c);
        return line_x;
    }
    Func row_ends() {
        Func ends("row_ends");
        ends(v, i, c) = sample(v, i * channels + c);
        return ends;
    }
    Expr sample(Expr v, Expr element) {
        return cast<float>(in(promised(element, width * channels), clamp(v, 0, height - 1)));
    }
    // square(i, v, t, c): sample i of run t
    Func columns() {
        Var t{"t"};
        square(i, v, t, c) = along_x.sample(v, t * run + i, i, c);
        const Expr element = s * strip + x, pixel = element / channels;
        across(x, y, s) = square(pixel % run, y, pixel / run, element % channels);
        line_y(v, i, c) = across(v % strip, min(i, height - 1), v / strip);
        return line_y;
    }
};

}  // namespace tilewright
