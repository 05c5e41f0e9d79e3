#pragma once
// Fourier transforms of a few numbers in registers, for any number of them whose prime factors are small: the
// butterflies of FftMixed (mixed.h) and FftPass (pass.h).
#include "generators/algorithms/fft2d/butterfly.h"
#include <vector>

namespace tilewright {

inline bool is_power_of_two(int n) {
    return std::has_single_bit((unsigned)n);
}

// exp(-2 pi i j k / n) times v[j], summed over j, for an odd number n of values: those of j and n - j are
// added and subtracted first.
inline std::vector<Complex> odd_butterfly(const std::vector<Complex> &v) {
    const int n = (int)v.size();
    const Halide::Type type = v[0].re.type();
    std::vector<Complex> sums, differences, x((size_t)n, v[0]);
    for (int j = 1; j <= n / 2; j++) {
        sums.push_back(v[(size_t)j] + v[(size_t)(n - j)]);
        differences.push_back(v[(size_t)j] - v[(size_t)(n - j)]);
        x[0] = x[0] + sums.back();
    }
    for (int k = 1; k <= n / 2; k++) {
        Complex even = v[0], odd{Halide::Internal::make_zero(type), Halide::Internal::make_zero(type)};
        for (int j = 1; j <= n / 2; j++) {
            const Complex root = Complex::root(j * k % n, n, 1, type);
            const Complex &sum = sums[(size_t)(j - 1)], &difference = differences[(size_t)(j - 1)];
            even = {sum.re * root.re + even.re, sum.im * root.re + even.im};
            odd = {difference.re * root.im + odd.re, difference.im * root.im + odd.im};
        }
        x[(size_t)k] = {even.re + odd.im, even.im - odd.re};
        x[(size_t)(n - k)] = {even.re - odd.im, even.im + odd.re};
    }
    return x;
}

// exp(-2 pi i j k / n) times v[j], summed over j, for any n whose prime factors are small: n = p q, p odd and
// prime, is p transforms of q values and q transforms of p. Where p and q have no common factor, their
// indices are chosen so that nothing is multiplied between them (I. J. Good, "The Interaction Algorithm and
// Practical Fourier Analysis", 1958).
inline std::vector<Complex> small_transform(const std::vector<Complex> &v, const Butterfly &power_of_two) {
    const int n = (int)v.size();
    int p = 3;
    while (p < n && n % p != 0) {
        p += 2;
    }
    const int q = n / p;
    if (is_power_of_two(n)) {
        return power_of_two(v, -1);
    }
    if (q <= 1) {
        return odd_butterfly(v);
    }
    const bool apart = q % p != 0;
    std::vector<std::vector<Complex>> rows;
    for (int i = 0; i < p; i++) {
        std::vector<Complex> row;
        for (int j = 0; j < q; j++) {
            row.push_back(v[(size_t)(apart ? (i * q + j * p) % n : i + j * p)]);
        }
        rows.push_back(small_transform(row, power_of_two));
    }
    std::vector<Complex> x((size_t)n);
    for (int k = 0; k < q; k++) {
        std::vector<Complex> column;
        for (int i = 0; i < p; i++) {
            const Complex &value = rows[(size_t)i][(size_t)k];
            column.push_back(
                apart || i * k == 0 ? value : value * Complex::root(i * k, n, -1, value.re.type()));
        }
        column = odd_butterfly(column);
        for (int h = 0; h < p; h++) {
            int at = k + h * q;
            while (apart && at % p != h) {
                at += q;
            }
            x[(size_t)(at % n)] = column[(size_t)h];
        }
    }
    return x;
}

// The same with exp(sign 2 pi i j k / n), of values that are first multiplied by factors. Where n is no power
// of two, entry {n, j} of the factors is that of v[j].
inline std::vector<Complex> small_transform(
    std::vector<Complex> v, const Butterfly &power_of_two, int sign, const Factors *factors) {
    const int n = (int)v.size();
    if (is_power_of_two(n)) {
        return power_of_two(v, sign, factors);
    }
    // Exchanging the real and the imaginary parts before and after a transform changes the sign of its
    // exponent.
    const auto exchange_parts = [&] {
        for (Complex &value : v) {
            value = {value.im, value.re};
        }
    };
    for (int j = 1; j < n && factors; j++) {
        v[(size_t)j] = v[(size_t)j] * factors->at({n, j});
    }
    if (sign < 0) {
        return small_transform(v, power_of_two);
    }
    exchange_parts();
    v = small_transform(v, power_of_two);
    exchange_parts();
    return v;
}

// The factors w, w^2, ... of the results of a butterfly; number 0 is not there.
inline std::vector<Complex> powers(const Complex &w, int count) {
    std::vector<Complex> all(2, w);
    for (int k = 2; k < count; k++) {
        all.push_back(all[(size_t)(k / 2)] * all[(size_t)(k - k / 2)]);
    }
    return all;
}

}  // namespace tilewright
