#pragma once
// The weights of a Gaussian blur, for the host and for generators. Plain C++ without Halide.h.
//
//   radius r   floor(truncate sigma + .5), where truncate is 4 unless a call says otherwise. Taps are
//              i = -r ... r. Every table below has r + 1 entries: entry i is tap i and tap -i
//   real       exp(-i^2 / 2 sigma^2), normalised so that all 2r + 1 taps sum to 1, rounded to f32
//   bytes      u8 images: integer taps of sum S and a multiplier M (odd), M = round(2^24 / S), with
//                  pass(p) = (sum_i w_i p_i * M + 2^23) >> 24            all of it below 2^32
//              bytes.high: taps |i| < high may exceed 255 and are 256 h + l with a byte h; all other taps are
//              bytes
//              bytes.fits_f32(): 255 S + 2^23 < 2^24, so that a float holds the sum exactly, also with 2^23
//              added. This is true for every sigma up to 30
//              bytes.short_sums: how sums of 16 bits give the same bytes, where they do (ShortSums)
//   words16    u16 images: integer taps of sum S = 2^24, with
//                  pass(p) = (sum_i w_i p_i + 2^23) >> 24                40 bits before the shift
// A row of a fixed radius R >= r takes the taps of r, and zeros for the others: at() is zero outside -r ...
// r, and tap_word() takes R.
#include "generators/algorithms/integers.h"
#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace tilewright {

// The sums of a pass in numbers of 16 bits. N = sum_i w_i p_i may have 17 bits, so that it is added in two
// parts below 2^16: the products with taps 1 and -1, and all others. Only the mean of the parts is known
// then, without N's lowest bit, so a byte must begin at a sum that is odd, or even, as `start` needs it.
//
//   means 1    pass(p) = (((N + start + 1) >> 1) * M) >> 23
//              All bytes begin at sums of one parity, as they do where S is even.
//   means 2    pass(p) = b(start) + b(start + S), b(s) = (((N + s + 1) >> 1) * M) >> 24
//              Every second byte begins at a sum of the other parity, and each b counts the bytes of one.
//   means 0    neither is right for every N: the taps are too large, or there are too many of them
struct ShortSums {
    static constexpr int radius = 3;  // taps beyond it are 0
    int means = 0;
    uint32_t start = 0;
};

struct IntegerTaps {
    std::vector<uint32_t> taps;  // taps[i] = w_i = w_-i, i = 0 ... r
    uint32_t sum = 0;            // S
    uint32_t multiplier = 1;     // M; 1 for words16, whose sum is 2^24
    int high = 0;                // taps |i| < high have w_i > 255
    ShortSums short_sums;        // of `bytes`
    double bound = 0;            // of |blur before the last rounding - exact blur|, for any image

    uint32_t at(int i) const {
        const size_t k = i < 0 ? -i : i;
        return k < taps.size() ? taps[k] : 0;
    }
    // The largest i whose tap is not 0: often less than the radius.
    int reach() const {
        int i = (int)taps.size() - 1;
        while (i > 0 && taps[(size_t)i] == 0) {
            i--;
        }
        return i;
    }
    bool fits_f32() const {
        return 255ull * sum + (1 << 23) < (1 << 24);
    }
    // Whether taps are numbers of two bytes. Those of `bytes` are, where they are not folded.
    bool fits_two_bytes() const {
        return *std::max_element(taps.begin(), taps.end()) <= UINT16_MAX;
    }
    // Whether taps are signed 16-bit numbers, and 255 times their sum is below 2^31.
    bool fits_pairs() const {
        return sum < (1 << 23) && *std::max_element(taps.begin(), taps.end()) <= INT16_MAX;
    }
    // The number whose product with the multiplier, which is odd, is 2^23 modulo 2^32.
    uint32_t half() const {
        uint32_t inverse = multiplier;  // of the multiplier, right in 3 bits; each step doubles them
        for (int bits = 3; bits < 32; bits *= 2) {
            inverse *= 2 - multiplier * inverse;
        }
        return inverse << 23;
    }
};

// A window that is longer than a line of the image meets the line's pixels several times. Then the weights of
// taps that meet the same pixel, wherever the window is, are added, and the blur has fewer taps: sums of
// integers stay as they are. Taps beyond `reach` are added to the one that is whole periods of the border
// away or mirrors that; without a period, to the last one, because all that is so far outside is the same.
struct Folding {
    int reach = INT_MAX, period = 0;

    bool operator==(const Folding &) const = default;

    // Where tap i >= 0 is added.
    int tap(int i) const {
        const int in_period = period > 0 ? i % period : reach;
        return i <= reach ? i : period > 0 ? std::min(in_period, period - in_period) : reach;
    }

    // The taps 0 ... r of one side, added. Tap i and tap -i are both added to tap 0, and otherwise each to
    // that of its side; half a period away, both meet the same pixel, and the sides share it.
    template<typename Tap>
    std::vector<Tap> folded(const std::vector<Tap> &taps) const {
        std::vector<Tap> sums(std::min(taps.size(), (size_t)reach + 1));
        for (size_t i = 0; i < taps.size(); i++) {
            const auto to = (size_t)tap((int)i);
            sums[to] += i > 0 && to == 0 ? 2 * taps[i] : taps[i];
        }
        return sums;
    }
};

struct GaussianWeights {
    double sigma = 0, truncate = 4;
    Folding folding;
    int radius = 0;  // that of the folded taps
    std::vector<float> real;
    IntegerTaps bytes, words16;

    // The radius of the window, before it is folded.
    static int radius_of(double sigma, double truncate);

    // The weights of one sigma, 0 < sigma < 16384, up to a radius of 65536. They are cached, because the
    // search for `bytes` takes some milliseconds.
    static std::shared_ptr<const GaussianWeights> of(
        double sigma, double truncate = 4, const Folding &folding = {});
};

// A tap of words16 in two parts for dot products of 16-bit numbers, w = 512 high + low. |low| <= 256, except
// where high would be 2^15.
struct SplitTap {
    int16_t high, low;
};
SplitTap split_tap(uint32_t w);

// Whether dot products with the low parts of the taps, and 2^23, keep within 32 bits for signed 16-bit
// pixels. This is true for every sigma up to 31. The products with the high parts always do: they sum to less
// than 2^15 (2^15 + 2r + 1).
bool fits_split_taps(const IntegerTaps &words16);

// The taps of a window over bytes, four per word, for dot products of four bytes. Output 4 n + phase reads
// the aligned words n - reach ... n + reach of its line, and byte b of its word number k is multiplied by tap
// i = 4 k + b - 4 reach - phase. Taps |i| < high may exceed a byte: their high bytes have words of their own.
struct TapWordShape {
    int radius, high;

    int reach() const {
        return ceil_div(radius, 4);
    }
    int words() const {
        return 2 * reach() + 1;
    }
    // Whether a tap |i| < limit is in word k of the phase.
    bool used(int phase, int k, int limit) const {
        const int first = 4 * (k - reach()) - phase;
        return limit > 0 && first < limit && first + 3 > -limit;
    }
};

// Word k of the phase: see TapWordShape. `high`: the taps' high bytes h (w = 256 h + l) in place of their low
// bytes l.
uint32_t tap_word(const IntegerTaps &taps, int radius, int phase, int k, bool high);

// The taps as an operand of products of bytes (LaneProduct), in steps of 32 bytes of a line: 32
// neighbouring outputs by the window that they read, which begins `reach` words before them. Outputs are in
// two halves: row r of half m is output 4 (r % 8) + r / 8 + 2 m, so that a lane gets four neighbours. The two
// words of a lane that a step multiplies are neighbours too, where the instruction has 16 bytes between them.
struct TapFragments {
    int reach;         // in words, of all taps; even
    int first, steps;  // from this word of the window on, which is even

    int byte;
    bool is_sum;  // taps are sums of two bytes, which are as large as they can be from the lowest on

    // Byte `byte` of the taps, from the lowest on: of all taps, or for u8 of those that have it, in two steps
    // or more where all taps have so many.
    static TapFragments of(const IntegerTaps &taps, int byte, bool is_sum = false);

    // Whether each tap fits: of u8 as the sum of two bytes, of u16 as a number of three.
    static bool fit(const IntegerTaps &taps, bool is_u8);

    // Word v of a lane, in half m of a step.
    uint32_t word(const IntegerTaps &taps, int v, int lane, int m, int step) const;
};

// The three bytes of the taps for u16, where each half of 16 of the 32 neighbouring outputs has a window of
// its own, in units of 16 positions of a line. The first unit begins `reach` pixels before the first output.
// Row r of half m is output 16 m + 4 (r % 8 / 2) + r % 2 + 2 (r / 8).
struct HalfBands {
    int reach;  // of the taps, a multiple of 8

    static constexpr int bytes = 3, no_unit = -1;

    // What an instruction multiplies for the outputs of a half: a byte of the taps, by the pixels of an even
    // unit and of an odd one, which are neighbours where the window has both. By `no_unit`, taps are 0.
    struct Entry {
        int half, byte, units[2];
    };
    // Those of half 0, and then those of half 1.
    std::vector<Entry> entries() const {
        std::vector<Entry> all;
        for (int half = 0; half < 2; half++) {
            const int first = half, last = (2 * reach + 16 * half + 15) / 16;
            for (int byte = 0; byte < bytes; byte++) {
                int single[2] = {no_unit, no_unit};
                for (int unit = first; unit <= last; unit++) {
                    if (unit % 2 == 0 && unit < last) {
                        all.push_back({half, byte, {unit, unit + 1}});
                        unit++;
                    } else {
                        single[unit % 2] = unit;
                    }
                }
                if (single[0] != no_unit || single[1] != no_unit) {
                    all.push_back({half, byte, {single[0], single[1]}});
                }
            }
        }
        return all;
    }
    int steps() const {  // of two units
        return ceil_div(32 + 2 * reach, 32);
    }
    bool fit(const IntegerTaps &taps) const;
    bool operator==(const HalfBands &) const = default;

    // Word v of a lane.
    uint32_t word(const IntegerTaps &taps, int v, int lane, const Entry &entry) const;
};

// The two bytes of the taps for u8, as sums, where 16 neighbouring outputs have a window of `units` units of
// 16 positions of a line. The first unit begins `reach` pixels before the first output.
struct UnitBands {
    int units;
    bool short_taps;  // of one byte

    static constexpr int no_byte = -1;
    int reach() const {
        return 8 * (units - 1);
    }
    // Of warps that read 32 columns each, how many have 32 outputs.
    int outputs(int warps) const {
        return warps - units / 2;
    }
    // What an instruction multiplies: two neighbouring units by a byte of their taps, or by 0.
    struct Entry {
        int unit, bytes[2];
    };
    // Units from the first one on: each byte of a unit with the next byte of the unit behind it.
    std::vector<Entry> entries() const {
        std::vector<Entry> all;
        for (int unit = 0, used = 0; unit < units; unit++) {
            const bool is_last = unit + 1 == units;
            const int next = is_last ? 0 : bytes_of(unit + 1);
            int taken = 0;
            for (int byte = used; byte < bytes_of(unit); byte++) {
                if (is_last) {
                    all.push_back({unit - 1, {no_byte, byte}});
                } else {
                    all.push_back({unit, {byte, taken < next ? taken++ : no_byte}});
                }
            }
            used = taken;
        }
        return all;
    }
    // The bytes that taps may have in a unit: two in the middle.
    int bytes_of(int unit) const {
        const int middle = 2 * unit + 1 - units;  // half units from the middle of the window
        return !short_taps && std::abs(middle) <= (units % 2 ? 2 : 1) ? 2 : 1;
    }
    bool fit(const IntegerTaps &taps) const;
    bool operator==(const UnitBands &) const = default;

    // Word v of a lane. Down columns, row r of the operand is output r, and its positions are in order. Along
    // rows, column c of tile v / 2 is output 4 (c / 2) + 2 (v / 2) + c % 2; a lane has 8 neighbouring
    // positions.
    uint32_t word(const IntegerTaps &taps, bool is_along, int v, int lane, const Entry &entry) const;
};

// The taps as an operand of products of 16-bit floats (LaneProduct), in steps of 16 positions of a line: 16
// neighbouring outputs by the window that they read, which begins 8 (steps - 1) positions before them. Each
// tap is scaled by 4096, which keeps its parts, a high and a low 16-bit float, in their range. Rows and
// columns of the operand are in the order of GaussianBlurFloatProducts: first the even ones, then the odd
// ones.
struct FloatFragments {
    static constexpr float scale = 4096;

    // The steps of the windows that there are variants for, and the fewest for this radius; 0: none suffice.
    static constexpr int of_variants[] = {3, 4, 5, 6, 9, 14};
    static int steps_of(int radius) {
        for (const int steps : of_variants) {
            if (radius <= 8 * (steps - 1)) {
                return steps;
            }
        }
        return 0;
    }

    // Word v of a lane, of the high (0) or the low part, in a step. `taps`: from the middle on.
    static uint32_t word(const std::vector<float> &taps, int steps, int v, int lane, int part, int step);
};

}  // namespace tilewright
