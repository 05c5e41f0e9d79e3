#pragma once
// The discrete Fourier transform in f64, and fields of complex numbers. Not installed.
// Source: Cooley and Tukey, "An Algorithm for the Machine Calculation of Complex Fourier Series" (1965).
#include "tilewright/array.h"
#include <algorithm>
#include <complex>
#include <cstdint>
#include <future>
#include <thread>
#include <vector>

namespace tilewright::plain {

using Complex = std::complex<double>;

// exp(2 pi i revolutions)
Complex unit_phase(double revolutions);

// Transforms lines of n elements in place: line[k] = sum over j of line[j] exp(sign 2 pi i j k / n). A step
// per prime factor of n, which takes time in proportion to the factor. Each thread needs a copy of its own.
class Fft {
public:
    Fft(int64_t n, int sign);
    void operator()(Complex *line) const;

private:
    void transform(const Complex *from, Complex *to, size_t n, size_t stride) const;

    std::vector<Complex> roots_;                  // exp(sign 2 pi i k / n)
    mutable std::vector<Complex> copy_, values_;  // of a line, of one butterfly
};

// A dense field f64 (h, w, 2), with the elements of a complex or real image from (y0, x0) on and zeros around
// them.
Array complex_field(const Array &image, int64_t h, int64_t w, int64_t y0 = 0, int64_t x0 = 0);

// The elements of such a field as complex numbers.
Complex *numbers(Array &field);

// Calls a copy of `work` with the first and the end of each part of 0 ... n - 1, a thread per part.
template<typename Work>
void in_parts(int64_t n, const Work &work) {
    const int64_t parts = std::min<int64_t>(n, std::max(1U, std::thread::hardware_concurrency()));
    std::vector<std::future<void>> all;
    for (int64_t i = 0; i < parts; i++) {
        all.push_back(std::async(std::launch::async, work, n * i / parts, n * (i + 1) / parts));
    }
    for (std::future<void> &part : all) {
        part.get();
    }
}

// Calls copies of `action` with each row, or each column, of such a field as a line that it changes in place.
template<typename Action>
void for_rows(Array &field, const Action &action) {
    const int64_t w = field.shape()[1];
    in_parts(field.shape()[0], [data = numbers(field), w, action](int64_t first, int64_t end) {
        for (int64_t y = first; y < end; y++) {
            action(data + y * w);
        }
    });
}

template<typename Action>
void for_columns(Array &field, const Action &action) {
    static constexpr int64_t together = 8;  // columns at a time, so that each cache line is read once
    const int64_t h = field.shape()[0], w = field.shape()[1];
    in_parts(
        (w + together - 1) / together, [data = numbers(field), h, w, action](int64_t begin, int64_t end) {
            std::vector<Complex> lines((size_t)(h * together));
            for (int64_t first = begin * together; first < std::min(end * together, w); first += together) {
                const int64_t count = std::min(together, w - first);
                for (int64_t y = 0; y < h; y++) {
                    for (int64_t i = 0; i < count; i++) {
                        lines[(size_t)(i * h + y)] = data[y * w + first + i];
                    }
                }
                for (int64_t i = 0; i < count; i++) {
                    action(&lines[(size_t)(i * h)]);
                }
                for (int64_t y = 0; y < h; y++) {
                    for (int64_t i = 0; i < count; i++) {
                        data[y * w + first + i] = lines[(size_t)(i * h + y)];
                    }
                }
            }
        });
}

}  // namespace tilewright::plain
