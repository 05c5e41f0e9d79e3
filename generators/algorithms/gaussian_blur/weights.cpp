// The search for the integer weights of a Gaussian blur, and their error bound.
#include "generators/algorithms/gaussian_blur/weights.h"
#include "generators/algorithms/cache.h"
#include "generators/algorithms/gaussian_blur/exact_taps.h"
#include <bit>
#include <cmath>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace tilewright {

namespace {

constexpr double two24 = 16777216.;

// Integer taps whose sum is `sum`: all taps are rounded except the middle one, which is the remainder. False
// if it is negative.
bool integer_taps(const std::vector<double> &exact, uint32_t sum, std::vector<uint32_t> &taps) {
    taps.resize(exact.size());
    uint64_t sides = 0;
    for (size_t i = 1; i < exact.size(); i++) {
        taps[i] = (uint32_t)std::floor(exact[i] * sum + .5);
        sides += 2 * (uint64_t)taps[i];
    }
    taps[0] = sum - (uint32_t)std::min<uint64_t>(sides, sum);
    return sides <= sum;
}

// A bound of the error before the last rounding, for any image with values 0 ... `top`. P and N are the sums
// of the positive and of the negative errors of the effective weights. Each of the two passes adds an error
// of at most top * max(P, N). The rounding between the passes adds half a unit, which the second pass
// multiplies by its sum of weights, 1 + P - N.
double error_bound(
    const std::vector<double> &exact, const std::vector<uint32_t> &taps, uint32_t multiplier, double top) {
    double positive = 0, negative = 0;
    for (size_t i = 0; i < exact.size(); i++) {
        const double error = (i ? 2 : 1) * (taps[i] * (multiplier / two24) - exact[i]);
        (error > 0 ? positive : negative) += std::abs(error);
    }
    return .5 * (1 + positive) + 2 * top * std::max(positive, negative);
}

// `exact` is folded.
void finish(IntegerTaps &best, const std::vector<double> &exact, double top, const Folding &folding) {
    best.taps = folding.folded(best.taps);
    best.bound = error_bound(exact, best.taps, best.multiplier, top);
    best.high = 0;
    for (size_t i = 0; i < best.taps.size(); i++) {
        if (best.taps[i] > 255) {
            best.high = (int)i + 1;
        }
    }
}

// M is odd: then no sum below 2^23 is a tie, so rounding half up and half to even agree, in integers and in
// floats.
uint32_t multiplier_of(uint32_t sum) {
    return (uint32_t)std::floor(two24 / sum + .5);
}

// For .5 <= sigma <= 30: roughly the smallest sum that keeps the bound below 1. Small sums have taps of one
// byte, which dot-product instructions need. The search tries values of the largest tap, 255 * 2^(q / 8) for
// q from 0 on, until a bound is small enough; of each value it takes the sum of taps with the least error
// bound.
IntegerTaps searched_bytes(const std::vector<double> &exact) {
    IntegerTaps best;
    std::vector<uint32_t> taps;
    for (int q = 0; q < 24; q++) {
        const double top = 255 / exact[0] * std::pow(2., q / 8.);
        // a larger sum would not fit a float's mantissa
        const uint32_t last = std::min((uint32_t)(top + 1), 32896u);
        double least = 1e9;
        for (uint32_t sum = last / 2; sum <= last; sum++) {
            const uint32_t multiplier = multiplier_of(sum);
            const bool below_2_32 = 255ull * sum * multiplier + (1 << 23) < (1ull << 32);
            if (!(multiplier & 1) || !below_2_32 || !integer_taps(exact, sum, taps) ||
                (q == 0 && taps[0] > 255)) {
                continue;
            }
            const double bound = error_bound(exact, taps, multiplier, 255);
            if (bound < least) {
                least = bound;
                best.taps = taps, best.sum = sum, best.multiplier = multiplier;
            }
        }
        if (least < .995) {
            break;
        }
    }
    return best;
}

// Outside that range: the largest sum whose taps are still two bytes, from the multiplier `first` on.
IntegerTaps fine_bytes(const std::vector<double> &exact, uint32_t first) {
    IntegerTaps best;
    for (uint32_t multiplier = first;; multiplier += 2) {
        best.multiplier = multiplier;
        best.sum = (uint32_t)std::floor(two24 / multiplier + .5);
        const bool below_2_32 = 255ull * best.sum * multiplier + (1 << 23) < (1ull << 32);
        if (below_2_32 && integer_taps(exact, best.sum, best.taps) && best.taps[0] <= 65535) {
            return best;
        }
    }
}

// Whether every sum gives the byte that it should. Bytes do not fall when the sum grows, so that it is enough
// to look where each byte begins.
bool is_exact(const IntegerTaps &taps, const ShortSums &sums) {
    const auto mean = [&](uint64_t sum, uint32_t start) { return (sum + start + 1) >> 1; };
    const auto byte = [&](uint64_t sum) {
        return sums.means == 1 ? mean(sum, sums.start) * taps.multiplier >> 23 :
                                 (mean(sum, sums.start) * taps.multiplier >> 24) +
                                     (mean(sum, sums.start + taps.sum) * taps.multiplier >> 24);
    };
    for (uint64_t value = 1; value <= 255; value++) {
        const uint64_t first = ((value << 24) - (1 << 23) + taps.multiplier - 1) / taps.multiplier;
        if (byte(first) < value || byte(first - 1) >= value) {
            return false;
        }
    }
    return true;
}

ShortSums short_sums_of(const IntegerTaps &taps) {
    constexpr uint32_t limit = 65536, around = 2;
    const uint32_t beside = 2 * taps.at(1), others = taps.at(0) + 2 * (taps.at(2) + taps.at(3)),
                   half = taps.sum / 2;
    if (beside + others != taps.sum || 255 * others >= limit || taps.multiplier >= limit) {
        return {};
    }
    for (int means : {1, 2}) {
        for (uint32_t start = half - around; start <= half + around; start++) {
            const ShortSums sums{means, start};
            const uint32_t last_start = means == 1 ? start : start + taps.sum;
            if (255 * beside + last_start < limit && is_exact(taps, sums)) {
                return sums;
            }
        }
    }
    return {};
}

GaussianWeights weights_of(double sigma, double truncate, const Folding &folding) {
    GaussianWeights w;
    w.sigma = sigma;
    w.truncate = truncate;
    w.folding = folding;
    const std::vector<double> exact = exact_taps(sigma, GaussianWeights::radius_of(sigma, truncate)),
                              folded = folding.folded(exact);
    w.radius = (int)folded.size() - 1;
    w.real.assign(folded.begin(), folded.end());

    if (sigma < .5) {
        w.bytes = fine_bytes(exact, 511);  // few taps: a sum that fits a float's mantissa is fine enough
    } else {
        w.bytes = sigma <= 30 ? searched_bytes(exact) : fine_bytes(exact, 1);
    }
    if (w.bytes.taps.empty()) {  // of windows that are cut short, the search may find none
        w.bytes = fine_bytes(exact, 1);
    }
    finish(w.bytes, folded, 255, folding);
    w.bytes.short_sums = short_sums_of(w.bytes);

    w.words16.sum = 1 << 24;
    integer_taps(exact, w.words16.sum, w.words16.taps);
    finish(w.words16, folded, 65535, folding);
    return w;
}

}  // namespace

int GaussianWeights::radius_of(double sigma, double truncate) {
    return (int)std::floor(truncate * sigma + .5);
}

std::shared_ptr<const GaussianWeights> GaussianWeights::of(
    double sigma, double truncate, const Folding &folding) {
    // never destroyed: other threads may call while the program ends
    static auto &known = *new Cache<std::tuple<double, double, Folding>, GaussianWeights>(64);
    return known.get({sigma, truncate, folding}, [&] { return weights_of(sigma, truncate, folding); });
}

SplitTap split_tap(uint32_t w) {
    const int high = std::min((int)((w + 256) >> 9), INT16_MAX);
    return {(int16_t)high, (int16_t)((int)w - 512 * high)};
}

bool fits_split_taps(const IntegerTaps &words16) {
    int64_t sum = 0;
    for (size_t i = 0; i < words16.taps.size(); i++) {
        sum += (i ? 2 : 1) * std::abs(split_tap(words16.taps[i]).low);
    }
    return (sum << 15) + (1 << 23) <= INT32_MAX;
}

uint32_t tap_word(const IntegerTaps &taps, int radius, int phase, int k, bool high) {
    const int rounded = round_up(radius, 4);
    uint32_t word = 0;
    for (int b = 0; b < 4; b++) {
        const uint32_t w = taps.at(4 * k + b - rounded - phase);
        word |= (high ? w >> 8 : w & 255) << (8 * b);
    }
    return word;
}

TapFragments TapFragments::of(const IntegerTaps &taps, int byte, bool is_sum) {
    const auto words = [](int taps_aside) { return 2 * ceil_div(taps_aside, 8); };
    const auto steps = [](int reach) { return ceil_div(8 + 2 * reach, 8); };
    int most = taps.reach();
    while (byte > 0 && most > 0 && taps.at(most) >> (8 * byte) == 0) {
        most--;
    }
    const int all = words(taps.reach()), of_all = steps(all),
              own = taps.multiplier == 1 ? of_all : std::max(steps(words(most)), std::min(2, of_all));
    return {all, std::min(all - words(most), 8 * (of_all - own)), own, byte, is_sum};
}

bool TapFragments::fit(const IntegerTaps &taps, bool is_u8) {
    return *std::max_element(taps.taps.begin(), taps.taps.end()) <= (is_u8 ? 2 * 255 : (1 << 24) - 1);
}

uint32_t TapFragments::word(const IntegerTaps &taps, int v, int lane, int m, int step) const {
    const int output = 4 * (lane / 4) + v % 2 + 2 * m,
              begin = 4 * (first - reach) + 32 * step + 8 * (lane % 4) + 4 * (v / 2);
    uint32_t word = 0;
    for (int b = 0; b < 4; b++) {
        const uint32_t w = taps.at(begin + b - output);
        const uint32_t low = std::min(w, 255u), part = byte == 0 ? low : w - low;
        word |= (is_sum ? part : w >> (8 * byte) & 255) << (8 * b);
    }
    return word;
}

bool HalfBands::fit(const IntegerTaps &taps) const {
    return taps.reach() <= reach && TapFragments::fit(taps, false);
}

uint32_t HalfBands::word(const IntegerTaps &taps, int v, int lane, const Entry &entry) const {
    const int unit = entry.units[v / 2], row = lane / 4,
              output = 16 * entry.half + 4 * (row / 2) + row % 2 + 2 * (v % 2),
              begin = 16 * unit + 4 * (lane % 4) - reach;
    uint32_t word = 0;
    for (int b = 0; b < 4 && unit != no_unit; b++) {
        word |= (taps.at(begin + b - output) >> (8 * entry.byte) & 255) << (8 * b);
    }
    return word;
}

bool UnitBands::fit(const IntegerTaps &taps) const {
    const int most_high = short_taps ? 0 : units < 3 ? reach() + 1 : units % 2 ? 17 : 9;
    return taps.reach() <= reach() && taps.high <= most_high && TapFragments::fit(taps, true);
}

uint32_t UnitBands::word(const IntegerTaps &taps, bool is_along, int v, int lane, const Entry &entry) const {
    const int g = lane / 4, q = lane % 4,
              output = is_along ? 4 * (g / 2) + 2 * (v / 2) + g % 2 : g + 8 * (v % 2),
              at = is_along ? 8 * q + 4 * (v % 2) : 16 * (v / 2) + 4 * q, byte = entry.bytes[at / 16],
              begin = 16 * entry.unit + at - reach();
    uint32_t word = 0;
    for (int b = 0; b < 4 && byte != no_byte; b++) {
        const uint32_t w = taps.at(begin + b - output), low = std::min(w, 255u);
        word |= (byte == 0 ? low : w - low) << (8 * b);
    }
    return word;
}

namespace {

// The nearest 16-bit float to a number from 0 to 65504, ties to even: its bits, and its value.
uint16_t half_of(float number) {
    constexpr float least_normal = 0x1p-14f;
    if (number < least_normal) {
        return (uint16_t)std::nearbyint(number * 0x1p24f);
    }
    const uint32_t bits = std::bit_cast<uint32_t>(number);
    return (uint16_t)((bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13);
}
float value_of(uint16_t half) {
    return half < 0x400 ? (float)half * 0x1p-24f : std::bit_cast<float>(((uint32_t)half << 13) + 0x38000000);
}

}  // namespace

uint32_t FloatFragments::word(
    const std::vector<float> &taps, int steps, int v, int lane, int part, int step) {
    const int output = 2 * (lane / 4) + v % 2, reach = 8 * (steps - 1);
    uint32_t word = 0;
    for (int number = 0; number < 2; number++) {
        const int tap = 16 * step + 2 * (2 * (lane % 4) + number) + v / 2 - output - reach;
        const size_t at = (size_t)std::abs(tap);
        const float whole = at < taps.size() ? taps[at] * scale : 0;
        const uint16_t high = half_of(whole);
        // The high part is at most half of its last bit too large, so that the low part may be negative.
        const float rest = whole - value_of(high);
        const uint16_t low = (uint16_t)(half_of(std::abs(rest)) | (rest < 0 ? 0x8000 : 0));
        word |= (uint32_t)(part == 0 ? high : low) << (16 * number);
    }
    return word;
}

}  // namespace tilewright
