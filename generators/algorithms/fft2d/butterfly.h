#pragma once
// Complex numbers, and Fourier transforms of a few of them in registers: the parts that the passes of fft2d
// are made of.
#include "Halide.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace tilewright {

// A constant of that type. Halide 21 writes those of f64 to OpenCL with the digits of f32, but not their
// bits.
inline Halide::Expr constant(Halide::Type type, double value) {
    return type.bits() == 64 ? Halide::reinterpret(type, Halide::Internal::make_const(Halide::UInt(64),
                                                             std::bit_cast<uint64_t>(value))) :
                               Halide::Internal::make_const(type, value);
}

struct Complex {
    Halide::Expr re, im;

    // The two parts as one word of 64 bits: the real part is the low half, as in memory. The conversions cost
    // nothing, because the word is a pair of registers.
    static Complex of_word(Halide::Expr word) {
        return {Halide::reinterpret<float>(Halide::cast<uint32_t>(word)),
            Halide::reinterpret<float>(Halide::cast<uint32_t>(word >> 32))};
    }
    Halide::Expr word() const {
        return (Halide::cast<uint64_t>(Halide::reinterpret<uint32_t>(im)) << 32) |
               Halide::cast<uint64_t>(Halide::reinterpret<uint32_t>(re));
    }

    // exp(sign 2 pi i k / n), rounded to the type of its parts
    static Complex root(int k, int n, int sign, Halide::Type type = Halide::Float(32)) {
        const double angle = 2 * M_PI * k / n;
        return {constant(type, std::cos(angle)), constant(type, sign * std::sin(angle))};
    }
};

inline Complex operator+(const Complex &a, const Complex &b) {
    return {a.re + b.re, a.im + b.im};
}
inline Complex operator-(const Complex &a, const Complex &b) {
    return {a.re - b.re, a.im - b.im};
}
inline Complex operator*(const Complex &a, const Complex &b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// -x by its sign bit. Halide computes a minus as 0 - x, which is one more addition; a flipped sign bit is a
// part of the instruction that uses the value.
inline Halide::Expr negated(const Halide::Expr &x) {
    const Halide::Type bits = Halide::UInt(x.type().bits());
    return Halide::reinterpret(x.type(),
        Halide::reinterpret(bits, x) ^ Halide::Internal::make_const(bits, uint64_t(1) << (bits.bits() - 1)));
}
inline Complex conjugate(const Complex &a) {
    return {a.re, negated(a.im)};
}

// a b + c. A generator passes the way that is best on its machine: with one rounding, or with two.
using MultiplyAdd = std::function<Halide::Expr(Halide::Expr a, Halide::Expr b, Halide::Expr c)>;

// The factors of a transform of n values that are first multiplied by w^0, w^1, ... w^(n-1). Entry {m, k} is
// w^(n/m) exp(sign 2 pi i k / m), for m = n, n/2, ... 2 and k < m/4: all other factors are these times i or
// -1.
using Factors = std::map<std::pair<int, int>, Complex>;

// Computes the sum over j of v[j] w^j exp(sign 2 pi i j k / n) for all k, in natural order; no factors: w =
// 1. It is a transform of radix 2 with decimation in time. With factors, a step of two values is x = a + w b,
// y = 2 a - x: six multiply-adds and no separate product.
class Butterfly {
public:
    explicit Butterfly(MultiplyAdd multiply_add) : fma(std::move(multiply_add)) {}

    std::vector<Complex> operator()(
        const std::vector<Complex> &v, int sign, const Factors *factors = nullptr) const {
        const int n = (int)v.size(), quarter = std::max(1, n / 4);
        if (n == 1) {
            return v;
        }
        std::vector<Complex> even, odd, x((size_t)n);
        for (int i = 0; i < n; i++) {
            (i % 2 == 0 ? even : odd).push_back(v[(size_t)i]);
        }
        even = (*this)(even, sign, factors);
        odd = (*this)(odd, sign, factors);
        for (int k = 0; k < n / 2; k++) {
            const Complex a = even[(size_t)k], b = odd[(size_t)k];
            // one more factor, sign i, which exchanges the parts of an operand
            const bool times_i = k >= quarter;
            const int within = times_i ? k - quarter : k;
            Complex &sum = x[(size_t)k], &rest = x[(size_t)(k + n / 2)];
            if (!factors && within == 0) {
                const Complex c = !times_i ? b : sign < 0 ? Complex{b.im, -b.re} : Complex{-b.im, b.re};
                sum = a + c;
                rest = a - c;
            } else {
                const Halide::Type type = a.re.type();
                const Halide::Expr two = Halide::Internal::make_const(type, 2);
                const Complex w = factors ? factors->at({n, within}) : Complex::root(within, n, sign, type);
                sum = added(a, w, b, times_i ? sign : 0);
                rest = {fma(two, a.re, negated(sum.re)), fma(two, a.im, negated(sum.im))};
            }
        }
        return x;
    }

private:
    // a + w b for i_sign = 0, and a + i_sign i w b otherwise.
    Complex added(const Complex &a, const Complex &w, const Complex &b, int i_sign) const {
        const Complex product_of = i_sign == 0 ? w :
                                   i_sign < 0  ? Complex{w.im, negated(w.re)} :
                                                 Complex{negated(w.im), w.re};
        return {fma(negated(product_of.im), b.im, fma(product_of.re, b.re, a.re)),
            fma(product_of.im, b.re, fma(product_of.re, b.im, a.im))};
    }

    MultiplyAdd fma;
};

}  // namespace tilewright
