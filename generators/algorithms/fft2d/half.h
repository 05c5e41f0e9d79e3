#pragma once
// A form of fft2d: the spectrum of real values from transforms of complex numbers, and back. Variants: those
// named half, pair and split of fft2d.
//
// Of an even width w, the values of a row are read as L = w / 2 complex numbers z(j) = x(2 j) + i x(2 j + 1).
// With W = exp(-2 pi i / w), and with E and O the transforms of the even and of the odd columns, Z = E + i O
// is the transform of z. E and O are spectra of real values, equal to their conjugates at the opposite
// frequency (-k, -v), so that Z and its conjugate there give both, and X(k, v) = E + W^k O is the spectrum of
// x (P. Duhamel and M. Vetterli, "Fast Fourier Transforms: A Tutorial Review and a State of the Art", 1990).
//
// Of every width, two neighbouring rows a and b can be transformed as one, z = a + i b, with the same use of
// conjugates: those of Z at the opposite frequency of the same row give the spectra A and B of both rows. Of
// an odd number of rows, the last one is its own neighbour.
#include "generators/algorithms/fft2d/butterfly.h"
#include "generators/algorithms/fft2d/half_shape.h"
#include <functional>
#include <utility>

namespace tilewright {

// in and out have numbers (k or x, v or y), of `height` rows in `in`. w is `width`, W^k is roots(k):
//   half           Z of (L, height) to X of (L + 1, height)
//   half_back      X to Z
//   pair_rows      real values of (w, height) to z
//   split_spectra  Z of pairs of rows to the columns 0 ... w / 2 of A and B
//   pair_spectra   the columns 0 ... w / 2 of A and B to Z
//   split_rows     z to real values
//
// With `vectors`, the columns 0 and L of X are an update of `out` of their own, so that all loads of the
// other ones are dense.
//
// Back, the spectrum may be that of no real values. As in numpy.fft.irfft2, columns are transformed first,
// and of the columns 0 and, where w is even, w / 2 the real part counts then. half_back comes before that
// transform, and takes the part of these columns that equals its conjugate at the opposite frequency.
struct FftHalf : Halide::NamesInterface {
    static constexpr const char *name = "fft_half";
    using Step = FftHalfShape::Step;
    Var x{"x"}, y{"y"}, part{"part"};
    Func out{"out"};
    const bool has_parts, has_update;
    RDom ends;

    using Numbers = std::function<Complex(Expr x, Expr y)>;

    FftHalf(Numbers in, std::function<Complex(Expr k)> roots, const Expr &width, Expr height,
        const FftHalfShape &shape, Halide::Type type, bool vectors)
        : has_parts(type.bits() == 64 && shape.step != Step::split_rows),
          has_update(vectors && shape.step == Step::half), in(std::move(in)), roots(std::move(roots)),
          width(width), half(width / 2), height(std::move(height)), middle(constant(type, .5)) {
        switch (shape.step) {
        case Step::half: define_spectrum(vectors); break;
        case Step::half_back: define(x, half_back()); break;
        case Step::pair_rows:
            define(x, {this->in(x, row_of_pair(0)).re, this->in(x, row_of_pair(1)).re});
            break;
        case Step::split_spectra: define(x, split_spectra()); break;
        case Step::pair_spectra: define(x, pair_spectra()); break;
        case Step::split_rows: {
            const Complex both = this->in(x, y / 2);
            out(x, y) = select(y % 2 == 0, both.re, both.im);
        }
        }
    }

private:
    const Numbers in;
    const std::function<Complex(Expr k)> roots;
    const Expr width, half, height, middle;

    static Expr within(const Expr &at, const Expr &extent) {
        return unsafe_promise_clamped(at, 0, extent - 1);
    }
    Expr opposite_y() const {
        return within(select(y == 0, 0, height - y), height);
    }
    Expr row_of_pair(int number) const {
        return within(min(2 * y + number, height - 1), height);
    }
    Complex halved(const Complex &v) const {
        return {v.re * middle, v.im * middle};
    }
    Complex forward(const Complex &a, const Complex &b, const Expr &k) const {
        const Complex odd = (a - b) * roots(k);
        return halved({a.re + b.re + odd.im, a.im + b.im - odd.re});
    }

    void define_spectrum(bool vectors) {
        if (vectors) {
            const Expr last = half - 1;
            define(x, forward(in(min(likely(Expr(x)), last), y),
                          conjugate(in(min(likely(half - x), last), opposite_y())), x));
            ends = RDom(0, 2, "ends");
            define(ends * half, forward(in(0, y), conjugate(in(0, opposite_y())), ends * half));
        } else {
            define(x, forward(in(within(select(x < half, x, 0), half), y),
                          conjugate(in(within(select(x > 0, half - x, 0), half), opposite_y())), x));
        }
    }

    Complex half_back() const {
        Complex a = in(x, y), b = conjugate(in(within(half - x, half + 1), opposite_y()));
        a = chosen(x > 0, a, halved(in(0, y) + conjugate(in(0, opposite_y()))));
        b = chosen(x > 0, b, halved(in(half, y) + conjugate(in(half, opposite_y()))));
        const Complex odd = (a - b) * conjugate(roots(x));
        return halved({a.re + b.re - odd.im, a.im + b.im + odd.re});
    }

    Complex split_spectra() const {
        const Complex a = in(within(x, width), y / 2),
                      b = conjugate(in(within(select(x > 0, width - x, 0), width), y / 2));
        return halved(chosen(y % 2 == 0, a + b, {a.im - b.im, b.re - a.re}));
    }

    Complex pair_spectra() const {
        const Expr is_low = x <= half, k = within(select(is_low, x, width - x), half + 1),
                   is_real = k == 0 || 2 * k == width;
        const Complex a = in(k, row_of_pair(0)), b = in(k, row_of_pair(1));
        return chosen(
            is_real, {a.re, b.re}, chosen(is_low, {a.re - b.im, a.im + b.re}, {a.re + b.im, b.re - a.im}));
    }

    void define(const Expr &k, const Complex &result) {
        if (has_parts) {
            out(part, k, y) = select(part == 0, result.re, result.im);
        } else {
            out(k, y) = result.word();
        }
    }
    static Complex chosen(const Expr &condition, const Complex &a, const Complex &b) {
        return {select(condition, a.re, b.re), select(condition, a.im, b.im)};
    }
};

}  // namespace tilewright
