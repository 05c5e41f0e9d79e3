#pragma once
// An image as rows of 32-bit words, extended beyond its border: the input of the window forms of
// gaussian_blur for u8, and of those by products of bytes.
#include "generators/algorithms/gaussian_blur/window.h"
#include "generators/algorithms/word_operations.h"

namespace tilewright {

// source(x, y) is word x of row y of the extended image; a word has four pixels of one byte, or two of two.
struct BorderedWords : Halide::NamesInterface {
    Var x{"x"}, y{"y"}, c{"c"};
    Func column{"column"}, picks{"picks"}, source{"source"};
    bool any_width;  // false: the width is a multiple of 4 and the rule is reflect. Reflected words then keep
                     // their byte order
    Expr words;

    BorderedWords(Func image, Expr width, Expr height, const BorderMap &border, bool any,
        const WordOperations &word, int bytes = 1)
        : any_width(any), words(ceil_div(bytes * width, 4)) {
        auto hex = WordOperations::hex;
        const Expr row = border.inside(y, height, border.high_y);
        if (!any_width) {
            source(x, y) = image(promised(reflected(x), words), row);
            return;
        }
        // The four bytes of a word beyond the border are in two neighbouring words. Bytes that count as 0 are
        // masked out.
        const int pixels = 4 / bytes;
        Expr first, mask = hex(0), position[4];
        for (int b = 0; b < 4; b++) {
            const Expr pixel = pixels * x + b / bytes;
            position[b] = border.inside(pixel, width, border.high_x);
            first = b == 0 ? position[b] : min(first, position[b]);
            mask = mask | select(border.zero == 0 || position[b] == pixel, hex(0xffu << (8 * b)), hex(0));
        }
        column(x) = first / pixels;
        Expr digits = hex(0);
        for (int b = 0; b < 4; b++) {
            digits =
                digits | (cast<uint32_t>(bytes * (position[b] - pixels * column(x)) + b % bytes) << (4 * b));
        }
        picks(x, c) = mux(c, {digits, mask});
        const Expr low = image(promised(column(x), words), row);
        const Expr next = image(promised(min(column(x) + 1, words - 1), words), row);
        const Expr row_counts = border.zero == 0 || row == y;
        source(x, y) =
            word.pick(low, next, picks(x, 0)) & picks(x, 1) & select(row_counts, hex(0xffffffffu), hex(0));
    }

    // Without any_width: the word inside the row that X shows, and whether its bytes are in reverse order.
    Expr reflected(Expr X) const {
        const Expr up = max(X, -1 - X);
        return max(min(up, 2 * words - 1 - up), 0);
    }
    Expr is_reversed(Expr X) const {
        return reflected(X) != X;
    }

    // The word to store as word X of the output when `blurred` is its blur: bytes after the last one of the
    // row, which has so many, stay as they were.
    static Expr with_rest(Expr blurred, Expr X, Expr before, Expr bytes) {
        auto hex = WordOperations::hex;
        const Expr inside =
            select(X < bytes / 4, hex(0xffffffffu), (hex(1) << cast<uint32_t>(8 * (bytes % 4))) - 1);
        return (blurred & inside) | (before & ~inside);
    }
};

}  // namespace tilewright
