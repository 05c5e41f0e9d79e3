// The tables of passes, and the caches that keep them.
#include "runtime/operators/fft_tables.h"
#include "generators/algorithms/cache.h"
#include "runtime/process/immortal.h"
#include <numbers>

namespace tilewright {

namespace {

constexpr size_t most_tables = 64;  // more than there are lengths and shapes: no table is ever dropped

// exp(-2 pi i j / n); exact where it is 1, -i, -1 or i.
std::complex<double> root(int64_t j, int64_t n) {
    j %= n;
    if (4 * j % n == 0) {
        const std::complex<double> quarters[] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
        return quarters[4 * j / n];
    }
    return std::polar(1.0, -2 * std::numbers::pi * (double)j / (double)n);
}

}  // namespace

Array complex_vector(int64_t n, const std::function<std::complex<double>(int64_t)> &value) {
    Array made(Type::c64, {n});
    auto *to = made.as<std::complex<float>>();
    for (int64_t i = 0; i < n; i++) {
        to[i] = std::complex<float>(value(i));
    }
    return made;
}

Array fft_roots(int64_t n) {
    auto &tables = immortal([] { return Cache<int64_t, Array>(most_tables); });
    return *tables.get(n, [=] { return complex_vector(n, [=](int64_t j) { return root(j, n); }); });
}

Array fft_middle(const FftPassShape &pass) {
    auto &tables = immortal([] { return Cache<std::array<int, 4>, Array>(most_tables); });
    return *tables.get(pass.radix, [&] {
        return complex_vector(
            pass.middle_size(), [&](int64_t u) { return root(pass.order(u), pass.length()); });
    });
}

Array fft_between_levels(const FftPassShape &pass) {
    const int64_t length = pass.length(), points1 = pass.first_level(), points2 = length / points1;
    auto &tables = immortal([] { return Cache<std::pair<int64_t, int64_t>, Array>(most_tables); });
    return *tables.get({points1, points2}, [&] {
        Array made(Type::f32, {2 * length});
        auto *to = made.as<float>();
        for (int64_t i = 0; i < length; i++) {
            const std::complex<float> factor(root(i / points2 * (i % points2), length));
            to[i] = factor.real();
            to[length + i] = factor.imag();
        }
        return made;
    });
}

}  // namespace tilewright
