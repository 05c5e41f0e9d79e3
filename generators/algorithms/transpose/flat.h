#pragma once
#include "generators/algorithms/transpose/patch.h"

namespace tilewright {

// Where an image lies in its memory, which is seen as one row of aligned 32-bit words: `offset` bytes to its first pixel,
// `stride` bytes from row to row.
struct Lie {
    Halide::Expr offset, stride;
};

// How many patches a block has, and how it is stored: `groups` patches down the input (one word a row more than is stored),
// `patches` across it; the rows of the output are covered by `rows` at a time, and each by `words` pieces.
struct FlatShape {
    int groups, patches, rows, words;
};

// The transpose of pixels of 1 or 3 bytes for any size, stride and alignment. Input: a word of a row is shifted together from the
// two aligned words that it lies in. Output: an aligned word is shifted together from two words of the transposed tile;
// `out` has the words that lie wholly inside a row, `edges` the up to three bytes at each end of a row that do not.
struct TransposeFlat : Halide::NamesInterface {
    static constexpr const char *name = "transpose_flat";
    Var j{"j"}, p{"p"}, r{"r"}, q{"q"}, k{"k"}, y{"y"}, i{"i"};
    int bytes;
    FlatShape shape;
    Func in, raw{"raw"}, turned{"turned"}, out{"out"}, edges{"edges"};
    RDom words;  // pieces of a row; rows in a step; word in a piece; row in a step; block: x, y low, y high
    RDom ends;   // byte; row

    TransposeFlat(Func memory, Expr in_words, Expr out_words, Expr width, Expr height, Lie from, Lie to, const Patch &patch, FlatShape s)
        : bytes(patch.bytes), shape(s), in(memory) {
        // Input: word k of patch q in row y, a row that begins at byte from.offset + y from.stride.
        auto begin = [&](Expr y) { return from.offset + clamp(y, 0, height - 1) * from.stride; };
        raw(k, q, y) = in(within(min(begin(y) / 4 + bytes * q + k, in_words - 1), in_words));
        turned(j, p, r, q) = patch.transposed(j, r, [&](int i, int k) {
            const Expr y = 4 * p + i;
            return shifted(raw(k, q, y), raw(k + 1, q, y), 8 * (begin(y) % 4));
        });

        // Output: aligned word n of the row of input column x, counted from the one that holds the row's first byte.
        const int most = 32768, tall = 4 * shape.patches, stored = bytes * (shape.groups - 1);
        const Expr row_bytes = height * bytes, row_words = (3 + row_bytes + 3) / 4, blocks = (width + tall - 1) / tall;
        words = RDom(std::vector<Halide::Range>{{0, shape.words}, {0, tall / shape.rows}, {0, stored / shape.words}, {0, shape.rows},
                                        {0, (row_words + stored - 1) / stored}, {0, min(blocks, most)}, {0, (blocks + most - 1) / most}}, "words");
        const Expr x = (words[6] * most + words[5]) * tall + words[1] * shape.rows + words[3];
        const Expr n = words[4] * stored + words[0] * (stored / shape.words) + words[2];
        const Expr first = to.offset + x * to.stride, phase = first % 4;
        words.where(inside(x, width) && inside(4 * n - phase, max(row_bytes - 3, 0)));
        out(i) = Halide::undef<uint32_t>();
        auto word = [&](Expr n) { return turned(n % bytes, n / bytes, x % 4, x / 4); };
        out(within(first / 4 + n, out_words)) = shifted(word(n - 1), word(n), 32 - 8 * phase);

        // The bytes before the first whole word and after the last one. Where all rows are whole words there are none.
        const Expr odd = to.offset % 4 != 0 || to.stride % 4 != 0 || row_bytes % 4 != 0;
        ends = RDom(std::vector<Halide::Range>{{0, 8}, {0, select(odd, width, 1)}}, "ends");
        const Expr start = to.offset + ends.y * to.stride;
        const Expr head = min((4 - start % 4) % 4, row_bytes), tail = max(head, row_bytes - (start + row_bytes) % 4);
        const Expr byte = select(ends.x < 4, ends.x, tail + ends.x - 4);
        ends.where(select(ends.x < 4, ends.x < head, byte < row_bytes));
        const Expr source = from.offset + (byte / bytes) * from.stride + ends.y * bytes + byte % bytes;
        edges(i) = Halide::undef<uint8_t>();
        edges(within(start + byte, 4 * out_words)) = cast<uint8_t>(in(within(source / 4, in_words)) >> cast<uint32_t>(8 * (source % 4)));
    }

private:
    // An index that the reader knows to be inside.
    static Expr within(Expr index, Expr extent) {
        return Halide::unsafe_promise_clamped(index, 0, extent - 1);
    }

    // 0 <= i < n in one comparison, which says nothing to Halide's bounds of `turned`: the tile stays whole.
    static Expr inside(Expr i, Expr n) {
        return cast<uint32_t>(i) < cast<uint32_t>(n);
    }

    // The low word of two neighbours shifted right by 0 ... 32 bits.
    static Expr shifted(Expr low, Expr high, Expr bits) {
        return cast<uint32_t>((cast<uint64_t>(high) << 32 | cast<uint64_t>(low)) >> cast<uint64_t>(bits));
    }
};

}  // namespace tilewright
