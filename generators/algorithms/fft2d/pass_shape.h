#pragma once
// The shape of one pass of a Fourier transform: which lines it transforms, and how. Host and generators share
// it. Plain C++ without Halide.h.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright {

// A pass transforms many lines of the same length, each by itself. Two forms are passes: FftPass
// (generators/algorithms/fft2d/pass.h) and FftLines (lines.h), which say what they read and write. A pass of
// FftLines has four radices, two per level, and is not `twiddled`, `transposed` or `numbered`.
struct FftPassShape {
    enum class Lines {
        along,       // a line is a row, and its result is a row
        across,      // a line is a column, and its result is a column
        transposed,  // a line is a row, and its result is a column
    };
    // The index by which tables that differ from line to line are read: none, the line's number, or the
    // batch's number.
    enum class Numbered { none, by_line, by_batch };

    // n = n0 (L / R0) + n1 (L / R0 R1) + ...: one digit per stage, the radix of each stage, 1 where there is
    // none
    std::array<int, 4> radix = {1, 1, 1, 1};
    Lines lines = Lines::along;
    Numbered numbered = Numbered::none;
    bool twiddled = false, chirp_first = false, chirp_last = false, convolve = false;
    // The variant serves every field: a call of it runs the passes that transform the field, whether or not
    // this one is among them. Another pass serves the fields whose transform it takes part in.
    bool serves_all = false;
    // The last digit of n is the number of a thread block among those of a cluster, which share the cells of
    // their lines: each block has the points whose last digit is its number. Of columns; the first radix is a
    // multiple of the last one, because the stage of the last digit is divided among the blocks by the first
    // digit.
    bool clustered = false;

    FftPassShape() = default;
    explicit FftPassShape(const std::vector<int> &radices) {
        for (size_t i = 0; i < radices.size(); i++) {
            radix.at(i) = radices[i];
        }
    }

    // A variant's configuration (generators/algorithms/configuration.h).
    template<typename Visit>
    void fields(Visit visit) {
        visit("radix1", radix[0]);
        visit("radix2", radix[1]);
        visit("radix3", radix[2]);
        visit("radix4", radix[3]);
        visit("lines", lines);
        visit("numbered", numbered);
        visit("twiddled", twiddled);
        visit("chirp_first", chirp_first);
        visit("chirp_last", chirp_last);
        visit("convolve", convolve);
        visit("serves_all", serves_all);
        visit("clustered", clustered);
    }

    // The radices of the stages that there are.
    std::vector<int> radices() const {
        std::vector<int> all;
        for (const int r : radix) {
            if (r > 1) {
                all.push_back(r);
            }
        }
        return all;
    }

    // Whether the lines are parts of longer ones, by a pass that is for parts alone.
    bool is_part() const {
        return twiddled || numbered != Numbered::none;
    }

    // Whether the pass transforms shorter lines, as convolutions with a chirp: lines of n points are padded
    // with zeros to its length. `first` and `last` are then both that chirp, with zeros from n on.
    bool is_padded() const {
        return convolve && chirp_first && chirp_last;
    }
    // Whether a padded pass is for lines of n points. The longest ones have half of its length, so that half
    // of what each butterfly of the first stage reads is zero; for lines of less than a quarter, FftMixed has
    // shorter convolutions, which take less time. Each butterfly of the last stage has a result.
    bool pads(int64_t n) const {
        return is_padded() && 2 * n <= length() && 4 * n > length();
    }
    // Whether the pass is a whole transform: it takes the sign, and the scale of the results.
    bool has_endpoints() const {
        return !convolve || is_padded();
    }

    int length() const {
        return radix[0] * radix[1] * radix[2] * radix[3];
    }
    // How many thread blocks share a line, and how many of its points each of them has.
    int blocks() const {
        return clustered ? radices().back() : 1;
    }
    int points_of_block() const {
        return length() / blocks();
    }

    // Of FftLines: how many points a transform of the first level has.
    int first_level() const {
        return radix[0] * radix[1];
    }

    // Of FftLines: the same length with the levels in the other order, as the line back of a convolution has
    // them. Its first stage has the points of the last stage forward.
    FftPassShape mirrored() const {
        FftPassShape shape = *this;
        shape.radix = {radix[3], radix[2], radix[0], radix[1]};
        return shape;
    }

    // The number of entries of the table `middle`.
    int middle_size() const {
        return length() / radices().back();
    }

    // The frequency that entry i of a response is for. i is the last digit, and then the digits before it,
    // the first one first.
    int64_t order(int64_t i) const {
        const std::vector<int> radices = this->radices();
        const size_t last = radices.size() - 1;
        std::vector<int64_t> digit(radices.size());
        digit[last] = i / middle_size();
        int64_t rest = i % middle_size(), k = 0, weight = 1;
        for (size_t s = last; s-- > 0;) {
            digit[s] = rest % radices[s];
            rest /= radices[s];
        }
        for (size_t s = 0; s <= last; s++) {
            k += digit[s] * weight;
            weight *= radices[s];
        }
        return k;
    }
};

}  // namespace tilewright
