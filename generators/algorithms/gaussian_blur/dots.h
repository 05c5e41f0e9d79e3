#pragma once
// A form of gaussian_blur for integer images: dot products of four bytes (u8) or of two 16-bit numbers (u16).
// Rows: tuned_dots, tuned_dots_2, tuned_dots_3 and tuned_dots_4.
#include "Halide.h"
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include <cstdint>
#include <vector>

namespace tilewright {

// What a pass by dot products does with its sums. A pass adds the products with one part of the taps, changes
// the sum by `between`, adds the products with the other part, and rounds. Pixels are signed: half of the
// range of their type, 2^7 or 2^15, is subtracted from each before the first pass.
//
//   u8    w = 256 h + l with bytes h and l. The products with h come first, because only a few taps in the
//         middle have an h. The sum is multiplied by 256, and `offset`, 128 times the sum of the weights,
//         makes up for the subtraction.
//   u16   w = 512 h + l with |l| <= 256 except in the middle (split_tap() in weights.h). With
//         L = 2^23 + the products with l, and H = the products with h,
//             (512 H + L) >> 24  ==  (H + (L >> 9)) >> 15
//         so that 32 bits are enough. The weights sum to 2^24: the result is as signed as the pixels are.
struct DotArithmetic {
    BlurArithmetic pass;
    Halide::Expr offset;  // u8

    bool bytes() const {
        return pass.pixel == Halide::UInt(8);
    }
    // Pixels in one dot product.
    int group() const {
        return bytes() ? 4 : 2;
    }
    Halide::Type signed_pixel() const {
        return pass.pixel.with_code(Halide::Type::Int);
    }
    Halide::Expr start() const {
        return bytes() ? 0 : 1 << 23;
    }
    Halide::Expr between(Halide::Expr sum) const {
        return bytes() ? sum * 256 : sum >> 9;
    }
    // A pixel minus half of the range, and that of the image.
    Halide::Expr centred(Halide::Expr pixel) const {
        return reinterpret(signed_pixel(), flipped(pixel));
    }
    // The result of a pass minus half of the range: of a byte, this turns the highest bit.
    Halide::Expr between_passes(Halide::Expr sum) const {
        return bytes() ? reinterpret(signed_pixel(), highest_byte(sum, (1u << 31) + (1u << 23))) :
                         cast(signed_pixel(), sum >> 15);
    }
    Halide::Expr rounded(Halide::Expr sum) const {
        return bytes() ? highest_byte(sum, 1 << 23) : flipped(cast(pass.pixel, sum >> 15));
    }

private:
    // (sum + offset) * multiplier + rest, with the two numbers that do not depend on the sum added once.
    Halide::Expr highest_byte(Halide::Expr sum, uint32_t rest) const {
        const Halide::Expr constant = offset * pass.multiplier + Halide::Expr(rest);
        return cast(pass.pixel, (cast<uint32_t>(sum) * pass.multiplier + constant) >> 24);
    }
    Halide::Expr flipped(Halide::Expr pixel) const {
        return pixel ^ cast(pass.pixel, 1 << (pass.pixel.bits() - 1));
    }
};

// Pixel n of a line is element n % G of group n / G, where G pixels are in one dot product. An output of
// phase p = n % G is a sum over the groups around its own, each times the taps shifted by p.
//
// A dot product takes neighbours of one channel. Pixels of C channels are divided into planes, one per
// channel, and joined again, both as words of a group: a processor shuffles words with far fewer instructions
// than bytes.
struct GaussianBlurDots : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_dots";
    Var x{"x"}, y{"y"}, c{"c"}, phase{"phase"};
    Func in, columns{"columns"}, extended{"endless"}, packed{"packed"}, groups{"groups"},
        down_sum{"down_sum"}, down{"down"}, along_sum{"along_sum"}, word{"word"}, out{"out"};
    int channels, group;
    Expr reach;                                               // in groups
    RDom down_first, down_second, along_first, along_second;  // element in the group, group

    // A part of the taps: taps(element, k, phase), where k is the group, from -reach to reach. No taps where
    // `reach` is -1.
    struct Taps {
        Func of;
        Expr reach;
    };

    GaussianBlurDots(Func image, const ExtendedImage &border, int channels, const Taps &first,
        const Taps &second, const DotArithmetic &pass)
        : in(image), channels(channels), group(pass.group()),
          reach(pass.bytes() ? second.reach : first.reach), down_first(groups_of(first)),
          down_second(groups_of(second)), along_first(groups_of(first)), along_second(groups_of(second)) {
        const int bits = pass.pass.pixel.bits();
        columns(x) = border.column(x);
        extended(x, y) = pass.centred(border(in, columns, x, y));
        std::vector<Expr> rows;
        for (int q = 0; q < group; q++) {
            rows.push_back(reinterpret(pass.pass.pixel, extended(x, group * y + q)));
        }
        packed(x, y) = Halide::concat_bits(rows);
        // Element `group * column + row` of a group of rows.
        groups(x, c, y) = channels == 1 ? extended(x / group, group * y + x % group) :
                                          Halide::extract_bits(pass.signed_pixel(),
                                              packed(channels * (x / group) + c, y), bits * (x % group));

        const auto product = [](Expr tap, Expr pixel) { return cast<int32_t>(tap) * cast<int32_t>(pixel); };
        const auto of_column = [&](const Taps &taps, const RDom &k) {
            return product(taps.of(k.x, k.y, y % group), groups(group * x + k.x, c, y / group + k.y));
        };
        down_sum(x, c, y) = pass.start();
        down_sum(x, c, y) += of_column(first, down_first);
        down_sum(x, c, y) = pass.between(down_sum(x, c, y));
        down_sum(x, c, y) += of_column(second, down_second);
        down(x, c, y) = pass.between_passes(down_sum(x, c, y));

        const auto of_row = [&](const Taps &taps, const RDom &k) {
            return product(taps.of(k.x, k.y, phase), down(group * (x + k.y) + k.x, c, y));
        };
        along_sum(phase, x, c, y) = pass.start();
        along_sum(phase, x, c, y) += of_row(first, along_first);
        along_sum(phase, x, c, y) = pass.between(along_sum(phase, x, c, y));
        along_sum(phase, x, c, y) += of_row(second, along_second);

        // Word n of a row: its elements are bits of the sums of one group, so that no shuffle joins them.
        std::vector<Expr> words(channels, cast<uint32_t>(0));
        for (int n = 0; n < channels * group; n++) {
            const Expr element = pass.rounded(along_sum(n / channels, x / channels, n % channels, y));
            words[n / group] = words[n / group] | cast<uint32_t>(element) << (bits * (n % group));
        }
        word(x, y) = channels == 1 ? words[0] : mux(x % channels, words);
        out(x, y) = Halide::extract_bits(pass.pass.pixel, word(x / group, y), bits * (x % group));
    }

    RDom groups_of(const Taps &taps) const {
        return RDom(0, group, -taps.reach, 2 * taps.reach + 1);
    }
};

}  // namespace tilewright
