#pragma once
// A form of gaussian_blur for integer images: dot products of four bytes (u8) or of two 16-bit numbers (u8
// and u16). Variants: tuned_dots, tuned_pairs, tuned_in_order and tuned_pairs_in_order, and those of several
// channels.
#include "Halide.h"
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include <cstdint>
#include <vector>

namespace tilewright {

// What a pass by dot products does with its sums. Pixels are elements of the signed type that dot products
// take.
//
//   four bytes       u8 pixels minus 2^7, and taps w = 256 h + l with bytes h and l. The products with h come
//                    first, because only a few taps in the middle have an h; their sum is multiplied by 256.
//                    A pass gives (M sum_i w_i p_i + 2^23) >> 24. M is odd, so there is a number `rounding`
//                    with M rounding = 2^23 + 128 M S modulo 2^32, where S is the sum of the taps. The sum
//                    begins with it, so that neither 2^23 nor what the subtraction took off is added later.
//                    Sums are modulo 2^32, as those of the instruction are.
//   pairs of u16     u16 pixels minus 2^15, and taps w = 512 h + l with |l| <= 256 except in the middle
//                    (split_tap() in weights.h). With L = 2^23 + the products with l, and H = the products
//                    with h,
//                        (512 H + L) >> 24  ==  (H + (L >> 9)) >> 15
//                    so that 32 bits are enough. The weights sum to 2^24: the result is as signed as the
//                    pixels are.
//   pairs of u8      u8 pixels in 16 bits, and whole taps: for processors without dot products of bytes.
struct DotArithmetic {
    BlurArithmetic pass;
    int group;              // pixels in one dot product
    Halide::Expr rounding;  // four bytes
    bool masks = false;     // the processor loads some of a vector's elements in one instruction

    bool bytes() const {
        return group == 4;
    }
    bool is_u16() const {
        return pass.pixel == Halide::UInt(16);
    }
    // Whether the taps are added in two parts; otherwise there is only one.
    bool two_parts() const {
        return bytes() || is_u16();
    }
    Halide::Type element() const {
        return bytes() ? Halide::Int(8) : Halide::Int(16);
    }
    // The element of a pixel of the image.
    Halide::Expr centred(Halide::Expr pixel) const {
        return two_parts() ? reinterpret(element(), flipped(pixel)) : cast(element(), pixel);
    }
    Halide::Expr start() const {
        return is_u16() ? 1 << 23 : 0;
    }
    // The sum after the first part. `last`: of the pass along rows. For bytes it is any 32-bit number, to
    // which the second part adds modulo 2^32. Halide leaves sums of int32 that overflow undefined; here each
    // one is an instruction for dot products (VPDPBUSD), which wraps.
    Halide::Expr between(Halide::Expr sum, bool last) const {
        if (is_u16()) {
            return sum >> 9;
        }
        // A result of the first pass minus 2^7 has the other highest bit.
        const Halide::Expr rest = last ? rounding : rounding + Halide::Expr(1u << 31);
        return reinterpret<int32_t>(reinterpret<uint32_t>(sum) * 256 + rest);
    }
    // A result of the first pass, as an element.
    Halide::Expr between_passes(Halide::Expr sum) const {
        return bytes()  ? reinterpret(element(), highest_byte(sum)) :
               is_u16() ? cast(element(), sum >> 15) :
                          cast(element(), pass.rounded(sum));
    }
    Halide::Expr rounded(Halide::Expr sum) const {
        return bytes()  ? highest_byte(sum) :
               is_u16() ? flipped(cast(pass.pixel, sum >> 15)) :
                          pass.rounded(sum);
    }

private:
    Halide::Expr highest_byte(Halide::Expr sum) const {
        return cast(pass.pixel, (reinterpret<uint32_t>(sum) * pass.multiplier) >> 24);
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
    Func in, columns{"columns"}, rows{"rows"}, extended{"endless"}, packed{"packed"}, groups{"groups"},
        down_sum{"down_sum"}, down{"down"}, along_sum{"along_sum"}, word{"word"}, out{"out"};
    int channels, group;
    Expr reach;                           // in groups
    std::vector<RDom> of_column, of_row;  // of each part: element in the group, group

    // A part of the taps: taps(element, k, phase), where k is the group, from -reach to reach. No taps where
    // `reach` is -1.
    struct Taps {
        Func of;
        Expr reach;
    };

    // parts: one or two of them (DotArithmetic). reach: that of all taps.
    GaussianBlurDots(Func image, const ExtendedImage &border, int channels, const std::vector<Taps> &parts,
        const Expr &reach, const DotArithmetic &pass)
        : GaussianBlurDots(image, channels, reach, pass) {
        columns(x) = border.column(x);
        extended(x, y) = pass.centred(border(in, columns, x, y));
        add_groups(pass, channels > 1);
        add_sums(parts);
        add_down(parts, pass);
        add_along(parts, pass);
    }

protected:
    GaussianBlurDots(Func image, int channels, const Expr &reach, const DotArithmetic &pass)
        : in(image), channels(channels), group(pass.group), reach(reach) {}

    // by_words: a group of one channel is joined as a word too.
    void add_groups(const DotArithmetic &pass, bool by_words) {
        const int bits = pass.element().bits();
        std::vector<Expr> together;
        for (int q = 0; q < group; q++) {
            together.push_back(
                reinterpret(pass.element().with_code(Halide::Type::UInt), extended(x, group * y + q)));
        }
        packed(x, y) = Halide::concat_bits(together);
        // Element `group * column + row` of a group of rows.
        groups(x, c, y) = !by_words ? extended(x / group, group * y + x % group) :
                                      Halide::extract_bits(pass.element(),
                                          packed(channels * (x / group) + c, y), bits * (x % group));
    }

    void add_sums(const std::vector<Taps> &parts) {
        for (const Taps &taps : parts) {
            of_column.push_back(groups_of(taps));
            of_row.push_back(groups_of(taps));
        }
    }

    static Expr product(Expr tap, Expr element) {
        return cast<int32_t>(tap) * cast<int32_t>(element);
    }

    RDom groups_of(const Taps &taps) const {
        return RDom(0, group, -taps.reach, 2 * taps.reach + 1);
    }

    void add_down(const std::vector<Taps> &parts, const DotArithmetic &pass) {
        down_sum(x, c, y) = pass.start();
        for (size_t n = 0; n < parts.size(); n++) {
            if (n == 1) {
                down_sum(x, c, y) = pass.between(down_sum(x, c, y), false);
            }
            const RDom &k = of_column[n];
            down_sum(x, c, y) +=
                product(parts[n].of(k.x, k.y, y % group), groups(group * x + k.x, c, y / group + k.y));
        }
        down(x, c, y) = pass.between_passes(down_sum(x, c, y));
    }

    void add_along(const std::vector<Taps> &parts, const DotArithmetic &pass) {
        const int bits = pass.element().bits();
        along_sum(phase, x, c, y) = pass.start();
        for (size_t n = 0; n < parts.size(); n++) {
            if (n == 1) {
                along_sum(phase, x, c, y) = pass.between(along_sum(phase, x, c, y), true);
            }
            const RDom &k = of_row[n];
            along_sum(phase, x, c, y) +=
                product(parts[n].of(k.x, k.y, phase), down(group * (x + k.y) + k.x, c, y));
        }
        // Word n of a row: its elements are bits of the sums of one group, so that no shuffle joins them.
        std::vector<Expr> words(channels, cast<uint32_t>(0));
        for (int n = 0; n < channels * group; n++) {
            const Expr element = pass.rounded(along_sum(n / channels, x / channels, n % channels, y));
            words[n / group] = words[n / group] | cast<uint32_t>(element) << (bits * (n % group));
        }
        word(x, y) = channels == 1 ? words[0] : mux(x % channels, words);
        out(x, y) = cast(pass.pass.pixel,
            Halide::extract_bits(Halide::UInt(bits), word(x / group, y), bits * (x % group)));
    }
};

// The same, for schedules that blur whole rows in their order: rows continue beyond the left and right side
// between the passes, by copies of pixels that are already blurred down columns. They are the same pixels,
// because each column is blurred by itself, and the image itself is only read where it is.
struct GaussianBlurDotRows : GaussianBlurDots {
    static constexpr const char *name = "gaussian_blur_dot_rows";

    GaussianBlurDotRows(Func image, const ExtendedImage &border, int channels, const std::vector<Taps> &parts,
        const Expr &reach, const DotArithmetic &pass)
        : GaussianBlurDots(image, channels, reach, pass) {
        rows(y) = border.row(y);
        extended(x, y) = pass.centred(border.within_row(in, rows, x, y, pass.masks));
        add_groups(pass, true);
        add_sums(parts);
        add_down(parts, pass);
        ExtendedImage plane = border;
        plane.channels = 1;
        const Expr nothing = pass.centred(Halide::cast(pass.pass.pixel, 0));
        plane.copy_sides(columns, x, group * reach, [&](Expr to, Expr from) {
            down(to, c, y) = select(border.rule == ExtendedImage::zero, nothing, down(from, c, y));
        });
        add_along(parts, pass);
    }
};

}  // namespace tilewright
