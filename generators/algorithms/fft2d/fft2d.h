#pragma once
#include "Halide.h"

namespace tilewright {

// out(u, v) = scale * sum over x and y of in(x, y) exp(-2 pi i (u x / width + v y / height)), rows and then columns.
//
// A line of n = 2^steps values: value(i, s), for P = 2^s, i = r + k n / P, is the transform number k of length P of the values r, r + n / P,
// r + 2 n / P ...; it is one of length P / 2 of every other of these, plus exp(-2 pi i k / P) times that of the rest. s = 0 is the line
// itself, s = steps its transform.
struct Fft2d : Halide::NamesInterface {
    static constexpr const char *name = "fft2d";
    Var x{"x"}, y{"y"}, s{"s"};
    Func along{"along"}, rows{"rows"}, down{"down"}, columns{"columns"}, out{"out"};

    // A complex number is a Tuple of two. `roots`: (n, which) is exp(-2 pi i n / width) for which = 0, and of the height for 1. `sign` -1:
    // conjugates in and out, which makes the inverse.
    Fft2d(Func in, Func row_roots, Func column_roots, Expr width, Expr height, Expr row_steps, Expr column_steps, Expr sign, Expr scale) {
        const RDom i({{0, width}, {1, row_steps}}, "i"), j({{0, height}, {1, column_steps}}, "j");
        along(x, y, s) = Tuple(in(x, y)[0], in(x, y)[1] * sign);
        along(i.x, y, i.y) = step([&](Expr at, Expr s) { return along(at, y, s); }, row_roots, width, i.x, i.y);
        rows(x, y) = along(x, y, row_steps);
        down(y, x, s) = Tuple(rows(x, y)[0], rows(x, y)[1]);
        down(j.x, x, j.y) = step([&](Expr at, Expr s) { return down(at, x, s); }, column_roots, height, j.x, j.y);
        columns(y, x) = down(y, x, column_steps);
        out(x, y) = Tuple(columns(y, x)[0] * scale, columns(y, x)[1] * (scale * sign));
    }

private:
    static Tuple step(const std::function<Halide::FuncRef(Expr, Expr)> &value, Func roots, Expr n, Expr i, Expr s) {
        const Expr period = 1 << s, groups = n / period, r = i % groups, k = i / groups;
        const Expr half = k % (period / 2), even = r + half * 2 * groups, odd = even + groups;
        const Halide::FuncRef a = value(clamp(even, 0, n - 1), s - 1), b = value(clamp(odd, 0, n - 1), s - 1), w = roots(clamp(k * groups, 0, n - 1));
        return Tuple(Expr(a[0]) + Expr(w[0]) * b[0] - Expr(w[1]) * b[1], Expr(a[1]) + Expr(w[0]) * b[1] + Expr(w[1]) * b[0]);
    }
};

}  // namespace tilewright
