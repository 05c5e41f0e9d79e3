#pragma once
// A part of a form: rectangles of elements that are transposed in vector registers of a CPU, within lanes of
// 16 bytes. The schedule: schedules/transpose/transposed_lanes.h.
//
// It exists besides TurnedSquares, because most shuffles of AVX2 and AVX-512 stay within 16 bytes. Steps that
// do so take one shuffle per register; those of a square whose rows are longer take two or three of AVX2.
#include "Halide.h"
#include <functional>
#include <string>
#include <vector>

namespace tilewright {

// Rectangles of `lanes` * `columns` rows and `columns` columns, where `columns` elements are 16 bytes (a
// power of two). A register has `lanes` lanes. Before the steps register k has in lane l the elements of row
// l * columns + k: each lane of all registers together is a square of its own. A step interleaves registers k
// and k + columns / 2 within each lane: the first halves of their lanes become register 2 k, and the second
// halves register 2 k + 1. After log2(columns) steps register k has column k of all squares, which are the
// rows of the rectangle one after another.
//
// Element (column, row) of rectangle (t, u) is source(column, row, t, u). Further dimensions of the source,
// which it writes as Halide's `_`, stay as they are.
struct TransposedLanes : Halide::NamesInterface {
    using Source = std::function<Expr(Expr column, Expr row, Expr t, Expr u)>;

    Var element{"element"}, lane{"lane"}, number{"number"}, t{"t"}, u{"u"};
    int columns, lanes;
    Func loaded;              // loaded(element, lane, number, t, u): the registers before the steps
    std::vector<Func> steps;  // of the same dimensions: the registers after each step

    TransposedLanes(const std::string &name, int columns, int lanes, const Source &source)
        : columns(columns), lanes(lanes), loaded(name + "_loaded") {
        Expr value = source(element, number, t, u);
        for (int l = 1; l < lanes; l++) {
            value = select(lane == l, source(element, l * columns + number, t, u), value);
        }
        loaded(element, lane, number, t, u, Halide::_) = value;
        const int half = columns / 2;
        for (int n = 1; n < columns; n *= 2) {
            const Func before = steps.empty() ? loaded : steps.back();
            Func step(name + "_step" + std::to_string(steps.size()));
            step(element, lane, number, t, u, Halide::_) = before(
                number % 2 * half + element / 2, lane, number / 2 + element % 2 * half, t, u, Halide::_);
            steps.push_back(step);
        }
    }

    Expr operator()(Expr column, Expr row, Expr t, Expr u) const {
        return steps.back()(row % columns, row / columns, column, t, u, Halide::_);
    }
};

}  // namespace tilewright
