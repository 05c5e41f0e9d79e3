#pragma once
// A form of gaussian_blur for u8 images of one channel: dot products of four bytes. Row: tuned_dots.
#include "Halide.h"
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"

namespace tilewright {

// A dot product multiplies the four bytes of a word of taps by those of a word of pixels, and adds the
// products to 32 bits.
//
// Pixel n of a line is byte n % 4 of word n / 4. An output of phase p = n % 4 is a sum over the words around
// its own, each times the taps shifted by p. A weight above 255 is 256 h + l. The products with h are summed
// first and multiplied by 256; only a few words in the middle have an h. Then the products with l are added.
// One operand of the dot product is signed: it takes pixels minus 128. Therefore 128 S is added to the sum,
// where S is the sum of the weights.
struct GaussianBlurDots : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_dots";
    Var x{"x"}, y{"y"}, q{"q"}, phase{"phase"};
    Func in, columns{"columns"}, extended{"endless"}, quads{"quads"}, down_sum{"down_sum"}, down{"down"},
        along_sum{"along_sum"}, word{"word"}, out{"out"};
    Expr reach;
    RDom down_high, down_low, along_high, along_low;  // byte in the word, word

    // low(byte, k, phase) and high(byte, k, phase) are the taps as bytes. k is the word: from -words_reached
    // to words_reached in low, and from -high_reach to high_reach in high, which is empty if high_reach is
    // -1.
    GaussianBlurDots(Func image, const ExtendedImage &border, Func low, Func high, Expr words_reached,
        Expr high_reach, Expr offset, const BlurArithmetic &pass)
        : in(image), reach(words_reached), down_high(words(high_reach)), down_low(words(reach)),
          along_high(words(high_reach)), along_low(words(reach)) {
        columns(x) = border.column(x);
        extended(x, y) = reinterpret<int8_t>(border(in, columns, x, y) ^ cast<uint8_t>(128));
        quads(q, x, y) = extended(x, 4 * y + q);

        auto pixels = [&](const RDom &k) { return cast<int32_t>(quads(k.x, x, y / 4 + k.y)); };
        down_sum(x, y) = 0;
        down_sum(x, y) += cast<int32_t>(high(down_high.x, down_high.y, y % 4)) * pixels(down_high);
        down_sum(x, y) *= 256;
        down_sum(x, y) += cast<int32_t>(low(down_low.x, down_low.y, y % 4)) * pixels(down_low);
        auto rounded = [&](Expr sum) { return pass.rounded(cast<uint32_t>(sum) + offset); };
        down(x, y) = reinterpret<int8_t>(rounded(down_sum(x, y)) ^ cast<uint8_t>(128));

        auto row = [&](const RDom &k) { return cast<int32_t>(down(4 * (x + k.y) + k.x, y)); };
        along_sum(phase, x, y) = 0;
        along_sum(phase, x, y) += cast<int32_t>(high(along_high.x, along_high.y, phase)) * row(along_high);
        along_sum(phase, x, y) *= 256;
        along_sum(phase, x, y) += cast<int32_t>(low(along_low.x, along_low.y, phase)) * row(along_low);
        auto byte = [&](int p) { return cast<uint32_t>(rounded(along_sum(p, x, y))) << (8 * p); };
        word(x, y) = byte(0) | byte(1) | byte(2) | byte(3);
        out(x, y) = Halide::extract_bits<uint8_t>(word(x / 4, y), 8 * (x % 4));
    }

    static RDom words(Expr reach) {
        return RDom(0, 4, -reach, 2 * reach + 1);
    }
};

}  // namespace tilewright
