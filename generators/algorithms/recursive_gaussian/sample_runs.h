#pragma once
// Forms of recursive_gaussian that compute several samples of a line per step. Variants: tuned on CPUs.
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/recursive_gaussian/recursive_gaussian.h"
#include "generators/algorithms/turned_squares.h"
#include <functional>
#include <string>
#include <vector>

namespace tilewright {

// The state of a filter inside a run of samples. w is its value before the run plus its rise since then, so
// that w is rounded only once per run.
class StateInRun : Halide::NamesInterface {
public:
    StateInRun(const Recursion &recursion, const Tuple &z)
        : gain_(recursion.gain), slope_(recursion.slope), a3_(recursion.a3), before_(z[0]),
          rise_(recursion.zero()), earlier_rise_(rise_), d_(z[1]), e_(z[2]) {}

    // One sample. Where there is a sample before the last, its rise and its d are used:
    //     e[n] = gain (x[n] - before - rise[n-2]) + (slope - gain) d[n-2] + (slope - gain + a3) e[n-1]
    // So only one multiplication and one addition lie between e[n-1] and e[n]: they set the time where few
    // vectors are filtered at once.
    void advance(const Expr &sample) {
        const Expr input = gain_ * (sample - before_);
        if (earlier_d_.defined()) {
            e_ = (slope_ - gain_ + a3_) * e_ +
                 ((slope_ - gain_) * earlier_d_ + (input - gain_ * earlier_rise_));
        } else {
            e_ = input + (slope_ * d_ + a3_ * e_);
        }
        earlier_rise_ = rise_;
        earlier_d_ = d_;
        d_ = d_ + e_;
        rise_ = rise_ + d_;
    }

    Expr w() const {
        return before_ + rise_;
    }
    Expr d() const {
        return d_;
    }
    Expr e() const {
        return e_;
    }

private:
    Expr gain_, slope_, a3_;
    Expr before_, rise_, earlier_rise_, d_, earlier_d_, e_;
};

// Both filters of lines line(v, i, c), 0 <= i < length, in steps of `run` samples. Step t has samples t run
// ... (t + 1) run - 1, and then d and e, so that a step only reads the end of the step before. The anticausal
// filter overwrites what the causal filter left, so that a line takes half of the memory. Where the length is
// no multiple of `run`, the line must continue up to the end of the last run.
struct RecursiveRuns : Halide::NamesInterface {
    using Start = std::function<Tuple(Expr v, Expr c)>;
    using End = std::function<Tuple(Expr v, Expr c, const Tuple &z)>;

    Var v{"v"}, c{"c"}, t{"t"};
    int run;
    RDom n;
    Func filtered;  // its updates: the start, the causal filter, the end, the anticausal filter

    // start: the state before the first sample. end: the state of the anticausal filter behind the last run,
    // from that of the causal filter there.
    RecursiveRuns(const std::string &name, Func line, Expr length, const Recursion &recursion, int run,
        const Start &start, const End &end)
        : run(run), n(0, ceil_div(length, run), name + "_n"), filtered(name) {
        const Expr steps = ceil_div(length, run), back = steps - 1 - n;
        const int d = run, e = run + 1;
        auto state = [&](Expr step, int w) {
            const Halide::FuncRef at = filtered(v, c, step);
            return Tuple(at[w], at[d], at[e]);
        };

        filtered(v, c, t) = Tuple(undefined(recursion));
        filtered(v, c, -1) = step_of(recursion, start(v, c), run - 1);
        std::vector<Expr> forward = undefined(recursion), backward = forward;
        filter(
            forward, recursion, state(n - 1, run - 1), 0, 1, [&](int i) { return line(v, n * run + i, c); });
        filtered(v, c, n) = Tuple(forward);
        filtered(v, c, steps) = step_of(recursion, end(v, c, state(steps - 1, run - 1)), 0);
        filter(backward, recursion, state(back + 1, 0), run - 1, -1,
            [&](int i) { return filtered(v, c, back)[i]; });
        filtered(v, c, back) = Tuple(backward);
    }

    // The filtered sample i of a line, 0 <= i < run * steps; `k` is i % run.
    Expr sample(Expr v, Expr i, Expr k, Expr c) const {
        std::vector<Expr> samples;
        for (int j = 0; j < run; j++) {
            samples.push_back(filtered(v, c, i / run)[j]);
        }
        return run == 1 ? samples[0] : mux(k, samples);
    }
    Expr sample(Expr v, Expr i, Expr c) const {
        return sample(v, i, i % run, c);
    }

private:
    std::vector<Expr> undefined(const Recursion &recursion) const {
        return std::vector<Expr>(size_t(run) + 2, Halide::undef(recursion.type()));
    }

    // A step of which only w, in place `place`, d and e matter.
    Tuple step_of(const Recursion &recursion, const Tuple &z, int place) const {
        std::vector<Expr> step = undefined(recursion);
        step[size_t(place)] = z[0];
        step[size_t(run)] = z[1];
        step[size_t(run) + 1] = z[2];
        return Tuple(step);
    }

    // A run of samples, from the place `first` on, forwards or backwards.
    void filter(std::vector<Expr> &step, const Recursion &recursion, const Tuple &z, int first, int direction,
        const std::function<Expr(int)> &sample) const {
        StateInRun state(recursion, z);
        for (int k = 0, i = first; k < run; k++, i += direction) {
            state.advance(sample(i));
            step[size_t(i)] = state.w();
        }
        step[size_t(run)] = state.d();
        step[size_t(run) + 1] = state.e();
    }
};

// Both filters of lines whose first and last samples continue without end. ends: the same as line, for
// reading the first and the last sample; a schedule may compute line otherwise.
inline RecursiveRuns whole_lines(const std::string &name, Halide::Func line, Halide::Func ends,
    Halide::Expr length, const Recursion &recursion, int run) {
    using namespace Halide;
    return RecursiveRuns(
        name, line, length, recursion, run,
        [=](Expr v, Expr c) { return Tuple(ends(v, 0, c), recursion.zero(), recursion.zero()); },
        [=](Expr v, Expr c, const Tuple &z) { return recursion.end_state(z, ends(v, length - 1, c)); });
}

// The elements of an image's rows, image(element, row); beyond its last row that row is repeated.
inline Halide::Func elements_of(const std::string &name, Halide::Func image, Halide::Expr height) {
    Halide::Func elements(name);
    Halide::Var x{"x"}, y{"y"};
    elements(x, y) = image(x, Halide::clamp(y, 0, height - 1));
    return elements;
}

// The same rows, `n` elements each, continued beyond their ends: the last pixel is repeated.
inline Halide::Func continued(
    const std::string &name, Halide::Func image, Halide::Expr n, Halide::Expr channels) {
    Halide::Func elements(name);
    Halide::Var x{"x"}, y{"y"};
    const Halide::Expr beyond = n - channels + x % channels;
    elements(x, y) = image(promised(select(x < n, likely(x), beyond), n), y);
    return elements;
}

// How lines are divided for a CPU's vectors and caches.
struct RunShape {
    int run;     // samples of a line that one step computes
    int strip;   // elements of a row that are stored together for all rows
    int square;  // rows and columns of the squares that are transposed in registers
};

// Both filters of the rows of an image with elements of width * channels per row. The lanes of a vector are
// samples of neighbouring rows, so rows are transposed by squares when they are read and when they are
// written: sample(x, y) is the filtered element x of row y, as a pixel `to`.
struct RecursiveRows : Halide::NamesInterface {
    Var x{"x"}, v{"v"}, i{"i"}, c{"c"}, t{"t"};
    RunShape shape;
    Pixel from;
    Func padded, transposed, square;
    TurnedSquares squares_in;
    RecursiveRuns lines;
    TurnedSquares squares_out;

    // padded(element, row): the image, of pixels `from`, whose rows continue beyond their ends. ends: the
    // same, for reading the first and the last pixel of a row; without it they are read where the transposed
    // image is.
    RecursiveRows(const std::string &name, Func padded, Func ends, Expr width, Expr channels,
        const Recursion &recursion, const RunShape &s, const Pixel &from, const Pixel &to)
        : shape(s), from(from), padded(padded), transposed(name + "_turned"), square(name + "_square"),
          squares_in(turn_in(name)),
          lines(whole_lines(name, line_in_runs(name + "_line", transposed, channels),
              line_of(name + "_ends", ends.defined() ? swapped(ends) : transposed, channels), width,
              recursion, s.run)),
          squares_out(turn_out(name, channels, to)) {}

    Expr sample(Expr x, Expr y) const {
        const int side = shape.square;
        return squares_out(y % side, x % side, x / side, y / side);
    }

private:
    // The image is transposed in its own type: a register has the more elements.
    TurnedSquares turn_in(const std::string &name) {
        const int side = shape.square, columns = side * 4 / padded.type().bytes();
        TurnedSquares squares(name + "_in", side, columns, [&](Expr column, Expr row, Expr t, Expr u) {
            return padded(t * columns + column, u * side + row);
        });
        transposed(v, x) = squares(x % columns, v % side, x / columns, v / side);
        return squares;
    }
    Func swapped(Func image) {
        Func swapped("swapped");
        swapped(v, x) = image(x, v);
        return swapped;
    }
    // line(v, i, c) of elements (v, element).
    Func line_of(const std::string &name, Func elements, Expr channels) {
        Func line(name);
        line(v, i, c) = from.read(elements(v, i * channels + c));
        return line;
    }
    // The same of colours, with the promise that sample i is in its run, which has shape.run * channels
    // elements. Halide does not know the sign of `channels`, so that it would bound i * channels + c by the
    // least of the bounds of all samples, 37 terms, in each size that depends on it. The casts hide the
    // element from bounds inference, so that a run has the promised bounds.
    Func line_in_runs(const std::string &name, Func elements, Expr channels) {
        if (Halide::Internal::is_const(channels)) {
            return line_of(name, elements, channels);
        }
        Func line(name);
        const Expr first = i / shape.run * (shape.run * channels), end = first + shape.run * channels;
        const Expr element = Halide::reinterpret<int>(Halide::reinterpret<uint32_t>(i * channels + c));
        line(v, i, c) = from.read(elements(v, Halide::unsafe_promise_clamped(element, first, end - 1)));
        return line;
    }
    // square(i, v, t, c): sample i of run t.
    TurnedSquares turn_out(const std::string &name, Expr channels, const Pixel &to) {
        const int side = shape.square, run = shape.run;
        square(i, v, t, c) = to.written(lines.sample(v, t * run + i, i, c));
        return TurnedSquares(name + "_out", side, side, [&](Expr column, Expr row, Expr t, Expr u) {
            const Expr element = t * side + row, pixel = element / channels;
            return square(pixel % run, u * side + column, pixel / run, element % channels);
        });
    }
};

}  // namespace tilewright
