#pragma once
#include "Halide.h"
#include <functional>
#include <limits>

namespace tilewright {

// The numbers of a min-plus convolution: how two of them are compared, and which ones stand for 'there is none'.
struct MinPlusNumbers {
    using Expr = Halide::Expr;
    using Minimum = std::function<Expr(Expr, Expr)>;

    Halide::Type type;
    bool denormals = true;  // false: they count as 0
    Minimum least = [](Expr fresh, Expr old) { return Halide::min(fresh, old); };

    // An element that is not there. Of integers, which lie in [-2^28, 2^28], no sum with it is the least, and no such sum overflows.
    Expr no_a() const {
        return type.is_float() ? infinity() : cast((1 << 30) - 1);
    }
    Expr no_b() const {
        return type.is_float() ? infinity() : cast(1 << 30);
    }
    // Below (above) every sum of two elements.
    Expr lowest() const {
        return type.is_float() ? -infinity() : cast(-(1 << 30));
    }
    Expr highest() const {
        return no_b();
    }

    // x, where -0 is 0. On the bits: a comparison with 0 tells compilers that the sign does not matter.
    Expr unsigned_zero(Expr x) const {
        if (!type.is_float()) {
            return x;
        }
        const Halide::Type bits_of = Halide::UInt(type.bits());
        const int fraction = type.bits() == 64 ? 52 : 23;
        const Expr bits = reinterpret(bits_of, x), magnitude = bits << 1;
        const Expr smallest = Halide::Internal::make_const(bits_of, denormals ? 1 : (int64_t)2 << fraction);
        return reinterpret(type, select(magnitude < smallest, Halide::Internal::make_const(bits_of, 0), bits));
    }

private:
    Expr cast(int value) const {
        return Halide::cast(type, value);
    }
    Expr infinity() const {
        return type.bits() == 64 ? Expr(std::numeric_limits<double>::infinity()) : Expr(std::numeric_limits<float>::infinity());
    }
};

// out(k) = min(before(k), min over i of a(i) + b(k - i))        a has n elements, b has m
//
// Zeros of out have no sign: a minimum of 0 and -0 would depend on the order in which they come.
struct MinPlusConvolution : Halide::NamesInterface {
    static constexpr const char *name = "min_plus_convolution";
    Var k{"k"};
    RDom i;
    Func least{"least"}, out{"out"};

    MinPlusConvolution(Func a, Func b, Func before, Expr n, Expr m, const MinPlusNumbers &numbers) : i(0, n, "i") {
        i.where(i <= k && k - i < m);
        least(k) = numbers.no_b();
        least(k) = numbers.least(a(i) + b(unsafe_promise_clamped(k - i, 0, m - 1)), least(k));
        out(k) = numbers.unsigned_zero(min(least(k), before(k)));
    }
};

}  // namespace tilewright
