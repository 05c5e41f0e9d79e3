#pragma once
// A form of fft2d: the spectrum of real values from a transform of half as many complex numbers, and back.
// Variants: those named half of fft2d.
//
// The values of a row of an even width w are read as L = w / 2 complex numbers z(j) = x(2 j) + i x(2 j + 1).
// With W = exp(-2 pi i / w), and with E and O the transforms of the even and of the odd columns, Z = E + i O
// is the transform of z. E and O are spectra of real values, equal to their conjugates at the opposite
// frequency (-k, -v), so that Z and its conjugate there give both, and X(k, v) = E + W^k O is the spectrum of
// x (P. Duhamel and M. Vetterli, "Fast Fourier Transforms: A Tutorial Review and a State of the Art", 1990).
#include "generators/algorithms/fft2d/butterfly.h"
#include "generators/algorithms/fft2d/half_shape.h"
#include <functional>

namespace tilewright {

// in(k, v): Z, of (L, height); with `back` X, of (L + 1, height). out(k, v): the other one. roots(k) = W^k.
//
// With `vectors`, the columns 0 and L of a spectrum are an update of `out` of their own, so that all loads of
// the other ones are dense.
//
// Back, the spectrum may be that of no real values. As in numpy.fft.irfft2, columns are transformed first,
// and of the columns 0 and L the real part counts then: here their parts that are equal to their conjugates
// at the opposite frequency.
struct FftHalf : Halide::NamesInterface {
    static constexpr const char *name = "fft_half";
    Var x{"x"}, y{"y"}, part{"part"};
    Func out{"out"};
    const bool is_f64, has_update;
    RDom ends;

    using Numbers = std::function<Complex(Expr x, Expr y)>;

    FftHalf(const Numbers &in, const std::function<Complex(Expr k)> &roots, const Expr &half,
        const Expr &height, const FftHalfShape &shape, Halide::Type type, bool vectors)
        : is_f64(type.bits() == 64), has_update(vectors && !shape.back) {
        const auto within = [](const Expr &at, const Expr &extent) {
            return unsafe_promise_clamped(at, 0, extent - 1);
        };
        const Expr opposite_y = within(select(y == 0, 0, height - y), height), k = x;
        const Expr middle = Halide::Internal::make_const(type, 0.5);
        const auto halved = [&](const Complex &v) { return Complex{v.re * middle, v.im * middle}; };
        const auto forward = [&](const Complex &a, const Complex &b, const Expr &k) {
            const Complex odd = (a - b) * roots(k);
            return halved({a.re + b.re + odd.im, a.im + b.im - odd.re});
        };
        Complex a, b, result;
        if (shape.back) {
            a = in(k, y);
            b = conjugate(in(within(half - k, half + 1), opposite_y));
            a = chosen(k > 0, a, mean(in(0, y), conjugate(in(0, opposite_y)), middle));
            b = chosen(k > 0, b, mean(in(half, y), conjugate(in(half, opposite_y)), middle));
            const Complex odd = (a - b) * conjugate(roots(k));
            result = halved({a.re + b.re - odd.im, a.im + b.im + odd.re});
        } else if (vectors) {
            const Expr last = half - 1;
            result = forward(
                in(min(likely(k), last), y), conjugate(in(min(likely(half - k), last), opposite_y)), k);
        } else {
            result = forward(in(within(select(k < half, k, 0), half), y),
                conjugate(in(within(select(k > 0, half - k, 0), half), opposite_y)), k);
        }
        define(x, result);
        if (has_update) {
            ends = RDom(0, 2, "ends");
            define(ends * half, forward(in(0, y), conjugate(in(0, opposite_y)), ends * half));
        }
    }

private:
    void define(const Expr &k, const Complex &result) {
        if (is_f64) {
            out(part, k, y) = select(part == 0, result.re, result.im);
        } else {
            out(k, y) = result.word();
        }
    }
    static Complex mean(const Complex &a, const Complex &b, const Expr &middle) {
        return {(a.re + b.re) * middle, (a.im + b.im) * middle};
    }
    static Complex chosen(const Expr &condition, const Complex &a, const Complex &b) {
        return {select(condition, a.re, b.re), select(condition, a.im, b.im)};
    }
};

}  // namespace tilewright
