#pragma once
// Complex numbers of either precision as memory has them, for the forms that take both: of f32 one word of 64
// bits (butterfly.h), of f64 two parts.
#include "generators/algorithms/fft2d/butterfly.h"
#include <cstddef>
#include <vector>

namespace tilewright {

using ComplexValues = std::vector<Halide::Expr>;

// The elements of a Tuple, or the one value of a Func without one.
inline ComplexValues values_of(const Halide::FuncRef &at) {
    if (at.size() == 1) {
        return {at};
    }
    ComplexValues all;
    for (int i = 0; i < (int)at.size(); i++) {
        all.push_back(at[i]);
    }
    return all;
}

inline ComplexValues values_of(const Complex &number, bool as_word) {
    return as_word ? ComplexValues{number.word()} : ComplexValues{number.re, number.im};
}

inline Complex number_of(const ComplexValues &values) {
    return values.size() == 1 ? Complex::of_word(values[0]) : Complex{values[0], values[1]};
}

inline ComplexValues joined(ComplexValues first, const ComplexValues &second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

// A number of a table of factors, and 1 where the call has none. There the table is not read, which a
// select() would do.
inline ComplexValues factor_where(const Halide::Expr &has_factors, const Halide::FuncRef &entry) {
    using Halide::Internal::Call;
    ComplexValues values = values_of(entry);
    const ComplexValues one = values.size() == 1 ? ComplexValues{Complex{1.0f, 0.0f}.word()} :
                                                   ComplexValues{Halide::Expr(1.0), Halide::Expr(0.0)};
    for (size_t i = 0; i < values.size(); i++) {
        values[i] = Call::make(
            values[i].type(), Call::if_then_else, {has_factors, values[i], one[i]}, Call::PureIntrinsic);
    }
    return values;
}

// The product of the two numbers that follow each other in `both`; of the first one, the imaginary part times
// `sign`.
inline Complex product_of(const ComplexValues &both, const Halide::Expr &sign) {
    const auto half = both.begin() + (ptrdiff_t)both.size() / 2;
    Complex first = number_of({both.begin(), half});
    first.im = first.im * sign;
    return first * number_of({half, both.end()});
}

}  // namespace tilewright
