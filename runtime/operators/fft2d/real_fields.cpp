// Copies of real values, and of parts of spectra.
#include "runtime/operators/fft2d/real_fields.h"
#include "runtime/devices/calls/halide_calls.h"
#include <algorithm>
#include <complex>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

namespace tilewright {

std::optional<Array> pairs_of(const Array &values) {
    const int64_t h = values.shape()[0], w = values.shape()[1], pitch = values.strides()[0],
                  number = 2 * (int64_t)size_of(values.type());
    if (w % 2 != 0 || (h > 1 && pitch % 2 != 0) || values.offset_bytes() % number != 0) {
        return std::nullopt;
    }
    // An array has its axes from a view of memory that nobody reads.
    const Type type = values.type() == Type::f32 ? Type::c64 : Type::c128;
    static const std::complex<double> nowhere = 0;
    const Array axes =
        Array::view(type, static_cast<const void *>(&nowhere), {h, w / 2}, {std::max(pitch / 2, w / 2), 1});
    return axes.moved_to(values, values.offset_bytes());
}

// Calls `copy` with values of the two types of elements of a field: a complex number and a real one.
template<typename Copy>
static void with_precision(const Array &field, const Copy &copy) {
    field.type() == Type::c64 ? copy(std::complex<float>(), float()) : copy(std::complex<double>(), double());
}

// Calls `work` with each row of `pairs`, and the two rows that belong to it. In place of a second one that
// `rows` does not have, it is given a row of zeros of its own.
template<typename Pair, typename Row>
static void for_pairs(Pair *pair, const Array &pairs, Row *row, const Array &rows,
    const std::function<void(Pair *, Row *, Row *)> &work) {
    const int64_t h = rows.shape()[0], pitch = rows.strides()[0];
    std::vector<std::remove_const_t<Row>> none((size_t)rows.shape()[1]);
    by_rows(pairs.shape()[0], 2 * pitch * (int64_t)sizeof(Row), [&](int64_t begin, int64_t end) {
        for (int64_t y = begin; y < end; y++) {
            Row *first = row + 2 * y * pitch;
            work(pair + y * pairs.strides()[0], first, 2 * y + 1 < h ? first + pitch : none.data());
        }
    });
}

void pair_rows(const Array &values, Array &pairs) {
    const int64_t w = values.shape()[1];
    with_precision(pairs, [&]<typename Complex, typename Real>(Complex, Real) {
        for_pairs<Complex, const Real>(pairs.as<Complex>(), pairs, values.as<Real>(), values,
            [w](Complex *pair, const Real *first, const Real *second) {
                for (int64_t x = 0; x < w; x++) {
                    pair[x] = {first[x], second[x]};
                }
            });
    });
}

void split_rows(const Array &pairs, Array &values) {
    const int64_t w = values.shape()[1];
    with_precision(pairs, [&]<typename Complex, typename Real>(Complex, Real) {
        for_pairs<const Complex, Real>(pairs.as<Complex>(), pairs, values.as<Real>(), values,
            [w](const Complex *pair, Real *first, Real *second) {
                for (int64_t x = 0; x < w; x++) {
                    first[x] = pair[x].real();
                    second[x] = pair[x].imag();
                }
            });
    });
}

void split_spectra(const Array &pairs, Array &half) {
    const int64_t w = pairs.shape()[1];
    with_precision(pairs, [&]<typename Complex, typename Real>(Complex, Real) {
        for_pairs<const Complex, Complex>(pairs.as<Complex>(), pairs, half.as<Complex>(), half,
            [w](const Complex *pair, Complex *first, Complex *second) {
                for (int64_t k = 0; k <= w / 2; k++) {
                    const Complex a = pair[k], b = std::conj(pair[k > 0 ? w - k : 0]),
                                  other = (a - b) / Real(2);
                    first[k] = (a + b) / Real(2);
                    second[k] = {other.imag(), -other.real()};
                }
            });
    });
}

void pair_spectra(const Array &half, Array &pairs) {
    const int64_t w = pairs.shape()[1];
    with_precision(pairs, [&]<typename Complex, typename Real>(Complex, Real) {
        for_pairs<Complex, const Complex>(pairs.as<Complex>(), pairs, half.as<Complex>(), half,
            [w](Complex *pair, const Complex *first, const Complex *second) {
                pair[0] = {first[0].real(), second[0].real()};
                for (int64_t k = 1; k <= w / 2; k++) {
                    const Complex a = first[k], b = second[k];
                    pair[k] = {a.real() - b.imag(), a.imag() + b.real()};
                    pair[w - k] = {a.real() + b.imag(), b.real() - a.imag()};
                }
            });
    });
}

void copy_columns(const Array &field, Array &half) {
    with_precision(field, [&]<typename Complex>(Complex, auto) {
        for (int64_t y = 0; y < half.shape()[0]; y++) {
            std::copy_n(field.as<Complex>() + y * field.strides()[0], half.shape()[1],
                half.as<Complex>() + y * half.strides()[0]);
        }
    });
}

void copy_real_parts(const Array &field, Array &values) {
    with_precision(field, [&]<typename Complex, typename Real>(Complex, Real) {
        for (int64_t y = 0; y < values.shape()[0]; y++) {
            const Complex *from = field.as<Complex>() + y * field.strides()[0];
            std::transform(from, from + values.shape()[1], values.as<Real>() + y * values.strides()[0],
                [](const Complex &number) { return number.real(); });
        }
    });
}

void complete_spectrum(const Array &half, Array &spectrum) {
    const int64_t h = spectrum.shape()[0], w = spectrum.shape()[1], columns = half.shape()[1];
    with_precision(half, [&]<typename Complex, typename Real>(Complex, Real) {
        const auto *from = half.as<Complex>();
        auto *to = spectrum.as<Complex>();
        for (int64_t y = 0; y < h; y++) {
            const Complex *row = from + y * half.strides()[0],
                          *opposite = from + (h - y) % h * half.strides()[0];
            Complex *made = to + y * spectrum.strides()[0];
            for (int64_t k = 0; k < w; k++) {
                made[k] = k < columns ? row[k] : std::conj(opposite[w - k]);
            }
            // Of an even width, the middle column is as the first one.
            for (const int64_t k : {int64_t(0), w % 2 == 0 ? w / 2 : int64_t(0)}) {
                made[k] = (row[k] + std::conj(opposite[k])) / Real(2);
            }
        }
    });
}

}  // namespace tilewright
