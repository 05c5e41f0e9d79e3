#pragma once
// A matrix of f32 as numbers of f16, two per number, for MatmulFragments.
#include "Halide.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/matmul/number_parts.h"
#include <functional>
#include <string>
#include <utility>

namespace tilewright {

// The numbers of a line, which is a row of A or a column of B, are scaled by a power of two, so that the
// largest one is from 2^14 to 2^15 (of lines below 2^-112, smaller). Each is then the sum of a high number of
// f16 and 2^-11 times a low one, but for at most 2^-24 of it, or at most 2^-36 where it is below 2^-12.
// Infinity and NaN have NaN as the low number.
struct HalfParts {
    using Expr = Halide::Expr;
    using Func = Halide::Func;
    using Var = Halide::Var;
    // Number `at` of a line, and the first of the two numbers of word (v, q, j): its place and its line.
    using Read = std::function<Expr(Expr at, Expr line)>;
    using Place = std::function<std::pair<Expr, Expr>(Expr v, Expr q, Expr j)>;
    // A word of two numbers as f16, each rounded to the nearest one.
    using Pair = std::function<Expr(Expr a, Expr b)>;

    static constexpr int runs = 64, at_once = 8;
    Var v{"v"}, q{"q"}, j{"j"}, h{"h"}, t{"t"}, i{"i"};
    Halide::RDom steps, all_runs;
    // (largest, smallest but 0) of the magnitudes of numbers, as bits: of a run and of a line.
    Func in_run, of_run, of_line;
    // power(i): a line is scaled by 2^-power. lost(i): of a sum of products of scaled numbers that is at
    // least this, what is lost by the small numbers of the line is within half of the bound; 0: nothing is.
    Func scale;
    Func parts;  // (v, q, j, h): two numbers per word, high ones (h = 0) and low ones

    HalfParts(const std::string &name, const Expr &lines, const Expr &depth, bool is_along_k,
        const Read &read, const Place &place, const Pair &pair)
        : steps({{0, at_once}, {0, ceil_div(depth, runs * at_once)}}, name + "_steps"),
          all_runs(0, runs, name + "_runs"), in_run(name + "_in_run"), of_run(name + "_of_run"),
          of_line(name + "_of_line"), scale(name + "_scale"), parts(name + "_parts") {
        using namespace Halide;
        const auto magnitude = [&](const Expr &at) {
            return number_parts::bits_of(read(at, i)) & 0x7fffffff;
        };
        const Expr none = number_parts::bits(0), most = number_parts::bits(0xffffffff);
        const Expr word = magnitude(min(t + runs * (steps[0] + at_once * steps[1]), depth - 1));
        in_run(t, i) = Tuple(none, most);
        in_run(t, i) = Tuple(max(in_run(t, i)[0], word), min(in_run(t, i)[1], word - 1));
        of_run(t, i) = Tuple(in_run(t, i)[0], in_run(t, i)[1]);
        of_line(i) = Tuple(none, most);
        of_line(i) =
            Tuple(max(of_line(i)[0], of_run(all_runs, i)[0]), min(of_line(i)[1], of_run(all_runs, i)[1]));
        const auto exponent = [&](int n) { return cast<int>(of_line(i)[n] >> 23); };
        const Expr power = max(exponent(0) - 141, -126);
        const Expr small = exponent(1) == 0 || exponent(1) - power < 127 - 12;
        scale(i) = Tuple(power, select(small, 16.0f, 0.0f));

        const auto part = [&](int of_word) {
            const auto [first, line] = place(v, q, j);
            const Expr at = is_along_k ? first + of_word : first, of = is_along_k ? line : line + of_word;
            const Expr known = promised(min(of, lines - 1), lines);
            const Expr number =
                read(promised(min(at, depth - 1), depth), known) * power_of_two(-scale(known)[0]);
            const Expr scaled = select(below(at, depth) && below(of, lines), number, 0.0f);
            const Expr high = select(
                abs(scaled) < 0x1p-14f, round(scaled * 0x1p24f) * 0x1p-24f, number_parts::high_part(scaled));
            return select(h == 0, high, (scaled - high) * 0x1p11f);
        };
        parts(v, q, j, h) = reinterpret<float>(pair(part(0), part(1)));
    }

    // 2^n for n from -126 to 127.
    static Expr power_of_two(const Expr &n) {
        return Halide::reinterpret<float>((n + 127) << 23);
    }
};

}  // namespace tilewright
