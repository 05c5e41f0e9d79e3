#pragma once
// A form of row_sum for rows that begin anywhere in memory, which is read in aligned chunks of 16 bytes.
// Variants: tuned_short, tuned_medium, tuned_many_rows and tuned_any on GPUs. Halide 21 cannot say it of the
// definition: it loads at most 8 bytes at once (tests/halide/byte_loads_test.cpp), and a schedule cannot put
// two sums into one word.
#include "Halide.h"
#include "generators/algorithms/float_bits.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/sums/sum_tree.h"
#include "generators/algorithms/sums/sum_types.h"
#include "generators/algorithms/word_operations.h"

namespace tilewright {

// The order of a sum is free, so no element has to be moved: all chunks that a row touches are added. The
// first and the last of them also hold elements of other rows; these are subtracted again (integers) or are
// not added (floats).
//
// A lane adds one chunk per iteration: a word of bytes by a dot product, u16 elements one by one, and floats
// as floats. A row may be split into `pieces`, which a second tree adds.
struct RowSumChunks : Halide::NamesInterface {
    static constexpr const char *name = "row_sum_chunks";

    struct Layout {
        Expr extent;          // number of words
        Expr offset, stride;  // row y begins at byte offset + y * stride
        Expr width, height;
        Expr iterations, pieces;
    };
    struct Shape {
        int lanes;            // partial sums of a piece
        int terms;            // partial sums that the pieces are added in; 0: a row is one piece
        FloatBits bits = {};  // not empty: elements are these floats, and are added in f32
    };
    static constexpr int fan = 4;

    Var word{"word"}, lane{"lane"}, piece{"piece"}, iteration{"turn"}, y{"y"}, term{"term"};
    Func adding{"adding"}, partial{"partial"}, of_piece{"of_piece"}, collecting{"collecting"},
        collected{"collected"}, out{"out"};
    std::vector<RDom> steps;  // one for each update of `adding`: 8, 4, 2 and 1 iterations at a time
    std::vector<Func> taken;  // the words that each of these updates adds
    std::vector<Func> levels, piece_levels;

    RowSumChunks(Func words, const Layout &at, const Shape &shape, Halide::Type element,
        const SumOutput &output, const WordOperations &word_operations)
        : words(words), at(at), shape(shape), element(element), operations(word_operations),
          sum(element.is_float() || !shape.bits.empty() ? Float(32) : UInt(32)) {
        const Expr byte = at.offset + min(y, at.height - 1) * at.stride;
        begin = byte % 16;
        end = begin + at.width * element.bytes();
        first = byte / 16;
        chunks = ceil_div(end, 16);

        add_chunks();
        partial(lane, piece, y) = of_this_row(adding(lane, piece, y));
        SumTree tree(partial, shape.lanes, fan);
        levels = tree.levels;
        of_piece(piece, y) = tree.total(piece, y);
        if (shape.terms == 0) {
            out(y) = output.of(of_piece(0, y));
        } else {
            add_pieces(output);
        }
    }

private:
    Func words;
    const Layout at;
    const Shape shape;
    const Halide::Type element;
    const WordOperations operations;
    const Halide::Type sum;
    Expr begin, end;     // the bytes of row y, counted from its first chunk
    Expr first, chunks;  // the chunks that row y touches

    // The first word of a chunk.
    Expr chunk_at(Expr chunk) const {
        return 4 * promised(chunk, at.extent / 4);
    }

    // Lane by lane, the sums of all chunks that the row touches.
    void add_chunks() {
        adding(lane, piece, y) = cast(sum, 0);
        Expr done = 0;
        for (int unroll : {8, 4, 2, 1}) {
            const std::string suffix = std::to_string(unroll);
            Expr times = unroll == 8 ? at.iterations / 8 : (at.iterations / unroll) % 2;
            RDom step({{0, 4}, {0, unroll}, {0, times}}, "step" + suffix);
            auto index = [&](Expr iteration) {
                return (piece * at.iterations + iteration) * shape.lanes + lane;
            };
            Func load("taken" + suffix);
            load(word, lane, piece, iteration, y) =
                words(chunk_at(first + min(index(iteration), chunks - 1)) + word);
            Expr now = done + step.z * unroll + step.y, i = index(now);
            Expr value = load(step.x, lane, piece, now, y);
            if (sum.is_float()) {
                adding(lane, piece, y) += floats(value, 16 * i + 4 * step.x);
            } else {
                adding(lane, piece, y) = with_elements(adding(lane, piece, y), value, i < chunks);
            }
            steps.push_back(step);
            taken.push_back(load);
            done = done + times * unroll;
        }
    }

    // A lane's sum without the elements of other rows. Integers: eight words may hold such elements, those of
    // the first and of the last chunk. Each is subtracted by another lane; where there are fewer than eight
    // lanes, a lane subtracts several.
    Expr of_this_row(Expr all) const {
        if (sum.is_float()) {
            return all;
        }
        if (shape.lanes >= 8) {
            return all - select(lane < 8, foreign(min(lane, 7)), cast<uint32_t>(0));
        }
        for (int e = 0; e < 8; e += shape.lanes) {
            all -= foreign(lane + e);
        }
        return all;
    }

    // The sum of the elements of other rows in word e % 4 of the first chunk (e < 4) or of the last one (e >=
    // 4).
    Expr foreign(Expr e) const {
        Expr v = e % 4, value = words(chunk_at(select(e < 4, first, first + chunks - 1)) + v);
        Expr bits = select(e < 4, low_bytes(begin - 4 * v), ~low_bytes(end - 16 * (chunks - 1) - 4 * v));
        return with_elements(cast<uint32_t>(0), value & select(piece == 0, bits, cast<uint32_t>(0)),
            Halide::Internal::const_true());
    }

    // The sum of a row's pieces.
    void add_pieces(const SumOutput &output) {
        RDom each(0, ceil_div(at.pieces, shape.terms), "each");
        Expr p = each * shape.terms + term;
        collecting(term, y) = cast(sum, 0);
        collecting(term, y) +=
            select(p < at.pieces, of_piece(promised(min(p, at.pieces - 1), at.pieces), y), cast(sum, 0));
        collected(term, y) = collecting(term, y);
        SumTree piece_tree(collected, shape.terms, fan);
        piece_levels = piece_tree.levels;
        out(y) = output.of(piece_tree.total(y));
    }

    // The sum of the floats of a word that begins at this byte, as far as they are of the row.
    Expr floats(Expr value, Expr byte) const {
        const auto inside = [&](Expr at, Expr number) {
            return select(at >= begin && at < end, number, 0.f);
        };
        return shape.bits.empty() ? inside(byte, reinterpret<float>(value)) :
                                    inside(byte, shape.bits.number(value & 0xffff)) +
                                        inside(byte + 2, shape.bits.number(value >> 16));
    }

    // A sum with the elements of a word, if they count.
    Expr with_elements(const Expr &before, const Expr &value, const Expr &counts) const {
        if (element.bits() == 8) {
            const auto hex = WordOperations::hex;
            return operations.dot(value, select(counts, hex(0x01010101), hex(0)), before);
        }
        const Expr mask = select(counts, cast<uint32_t>(0xffff), cast<uint32_t>(0));
        return before + ((value & mask) + ((value >> 16) & mask));
    }

    // A mask of the `count` low bytes of a word: none below 0, and all above 4.
    static Expr low_bytes(Expr count) {
        return cast<uint32_t>(
            (cast<uint64_t>(Expr(0xffffffffu)) << cast<uint64_t>(8 * clamp(count, 0, 4))) >> 32);
    }
};

}  // namespace tilewright
