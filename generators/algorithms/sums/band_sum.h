#pragma once
// Sums of lines of any Func, band by band: the form of column_sum and row_sum inside pipelines.
#include "Halide.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include <functional>

namespace tilewright {

// A line has `length` elements. of_band(line, band) is the sum of `in_band` elements of a line, and out(line)
// the sum of its bands, added in `terms` partial sums. element(line, at) must be defined for lines and
// positions beyond the image too; its value there does not matter.
struct BandSum : Halide::NamesInterface {
    static constexpr const char *name = "band_sum";
    Var line{"line"}, band{"band"}, term{"term"};
    RDom k, each;
    Func adding{"adding"}, of_band{"of_band"}, collecting{"collecting"}, collected{"collected"}, out{"out"};
    int terms;

    BandSum(const std::function<Expr(Expr line, Expr at)> &element, Expr length, int in_band,
        int partial_sums, Halide::Type sum, Halide::Type output)
        : k(0, in_band, "k"), each(0, ceil_div(ceil_div(length, in_band), partial_sums), "each"),
          terms(partial_sums) {
        const Expr at = band * in_band + k, bands = ceil_div(length, in_band), i = each * terms + term;
        adding(line, band) = cast(sum, 0);
        adding(line, band) += select(at < length, cast(sum, element(line, at)), cast(sum, 0));
        of_band(line, band) = adding(line, band);
        collecting(line, term) = cast(sum, 0);
        collecting(line, term) +=
            select(i < bands, of_band(line, promised(min(i, bands - 1), bands)), cast(sum, 0));
        collected(line, term) = collecting(line, term);
        Expr total = collected(line, 0);
        for (int t = 1; t < terms; t++) {
            total += collected(line, t);
        }
        out(line) = cast(output, total);
    }
};

}  // namespace tilewright
