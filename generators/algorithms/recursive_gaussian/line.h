#pragma once
// A form of recursive_gaussian for images of one row or one column. Variant: tuned_line on CPUs.
#include "generators/algorithms/recursive_gaussian/sample_runs.h"

namespace tilewright {

// image: the elements of the line. The filters along the other axis are left out: a line of one sample that
// continues without end is constant, and stays as it is.
struct RecursiveGaussianLine : Halide::NamesInterface {
    static constexpr const char *name = "recursive_gaussian_line";
    Var x{"x"}, v{"v"}, i{"i"}, c{"c"};
    int run;
    RecursiveRuns along;
    Func out{"out"};

    RecursiveGaussianLine(Func image, Expr length, const Recursion &recursion, int run)
        : run(run),
          along(whole_lines("along", sample(image, length), sample(image, length), length, recursion, run)) {
        out(x) = Pixel{image.type()}.written(along.sample(0, x, 0));
    }

private:
    // Beyond the end, up to the end of the last run, the last sample is repeated.
    Func sample(Func image, Expr length) {
        Func sample("sample");
        sample(v, i, c) = cast<float>(image(min(i, length - 1)));
        return sample;
    }
};

}  // namespace tilewright
