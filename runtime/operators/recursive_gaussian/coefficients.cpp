// The recursion: poles, coefficients and what tiles carry, by simulation in f64.
#include "runtime/operators/recursive_gaussian/coefficients.h"
#include <cmath>
#include <complex>
#include <utility>

namespace tilewright {

namespace {

using Complex = std::complex<double>;

// The poles for sigma = 2 that van Vliet, Young and Verbeek found for the least error in L2. For another
// width they become d^(1/q).
const std::array<Complex, 3> poles_of_two = {
    Complex(1.41650, 1.00829), Complex(1.41650, -1.00829), Complex(1.86543, 0)};

// The variance of the causal and the anticausal filter together.
double variance(double q) {
    double sum = 0;
    for (const Complex &pole : poles_of_two) {
        const Complex d = std::pow(pole, 1 / q);
        sum += std::real(2. * d / ((d - 1.) * (d - 1.)));
    }
    return sum;
}

// The q that gives the variance sigma^2, which rises with q.
double scale_of(double sigma) {
    double low = 1e-3, high = 1e4;
    for (int i = 0; i < 200; i++) {
        const double middle = .5 * (low + high);
        (variance(middle) < sigma * sigma ? low : high) = middle;
    }
    return low;
}

// n such that the filter has forgotten all but 1e-30 of its state after n samples.
int memory_of(const RecursiveCoefficients &c) {
    // the geometric mean of the poles, which are nearly of one size
    const double decay = std::cbrt(std::abs(c.feedback[2]));
    int n = 64;
    while (std::pow(decay, n) > 1e-30 && n < 200000) {
        n *= 2;
    }
    return 2 * n;
}

Vector3 unit(int j) {
    Vector3 v{};
    v[(size_t)j] = 1;
    return v;
}

void set_column(Matrix3 &matrix, int j, const Vector3 &column) {
    for (size_t k = 0; k < 3; k++) {
        matrix[k][(size_t)j] = column[k];
    }
}

// X with X v = e: columns of V and E are pairs. Gauss and Jordan's elimination with pivots, on V^T X^T = E^T.
Matrix3 solve(const Matrix3 &v, const Matrix3 &e) {
    long double a[3][6];
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            a[i][j] = v[j][i];
            a[i][3 + j] = e[j][i];
        }
    }
    for (int i = 0; i < 3; i++) {
        int pivot = i;
        for (int k = i; k < 3; k++) {
            pivot = std::abs(a[k][i]) > std::abs(a[pivot][i]) ? k : pivot;
        }
        std::swap(a[i], a[pivot]);
        for (int k = 0; k < 3; k++) {
            const long double factor = k == i ? 0 : a[k][i] / a[i][i];
            for (int j = 0; j < 6; j++) {
                a[k][j] -= factor * a[i][j];
            }
        }
    }
    Matrix3 x;
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            x[j][i] = (double)(a[i][3 + j] / a[i][i]);
        }
    }
    return x;
}

}  // namespace

RecursiveCoefficients::RecursiveCoefficients(double sigma) {
    const double q = scale_of(sigma);
    std::array<Complex, 3> p, u;  // poles, and 1 - p, which is small for a wide filter
    for (size_t i = 0; i < 3; i++) {
        const Complex z = -std::log(poles_of_two[i]) / q;
        const double half = std::sin(z.imag() / 2);
        p[i] = std::exp(z);
        u[i] = {2 * half * half - std::expm1(z.real()) * std::cos(z.imag()), -p[i].imag()};
    }
    feedback = {std::real(p[0] + p[1] + p[2]), -std::real(p[0] * p[1] + p[1] * p[2] + p[0] * p[2]),
        std::real(p[0] * p[1] * p[2])};
    // 1 - the sum of feedback, and -(feedback[1] + 2 feedback[2] + 1), without their cancellation
    const Complex product = u[0] * u[1] * u[2];
    gain = std::real(product);
    slope = std::real(2. * product - (u[0] * u[1] + u[1] * u[2] + u[0] * u[2]));
}

void RecursiveCoefficients::step(double sample, Vector3 &state) const {
    state[2] = gain * (sample - state[0]) + slope * state[1] + feedback[2] * state[2];
    state[1] += state[2];
    state[0] += state[1];
}

int RecursiveCoefficients::halo(double error) const {
    // The weights, by filtering a single 1 in the middle of a line.
    const int most = memory_of(*this);
    std::vector<double> line((size_t)(2 * most + 1));
    line[(size_t)most] = 1;
    Vector3 forward{}, back{};
    for (double &sample : line) {
        step(sample, forward);
        sample = forward[0];
    }
    for (size_t i = line.size(); i-- > 0;) {
        step(line[i], back);
        line[i] = back[0];
    }
    constexpr int sides = 4;
    double beyond = 0;
    int n = most;
    while (n > 0 && 2 * sides * (beyond + std::abs(line[(size_t)(most - n)])) <= error) {
        beyond += std::abs(line[(size_t)(most - n)]);
        n--;
    }
    return n;
}

RecursiveTiles::RecursiveTiles(double sigma, int tile)
    : coefficients(sigma), tile(tile), weights((size_t)tile) {
    const RecursiveCoefficients &c = coefficients;
    for (int j = 0; j < 3; j++) {
        Vector3 state = unit(j);
        for (int n = 0; n < tile; n++) {
            c.step(0, state);
        }
        set_column(across, j, state);
    }
    Vector3 response{};
    for (int r = tile - 1; r >= 0; r--) {
        c.step(r == tile - 1 ? 1 : 0, response);
        weights[(size_t)r] = response;
    }

    // The anticausal filter behind the end, by simulation: over the causal response to each unit state, and
    // over that to single ones at 0, 1 and 2 behind the end. `behind` maps what the anticausal filter alone
    // makes of these ones to what both make of them; three are enough, because all others lie in the space of
    // the same three modes.
    const int n = memory_of(c);
    std::vector<double> causal((size_t)n);
    Matrix3 alone, both;
    for (int j = 0; j < 3; j++) {
        Vector3 state = unit(j), back{};
        for (double &w : causal) {
            c.step(0, state);
            w = state[0];
        }
        for (size_t i = causal.size(); i-- > 0;) {
            c.step(causal[i], back);
        }
        set_column(end_matrix, j, back);

        Vector3 forward{}, back_alone{}, back_both{};
        for (size_t i = 0; i < causal.size(); i++) {
            c.step(i == (size_t)j, forward);
            causal[i] = forward[0];
        }
        for (size_t i = causal.size(); i-- > 0;) {
            c.step(causal[i], back_both);
            c.step(i == (size_t)j, back_alone);
        }
        set_column(alone, j, back_alone);
        set_column(both, j, back_both);
    }
    behind = solve(alone, both);
}

}  // namespace tilewright
