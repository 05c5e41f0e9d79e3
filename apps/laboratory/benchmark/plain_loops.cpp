#include "apps/laboratory/benchmark/plain_loops.h"
#include "plain/elements.h"
#include "plain/fft.h"
#include "plain/gaussian_blur.h"
#include "plain/recursive_gaussian.h"
#include "tilewright/plain.h"
#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

namespace tilewright::app {

namespace {

using namespace tilewright::plain;
using Loop = std::function<void()>;

// What elements of T are computed in.
template<typename T>
using RealOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

// The loop that `make` makes for an array of one of these types, which are all that the operator takes.
template<typename... Types, typename Make>
Loop loop_of(const Array &array, Make make) {
    Loop loop;
    const auto try_type = [&]<typename T>(const T *) {
        if (array.type() == type_of_element<T>::value) {
            loop = make(array.as<T>());
        }
    };
    (try_type((const Types *)nullptr), ...);
    return loop;
}

template<typename Make>
Loop loop_of_pixels(const Array &image, Make make) {
    return loop_of<uint8_t, uint16_t, float, double, Float16, BFloat16>(image, make);
}

// A value of a blur as an element: integers are rounded and limited.
template<typename T, typename Real>
T element(Real value) {
    if constexpr (std::is_integral_v<T>) {
        return (T)std::clamp(value + Real(.5), Real(0), (Real)std::numeric_limits<T>::max());
    } else {
        return (T)value;
    }
}

template<typename T, typename Sum>
Loop column_sum_loop(const Array &image, Sum *sums) {
    return [=, pixels = image.as<T>(), h = height(image), w = width(image), pitch = image.strides()[0]] {
        std::fill_n(sums, w, Sum(0));
        for (int64_t y = 0; y < h; y++) {
            for (int64_t x = 0; x < w; x++) {
                sums[x] += pixels[y * pitch + x];
            }
        }
    };
}

template<typename T, typename Sum>
Loop row_sum_loop(const Array &image, Sum *sums) {
    return [=, pixels = image.as<T>(), h = height(image), w = width(image), pitch = image.strides()[0]] {
        for (int64_t y = 0; y < h; y++) {
            Sum sum = 0;
            for (int64_t x = 0; x < w; x++) {
                sum += pixels[y * pitch + x];
            }
            sums[y] = sum;
        }
    };
}

Loop sum_loop(const Array &image, Array &output, bool of_columns) {
    return loop_of_pixels(image, [&]<typename T>(const T *) -> Loop {
        const auto into = [&](auto *sums) {
            return of_columns ? column_sum_loop<T>(image, sums) : row_sum_loop<T>(image, sums);
        };
        switch (output.type()) {
        case Type::u32: return into(output.as<uint32_t>());
        case Type::f64: return into(output.as<double>());
        default: return into(output.as<float>());
        }
    });
}

// Pixels of N bytes.
template<int64_t N>
Loop transpose_loop(const Array &image, Array &output) {
    const auto *from = static_cast<const char *>(image.data());
    return [from, to = static_cast<char *>(output.data()), h = height(image), w = width(image),
               pitch = image.strides()[0] * (int64_t)size_of(image.type()),
               to_pitch = output.strides()[0] * (int64_t)size_of(image.type())] {
        for (int64_t x = 0; x < w; x++) {
            for (int64_t y = 0; y < h; y++) {
                memcpy(to + x * to_pitch + y * N, from + y * pitch + x * N, N);
            }
        }
    };
}

Loop transpose_loop(const Array &image, Array &output) {
    switch (channels(image) * (int64_t)size_of(image.type())) {
    case 1: return transpose_loop<1>(image, output);
    case 2: return transpose_loop<2>(image, output);
    case 3: return transpose_loop<3>(image, output);
    case 4: return transpose_loop<4>(image, output);
    case 6: return transpose_loop<6>(image, output);
    case 8: return transpose_loop<8>(image, output);
    case 12: return transpose_loop<12>(image, output);
    case 16: return transpose_loop<16>(image, output);
    case 24: return transpose_loop<24>(image, output);
    case 32: return transpose_loop<32>(image, output);
    default: return {};
    }
}

template<typename T>
Loop invert_loop(const Array &image, Array &output) {
    return [from = image.as<T>(), to = output.as<T>(), h = height(image), w = width(image),
               pitch = image.strides()[0], to_pitch = output.strides()[0]] {
        for (int64_t y = 0; y < h; y++) {
            for (int64_t x = 0; x < w; x++) {
                to[y * to_pitch + x] = (T)(std::numeric_limits<T>::max() - from[y * pitch + x]);
            }
        }
    };
}

Loop invert_loop(const Array &image, Array &output) {
    return loop_of<uint8_t, uint16_t>(
        image, [&]<typename T>(const T *) { return invert_loop<T>(image, output); });
}

// The position that shows at i, with the border `reflect`.
int64_t reflected(int64_t i, int64_t n) {
    while (i < 0 || i >= n) {
        i = i < 0 ? -1 - i : 2 * n - 1 - i;
    }
    return i;
}

// In f32, or for f64 in f64: down columns, then along rows of which each has a copy with its borders.
template<typename T>
Loop gaussian_loop(const Array &image, const std::vector<double> &weights, Array &output) {
    using Real = RealOf<T>;
    const std::vector<Real> taps(weights.begin(), weights.end());
    return [=, pixels = image.as<T>(), to = output.as<T>(), h = height(image), w = width(image),
               c = channels(image), pitch = image.strides()[0], to_pitch = output.strides()[0]] {
        const auto count = (int64_t)taps.size(), radius = count / 2, n = w * c;
        std::vector<Real> row((size_t)((w + 2 * radius) * c)), sums((size_t)n);
        for (int64_t y = 0; y < h; y++) {
            Real *inside = &row[(size_t)(radius * c)];
            std::fill_n(inside, n, Real(0));
            for (int64_t i = 0; i < count; i++) {
                const T *from = pixels + reflected(y + i - radius, h) * pitch;
                for (int64_t x = 0; x < n; x++) {
                    inside[x] += taps[(size_t)i] * (Real)from[x];
                }
            }
            for (int64_t x = 1; x <= radius; x++) {
                std::copy_n(inside + reflected(-x, w) * c, c, inside - x * c);
                std::copy_n(inside + reflected(w - 1 + x, w) * c, c, inside + (w - 1 + x) * c);
            }
            std::fill(sums.begin(), sums.end(), Real(0));
            for (int64_t i = 0; i < count; i++) {
                for (int64_t x = 0; x < n; x++) {
                    sums[(size_t)x] += taps[(size_t)i] * row[(size_t)(i * c + x)];
                }
            }
            std::transform(sums.begin(), sums.end(), to + y * to_pitch, element<T, Real>);
        }
    };
}

// The recursion along rows, then along columns, in f64.
template<typename T>
Loop recursive_loop(const Array &image, double sigma, Array &output) {
    using Real = RealOf<T>;
    return [filter = PublishedFilter(sigma), pixels = image.as<T>(), to = output.as<T>(), h = height(image),
               w = width(image), c = channels(image), pitch = image.strides()[0],
               to_pitch = output.strides()[0]] {
        const int64_t n = w * c;
        std::vector<double> all((size_t)(h * n));
        for (int64_t y = 0; y < h; y++) {
            std::copy_n(pixels + y * pitch, n, &all[(size_t)(y * n)]);
            for (int64_t k = 0; k < c; k++) {
                filter(&all[(size_t)(y * n + k)], w, c);
            }
        }
        for (int64_t x = 0; x < n; x++) {
            filter(&all[(size_t)x], h, n);
        }
        for (int64_t y = 0; y < h; y++) {
            std::transform(&all[(size_t)(y * n)], &all[(size_t)(y * n)] + n, to + y * to_pitch,
                [](double value) { return element<T, Real>((Real)value); });
        }
    };
}

Loop blur_loop(const std::string &op, const Array &image, double sigma, Array &output) {
    return loop_of_pixels(image, [&]<typename T>(const T *) {
        return op == "gaussian_blur" ? gaussian_loop<T>(image, gaussian_weights(sigma), output) :
                                       recursive_loop<T>(image, sigma, output);
    });
}

Loop matmul_loop(const Array &a, const Array &b, Array &output) {
    return loop_of<float, double, Float16, BFloat16>(a, [&]<typename T>(const T *from) -> Loop {
        using Sum = RealOf<T>;
        return [from, by = b.as<T>(), to = output.as<Sum>(), m = height(a), depth = width(a), n = width(b),
                   a_pitch = a.strides()[0], b_pitch = b.strides()[0], to_pitch = output.strides()[0]] {
            for (int64_t y = 0; y < m; y++) {
                std::fill_n(to + y * to_pitch, n, Sum(0));
                for (int64_t k = 0; k < depth; k++) {
                    for (int64_t x = 0; x < n; x++) {
                        to[y * to_pitch + x] += (Sum)from[y * a_pitch + k] * (Sum)by[k * b_pitch + x];
                    }
                }
            }
        };
    });
}

template<typename T>
Loop min_plus_loop(const Array &first, const Array &second, Array &output) {
    return [a = first.as<T>(), b = second.as<T>(), c = output.as<T>(), n = first.size(), m = second.size(),
               length = output.size()] {
        using Limits = std::numeric_limits<T>;
        std::fill_n(c, length, Limits::has_infinity ? Limits::infinity() : Limits::max());
        for (int64_t i = 0; i < std::min(n, length); i++) {
            for (int64_t j = 0; j < std::min(m, length - i); j++) {
                c[i + j] = std::min(c[i + j], (T)(a[i] + b[j]));
            }
        }
    };
}

Loop min_plus_loop(const Array &first, const Array &second, Array &output) {
    return loop_of<int32_t, float, double>(
        first, [&]<typename T>(const T *) { return min_plus_loop<T>(first, second, output); });
}

// A field in f64, as plain/ has it, as the operator's result.
void store(Array &field, Array &output) {
    const auto copy = [&](auto *to) {
        for (int64_t y = 0; y < height(output); y++) {
            std::copy_n(numbers(field) + y * width(output), width(output), to + y * output.strides()[0]);
        }
    };
    output.type() == Type::c64 ? copy(output.as<std::complex<float>>()) : copy(output.as<Complex>());
}

Loop fft_loop(const Sample &sample, Array &output) {
    const bool inverse = sample.settings.text("direction", "forward") == "inverse";
    const int sign = inverse ? 1 : -1;
    return [image = sample.inputs[0], output, rows = Fft(width(output), sign),
               columns = Fft(height(output), sign),
               scale = inverse ? 1. / (double)output.size() : 1.]() mutable {
        Array field = complex_field(image, height(output), width(output));
        for_rows(field, rows);
        for_columns(field, columns);
        std::for_each_n(numbers(field), output.size(), [&](Complex &value) { value *= scale; });
        store(field, output);
    };
}

Loop fresnel_loop(const Sample &sample, Array &output) {
    return [sample, output]() mutable {
        Array field = *plain_result(find_operator("fresnel"), sample.inputs, sample.settings);
        store(field, output);
    };
}

using MakeLoop = std::function<Loop(const Sample &, Array &)>;

// By the operators' names.
const std::map<std::string, MakeLoop> &loops() {
    static const auto blur = [](const std::string &op, double usual_sigma) {
        return [=](const Sample &sample, Array &output) {
            return blur_loop(op, sample.inputs[0], sample.settings.number("sigma", usual_sigma), output);
        };
    };
    static const std::map<std::string, MakeLoop> all = {
        {"column_sum", [](const Sample &s, Array &output) { return sum_loop(s.inputs[0], output, true); }},
        {"row_sum", [](const Sample &s, Array &output) { return sum_loop(s.inputs[0], output, false); }},
        {"transpose", [](const Sample &s, Array &output) { return transpose_loop(s.inputs[0], output); }},
        {"invert", [](const Sample &s, Array &output) { return invert_loop(s.inputs[0], output); }},
        {"gaussian_blur", blur("gaussian_blur", 1)},
        {"recursive_gaussian", blur("recursive_gaussian", 5)},
        {"matmul",
            [](const Sample &s, Array &output) { return matmul_loop(s.inputs[0], s.inputs[1], output); }},
        {"min_plus_convolution",
            [](const Sample &s, Array &output) { return min_plus_loop(s.inputs[0], s.inputs[1], output); }},
        {"fft2d", fft_loop},
        {"fresnel", fresnel_loop},
    };
    return all;
}

}  // namespace

std::function<void()> plain_loop(const std::string &op, const Sample &sample, Array &output) {
    const auto found = loops().find(op);
    return found == loops().end() ? Loop() : found->second(sample, output);
}

bool has_plain_loop(const std::string &op, const Settings &settings) {
    return loops().contains(op) && settings.text("border", "reflect") == "reflect" &&
           settings.text("half", "no") == "no" && !settings.has("sigma-y") && !settings.has("truncate");
}

}  // namespace tilewright::app
