#pragma once
#include "Halide.h"
#include "generators/algorithms/sums/sum_tree.h"

namespace tilewright {

// Row sums of rows that begin anywhere in memory, which is taken as chunks of 16 bytes (4 words). The order of a sum is free, so
// nothing is moved: all chunks that a row touches are added, `turns` to a lane, and what the first and the last of them hold
// of other rows is taken off again (integers) or left out (floats).
//
// Bytes are added two to a word, 16 bits each, which holds `most_turns` chunks; halves of a word (u16) and floats as they are.
// `pieces` > 1 splits a row, and a second tree adds its pieces.
struct RowSumChunks : Halide::NamesInterface {
    static constexpr const char *name = "row_sum_chunks";

    struct Layout {
        Expr extent;         // of the words
        Expr offset, stride;  // row y begins at byte offset + y * stride
        Expr width, height;
        Expr turns, pieces;
    };
    struct Shape {
        int lanes;  // partial sums of a piece
        int terms;  // partial sums that pieces are added in; 0: a row is one piece
    };
    static constexpr int fan = 4;

    Var word{"word"}, lane{"lane"}, piece{"piece"}, turn{"turn"}, y{"y"}, term{"term"};
    Func adding{"adding"}, partial{"partial"}, of_piece{"of_piece"}, collecting{"collecting"}, collected{"collected"}, out{"out"};
    std::vector<RDom> steps;  // an update of `adding` each: 8, 4, 2 and 1 chunks at a time
    std::vector<Func> taken;  // what each of them adds
    std::vector<Func> levels, piece_levels;

    RowSumChunks(Func words, const Layout &at, const Shape &shape, Halide::Type element, Halide::Type output) {
        const Halide::Type sum = element.is_float() ? Float(32) : UInt(32);
        auto chunk_at = [&](Expr chunk) { return 4 * unsafe_promise_clamped(chunk, 0, at.extent / 4 - 1); };
        Expr begin = at.offset + min(y, at.height - 1) * at.stride, end = begin % 16 + at.width * element.bytes();
        Expr first = begin / 16, chunks = (end + 15) / 16;

        adding(lane, piece, y) = cast(sum, 0);
        Expr done = 0;
        for (int unroll : {8, 4, 2, 1}) {
            const std::string suffix = std::to_string(unroll);
            Expr times = unroll == 8 ? at.turns / 8 : (at.turns / unroll) % 2;
            RDom step({{0, 4}, {0, unroll}, {0, times}}, "step" + suffix);
            auto index = [&](Expr turn) { return (piece * at.turns + turn) * shape.lanes + lane; };
            Func load("taken" + suffix);
            load(word, lane, piece, turn, y) = words(chunk_at(first + min(index(turn), chunks - 1)) + word);
            Expr turn_now = done + step.z * unroll + step.y, i = index(turn_now);
            Expr value = load(step.x, lane, piece, turn_now, y);
            if (element.is_float()) {
                Expr byte = 16 * i + 4 * step.x;
                adding(lane, piece, y) += select(byte >= begin % 16 && byte < end, reinterpret<float>(value), 0.f);
            } else {
                adding(lane, piece, y) += elements(value, select(i < chunks, mask(element), cast<uint32_t>(0)), element);
            }
            steps.push_back(step);
            taken.push_back(load);
            done = done + times * unroll;
        }

        Expr whole = adding(lane, piece, y);
        if (element.bits() == 8) {
            whole = (whole & 0xffff) + (whole >> 16);
        }
        if (!element.is_float()) {
            // Word e % 4 of the first chunk (e < 4) or of the last one; a lane takes off one of the eight, or more where lanes are few.
            auto foreign = [&](Expr e) {
                Expr v = e % 4, value = words(chunk_at(select(e < 4, first, first + chunks - 1)) + v);
                Expr bits = select(e < 4, low_bytes(begin % 16 - 4 * v), ~low_bytes(end - 16 * (chunks - 1) - 4 * v));
                Expr sums = elements(value & select(piece == 0, bits, cast<uint32_t>(0)), mask(element), element);
                return element.bits() == 8 ? (sums & 0xffff) + (sums >> 16) : sums;
            };
            if (shape.lanes >= 8) {
                whole -= select(lane < 8, foreign(min(lane, 7)), cast<uint32_t>(0));
            } else {
                for (int e = 0; e < 8; e += shape.lanes) {
                    whole -= foreign(lane + e);
                }
            }
        }
        partial(lane, piece, y) = whole;
        SumTree tree(partial, shape.lanes, fan);
        levels = tree.levels;
        of_piece(piece, y) = tree.total(piece, y);
        if (shape.terms == 0) {
            out(y) = cast(output, of_piece(0, y));
            return;
        }

        RDom each(0, (at.pieces + shape.terms - 1) / shape.terms, "each");
        Expr p = each * shape.terms + term;
        collecting(term, y) = cast(sum, 0);
        collecting(term, y) +=
            select(p < at.pieces, of_piece(unsafe_promise_clamped(min(p, at.pieces - 1), 0, at.pieces - 1), y), cast(sum, 0));
        collected(term, y) = collecting(term, y);
        SumTree piece_tree(collected, shape.terms, fan);
        piece_levels = piece_tree.levels;
        out(y) = cast(output, piece_tree.total(y));
    }

private:
    static Expr mask(Halide::Type element) {
        return Expr(element.bits() == 8 ? 0x00ff00ffu : 0xffffu);
    }

    // The elements of the word, masked, as one sum or two packed ones.
    static Expr elements(Expr value, Expr mask, Halide::Type element) {
        return (value & mask) + ((value >> element.bits()) & mask);
    }

    // The `count` low bytes of a word, as a mask; below 0 and above 4 none and all.
    static Expr low_bytes(Expr count) {
        return cast<uint32_t>((cast<uint64_t>(Expr(0xffffffffu)) << cast<uint64_t>(8 * clamp(count, 0, 4))) >> 32);
    }
};

}  // namespace tilewright
