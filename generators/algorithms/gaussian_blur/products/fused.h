#pragma once
// A form of gaussian_blur for u8 and u16 images of one to four channels: both passes are banded products of
// bytes, as tensor cores multiply them, in one kernel. Variants: tuned_fused_* on NVIDIA's GPUs.
#include "generators/algorithms/gaussian_blur/products/banded.h"
#include "generators/algorithms/gaussian_blur/window_words.h"
#include <string>
#include <vector>

namespace tilewright {

// A group of warps goes down a strip of the image, 32 rows per step. The strip is `tiles` tiles of 32
// columns, one for each warp; the pass along rows has fewer outputs, because its windows reach beyond them.
// In the group's memory, an image of several channels, or of two bytes per number, is divided into planes of
// bytes:
//     lines      of the rows that a step reads, of which the steps before have loaded all but 32: the words
//                of columns, four rows in each
//     between    of 32 rows that are blurred down columns: the words of rows
// Image and output are rows of words.
struct GaussianBlurFusedProducts : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_fused_products";
    // Images of so many channels of so many bytes, the tiles of a strip, and the steps of the longest window.
    struct Group {
        int channels, bytes, tiles, steps;
        bool short_taps;
        Expr band;  // the steps of a group

        template<typename Tunable>
        static Group of(const GaussianBlurProductsConfiguration &row, int bytes, const Tunable &tunable) {
            return {row.channels, bytes, tunable("tiles"), row.steps, row.short_taps, Expr()};
        }
        int planes() const {
            return channels * bytes;
        }
        int window() const {  // words of the longest one
            return 8 * steps;
        }
        int steps_of(int byte) const {
            return GaussianBlurProductsConfiguration{.steps = steps, .short_taps = short_taps}.steps_of(
                byte, bytes == 1);
        }
    };

    Var x{"x"}, n{"n"}, h{"h"}, r{"r"}, c{"c"}, u{"u"}, b{"b"}, k{"k"}, i{"i"}, g{"g"}, v{"v"}, q{"q"},
        m{"m"}, step{"step"}, tile{"tile"}, block{"block"}, below_others{"below_others"}, worker{"worker"};
    std::vector<Func> taps;
    Func zero{"hidden_zero"}, one_word{"one_word"}, byte_order{"byte_order"}, source{"source"},
        columns{"columns"}, lines{"lines"};
    BandedProducts down{"down"}, along{"along"};
    Func down_words{"down_words"}, between{"between"}, along_words{"along_words"}, out{"out"};
    RVar outside_row;
    RDom to;
    Group group;

    // reach: the words that a window has before its output.
    GaussianBlurFusedProducts(Func image, Expr width, Expr height, const BorderMap &border,
        const std::vector<TapPlane> &planes, Expr reach, Expr multiplier, const Group &group,
        const AddedProduct &product, const WordOperations &word)
        : group(group), outputs_(group.tiles + 1 - group.steps), strips_(ceil_div(width, 32 * outputs_)) {
        read(image, width, height, border, reach, word);
        divide_into_planes(reach, word);
        const std::vector<TapPlane> kept = in_memory(planes);
        down.multiply(
            group.bytes, group.bytes == 1, kept, group.window() / 2,
            [&](Expr n, Expr h, Expr line, Expr g, Expr tile, int byte, Expr k, Expr block, Expr at) {
                return lines(n, 8 * line + g, h, block % group.channels, byte, 4 * tile - reach / 2 + k,
                    block / group.channels, at);
            },
            product);
        between_passes(multiplier, word);
        along.multiply(
            group.bytes, group.bytes == 1, kept, group.window() / 2,
            [&](Expr n, Expr h, Expr line, Expr g, Expr tile, int byte, Expr k, Expr block, Expr at) {
                return between(n, g, h, promised(4 * tile + k, 4 * group.tiles), block % group.channels, byte,
                    line, block / group.channels, at);
            },
            product);
        along_words(i, b, along.q, along.g, along.line, along.tile, along.block, along.group) =
            along.joined([](int n) { return n; }, [&](int) { return i; }, b, multiplier, word);
        store(width, height, word);
    }

private:
    const int outputs_;  // tiles of outputs in a strip
    const Expr strips_;

    // By how many words of a plane strip number `strip` is moved: the last strip of the image is the first
    // one that groups compute, and the others follow from the left on, because those at both sides may take
    // longer.
    Expr moved(const Expr &strip) const {
        return 8 * outputs_ * (select(strip == 0, strips_, strip) - 1 - strip);
    }

    // The planes of taps, as Funcs that a group can keep in its memory. Behind the steps that there are, taps
    // are 0.
    std::vector<TapPlane> in_memory(const std::vector<TapPlane> &planes) {
        std::vector<TapPlane> all;
        for (int byte = 0; byte < (int)planes.size(); byte++) {
            if (group.steps_of(byte) == 0) {
                all.push_back({});
                continue;
            }
            const TapPlane &plane = planes[(size_t)byte];
            const std::string number = std::to_string(byte);
            Func words("taps_" + number), of_tile("taps_of_tile_" + number);
            words(v, worker, m, k) = select(k < plane.steps,
                plane.words(v, worker % 4, worker / 4, m, min(k, plane.steps - 1)), WordOperations::hex(0));
            taps.push_back(words);
            of_tile(v, q, g, m, k, tile, block) = words(v, 4 * g + q, m, k);
            // All bytes of taps of two bytes and more begin at the same word. Where compilers see that, they
            // load words of lines once for all of them.
            const TapPlane &first = planes[group.bytes == 1 ? (size_t)byte : 0];
            all.push_back({of_tile, first.first, group.steps_of(byte), true});
        }
        return all;
    }

    // source(x, r, k, block): word x of row 8 k + r of the image, which has eight rows or more, and what
    // continues it; `block` is the strip that reads it. Eight rows are loaded that are inside of the image. A
    // word beyond the left or the right side whose bytes are in one word of the image is that word:
    // byte_order(x) says how its bytes are picked. All other words or rows outside of the image are loaded
    // once more in a branch, which takes a strip twice the time. Where `zero` is in the group's memory,
    // compilers do not see that positions are the same in all steps of the branch, and keep none in
    // registers.
    void read(Func image, const Expr &width, const Expr &height, const BorderMap &border, const Expr &reach,
        const WordOperations &word) {
        const auto hex = WordOperations::hex;
        const int planes = group.planes(), far = 8 * group.window();
        zero(v) = min(width + v, 0);
        const Expr first = 8 * (k + zero(k % 4)), words = ceil_div(planes * width, 4),
                   at = x + planes * moved(block), column = at + zero(k % 4);
        const BorderedWords edge(image, width, height, border, true, word);
        one_word(x) = border.zero == 0 && (edge.picks(x, 0) & hex(0x4444)) == hex(0);
        byte_order(x) = select(one_word(x), edge.picks(x, 0), hex(0x3210));
        source(x, r, k, block) =
            image(clamp(planes == 1 ? edge.column(at) : at, 0, words - 1), clamp(first, 0, height - 8) + r);
        RDom row(0, 8, "row");
        outside_row = RVar(row.x.name());
        const Expr is_whole = planes == 1 ? one_word(at) : below(at, planes * width / 4), y = first + row;
        row.where(!(is_whole && below(8 * k, max(height - 7, 0))) && below(8 * k + far, height + 2 * far) &&
                  at < words + planes * reach);
        source(x, row, k, block) = planes == 1 ?
                                       word_outside(image, edge, column, y, height, border, word) :
                                       word_by_bytes(image, planes, column, y, width, height, border);
    }

    // Word `column` of row y, but for what byte_order() does.
    Expr word_outside(Func image, const BorderedWords &edge, const Expr &column, const Expr &y,
        const Expr &height, const BorderMap &border, const WordOperations &word) const {
        const auto hex = WordOperations::hex;
        const Expr from = border.inside(y, height, border.high_y), low = edge.column(column),
                   next = min(low + 1, edge.words - 1), all = hex(0xffffffff);
        return word.pick(image(promised(low, edge.words), from), image(promised(next, edge.words), from),
                   select(one_word(column), hex(0x3210), edge.picks(column, 0))) &
               select(one_word(column), all, edge.picks(column, 1)) &
               select(border.zero == 0 || from == y, all, hex(0));
    }

    // columns(n, u, h, c, b, k, block, below_others): byte b of column 4 u + 2 h + n / 2 of channel c, of the
    // four rows from 8 k + 4 (n % 2) on. The words of all planes of four columns follow each other in the
    // image.
    void divide_into_planes(const Expr &reach, const WordOperations &word) {
        const int planes = group.planes();
        const Expr at = 8 * outputs_ * block - reach + u, from = 4 * group.band * below_others + k;
        columns(n, u, h, c, b, k, block, below_others) = word_of_rows(
            planes, n, planes * (2 * h + n / 2) + group.bytes * c + b, word, [&](int plane, int row) {
                const Expr loaded = source(planes * at + plane, row, from, block);
                return planes > 1 ? loaded : word.pick(loaded, loaded, byte_order(at + moved(block)));
            });
        lines(n, u, h, c, b, k, block, below_others) = columns(n, u, h, c, b, k, block, below_others);
    }

    // between(n, g, h, u, c, b, step, block, below_others): word 2 u + n % 2 of row 32 step + 4 g + 2 h + n /
    // 2, of four columns.
    void between_passes(const Expr &multiplier, const WordOperations &word) {
        down_words(n, h, b, down.q, down.g, down.line, down.tile, down.block, down.group) =
            down.joined([&](int) { return 2 * h + n / 2; }, [&](int column) { return 4 * (n % 2) + column; },
                b, multiplier, word);
        const Expr of_tile = promised(u / 4, group.tiles);  // of u % 4 Halide would not see that it is one
                                                            // number
        between(n, g, h, u, c, b, step, block, below_others) = down_words(n, h, b,
            clamp(u - 4 * of_tile, 0, 3), g, of_tile, step, group.channels * block + c, below_others);
    }

    // Places of out: row of a lane, word of its four pixels, part (see below), the lane 4 g + q, tiles, steps
    // of a group, groups below each other, strips.
    void store(const Expr &width, const Expr &height, const WordOperations &word) {
        const int planes = group.planes();
        const Expr words = ceil_div(planes * width, 4), band = group.band;
        to = RDom({{0, 8}, {0, planes}, {0, 2}, {0, 4}, {0, 8}, {0, group.tiles}, {0, band},
                      {0, ceil_div(ceil_div(height, 32), band)}, {0, strips_}},
            "to");
        const Expr row = to[0], of_pixels = to[1], part = to[2], lane_q = to[3], lane_g = to[4], tile = to[5],
                   step = to[6], of_group = to[7], strip = to[8], down = step + band * of_group;
        // `zero` is read here too: otherwise Halide 21 gives its place in shared memory to `between`, though
        // the next step reads it. Rows below the image are the last one, of which part 1 then changes no bit:
        // so one branch holds all rows of a lane, which most lanes pass.
        const Expr pixels = 8 * outputs_ * strip + moved(strip) + 8 * tile + lane_g,
                   rows = 32 * down + 8 * lane_q + zero(lane_q), at_x = planes * pixels + of_pixels,
                   at_y = rows + row;
        const Expr whole = below(planes * pixels + planes - 1, planes * width / 4) && below(rows + 7, height);
        to.where(below(tile, outputs_));
        to.where(part == 1 || whole);
        to.where(part == 0 || (!whole && below(at_x, words) && below(rows, height)));
        out(x, r) = Halide::undef<uint32_t>();
        const Expr to_x = promised(at_x, words),
                   to_y = promised(select(part == 0, at_y, min(at_y, height - 1)), height);
        const Expr made = interleaved(planes, of_pixels, word, [&](const Expr &plane) {
            return along_words(row, plane % group.bytes, lane_q, lane_g, step, tile,
                group.channels * strip + plane / group.bytes, of_group);
        });
        const auto hex = WordOperations::hex;
        const Expr bytes = planes * width - 4 * to_x,
                   counts = select(at_y >= height, hex(0), bytes >= 4, hex(0xffffffff),
                       (hex(1) << Halide::cast<uint32_t>(8 * bytes)) - 1);
        out(to_x, to_y) = select(part == 0, made, (made & counts) | (out(to_x, to_y) & ~counts));
    }
};

}  // namespace tilewright
