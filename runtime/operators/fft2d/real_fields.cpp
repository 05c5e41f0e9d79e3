// Copies of real values, and of parts of spectra.
#include "runtime/operators/fft2d/real_fields.h"
#include <algorithm>
#include <complex>
#include <cstddef>

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
