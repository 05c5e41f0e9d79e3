// Writes fields, intensities and images.
#include "runtime/operators/fresnel/images.h"
#include "runtime/arrays/copy.h"
#include "runtime/arrays/storage.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace tilewright {

namespace {

using Complex = std::complex<float>;

float intensity(Complex u) {
    return u.real() * u.real() + u.imag() * u.imag();
}

float largest_intensity(const Complex *from, int64_t n, int64_t pitch) {
    float most = 0;
    for (int64_t y = 0; y < n; y++) {
        for (int64_t x = 0; x < n; x++) {
            most = std::max(most, intensity(from[y * pitch + x]));
        }
    }
    return most;
}

// Writes intensities times a factor, rounded and cut at the largest integer; floats without a factor.
template<typename T>
void write_rows(const Complex *from, int64_t pitch, Array &output, double factor) {
    const double top = (double)std::numeric_limits<T>::max();
    T *to = output.as<T>();
    for (int64_t y = 0; y < output.shape()[0]; y++) {
        for (int64_t x = 0; x < output.shape()[1]; x++) {
            const float value = intensity(from[y * pitch + x]);
            T &out = to[y * output.strides()[0] + x];
            if constexpr (std::is_floating_point_v<T>) {
                out = value;
            } else {
                const double scaled = std::min(top, (double)value * factor);
                out = (T)(scaled + .5);  // NOLINT(bugprone-incorrect-roundings): it is not negative
            }
        }
    }
}

}  // namespace

void write_middle(const Array &field, Array &output, std::optional<double> full_scale) {
    if (output.is_wrapped()) {  // another library's memory on a device, which the host does not write
        Array own = Array::uninitialized(output.type(), output.shape());
        write_middle(field, own, full_scale);
        return copy(own, output);
    }
    const int64_t n = output.shape()[0], first = field.shape()[0] / 2 - n / 2, pitch = field.strides()[0];
    const Complex *from = field.as<Complex>() + first * pitch + first;
    const HostWrite held(output);
    if (output.type() == Type::c64) {
        Complex *to = output.as<Complex>();
        for (int64_t y = 0; y < n; y++) {
            memcpy((void *)(to + y * output.strides()[0]), from + y * pitch, (size_t)n * sizeof(Complex));
        }
        return;
    }
    if (output.type() == Type::f32) {
        return write_rows<float>(from, pitch, output, 1);
    }
    if (!full_scale) {
        const float most = largest_intensity(from, n, pitch);
        full_scale = most > 0 ? most : 1;
    }
    if (output.type() == Type::u8) {
        return write_rows<uint8_t>(from, pitch, output, 255 / *full_scale);
    }
    write_rows<uint16_t>(from, pitch, output, 65535 / *full_scale);
}

}  // namespace tilewright
