#pragma once
// A form of column_sum for bytes, which are read as the 32-bit words of memory. Variants: bytes4_any,
// bytes16_aligned, bytes16_any, tuned_few_rows. Halide 21 cannot say it of the definition: it loads at most 8
// bytes at once, and bytes at any address one by one (tests/halide/byte_loads_test.cpp).
#include "Halide.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/sums/sum_types.h"

namespace tilewright {

// `count` words (4 count columns) are read at a time. Row y begins at byte offset + y * stride of `words`. If
// Halide cannot prove that this is the beginning of such a group of words, each word is shifted together from
// the two that contain it.
struct ColumnSumWords : Halide::NamesInterface {
    static constexpr const char *name = "column_sum_words";
    Var x{"x"}, byte{"byte"}, word{"word"}, group{"group"}, row{"row"};
    RDom y;
    Func taken{"taken"}, total{"total"}, out{"out"};

    ColumnSumWords(
        Func words, Expr extent, Expr offset, Expr stride, Expr height, int count, const SumOutput &output)
        : y(0, height, "y") {
        auto within = [](Expr i, Expr n) { return promised(min(i, n - 1), n); };
        Expr begin = offset + row * stride;
        if (is_const_zero(Halide::Internal::simplify(begin % (4 * count)))) {
            taken(word, group, row) =
                words(count * within(begin / (4 * count) + group, extent / count) + word);
        } else {
            Expr i = begin / 4 + count * group + word;
            Expr low = words(within(i, extent)), high = words(within(i + 1, extent));
            Expr both = (cast<uint64_t>(high) << 32) | cast<uint64_t>(low);
            taken(word, group, row) = cast<uint32_t>(both >> cast<uint64_t>(8 * (begin % 4)));
        }
        total(byte, word, group) = cast<uint32_t>(0);
        total(byte, word, group) += (taken(word, group, y) >> cast<uint32_t>(8 * byte)) & 255;
        out(x) = output.of(total(x % 4, (x / 4) % count, x / (4 * count)));
    }
};

}  // namespace tilewright
