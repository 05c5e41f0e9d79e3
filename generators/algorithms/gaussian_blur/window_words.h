#pragma once
#include "generators/algorithms/gaussian_blur/window.h"
#include "generators/algorithms/word_operations.h"

namespace tilewright {

// A u8 image as rows of words of four pixels, continued over its border: source(x, y), x counts words.
struct BorderedWords : Halide::NamesInterface {
    Var x{"x"}, y{"y"}, c{"c"};
    Func column{"column"}, picks{"picks"}, source{"source"};
    bool any_width;  // else: the width is a multiple of 4, the border is reflect, and words that are mirrored stay unturned
    Expr words;

    BorderedWords(Func image, Expr width, Expr height, const BorderMap &border, bool any, const WordOperations &word)
        : any_width(any), words((width + 3) / 4) {
        auto hex = WordOperations::hex;
        const Expr row = border.inside(y, height, border.high_y);
        if (!any_width) {
            source(x, y) = image(unsafe_promise_clamped(mirrored(x), 0, words - 1), row);
            return;
        }
        // The four bytes of a word over the border lie in two neighbouring words; bytes that count as 0 are masked out.
        Expr first, kept = hex(0), position[4];
        for (int b = 0; b < 4; b++) {
            position[b] = border.inside(4 * x + b, width, border.high_x);
            first = b == 0 ? position[b] : min(first, position[b]);
            kept = kept | select(border.zero == 0 || position[b] == 4 * x + b, hex(0xffu << (8 * b)), hex(0));
        }
        column(x) = first / 4;
        Expr digits = hex(0);
        for (int b = 0; b < 4; b++) {
            digits = digits | (cast<uint32_t>(position[b] - 4 * column(x)) << (4 * b));
        }
        picks(x, c) = mux(c, {digits, kept});
        const Expr low = image(unsafe_promise_clamped(column(x), 0, words - 1), row);
        const Expr next = image(unsafe_promise_clamped(min(column(x) + 1, words - 1), 0, words - 1), row);
        source(x, y) = word.pick(low, next, picks(x, 0)) & picks(x, 1) & select(border.zero == 0 || row == y, hex(0xffffffffu), hex(0));
    }

    // Without any_width: the word that shows at X, and whether it has to be turned back to front.
    Expr mirrored(Expr X) const {
        const Expr up = max(X, -1 - X);
        return max(min(up, 2 * words - 1 - up), 0);
    }
    Expr turned_around(Expr X) const {
        return mirrored(X) != X;
    }

    // What goes to word X of the output when `made` is its blur: bytes after the last pixel of the row stay as they are.
    static Expr with_rest(Expr made, Expr X, Expr before, Expr width) {
        auto hex = WordOperations::hex;
        const Expr own = select(X < width / 4, hex(0xffffffffu), (hex(1) << cast<uint32_t>(8 * (width % 4))) - 1);
        return (made & own) | (before & ~own);
    }
};

}  // namespace tilewright
