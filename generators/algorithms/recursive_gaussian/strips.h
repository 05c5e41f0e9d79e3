#pragma once
// A form of recursive_gaussian: all rows are filtered, then all columns. Variant: tuned_any on CPUs.
#include "generators/algorithms/recursive_gaussian/sample_runs.h"

namespace tilewright {

// image: rows of width * channels elements. Between the filters the whole image is stored in strips of all
// rows: strips(x, y, s) is the element s * shape.strip + x of row y.
struct RecursiveGaussianStrips : Halide::NamesInterface {
    static constexpr const char *name = "recursive_gaussian_strips";
    Var x{"x"}, y{"y"}, s{"s"}, v{"v"}, i{"i"}, c{"c"};
    Expr channels;
    RunShape shape;
    Func pixel;
    RecursiveRows rows;
    Func strips;
    RecursiveRuns along_y;
    Func out{"out"};

    // `by_x` filters rows, `by_y` columns.
    RecursiveGaussianStrips(Func image, const Pixel &pixel_type, Expr width, Expr height, Expr channels,
        const Recursion &by_x, const Recursion &by_y, const RunShape &shape)
        : channels(channels), shape(shape), pixel(elements_of("pixel", image, height)),
          rows("along_x", continued("padded", pixel, width * channels, channels), pixel, width, channels,
              by_x, shape, pixel_type, {by_x.type()}),
          strips(strips_of_rows()),
          along_y(whole_lines("along_y", columns(height), columns(height), height, by_y, shape.run)) {
        out(x, y) = pixel_type.written(along_y.sample(x, y, 0));
    }

private:
    Func strips_of_rows() {
        Func strips("strips");
        strips(x, y, s) = rows.sample(s * shape.strip + x, y);
        return strips;
    }
    Func columns(Expr height) {
        Func column("column");
        column(v, i, c) = strips(v % shape.strip, min(i, height - 1), v / shape.strip);
        return column;
    }
};

}  // namespace tilewright
