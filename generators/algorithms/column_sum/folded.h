#pragma once
// A form of column_sum for rows that begin anywhere in memory, which is read in aligned chunks of 16 bytes
// (f64: 8).
// Variants: split, tuned_narrow and tuned_any on GPUs. Halide 21 cannot say it of the definition: it loads at
// most 8 bytes at once (tests/halide/byte_loads_test.cpp), and a schedule cannot put two sums into one word.
#include "Halide.h"
#include "generators/algorithms/float_bits.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/sums/sum_tree.h"
#include "generators/algorithms/sums/sum_types.h"

namespace tilewright {

// A chunk is 4 words of 32 bits, or of f64 one word of 64. Rows that are `period` rows apart begin at the
// same byte of a chunk, so their chunks are added without a shift: these rows are a phase, of `chunks` chunks
// per row. Only the sums of the `period` phases are shifted against each other.
//
// A slice is `steps * unroll * groups` rows of a phase. Two sums of bytes share a word, 16 bits each, which
// hold 257 rows: one word has the even bytes of the input's word, and one the odd bytes. A u16 element has a
// whole word for its sum; floats are added as floats.
struct ColumnSumFolded : Halide::NamesInterface {
    static constexpr const char *name = "column_sum_folded";

    struct Layout {
        Expr extent;          // number of words
        Expr offset, stride;  // row y begins at byte offset + y * stride
        Expr width, height;
        Expr period, chunks;
        Expr steps, slices;
    };
    struct Shape {
        int lanes;            // the chunks of all phases are rounded up to a multiple of this
        int groups, unroll;   // of a slice: see above
        int terms;            // number of partial sums that add the sums of slices and phases
        FloatBits bits = {};  // not empty: elements are these floats, and are added in f32
    };

    Var word{"word"}, chunk{"chunk"}, part{"part"}, group{"group"}, slice{"slice"}, x{"x"}, term{"term"};
    RDom row, each;
    Func adding{"adding"}, of_group{"of_group"}, of_slice{"of_slice"}, collecting{"collecting"},
        collected{"collected"}, out{"out"};
    std::vector<Func> levels;
    int parts;        // number of sums that the elements of a word are added to
    int word_bytes;   // of a word
    int chunk_words;  // of a chunk
    Expr all_chunks;

    ColumnSumFolded(
        Func words, const Layout &at, const Shape &shape, Halide::Type element, const SumOutput &output)
        : row({{0, shape.unroll}, {0, at.steps}}, "row"),
          each(0, ceil_div(at.period * at.slices, shape.terms), "each"), parts(element.is_float() ? 1 : 2),
          word_bytes(std::max(4, element.bytes())), chunk_words(word_bytes == 8 ? 1 : 4),
          all_chunks(round_up(at.period * at.chunks, shape.lanes)) {
        const Halide::Type sum = element.is_float() ? element : !shape.bits.empty() ? Float(32) : UInt(32);
        sum_slices(words, at, shape, sum, element);
        sum_columns(at, shape, sum, element, output);
    }

private:
    int chunk_bytes() const {
        return chunk_words * word_bytes;
    }

    // The sums of each chunk over the rows of a slice. A chunk may reach beyond the end of its row; no column
    // reads those sums.
    void sum_slices(
        Func words, const Layout &at, const Shape &shape, Halide::Type sum, Halide::Type element) {
        Expr y = (((slice * at.steps + row.y) * shape.unroll + row.x) * shape.groups + group) * at.period +
                 chunk / at.chunks;
        Expr all = at.extent / chunk_words;
        Expr c =
            min((at.offset + min(y, at.height - 1) * at.stride) / chunk_bytes() + chunk % at.chunks, all - 1);
        Expr taken = words(chunk_words * promised(c, all) + word);
        adding(word, chunk, part, group, slice) = cast(sum, 0);
        adding(word, chunk, part, group, slice) += elements(taken, y < at.height, element, shape.bits);
        of_group(word, chunk, part, group, slice) = adding(word, chunk, part, group, slice);
        Expr groups = of_group(word, chunk, part, 0, slice);
        for (int g = 1; g < shape.groups; g++) {
            groups += of_group(word, chunk, part, g, slice);
        }
        of_slice(word, chunk, part, slice) = groups;
    }

    // The sums of columns over slices and phases. Column x has another byte of its chunk in every phase.
    void sum_columns(const Layout &at, const Shape &shape, Halide::Type sum, Halide::Type element,
        const SumOutput &output) {
        Expr count = at.period * at.slices, i = each * shape.terms + term, safe = min(i, count - 1),
             phase = safe % at.period;
        Expr byte = (at.offset + phase * at.stride) % chunk_bytes() + min(x, at.width - 1) * element.bytes();
        collecting(term, x) = cast(sum, 0);
        collecting(term, x) += select(i < count,
            sum_of_byte(byte, phase * at.chunks + byte / chunk_bytes(), safe / at.period, at, element),
            cast(sum, 0));
        collected(term, x) = collecting(term, x);
        SumTree tree(collected, shape.terms, 8);
        levels = tree.levels;
        out(x) = output.of(tree.total(x));
    }

    // The elements of the word that are added to sum number `part`, or zeros.
    Expr elements(Expr taken, Expr is_inside, Halide::Type element, const FloatBits &bits) {
        if (!bits.empty()) {
            const Expr half = (taken >> cast<uint32_t>(part * 16)) & 0xffff;
            return select(is_inside, bits.number(half), 0.f);
        }
        if (element.is_float()) {
            return select(is_inside, reinterpret(element, taken), cast(element, 0));
        }
        const bool bytes = element.bits() == 8;
        Expr mask = select(is_inside, cast<uint32_t>(bytes ? 0x00ff00ff : 0xffff), cast<uint32_t>(0));
        return (taken >> cast<uint32_t>(part * element.bits())) & mask;
    }

    // The sum, over one slice, of the element that begins at this byte of the chunk.
    Expr sum_of_byte(Expr byte, Expr in_chunk, Expr in_slice, const Layout &at, Halide::Type element) {
        auto sum = [&](Expr in_part) {
            return of_slice((byte % chunk_bytes()) / word_bytes, promised(in_chunk, all_chunks), in_part,
                promised(in_slice, at.slices));
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
