#pragma once
// Integer arithmetic that algorithms, schedules and host code share. Plain C++ without Halide.h: the same
// functions take numbers and Halide's expressions.

namespace tilewright {

// a / b, rounded up; a >= 0 and b > 0.
template<typename A, typename B>
constexpr auto ceil_div(A a, B b) {
    return (a + b - 1) / b;
}

// The smallest multiple of b that is not below a; a >= 0 and b > 0.
template<typename A, typename B>
constexpr auto round_up(A a, B b) {
    return ceil_div(a, b) * b;
}

}  // namespace tilewright
