#pragma once
// The definition of fft2d.
#include "Halide.h"
#include <functional>
#include <string>

namespace tilewright {

// out(u, v) = scale * sum over x and y of in(x, y) exp(-2 pi i (u x / width + v y / height)), rows first and
// then columns.
//
// A line of n values is transformed in steps with decimation in time, one step per prime factor of n. With P
// the product of the first s factors, p the last one of them, and i = r + k n / P, value(i, s) is number k of
// the transform of length P of the values r, r + n / P, r + 2 n / P .... This is the sum over j < p of exp(-2
// pi i j k / P) times number k of the transform of length P / p of every p-th of these values, from the j-th
// one on. s = 0 is the line itself, and s = steps its transform.
struct Fft2d : Halide::NamesInterface {
    static constexpr const char *name = "fft2d";
    Var x{"x"}, y{"y"}, s{"s"};
    Func along{"along"}, rows{"rows"}, down{"down"}, columns{"columns"}, out{"out"};

    // The lines along one axis: n values, roots(k) = exp(-2 pi i k / n), the products of the first 0, 1, ...
    // `steps` prime factors of n, and the largest of the factors (1 for n = 1).
    struct Lines {
        Func roots, products;
        Expr n, steps, largest;
    };

    // A complex number is a Tuple of two f32, or of two f64. `sign` -1: conjugates what comes in and what
    // goes out, which gives the inverse.
    Fft2d(Func in, const Lines &of_rows, const Lines &of_columns, Expr sign, Expr scale) {
        const RDom i = steps_of(of_rows, "i"), j = steps_of(of_columns, "j");
        along(x, y, s) = first(s, in(x, y)[0], in(x, y)[1] * sign);
        along(i.y, y, i.z) += term([&](Expr at, Expr s) { return along(at, y, s); }, of_rows, i);
        rows(x, y) = along(x, y, of_rows.steps);
        down(y, x, s) = first(s, rows(x, y)[0], rows(x, y)[1]);
        down(j.y, x, j.z) += term([&](Expr at, Expr s) { return down(at, x, s); }, of_columns, j);
        columns(y, x) = down(y, x, of_columns.steps);
        out(x, y) = Tuple(columns(y, x)[0] * scale, columns(y, x)[1] * (scale * sign));
    }

private:
    static Tuple first(const Expr &s, const Expr &re, const Expr &im) {
        const Expr zero = Halide::Internal::make_zero(re.type());
        return Tuple(select(s == 0, re, zero), select(s == 0, im, zero));
    }

    // The terms of a sum, all values of a step, and one step after another.
    static RDom steps_of(const Lines &lines, const std::string &name) {
        RDom all({{0, lines.largest}, {0, lines.n}, {1, lines.steps}}, name);
        all.where(all.x * lines.products(all.z - 1) < lines.products(all.z));
        return all;
    }

    static Tuple term(
        const std::function<Halide::FuncRef(Expr, Expr)> &value, const Lines &lines, const RDom &at) {
        const Expr n = lines.n, s = at.z, period = lines.products(s), before = lines.products(s - 1);
        const Expr groups = n / period, r = at.y % groups, k = at.y / groups;
        const Expr source = r + at.x * groups + k % before * (n / before);
        const Halide::FuncRef a = value(clamp(source, 0, n - 1), s - 1);
        const Halide::FuncRef w = lines.roots(clamp(at.x * k * groups % n, 0, n - 1));
        return Tuple(Expr(w[0]) * a[0] - Expr(w[1]) * a[1], Expr(w[0]) * a[1] + Expr(w[1]) * a[0]);
    }
};

}  // namespace tilewright
