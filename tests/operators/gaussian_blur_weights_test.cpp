// The integer weights of the blur: their error bound, and the parts that variants take them in.
#include "generators/algorithms/gaussian_blur/weights.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

namespace tilewright {

namespace {

TEST(GaussianWeights, ErrorBoundIsUnderOne) {
    // NOLINTNEXTLINE(bugprone-float-loop-counter): it multiplies
    for (double sigma = .01; sigma < 8192; sigma *= 1.03) {
        const auto w = GaussianWeights::of(sigma);
        EXPECT_LT(w->bytes.bound, 1) << sigma;
        EXPECT_EQ(w->bytes.multiplier % 2, 1u) << sigma;
        EXPECT_LT(255ull * w->bytes.sum * w->bytes.multiplier + (1 << 23), 1ull << 32) << sigma;
        EXPECT_EQ(w->bytes.fits_f32(), sigma <= 30) << sigma;
        if (sigma <= 50) {
            EXPECT_LT(w->words16.bound, 1) << sigma;
        }
        for (const IntegerTaps *taps : {&w->bytes, &w->words16}) {
            uint64_t sum = taps->taps[0];
            for (size_t i = 1; i < taps->taps.size(); i++) {
                sum += 2ull * taps->taps[i];
            }
            EXPECT_EQ(sum, taps->sum) << sigma;
        }
        EXPECT_LE(*std::max_element(w->bytes.taps.begin(), w->bytes.taps.end()), 65535u) << sigma;
    }
}

// Each tap is added to one that meets the same pixel of a line, and the sums stay.
TEST(GaussianWeights, FoldedTapsHaveTheSameSum) {
    for (const Folding &folding : {Folding{0, 1}, {0}, {1, 2}, {3, 6}, {3, 7}, {5}, {400}}) {
        for (const double sigma : {1., 10., 90.}) {
            const auto whole = GaussianWeights::of(sigma), folded = GaussianWeights::of(sigma, 4, folding);
            const int radius = GaussianWeights::radius_of(sigma, 4);
            EXPECT_EQ(folded->radius, std::min(radius, folding.reach));
            std::vector<uint64_t> expected((size_t)folded->radius + 1);
            for (int i = -radius; i <= radius; i++) {
                const int period = folding.period, distance = std::abs(i),
                          at = period > 0 ? ((i % period) + period) % period :
                                            std::min(distance, folding.reach),
                          tap = period > 0 ? std::min(at, period - at) : at;
                expected[(size_t)tap] += whole->words16.at(i);
            }
            for (size_t i = 0; i < expected.size(); i++) {
                EXPECT_EQ((i > 0 ? 2 : 1) * (uint64_t)folded->words16.taps[i], expected[i])
                    << "tap " << i << " of sigma " << sigma;
            }
            EXPECT_EQ(folded->bytes.sum, whole->bytes.sum);
            EXPECT_EQ(folded->bytes.multiplier, whole->bytes.multiplier);
        }
    }
}

TEST(GaussianWeights, WordsHoldTheTaps) {
    const auto w = GaussianWeights::of(3);
    for (int radius : {12, 13, 20}) {
        const int rounded = (radius + 3) / 4 * 4;
        for (int phase = 0; phase < 4; phase++) {
            for (int k = 0; k <= rounded / 2; k++) {
                for (int b = 0; b < 4; b++) {
                    const uint32_t low = tap_word(w->bytes, radius, phase, k, false) >> (8 * b) & 255;
                    const uint32_t high = tap_word(w->bytes, radius, phase, k, true) >> (8 * b) & 255;
                    EXPECT_EQ(high * 256 + low, w->bytes.at(4 * k + b - rounded - phase));
                }
            }
        }
    }
}

// Sums of 16 bits give the byte of the definition for every sum that there is, and their parts have 16 bits.
TEST(GaussianWeights, ShortSumsGiveTheSameBytes) {
    int counts[3] = {};
    for (int hundredths = 50; hundredths <= 130; hundredths += 2) {
        const auto w = GaussianWeights::of(hundredths / 100.);
        const IntegerTaps &taps = w->bytes;
        const ShortSums &sums = taps.short_sums;
        ASSERT_LE(sums.means, 2);
        counts[sums.means]++;
        if (sums.means == 0) {
            continue;
        }
        EXPECT_LE(taps.reach(), ShortSums::radius);
        EXPECT_LT(255 * (taps.at(0) + 2 * taps.at(2) + 2 * taps.at(3)), 65536u);
        EXPECT_LT(255 * 2 * taps.at(1) + sums.start + (sums.means - 1) * taps.sum, 65536u);
        EXPECT_LT(taps.multiplier, 65536u);
        int wrong = 0;
        for (uint32_t sum = 0; sum <= 255 * taps.sum; sum++) {
            const auto mean_times_multiplier = [&](uint32_t start) {
                return (uint64_t)((sum + start + 1) / 2) * taps.multiplier;
            };
            const uint64_t byte = sums.means == 1 ? mean_times_multiplier(sums.start) >> 23 :
                                                    (mean_times_multiplier(sums.start) >> 24) +
                                                        (mean_times_multiplier(sums.start + taps.sum) >> 24);
            wrong += byte != (uint64_t)(sum * taps.multiplier + (1 << 23)) >> 24;
        }
        EXPECT_EQ(wrong, 0) << "sigma " << w->sigma;
    }
    for (const int count : counts) {
        EXPECT_GT(count, 2);
    }
    EXPECT_EQ(GaussianWeights::of(1)->bytes.short_sums.means, 1);
    EXPECT_EQ(GaussianWeights::of(.8)->bytes.short_sums.means, 2);
    EXPECT_EQ(GaussianWeights::of(3)->bytes.short_sums.means, 0);
}

// What dot products of 16-bit numbers add stays within 32 bits, and the parts are the tap.
TEST(GaussianWeights, PartsAreTheTap) {
    // NOLINTNEXTLINE(bugprone-float-loop-counter): it multiplies
    for (double sigma = .01; sigma < 31; sigma *= 1.03) {
        const auto w = GaussianWeights::of(sigma);
        EXPECT_TRUE(fits_split_taps(w->words16)) << sigma;
        int64_t low = 0, high = 0;
        for (int i = -w->radius; i <= w->radius; i++) {
            const SplitTap part = split_tap(w->words16.at(i));
            EXPECT_EQ(512 * part.high + part.low, (int)w->words16.at(i)) << sigma << " " << i;
            low += std::abs(part.low), high += std::abs(part.high);
        }
        EXPECT_LT(low * 32768 + (1 << 23), INT64_C(1) << 31) << sigma;
        EXPECT_LT(high * 32768, INT64_C(1) << 31) << sigma;
    }
    EXPECT_FALSE(fits_split_taps(GaussianWeights::of(200)->words16));
}

// A tap that is the whole sum, 2^24, has no three bytes.
TEST(GaussianWeights, OfTinySigmasAreNoFragments) {
    for (const double sigma : {.05, .15}) {
        EXPECT_FALSE(TapFragments::fit(GaussianWeights::of(sigma)->words16, false)) << sigma;
        EXPECT_FALSE(TapFragments::fit(GaussianWeights::of(sigma)->bytes, true)) << sigma;
    }
    EXPECT_TRUE(TapFragments::fit(GaussianWeights::of(.5)->words16, false));
    EXPECT_TRUE(TapFragments::fit(GaussianWeights::of(.5)->bytes, true));
}

// Their parts are within 2^-22 of the tap, and windows end where a variant's steps do.
TEST(GaussianWeights, FragmentsOfFloatsHaveEachTap) {
    EXPECT_EQ(FloatFragments::steps_of(16), 3);
    EXPECT_EQ(FloatFragments::steps_of(17), 4);
    EXPECT_EQ(FloatFragments::steps_of(104), 14);
    EXPECT_EQ(FloatFragments::steps_of(105), 0);
    const auto weights = GaussianWeights::of(7.5);
    const int steps = FloatFragments::steps_of(weights->radius), middle = 8 * (steps - 1);
    for (int tap = 0; tap <= middle; tap++) {
        // Output 0 of lane 0 reads position middle + tap of the window, as an odd or an even one.
        const int position = middle + tap, lane = position % 16 / 4, number = position % 4 / 2;
        double sum = 0;
        for (const int part : {0, 1}) {
            const uint32_t word =
                FloatFragments::word(weights->real, steps, 2 * (position % 2), lane, part, position / 16);
            const uint32_t half = word >> (16 * number) & 0xffff, magnitude = half & 0x7fff;
            const double value = magnitude < 0x400 ?
                                     magnitude * 0x1p-24 :
                                     std::ldexp((magnitude & 0x3ff) + 1024, (int)(magnitude >> 10) - 25);
            sum += half & 0x8000 ? -value : value;
        }
        const double wanted =
            tap <= weights->radius ? (double)weights->real[(size_t)tap] * FloatFragments::scale : 0;
        EXPECT_NEAR(sum, wanted, wanted * 0x1p-22 + 0x1p-25) << tap;
    }
}

}  // namespace

}  // namespace tilewright
