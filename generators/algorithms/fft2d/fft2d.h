#pragma once
// The definition of fft2d.
#include "Halide.h"
#include <functional>

namespace tilewright {

// out(u, v) = scale * sum over x and y of in(x, y) exp(-2 pi i (u x / width + v y / height)), rows first and
// then columns.
//
// A line of n = 2^steps values is transformed in steps, by radix 2 with decimation in time. For P = 2^s and i
// = r + k n / P, value(i, s) is number k of the transform of length P of the values r, r + n / P, r + 2 n / P
// .... This is number k of the transform of length P / 2 of every other one of these values, plus exp(-2 pi i
// k / P) times that of the rest. s = 0 is the line itself, and s = steps its transform.
struct Fft2d : Halide::NamesInterface {
    static constexpr const char *name = "fft2d";
    Var x{"x"}, y{"y"}, s{"s"};
    Func along{"along"}, rows{"rows"}, down{"down"}, columns{"columns"}, out{"out"};

    // A complex number is a Tuple of two f32. row_roots(n) = exp(-2 pi i n / width), and column_roots for the
    // height. `sign` -1: conjugates what comes in and what goes out, which gives the inverse.
    Fft2d(Func in, Func row_roots, Func column_roots, Expr width, Expr height, Expr row_steps,
        Expr column_steps, Expr sign, Expr scale) {
        const RDom i({{0, width}, {1, row_steps}}, "i"), j({{0, height}, {1, column_steps}}, "j");
        along(x, y, s) = Tuple(in(x, y)[0], in(x, y)[1] * sign);
        along(i.x, y, i.y) =
            step([&](Expr at, Expr s) { return along(at, y, s); }, row_roots, width, i.x, i.y);
        rows(x, y) = along(x, y, row_steps);
        down(y, x, s) = Tuple(rows(x, y)[0], rows(x, y)[1]);
        down(j.x, x, j.y) =
            step([&](Expr at, Expr s) { return down(at, x, s); }, column_roots, height, j.x, j.y);
        columns(y, x) = down(y, x, column_steps);
        out(x, y) = Tuple(columns(y, x)[0] * scale, columns(y, x)[1] * (scale * sign));
    }

private:
    static Tuple step(
        const std::function<Halide::FuncRef(Expr, Expr)> &value, Func roots, Expr n, Expr i, Expr s) {
        const Expr period = 1 << s, groups = n / period, r = i % groups, k = i / groups;
        const Expr half = k % (period / 2), even = r + half * 2 * groups, odd = even + groups;
        const Halide::FuncRef a = value(clamp(even, 0, n - 1), s - 1), b = value(clamp(odd, 0, n - 1), s - 1);
        const Halide::FuncRef w = roots(clamp(k * groups, 0, n - 1));
        return Tuple(Expr(a[0]) + Expr(w[0]) * b[0] - Expr(w[1]) * b[1],
            Expr(a[1]) + Expr(w[0]) * b[1] + Expr(w[1]) * b[0]);
    }
};

}  // namespace tilewright
