#pragma once
// A form of transpose for pixels of several words of 32 bits: tuned_any for `words` on GPUs. A form, because
// the rows of a tile are so many words that threads share, whole pixels or not, and Halide 21 cannot fuse the
// loops over pixels and over their words, whose number is known to a call alone.
#include "Halide.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"

namespace tilewright {

// The image in tiles of `side` x `side` pixels. A tile has `down` rows at a time.
struct WordTiles {
    int side, down;
};

// out(i, y): word i of row y, where a pixel is `words` of them. tile(i, j, b, y) is word i of row j of the
// tile that is number b in row y of the output's tiles. The image is repeated beyond its edges, so that every
// tile is whole; words outside the output are not stored.
struct TransposeWords : Halide::NamesInterface {
    static constexpr const char *name = "transpose_words";
    Var i{"i"}, j{"j"}, b{"b"}, y{"y"};
    Func in, tile{"tile"}, out{"out"};
    RDom r;  // step of rows, step of words; word in a step, row in a step; tile: b, low digit of y, high
             // digit of y
    WordTiles tiles;
    Expr words;

    TransposeWords(Func image, Expr row_words, Expr height, Expr words, const WordTiles &tiles)
        : in(image), tiles(tiles), words(words) {
        const Expr in_tile = tiles.side * words, width = divided(row_words, words), columns = height * words;
        tile(i, j, b, y) = in(min(y * in_tile + i, row_words - 1), min(b * tiles.side + j, height - 1));

        // A grid may end at 65535 along one dimension.
        const int base = 32768;
        const Expr rows = ceil_div(width, tiles.side);
        r = RDom({{0, tiles.side / tiles.down}, {0, words}, {0, tiles.side}, {0, tiles.down},
                     {0, ceil_div(height, tiles.side)}, {0, min(rows, base)}, {0, ceil_div(rows, base)}},
            "r");
        const Expr word = r[1] * tiles.side + r[2], row = r[0] * tiles.down + r[3],
                   of_tiles = r[6] * base + r[5];
        const Expr pixel = divided(word, words), to_i = r[4] * in_tile + word,
                   to_y = of_tiles * tiles.side + row;
        r.where(below(to_i, columns) && below(to_y, width));
        out(i, y) = Halide::undef(in.type());
        out(promised(to_i, columns), promised(to_y, width)) = tile(
            promised((row - pixel) * words + word, in_tile), promised(pixel, tiles.side), r[4], of_tiles);
    }

private:
    // Of numbers that are not negative.
    static Expr divided(Expr a, Expr b) {
        return cast<int>(cast<uint32_t>(a) / cast<uint32_t>(b));
    }
};

}  // namespace tilewright
