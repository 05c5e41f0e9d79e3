#pragma once
// A form of row_sum for bytes: CPUs have an instruction that adds eight bytes (psadbw). Variants:
// tuned_bytes.
#include "Halide.h"
#include "generators/algorithms/sums/sum_tree.h"
#include "generators/algorithms/sums/sum_types.h"

namespace tilewright {

// A row is cut into groups of 8 * `octets` pixels. There is one partial sum per octet of a group. Of the last
// group, which ends with the row, only the pixels are added that are in no group before it. Needs width >=
// 8 * octets.
struct RowSumOctets : Halide::NamesInterface {
    static constexpr const char *name = "row_sum_octets";
    Var y{"y"}, octet{"octet"};
    int octets;
    Expr row_bytes;
    RDom pixel;  // pixel of an octet, group
    RDom rest;   // pixel of an octet of the last group
    Func adding{"adding"}, out{"out"};
    std::vector<Func> levels;

    RowSumOctets(Func in, Expr width, int octets, const SumOutput &output)
        : octets(octets), row_bytes(width),
          pixel(std::vector<Halide::Range>{{0, 8}, {0, width / (8 * octets)}}, "pixel"), rest(0, 8, "rest") {
        const Expr nothing = cast<uint8_t>(0);
        const auto sum_of = [&](Expr byte) { return cast<uint64_t>(absd(byte, nothing)); };
        adding(octet, y) = cast<uint64_t>(0);
        adding(octet, y) += sum_of(in((pixel.y * octets + octet) * 8 + pixel.x, y));
        rest.where(width % (8 * octets) != 0);
        const Expr last = width - 8 * octets + 8 * octet + rest;
        adding(octet, y) += sum_of(select(last >= width - width % (8 * octets), in(last, y), nothing));
        SumTree tree(adding, octets, 4);
        levels = tree.levels;
        out(y) = output.of(cast<uint32_t>(tree.total(y)));
    }
};

}  // namespace tilewright
