#pragma once
#include "Halide.h"
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"

namespace tilewright {

// The blur of u8 images of one channel by dot products of four bytes: a word of taps times a word of pixels, added to 32 bits.
//
// Pixel n of a line is byte n % 4 of its word n / 4. An output of phase p = n % 4 is the sum over `words` words around its own,
// each against the taps shifted by p. A weight over 255 is 256 h + l: the sum of the h, over the few words in the middle that
// have any, times 256, plus the sum of the l. One operand of the dot product is signed: it takes pixels minus 128, and
// 128 S, S the sum of the weights, is added to the sum.
struct GaussianBlurDots : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_dots";
    Var x{"x"}, y{"y"}, q{"q"}, phase{"phase"};
    Func in, columns{"columns"}, endless{"endless"}, quads{"quads"}, down_sum{"down_sum"}, down{"down"}, along_sum{"along_sum"}, word{"word"}, out{"out"};
    Expr reach;
    RDom down_high, down_low, along_high, along_low;  // byte in the word, word

    // low(byte, k, phase), high(byte, k, phase): the taps as bytes, k from -words_reached to words_reached, or high_reach (-1: none).
    GaussianBlurDots(Func image, const EndlessImage &border, Func low, Func high, Expr words_reached, Expr high_reach, Expr offset, const Pass &pass)
        : in(image), reach(words_reached), down_high(words(high_reach)), down_low(words(reach)), along_high(words(high_reach)),
          along_low(words(reach)) {
        columns(x) = border.column(x);
        endless(x, y) = reinterpret<int8_t>(border(in, columns, x, y) ^ cast<uint8_t>(128));
        quads(q, x, y) = endless(x, 4 * y + q);

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
