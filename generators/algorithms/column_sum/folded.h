#pragma once
#include "Halide.h"
#include "generators/algorithms/sums/sum_tree.h"

namespace tilewright {

// Column sums of rows that begin anywhere in memory, which is taken as chunks of 16 bytes (4 words). Rows `period` apart begin at
// the same byte of a chunk, so their chunks can be added as they lie: `period` phases, each of `chunks` chunks, and only the
// sums of the phases have to be shifted against each other.
//
// A slice is `steps * unroll * groups` rows of a phase. Bytes are added two to a word (even ones, odd ones), 16 bits each, which
// holds 257 rows; halves of a word (u16) each in a word of their own; floats as they are.
struct ColumnSumFolded : Halide::NamesInterface {
    static constexpr const char *name = "column_sum_folded";

    struct Layout {
        Expr extent;         // of the words
        Expr offset, stride;  // row y begins at byte offset + y * stride
        Expr width, height;
        Expr period, chunks;
        Expr steps, slices;
    };
    struct Shape {
        int lanes;          // the chunks of all phases are rounded up to a multiple of this
        int groups, unroll;  // of rows in a slice
        int terms;          // partial sums that the sums of slices and phases are added in
    };

    Var word{"word"}, chunk{"chunk"}, part{"part"}, group{"group"}, slice{"slice"}, x{"x"}, term{"term"};
    RDom row, each;
    Func adding{"adding"}, of_group{"of_group"}, of_slice{"of_slice"}, collecting{"collecting"}, collected{"collected"}, out{"out"};
    std::vector<Func> levels;
    int parts;  // sums that the elements of a word are added in
    Expr all_chunks;

    ColumnSumFolded(Func words, const Layout &at, const Shape &shape, Halide::Type element, Halide::Type output)
        : row({{0, shape.unroll}, {0, at.steps}}, "row"), each(0, (at.period * at.slices + shape.terms - 1) / shape.terms, "each"),
          parts(element.is_float() ? 1 : 2), all_chunks(((at.period * at.chunks + shape.lanes - 1) / shape.lanes) * shape.lanes) {
        const Halide::Type sum = element.is_float() ? Float(32) : UInt(32);
        auto within = [](Expr i, Expr n) { return unsafe_promise_clamped(i, 0, n - 1); };

        // Sums of slices. A chunk may reach over the end of its row: what it adds up there is nobody's column.
        Expr y = (((slice * at.steps + row.y) * shape.unroll + row.x) * shape.groups + group) * at.period + chunk / at.chunks;
        Expr last = at.extent / 4 - 1;
        Expr c = min((at.offset + min(y, at.height - 1) * at.stride) / 16 + chunk % at.chunks, last);
        Expr taken = words(4 * within(c, at.extent / 4) + word);
        adding(word, chunk, part, group, slice) = cast(sum, 0);
        adding(word, chunk, part, group, slice) += elements(taken, y < at.height, element);
        of_group(word, chunk, part, group, slice) = adding(word, chunk, part, group, slice);
        Expr groups = of_group(word, chunk, part, 0, slice);
        for (int g = 1; g < shape.groups; g++) {
            groups += of_group(word, chunk, part, g, slice);
        }
        of_slice(word, chunk, part, slice) = groups;

        // Column x is another byte of the chunks in every phase.
        Expr count = at.period * at.slices, i = each * shape.terms + term, safe = min(i, count - 1), phase = safe % at.period;
        Expr byte = (at.offset + phase * at.stride) % 16 + min(x, at.width - 1) * element.bytes();
        collecting(term, x) = cast(sum, 0);
        collecting(term, x) +=
            select(i < count, sum_of_byte(byte, phase * at.chunks + byte / 16, safe / at.period, at, element), cast(sum, 0));
        collected(term, x) = collecting(term, x);
        SumTree tree(collected, shape.terms, 8);
        levels = tree.levels;
        out(x) = cast(output, tree.total(x));
    }

private:
    // The elements of the word that belong to sum `part`, or zeros.
    Expr elements(Expr taken, Expr is_inside, Halide::Type element) {
        if (element.is_float()) {
            return select(is_inside, reinterpret<float>(taken), 0.f);
        }
        const bool bytes = element.bits() == 8;
        Expr mask = select(is_inside, cast<uint32_t>(bytes ? 0x00ff00ff : 0xffff), cast<uint32_t>(0));
        return (taken >> cast<uint32_t>(part * element.bits())) & mask;
    }

    // The sum, in one slice, of the element at this byte of the chunk.
    Expr sum_of_byte(Expr byte, Expr in_chunk, Expr in_slice, const Layout &at, Halide::Type element) {
        auto sum = [&](Expr in_part) {
            return of_slice((byte % 16) / 4, unsafe_promise_clamped(in_chunk, 0, all_chunks - 1), in_part,
                            unsafe_promise_clamped(in_slice, 0, at.slices - 1));
        };
        if (element.is_float()) {
            return sum(0);
        }
        if (element.bits() == 16) {
            return sum((byte / 2) % 2);
        }
        return (sum(byte % 2) >> cast<uint32_t>(16 * ((byte / 2) % 2))) & 0xffff;
    }
};

}  // namespace tilewright
