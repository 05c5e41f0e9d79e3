#pragma once
// A form of transpose for pixels of 1 or 3 bytes and any size, stride and alignment: memory is seen as one
// row of aligned 32-bit words. Variants: tuned for u8 and rgb8.
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/transpose/patch.h"

namespace tilewright {

// The position of an image in its memory, in bytes: where its first pixel is, and the distance from row to
// row.
struct MemoryLayout {
    Halide::Expr offset, stride;
};

// The shape of a block of patches, and how it is stored. The block has `groups` patches along the input's
// columns and `patches` along its rows. It stores one patch less per row of the output than it computes,
// because a word of the output is made of two neighbouring words. The rows of the output are stored `rows` at
// a time, each in `words` pieces.
struct FlatShape {
    int groups, patches, rows, words;
};

// Input: a word of a row is shifted together from the two aligned words that contain it. Output: an aligned
// word is shifted together from two words of the transposed tile. `out` has the words that are wholly inside
// a row, `edges` the up to three bytes at each end of a row that are not.
struct TransposeFlat : Halide::NamesInterface {
    static constexpr const char *name = "transpose_flat";
    Var j{"j"}, p{"p"}, r{"r"}, q{"q"}, k{"k"}, y{"y"}, i{"i"};
    int bytes;
    FlatShape shape;
    Func in, raw{"raw"}, transposed{"turned"}, out{"out"}, edges{"edges"};
    RDom words;  // piece of a row; step of rows; word in a piece; row in a step; block: x, low digit of y,
                 // high digit of y
    RDom ends;   // byte; row

    TransposeFlat(Func memory, Expr in_words, Expr out_words, Expr width, Expr height, MemoryLayout from,
        MemoryLayout to, const Patch &patch, FlatShape s)
        : bytes(patch.bytes), shape(s), in(memory) {
        read_patches(in_words, height, from, patch);
        write_words(out_words, width, height, to);
        write_edges(in_words, out_words, width, height, from, to);
    }

private:
    // raw(k, q, y): word k of patch q in row y. The row begins at byte from.offset + y from.stride.
    void read_patches(Expr in_words, Expr height, const MemoryLayout &from, const Patch &patch) {
        auto begin = [&](Expr y) { return from.offset + clamp(y, 0, height - 1) * from.stride; };
        raw(k, q, y) = in(promised(min(begin(y) / 4 + bytes * q + k, in_words - 1), in_words));
        transposed(j, p, r, q) = patch.transposed(j, r, [&](int i, int k) {
            const Expr y = 4 * p + i;
            return shifted(raw(k, q, y), raw(k + 1, q, y), 8 * (begin(y) % 4));
        });
    }

    // Word n of an output row is aligned; word 0 holds the row's first byte.
    void write_words(Expr out_words, Expr width, Expr height, const MemoryLayout &to) {
        const int base = 32768, tall = 4 * shape.patches, stored = bytes * (shape.groups - 1);
        const Expr row_bytes = height * bytes, row_words = (3 + row_bytes + 3) / 4,
                   blocks = ceil_div(width, tall);
        words = RDom(std::vector<Halide::Range>{{0, shape.words}, {0, tall / shape.rows},
                         {0, stored / shape.words}, {0, shape.rows}, {0, ceil_div(row_words, stored)},
                         {0, min(blocks, base)}, {0, ceil_div(blocks, base)}},
            "words");
        const Expr x = (words[6] * base + words[5]) * tall + words[1] * shape.rows + words[3];
        const Expr n = words[4] * stored + words[0] * (stored / shape.words) + words[2];
        const Expr first = to.offset + x * to.stride, phase = first % 4;
        words.where(below(x, width) && below(4 * n - phase, max(row_bytes - 3, 0)));
        out(i) = Halide::undef<uint32_t>();
        auto word = [&](Expr n) { return transposed(n % bytes, n / bytes, x % 4, x / 4); };
        out(promised(first / 4 + n, out_words)) = shifted(word(n - 1), word(n), 32 - 8 * phase);
    }

    // The bytes before the first whole word of a row and after the last one. Where all rows are whole words,
    // there are none.
    void write_edges(Expr in_words, Expr out_words, Expr width, Expr height, const MemoryLayout &from,
        const MemoryLayout &to) {
        const Expr row_bytes = height * bytes;
        const Expr odd = to.offset % 4 != 0 || to.stride % 4 != 0 || row_bytes % 4 != 0;
        ends = RDom(std::vector<Halide::Range>{{0, 8}, {0, select(odd, width, 1)}}, "ends");
        const Expr start = to.offset + ends.y * to.stride;
        const Expr head = min((4 - start % 4) % 4, row_bytes),
                   tail = max(head, row_bytes - (start + row_bytes) % 4);
        const Expr byte = select(ends.x < 4, ends.x, tail + ends.x - 4);
        ends.where(select(ends.x < 4, ends.x < head, byte < row_bytes));
        const Expr source = from.offset + (byte / bytes) * from.stride + ends.y * bytes + byte % bytes;
        edges(i) = Halide::undef<uint8_t>();
        edges(promised(start + byte, 4 * out_words)) =
            cast<uint8_t>(in(promised(source / 4, in_words)) >> cast<uint32_t>(8 * (source % 4)));
    }

    // The low word of two neighbours that are shifted right by 0 ... 32 bits.
    static Expr shifted(Expr low, Expr high, Expr bits) {
        return cast<uint32_t>((cast<uint64_t>(high) << 32 | cast<uint64_t>(low)) >> cast<uint64_t>(bits));
    }
};

}  // namespace tilewright
