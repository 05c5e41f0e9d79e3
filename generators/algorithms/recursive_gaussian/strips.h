#pragma once
// A form of recursive_gaussian: all rows are filtered, then all columns. Row: tuned_any on CPUs.
#include "generators/algorithms/recursive_gaussian/runs.h"

namespace tilewright {

// image: rows of width * channels elements. Between the filters the whole image is stored in strips.
struct RecursiveGaussianStrips : Halide::NamesInterface {
    static constexpr const char *name = "recursive_gaussian_strips";
    Var x{"x"}, y{"y"}, v{"v"}, i{"i"}, c{"c"};
    Expr channels;
    RunShape shape;
    RecursiveRows rows;
    RecursiveRuns along_y;
    Func out{"out"};

    RecursiveGaussianStrips(
        Func image, Expr width, Expr height, Expr channels, const Recursion &recursion, const RunShape &shape)
        : channels(channels), shape(shape),
          rows("along_x", elements_of("pixel", image, height), width, channels, recursion, shape),
          along_y(whole_lines("along_y", columns(height), columns(height), height, recursion, shape.run)) {
        out(x, y) = as_pixel(image.type(), along_y.sample(x, y, 0));
    }

private:
    Func columns(Expr height) {
        Func column("column");
        column(v, i, c) = rows.strips(v % shape.strip, min(i, height - 1), v / shape.strip);
        return column;
    }
};

}  // namespace tilewright
