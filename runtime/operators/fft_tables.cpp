// The tables of passes, and the caches that keep them.
#include "runtime/operators/fft_tables.h"
#include "generators/algorithms/cache.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

namespace tilewright {

namespace {

// Of each kind. Passes of one length need fewer; where calls have more lengths, the table that was used
// longest ago is dropped.
constexpr size_t most_tables = 64;

// exp(-2 pi i j / n); exact where it is 1, -i, -1 or i.
std::complex<double> root(int64_t j, int64_t n) {
    j %= n;
    if (4 * j % n == 0) {
        const std::complex<double> quarters[] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
        return quarters[4 * j / n];
    }
    return std::polar(1.0, -2 * std::numbers::pi * (double)j / (double)n);
}

// The prime factors of n, the least one first.
std::vector<int64_t> factors_of(int64_t n) {
    std::vector<int64_t> factors;
    for (int64_t p = 2; n > 1; p += n % p == 0 ? 0 : 1) {
        if (n % p == 0) {
            factors.push_back(p);
            n /= p;
        }
    }
    return factors;
}

using RadixCounts = std::array<int32_t, mixed_radices.size()>;

constexpr size_t first_small_radix =
    (size_t)(std::find_if_not(mixed_radices.begin(), mixed_radices.end(), is_large_radix) -
             mixed_radices.begin());

// How often a length has each radix: as few stages as there can be, and of those the smallest radices.
// Nothing where it takes other radices or more stages. Radices from `first` on are tried.
struct Radices {
    RadixCounts counts{};
    int stages = 0, sum = 0;
};
std::optional<Radices> fewest_stages(int64_t n, const MixedStages &most, size_t first) {
    if (n == 1) {
        return Radices();
    }
    std::optional<Radices> best;
    for (size_t r = first; r < mixed_radices.size(); r++) {
        if (most[r] == 0 || n % mixed_radices[r] != 0) {
            continue;
        }
        const bool is_large = is_large_radix(mixed_radices[r]);
        auto found = fewest_stages(n / mixed_radices[r], most, is_large ? first_small_radix : r);
        if (!found || ++found->counts[r] > most[r]) {
            continue;
        }
        found->stages++;
        found->sum += mixed_radices[r];
        if (!best || std::pair(found->stages, found->sum) < std::pair(best->stages, best->sum)) {
            best = found;
        }
    }
    return best;
}

// The radix of the stage that is a loop: the largest prime factor, if it is a factor of no other radix. 1
// where there is no such stage.
int64_t loop_radix_of(int64_t n, const MixedStages &most) {
    const int64_t p = most[by_loop] > 0 ? largest_factor(n) : 1;
    bool is_needed = p <= most[by_loop];
    for (size_t r = 0; r < mixed_radices.size(); r++) {
        is_needed = is_needed && (most[r] == 0 || mixed_radices[r] % p != 0);
    }
    return is_needed ? p : 1;
}

std::optional<RadixCounts> radices_of(int64_t n, const MixedStages &most) {
    n /= loop_radix_of(n, most);
    int64_t rest = n;
    for (size_t r = 0; r < mixed_radices.size(); r++) {
        for (int64_t common = rest; most[r] > 0 && common > 1; rest /= common) {
            common = std::gcd(rest, (int64_t)mixed_radices[r]);
        }
    }
    const auto found = rest == 1 ? fewest_stages(n, most, 0) : std::nullopt;
    return found && found->stages <= most_mixed_stages ? std::optional(found->counts) : std::nullopt;
}

// The transform of v, one step per prime factor as in the definition (generators/algorithms/fft2d/fft2d.h).
std::vector<std::complex<double>> spectrum_of(std::vector<std::complex<double>> v) {
    const auto n = (int64_t)v.size();
    std::vector<std::complex<double>> roots((size_t)n), next((size_t)n);
    for (int64_t j = 0; j < n; j++) {
        roots[(size_t)j] = root(j, n);
    }
    int64_t before = 1;
    for (const int64_t p : factors_of(n)) {
        const int64_t groups = n / (before * p);
        for (int64_t i = 0; i < n; i++) {
            const int64_t r = i % groups, k = i / groups, from = r + k % before * groups * p;
            std::complex<double> sum = 0;
            for (int64_t j = 0; j < p; j++) {
                sum += v[(size_t)(from + j * groups)] * roots[(size_t)(j * k * groups % n)];
            }
            next[(size_t)i] = sum;
        }
        v.swap(next);
        before *= p;
    }
    return v;
}

}  // namespace

bool is_smooth(int64_t n, const MixedStages &most) {
    auto &smooth = immortal([] { return Cache<std::pair<int64_t, MixedStages>, bool>(most_tables); });
    return *smooth.get({n, most}, [&] { return radices_of(n, most).has_value(); });
}

int64_t largest_factor(int64_t n) {
    return n == 1 ? 1 : factors_of(n).back();
}

Array fft_products(int64_t n) {
    const std::vector<int64_t> factors = factors_of(n);
    Array made(Type::i32, {(int64_t)factors.size() + 1});
    auto *to = made.as<int32_t>();
    to[0] = 1;
    for (size_t i = 0; i < factors.size(); i++) {
        to[i + 1] = to[i] * (int32_t)factors[i];
    }
    return made;
}

Array complex_vector(int64_t n, const std::function<std::complex<double>(int64_t)> &value, Type type) {
    Array made(type, {n});
    const auto fill = [&]<typename T>(std::complex<T> *to) {
        for (int64_t i = 0; i < n; i++) {
            to[i] = std::complex<T>(value(i));
        }
    };
    type == Type::c64 ? fill(made.as<std::complex<float>>()) : fill(made.as<std::complex<double>>());
    return made;
}

Array fft_roots(int64_t n, Type type) {
    auto &tables = immortal([] { return Cache<std::pair<int64_t, Type>, Array>(most_tables); });
    return *tables.get(
        {n, type}, [=] { return complex_vector(n, [=](int64_t j) { return root(j, n); }, type); });
}

Array fft_middle(const FftPassShape &pass) {
    auto &tables = immortal([] { return Cache<std::array<int, 4>, Array>(most_tables); });
    return *tables.get(pass.radix, [&] {
        return complex_vector(
            pass.middle_size(), [&](int64_t u) { return root(pass.order(u), pass.length()); });
    });
}

// Stage by stage, the digits of a frequency are the lines that its points are divided into.
MixedTables mixed_tables(int64_t length, const MixedStages &most, bool odd_rows) {
    auto &tables =
        immortal([] { return Cache<std::tuple<int64_t, MixedStages, bool>, MixedTables>(most_tables); });
    return *tables.get({length, most, odd_rows}, [&] {
        MixedTables made{radices_of(length, most).value(), Array(Type::i32, {length}), {}};
        size_t stages = 0;
        auto *positions = made.positions.as<int32_t>();
        made.loop_radix = loop_radix_of(length, most);
        for (int64_t k = 0; k < length; k++) {
            positions[k] = (int32_t)(k % made.loop_radix * (length / made.loop_radix));
        }
        int64_t before = made.loop_radix;
        for (size_t r = 0; r < mixed_radices.size(); r++) {
            for (int32_t stage = 0; stage < made.counts[r]; stage++) {
                const int64_t radix = mixed_radices[r];
                int64_t stride = length / (before * radix);
                if (before == 1) {
                    made.rows = radix;
                    made.left_out = odd_rows && stride % 2 == 0 ? 1 : 0;
                    stride += made.left_out;
                }
                made.strides.at(stages++) = (uint64_t)stride + ((uint64_t)before << 16) +
                                            ((uint64_t)(uint32_t)fft_mixed_reciprocal(stride) << 32);
                for (int64_t k = 0; k < length; k++) {
                    positions[k] += (int32_t)(k / before % radix * stride);
                }
                before *= radix;
            }
        }
        return made;
    });
}

int32_t MixedTables::take_last_radix() {
    for (size_t r = counts.size(); r-- > 0;) {
        if (counts[r] > 0 && !is_large_radix(mixed_radices[r])) {
            counts[r]--;
            return mixed_radices[r];
        }
    }
    return 1;
}

Array fft_chirp(int64_t n, int sign, Type type, int64_t padded_to) {
    auto &tables =
        immortal([] { return Cache<std::tuple<int64_t, int, Type, int64_t>, Array>(most_tables); });
    return *tables.get({n, sign, type, padded_to}, [=] {
        return complex_vector(
            std::max(n, padded_to),
            [=](int64_t j) -> std::complex<double> {
                if (j >= n) {
                    return 0;
                }
                const std::complex<double> value = root(j * j % (2 * n), 2 * n);
                return sign < 0 ? value : std::conj(value);
            },
            type);
    });
}

int64_t chirp_length(int64_t n, const MixedStages &most) {
    auto &lengths = immortal([] { return Cache<std::pair<int64_t, MixedStages>, int64_t>(most_tables); });
    return *lengths.get({n, most}, [&] {
        int64_t best = 0, least = std::numeric_limits<int64_t>::max();
        MixedStages quick = most;
        std::fill_n(quick.begin(), first_small_radix, 0);
        quick[by_loop] = 0;
        // A library with few stages may have none up to the power of two; then it is the first one beyond.
        const auto power_of_two = (int64_t)std::bit_ceil((uint64_t)(2 * n));
        for (int64_t length = 2 * n - 1; best == 0 || length <= power_of_two; length++) {
            const auto counts = radices_of(length, quick);
            if (!counts) {
                continue;
            }
            // Reading and writing take about as long as three stages.
            const int64_t stages = std::accumulate(counts->begin(), counts->end(), int64_t(3));
            if (length * stages < least) {
                least = length * stages;
                best = length;
            }
        }
        return best;
    });
}

Array chirp_response(int64_t n, int64_t length, Type type) {
    auto &tables = immortal([] { return Cache<std::tuple<int64_t, int64_t, Type>, Array>(most_tables); });
    return *tables.get({n, length, type}, [=] {
        std::vector<std::complex<double>> line((size_t)length);
        for (int64_t j = 0; j < n; j++) {
            const std::complex<double> value = std::conj(root(j * j % (2 * n), 2 * n)) / (double)length;
            line[(size_t)j] = line[(size_t)((length - j) % length)] = value;
        }
        line = spectrum_of(std::move(line));
        return complex_vector(length, [&](int64_t k) { return line[(size_t)k]; }, type);
    });
}

Array chirp_response(int64_t n, int64_t length, const MixedStages &most) {
    auto &tables =
        immortal([] { return Cache<std::tuple<int64_t, int64_t, MixedStages>, Array>(most_tables); });
    return *tables.get({n, length, most}, [&] {
        const Array in_order = chirp_response(n, length, Type::c64);
        const MixedTables cells = mixed_tables(length, most, true);
        const Array &positions = cells.positions;
        Array made(Type::c64, {cells.cells()});
        for (int64_t k = 0; k < length; k++) {
            made.as<std::complex<float>>()[positions.as<int32_t>()[k]] =
                in_order.as<std::complex<float>>()[k];
        }
        return made;
    });
}

Array chirp_response(int64_t n, const FftPassShape &pass) {
    auto &tables = immortal([] { return Cache<std::pair<int64_t, std::array<int, 4>>, Array>(most_tables); });
    return *tables.get({n, pass.radix}, [&] {
        const Array in_order = chirp_response(n, pass.length(), Type::c64);
        return complex_vector(pass.length(), [&](int64_t i) {
            return std::complex<double>(in_order.as<std::complex<float>>()[pass.order(i)]);
        });
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
