#pragma once
// The weights of a Gaussian blur, as its rows take them.
//
//   radius r      floor(4 sigma + .5); taps i = -r ... r, and every table below has r + 1 entries: entry i is tap i and tap -i
//   real          exp(-i^2 / 2 sigma^2), normalised so that all 2r + 1 taps sum to 1, rounded to f32
//   bytes         u8 images: integer taps of sum S and a multiplier M (odd), M = round(2^24 / S), with
//                     pass(p) = (sum_i w_i p_i * M + 2^23) >> 24                          all of it below 2^32
//                 bytes.high: taps |i| < high may exceed 255 and are 256 h + l with a byte h; the others are bytes (0: none)
//                 bytes.fits_f32(): 255 S + 2^23 < 2^24, so that a float holds the sum, 2^23 added or not, exactly; so for
//                 every sigma up to 30
//   words16       u16 images: integer taps of sum S = 2^24, with
//                     pass(p) = (sum_i w_i p_i + 2^23) >> 24                              40 bits before the shift
// A row of a fixed radius R >= r takes the taps of r and zeros: at() is zero outside -r ... r, and tap_word() takes R.
#include <cstdint>
#include <memory>
#include <vector>

namespace tilewright {

struct IntegerTaps {
    std::vector<uint32_t> taps;  // taps[i] = w_i = w_-i, i = 0 ... r
    uint32_t sum = 0;            // S
    uint32_t multiplier = 1;     // M; 1 for words16, whose sum is 2^24
    int high = 0;                // taps |i| < high have w_i > 255
    double bound = 0;            // |blur before the last rounding - exact blur| <= bound, for any image

    uint32_t at(int i) const {
        const size_t k = i < 0 ? -i : i;
        return k < taps.size() ? taps[k] : 0;
    }
    bool fits_f32() const {
        return 255ull * sum + (1 << 23) < (1 << 24);
    }
};

struct GaussianWeights {
    double sigma = 0;
    int radius = 0;
    std::vector<float> real;
    IntegerTaps bytes, words16;

    // The weights of one sigma; kept, because the search for `bytes` takes some milliseconds. sigma is in (0, 16384).
    static std::shared_ptr<const GaussianWeights> of(double sigma);
};

// Four taps as the bytes of one word, for dot products of 4 bytes. Outputs 4 n + phase read the aligned words n - R4/4 + k of
// their line, k = 0 ... 2 R4/4, R4 = `radius` rounded up to 4: byte b of word k meets tap i = 4 k + b - R4 - phase.
// `high`: the taps' high bytes h (w = 256 h + l) in place of their low bytes l.
uint32_t tap_word(const IntegerTaps &taps, int radius, int phase, int k, bool high);

}  // namespace tilewright
