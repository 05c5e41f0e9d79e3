#pragma once
// The definition of recursive_gaussian.
//
// The recursion is that of L. van Vliet, I. Young and P. Verbeek, "Recursive Gaussian derivative filters",
// 1998; the ends of lines are those of B. Triggs and M. Sdika, "Boundary conditions for Young-van Vliet
// recursive filtering", 2006.
#include "Halide.h"
#include "generators/algorithms/element_type.h"
#include "generators/algorithms/float_bits.h"
#include <string>
#include <vector>

namespace tilewright {

// w[n] = gain x[n] + a1 w[n-1] + a2 w[n-2] + a3 w[n-3], computed in differences: the state is z = (w, d, e)
// with d = w - w1 and e = w - 2 w1 + w2. In this form a constant line stays constant, whatever the
// coefficients are rounded to.
struct Recursion : Halide::NamesInterface {
    Expr gain, slope, a3;  // slope = -(a2 + 2 a3 + 1)
    // 3 x 3: the state of the anticausal filter behind the end of a line, from that of the causal filter
    // there, if zeros follow.
    std::vector<Expr> end_matrix;

    // In which states are computed.
    Halide::Type type() const {
        return gain.type();
    }
    Expr zero() const {
        return Halide::Internal::make_zero(type());
    }

    Tuple step(Expr sample, const Tuple &z) const {
        const Expr e = gain * (sample - z[0]) + (slope * z[1] + a3 * z[2]), d = z[1] + e;
        return {z[0] + d, d, e};
    }

    // The state with d and e as multiples of the gain, which saves a multiplication per step, and back.
    Tuple over_gain(const Tuple &z) const {
        const Expr inverse = 1 / gain;
        return {z[0], inverse * z[1], inverse * z[2]};
    }
    Tuple times_gain(const Tuple &z) const {
        return {z[0], gain * z[1], gain * z[2]};
    }
    // The same step on states over the gain, from those one and two steps before: only a multiplication and
    // an addition lie between two values of e, half of what step() has.
    Tuple step_ahead(Expr sample, const Tuple &before, const Tuple &earlier) const {
        const Expr e = (slope - gain + a3) * before[2] +
                       ((slope - gain) * earlier[1] + (sample - earlier[0])),
                   d = before[1] + e;
        return {before[0] + gain * d, d, e};
    }
    // The state before the state z, as far as step_ahead() needs it.
    Tuple earlier(const Tuple &z) const {
        return {z[0] - gain * z[1], z[1] - z[2], zero()};
    }

    // The same with z = (w, d, e, rest), where rest is what rounding subtracted from w. Without it, the
    // errors of sigma steps would add up to 3e-8 sigma.
    Tuple step_with_rest(Expr sample, const Tuple &z) const {
        const Tuple next = step(sample, z);
        const Expr rise = next[1] + z[3], w = z[0] + rise;
        return {w, next[1], next[2], rise - (w - z[0])};
    }

    // The state of the anticausal filter behind the end of a line whose last sample continues without end.
    // The difference from the last sample decays as if zeros followed.
    Tuple end_state(const Tuple &z, Expr last) const {
        return {last + row(0, z, last), row(1, z, last), row(2, z, last)};
    }

private:
    Expr row(size_t k, const Tuple &z, Expr last) const {
        return end_matrix[3 * k] * (z[0] - last) +
               (end_matrix[3 * k + 1] * z[1] + end_matrix[3 * k + 2] * z[2]);
    }
};

// The pixels of an image: numbers of `type`, or the bits of 16-bit floats. They are filtered in f32, those of
// f64 in f64.
struct Pixel {
    Halide::Type type;
    FloatBits bits = {};

    // The number of an element of the image.
    Halide::Expr read(Halide::Expr element) const {
        return !bits.empty()             ? bits.number(element) :
               type == Halide::Float(64) ? element :
                                           cast<float>(element);
    }
    // A number as an element: itself, the nearest integer, or the bits of the nearest 16-bit float.
    Halide::Expr written(Halide::Expr value) const {
        return !bits.empty()   ? bits.bits_of(value) :
               type.is_float() ? value :
                                 cast(type, clamp(value + .5f, 0.f, cast<float>(type.max())));
    }
};

// Both filters of lines line(i, v, c), 0 <= i < length, whose first and last samples continue without end.
// The result is anticausal(i, v, c)[0].
struct RecursiveLines : Halide::NamesInterface {
    Var i{"i"}, v{"v"}, c{"c"};
    RDom n;
    Func causal, anticausal;

    RecursiveLines(const std::string &name, Func line, Expr length, const Recursion &recursion)
        : n(0, length, name + "_n"), causal(name + "_causal"), anticausal(name + "_anticausal") {
        const Expr zero = recursion.zero(), nothing = Halide::undef(recursion.type());
        const Tuple none(nothing, nothing, nothing, nothing);
        const Expr last = length - 1;
        auto at = [&](Func f, Expr i) {
            return Tuple(f(i, v, c)[0], f(i, v, c)[1], f(i, v, c)[2], f(i, v, c)[3]);
        };
        causal(i, v, c) = none;
        causal(-1, v, c) = Tuple(line(0, v, c), zero, zero, zero);
        causal(n, v, c) =
            next(recursion, line(n, v, c), at(causal, Halide::unsafe_promise_clamped(n - 1, -1, last)));
        anticausal(i, v, c) = none;
        const Tuple end = recursion.end_state(at(causal, last), line(last, v, c));
        anticausal(length, v, c) = Tuple(end[0], end[1], end[2], zero);
        anticausal(last - n, v, c) = next(recursion, causal(last - n, v, c)[0],
            at(anticausal, Halide::unsafe_promise_clamped(length - n, 0, length)));
    }

private:
    // The next state, of which all four values are computed before the first one is stored. Where Halide 21
    // can prove that a state is not stored over the one before it, it computes and stores one value after
    // another, and a compiler that cannot prove it loads the old state again for each of them. A promised
    // index and a condition on the gain, which is always positive, leave Halide without that proof: a load
    // inside strict arithmetic alone it does not see (tests/halide/tuple_stores_test.cpp).
    static Tuple next(const Recursion &recursion, Expr sample, const Tuple &z) {
        const Tuple step = recursion.step_with_rest(sample, z);
        return {step[0], step[1], select(recursion.gain > 0, step[2], z[0]), step[3]};
    }
};

// Rows are filtered first, then columns; each channel of a colour image by itself.
struct RecursiveGaussian : Halide::NamesInterface {
    static constexpr const char *name = "recursive_gaussian";
    Var x{"x"}, y{"y"}, c{"c"};
    Func in, row{"row"}, column{"column"}, out{"out"};
    Pixel pixel;
    RecursiveLines along_x, along_y;

    // `by_x` filters rows, `by_y` columns.
    RecursiveGaussian(
        Func image, const Pixel &pixel, Expr width, Expr height, const Recursion &by_x, const Recursion &by_y)
        : in(image), pixel(pixel), along_x("along_x", rows(), width, by_x),
          along_y("along_y", columns(), height, by_y) {
        out(x, y, c) = pixel.written(along_y.anticausal(y, x, c)[0]);
    }

private:
    Func rows() {
        row(x, y, c) = pixel.read(in(x, y, c));
        return row;
    }
    Func columns() {
        column(y, x, c) = along_x.anticausal(x, y, c)[0];
        return column;
    }
};

}  // namespace tilewright
