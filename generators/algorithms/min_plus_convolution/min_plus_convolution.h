#pragma once
// The definition of min_plus_convolution, and the arithmetic that all its forms share.
#include "Halide.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/min_plus_convolution/sizes.h"
#include <functional>
#include <limits>

namespace tilewright {

// The arithmetic of a min-plus convolution: its type, how two numbers are compared, and which number means
// "absent".
struct MinPlusNumbers {
    using Expr = Halide::Expr;

    Halide::Type type;
    bool denormals = true;  // false: denormal numbers count as 0
    // The sum of two elements. A generator may replace it by an instruction.
    std::function<Expr(Expr, Expr)> sum = [](Expr a, Expr b) { return a + b; };
    // The minimum of a new sum and of the least sum before it. A generator may replace it by an instruction.
    std::function<Expr(Expr, Expr)> least = [](Expr next, Expr before) { return Halide::min(next, before); };

    // An absent element of a, and of b. No sum with one of them is the least sum, and sums of integers with
    // them do not overflow.
    Expr no_a() const {
        return type.is_float() ? infinity() : cast(4 * min_plus_largest_integer - 1);
    }
    Expr no_b() const {
        return type.is_float() ? infinity() : cast(4 * min_plus_largest_integer);
    }
    // Numbers below and above every sum of two elements.
    Expr lowest() const {
        return type.is_float() ? -infinity() : cast(-4 * min_plus_largest_integer);
    }
    Expr highest() const {
        return no_b();
    }

    // x, with 0 in place of -0. This is computed on the bits, because compilers may ignore the sign of zeros
    // in a comparison.
    Expr unsigned_zero(Expr x) const {
        if (!type.is_float()) {
            return x;
        }
        const Halide::Type bits_of = Halide::UInt(type.bits());
        const int fraction = type.bits() == 64 ? 52 : 23;
        const Expr bits = reinterpret(bits_of, x), magnitude = bits << 1;
        const Expr smallest = Halide::Internal::make_const(bits_of, denormals ? 1 : (int64_t)2 << fraction);
        return reinterpret(
            type, select(magnitude < smallest, Halide::Internal::make_const(bits_of, 0), bits));
    }

private:
    Expr cast(int value) const {
        return Halide::cast(type, value);
    }
    Expr infinity() const {
        return type.bits() == 64 ? Expr(std::numeric_limits<double>::infinity()) :
                                   Expr(std::numeric_limits<float>::infinity());
    }
};

// out(k) = min(before(k), min over i of a(i) + b(k - i))        a has n elements, b has m
//
// Zeros of out have no sign: the minimum of 0 and -0 would depend on the order in which they are compared.
struct MinPlusConvolution : Halide::NamesInterface {
    static constexpr const char *name = "min_plus_convolution";
    Var k{"k"};
    RDom i;
    Func least{"least"}, out{"out"};

    MinPlusConvolution(Func a, Func b, Func before, Expr n, Expr m, const MinPlusNumbers &numbers)
        : i(0, n, "i") {
        i.where(i <= k && k - i < m);
        least(k) = numbers.no_b();
        least(k) = numbers.least(a(i) + b(promised(k - i, m)), least(k));
        out(k) = numbers.unsigned_zero(min(least(k), before(k)));
    }
};

}  // namespace tilewright
