#pragma once
// A form of transpose for CPUs: blocks of squares that are transposed in vector registers. Variants:
// tuned_blocks, tuned_columns, tuned_lanes, tuned_rectangles, tuned_registers, tuned_small and tuned_strips.
// A form, because Halide 21 writes the interleaving of many vectors as one store, which LLVM flattens
// (generators/algorithms/turned_squares.h), and because memory is seen as one row of elements: with rows of a
// second dimension LLVM multiplies by the pitch for each row of a square.
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/transposed_lanes.h"
#include "generators/algorithms/turned_squares.h"
#include <optional>

namespace tilewright {

// An image in memory that is one row of `elements` elements. Its rows begin `pitch` elements after each
// other.
struct FlatImage {
    Halide::Expr elements, pitch;
};

// How squares of `rows` rows and `columns` columns of the input make blocks of width x height pixels of the
// output: a multiple of `rows` and a multiple of `columns`. A pixel has one or three channels. `down` blocks,
// one below the other in the output, are a column of blocks: it is read along the rows of the input. Squares
// are transposed as TurnedSquares (lanes == 0), or as TransposedLanes with so many lanes per register.
struct SquaresShape {
    int width, height, rows, columns, channels, down, lanes;
};

// out(x, y) = in(y, x). An image must not be smaller than a block: blocks that would cross the right or the
// bottom edge begin further inside, and write the same values again.
struct TransposeSquares : Halide::NamesInterface {
    static constexpr const char *name = "transpose_squares";
    Var i{"i"}, j{"j"}, first{"first"}, c{"c"};
    SquaresShape shape;
    Expr elements;  // of the output's memory
    Func in, read, turned{"turned"}, out{"out"};
    std::optional<TurnedSquares> squares;  // one of both
    std::optional<TransposedLanes> rectangles;
    RDom r;  // channel; pixel in a block: x, y; block in a column; column of blocks: x, y

    // width and height are those of the output.
    TransposeSquares(Func memory, Expr width, Expr height, const FlatImage &from, const FlatImage &to,
        const SquaresShape &s)
        : shape(s), elements(to.elements), in(memory), read(pixels(from)) {
        if (s.lanes > 0) {
            rectangles.emplace("rectangle", s.columns, s.lanes, source());
        } else {
            squares.emplace("square", s.rows, s.columns, source());
        }
        // Pixel (i, j) of the block of the output that is made of the input from element `first` on.
        const Expr square_i = i / s.rows, square_j = j / s.columns, x = j % s.columns, y = i % s.rows;
        const Expr of_square = square_j * (s.channels * s.columns) + square_i * s.rows * from.pitch;
        turned(i, j, first, Halide::_) = s.channels == 1 ?
                                             pixel(x, y, first + of_square, 0) :
                                             pixel(x, y, first, square_j * (s.width / s.rows) + square_i);

        r = RDom(std::vector<Halide::Range>{{0, s.channels}, {0, s.width}, {0, s.height}, {0, s.down},
                     {0, ceil_div(width, s.width)}, {0, ceil_div(height, s.height * s.down)}},
            "r");
        const Expr block = r[5] * s.down + r[3];
        if (s.down > 1) {
            r.where(block * s.height < height);
        }
        const Expr left = min(r[4] * s.width, width - s.width),
                   top = min(block * s.height, height - s.height);
        const Expr to_first = left * s.channels + top * to.pitch;
        out(i) = Halide::undef(in.type());
        out(promised(to_first, to.elements) + (r[1] * s.channels + r[0] + r[2] * to.pitch)) =
            turned(r[1], r[2], top * s.channels + left * from.pitch, r[0]);
    }

private:
    // Pixel (i, j) of the part of the input that begins with element `first`.
    Func pixels(const FlatImage &from) const {
        Func read{"read"};
        read(i, j, first, c) = in(promised(first, from.elements) + (i * shape.channels + c + j * from.pitch));
        return read;
    }

    // Of one channel: the square that begins with element t of the input. Of more: square u of the block that
    // begins with element t, from above to below and then to the right in the input.
    TurnedSquares::Source source() const {
        const int rows = shape.rows, columns = shape.columns, down = shape.width / rows;
        const bool grey = shape.channels == 1;
        return [=, read = read](Expr x, Expr y, Expr t, Expr u) -> Expr {
            return grey ? read(x, y, t, Halide::_) :
                          read(u / down * columns + x, u % down * rows + y, t, Halide::_);
        };
    }

    Expr pixel(Expr x, Expr y, Expr t, Expr u) const {
        return rectangles ? (*rectangles)(x, y, t, u) : (*squares)(x, y, t, u);
    }
};

}  // namespace tilewright
