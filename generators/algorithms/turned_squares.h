#pragma once
// A part of a form: rectangles of elements that are transposed in vector registers of a CPU. The schedule:
// schedules/transpose/turned_squares.h.
//
// It exists because LLVM 21 flattens wide interleaving stores. A square of 16 x 16 floats that is written as
// one store which interleaves 16 vectors becomes 15 two-input shuffles per vector; the steps below need 4.
#include "Halide.h"
#include <functional>
#include <string>
#include <vector>

namespace tilewright {

// Squares of `rows` x `columns` elements (rows: a power of two). Element (column, row) of square (t, u) is
// source(column, row, t, u), and squares(column, row, t, u) is the same value after log2(rows) steps. A step
// interleaves the first half of the square's elements with its second half: the element in place i goes to
// place 2 i, and the one in place half + i to place 2 i + 1. Each step moves the topmost bit of a place to
// the bottom. So after log2(rows) steps the place row * columns + column has become column * rows + row:
// elements that were neighbours in a column are neighbours in memory. Further dimensions of the source, which
// it writes as Halide's `_`, stay as they are.
struct TurnedSquares : Halide::NamesInterface {
    using Source = std::function<Expr(Expr column, Expr row, Expr t, Expr u)>;

    Var q{"q"}, i{"i"}, t{"t"}, u{"u"};
    int rows, columns;
    std::vector<Func> steps;  // steps[k](q, i, t, u): the value in place 2 i + q after step k

    TurnedSquares(const std::string &name, int rows, int columns, const Source &source)
        : rows(rows), columns(columns) {
        const Expr from = i + half() * q;
        for (int n = 1; n < rows; n *= 2) {
            Func step(name + "_step" + std::to_string(steps.size()));
            step(q, i, t, u, Halide::_) = steps.empty() ? source(from % columns, from / columns, t, u) :
                                                          steps.back()(from % 2, from / 2, t, u, Halide::_);
            steps.push_back(step);
        }
    }

    Expr operator()(Expr column, Expr row, Expr t, Expr u) const {
        const Expr place = column * rows + row;
        return steps.back()(place % 2, place / 2, t, u, Halide::_);
    }

    // Half of the elements of a square.
    int half() const {
        return rows * columns / 2;
    }
};

}  // namespace tilewright
