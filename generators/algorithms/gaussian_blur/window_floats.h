#pragma once
#include "generators/algorithms/gaussian_blur/window_words.h"

namespace tilewright {

// The separable blur of u8 images with sums in floats, for machines without dot products of bytes. Weights are integers and
// sums stay below 2^23, so that floats hold them exactly, 2^23 added or not; rounding is that of integers,
//     pass(p) = (sum_i w_i p_i * M + 2^23) >> 24       down columns, then along rows
struct GaussianBlurWindowFloats : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_window_floats";
    Var x{"x"}, y{"y"}, t{"t"};
    Func in, weight{"weight"}, down_sum{"down_sum"}, down{"down"}, along_sum{"along_sum"}, along{"along"}, out{"out"};
    RDom i, j;
    int radius;
    WindowTile tile;  // `columns` and `window` count words
    BorderedWords words;
    WindowDomain to;

    GaussianBlurWindowFloats(Func image, Expr width, Expr height, const BorderMap &border, const std::vector<Expr> &weights,
                             Expr multiplier, WindowTile shape)
        : in(image), radius((int)weights.size() - 1), tile(shape), words(image, width, height, border, true, WordOperations{}),
          to(shape, threads(), (width + 3) / 4, width / 4, height) {
        i = RDom(-radius, 2 * radius + 1, "i");
        j = RDom(-radius, 2 * radius + 1, "j");
        std::vector<Expr> both_sides;
        for (int k = -radius; k <= radius; k++) {
            both_sides.push_back(weights[std::abs(k)]);
        }
        weight(t) = mux(t + radius, both_sides);

        const float zero = 8388608;  // 2^23: the integer is the low bits of the float
        auto rounded = [&](Expr sum) {
            return ((reinterpret<uint32_t>(sum) - 0x4B000000) * multiplier + (1 << 23)) >> 24;
        };
        auto pixel = [&](Expr px, Expr py) {
            return cast<float>((words.source(px / 4, py) >> cast<uint32_t>(8 * (px % 4))) & 0xff);
        };
        down_sum(x, y) = zero;
        down_sum(x, y) += weight(i) * pixel(x, y + i);
        down(x, y) = cast<float>(rounded(down_sum(x, y)));
        along_sum(x, y) = zero;
        along_sum(x, y) += weight(j) * down(x + j, y);
        auto byte = [&](int b) {
            return rounded(along_sum(4 * x + b, y)) << (8 * b);
        };
        along(x, y) = byte(0) | byte(1) | byte(2) | byte(3);

        out(x, y) = Halide::undef<uint32_t>();
        const Expr at_x = unsafe_promise_clamped(to.x, 0, words.words - 1), at_y = unsafe_promise_clamped(to.y, 0, height - 1);
        const Expr made = to.value(along);
        out(at_x, at_y) = select(to.part == 0, made, BorderedWords::with_rest(made, to.x, out(at_x, at_y), width));
    }

    // Threads of a group in the pass down columns: the tile's words and the halo's.
    int threads() const {
        return tile.columns + 2 * ((radius + 3) / 4);
    }
};

}  // namespace tilewright
