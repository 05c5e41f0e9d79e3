#pragma once
// A form of recursive_gaussian for one channel, with the transposed images as Funcs of their own. Variants:
// half, texture and texture_half. It exists because a schedule cannot change the type in which values are
// stored between two stages, and because an image of an OpenCL device has two dimensions: the definition has
// three.
#include "generators/algorithms/recursive_gaussian/recursive_gaussian.h"

namespace tilewright {

// The definition, whose image is f32. Both filters read their lines from a copy in which the samples of the
// same place in all lines follow each other. The copy between the filters has the type `between`.
struct RecursiveGaussianCopies : Halide::NamesInterface {
    static constexpr const char *name = "recursive_gaussian_copies";
    Var x{"x"}, y{"y"}, i{"i"}, v{"v"}, c{"c"};
    Func row{"row"}, rows{"rows"}, column{"column"}, columns{"columns"}, out{"out"};
    RecursiveLines along_x, along_y;

    RecursiveGaussianCopies(
        Func image, Expr width, Expr height, const Recursion &recursion, Halide::Type between)
        : along_x("along_x", copy_of_rows(image), width, recursion),
          along_y("along_y", copy_of_columns(between), height, recursion) {
        out(x, y) = along_y.anticausal(y, x, 0)[0];
    }

private:
    Func copy_of_rows(Func image) {
        row(i, v) = image(i, v);
        rows(v, i) = row(i, v);
        return line("row_of_copy", rows);
    }
    Func copy_of_columns(Halide::Type between) {
        column(i, v) = along_x.anticausal(v, i, 0)[0];
        columns(v, i) = cast(between, column(i, v));
        return line("column_of_copy", columns);
    }
    Func line(const std::string &name, Func copy) {
        Func line(name);
        line(i, v, c) = cast<float>(copy(v, i));
        return line;
    }
};

}  // namespace tilewright
