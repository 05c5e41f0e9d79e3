#pragma once
// A form of gaussian_blur for floats and u16: a window of fixed radius, both passes tile by tile. Variants:
// registers_4 and tuned_large_* for f32, tuned_window_* and tuned_colours_*. What the window forms for u8
// share with it is here too. A form, because Halide 21 unrolls only loops of known length: the
// definition's radius is a number of the call (tests/halide/unrolled_taps_test.cpp), and a window in
// registers has no loops.
#include "Halide.h"
#include "generators/algorithms/gaussian_blur/arithmetic.h"
#include "generators/algorithms/gaussian_blur/border.h"
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/gaussian_blur/word_sums.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include <cstdlib>
#include <optional>
#include <vector>

namespace tilewright {

// How positions outside an image are brought inside. factor, low and high are the numbers of border.h; they
// are arguments of the library, so that one library serves all rules. One reflection reaches as far as the
// image is large: the radius must not exceed n - 1. Positions further out, which no output needs, get the
// value of any position inside.
struct BorderMap {
    Halide::Expr factor, low, high_x, high_y;
    Halide::Expr zero;  // not 0: positions outside count as 0. Undefined: the rule is never zero

    Halide::Expr inside(Halide::Expr i, Halide::Expr high) const {
        Halide::Expr up = max(i, low + factor * i);
        return max(min(up, high + factor * up), 0);
    }
    Halide::Expr inside(Halide::Expr i, Halide::Expr n, Halide::Expr high) const {
        return promised(inside(i, high), n);
    }

    // Whether the number at position i counts: only inside where positions outside count as 0. For other
    // rules the range is as wide as positions get, because one comparison is less work than two conditions.
    // No position counts where n is 0.
    Halide::Expr counts(Halide::Expr i, Halide::Expr n) const {
        constexpr int wide = 1 << 30;
        return below(i + select(zero != 0, 0, wide), select(zero != 0 || n == 0, n, INT32_MAX));
    }
};

// The tile of the output that a group of workers computes: `columns` by `rows` x `groups` rows. In the pass
// down columns a worker computes `rows` outputs of one column, and in the pass along rows `window`
// neighbouring outputs of one row.
struct WindowTile {
    int columns, rows, groups, window;

    // As a variant says it, in units of so many elements: an element is a channel of a pixel.
    static WindowTile of(const GaussianBlurWindowVariant &row, int elements) {
        return {row.columns * row.channels / elements, row.rows, row.groups,
            row.window * row.channels / elements};
    }
    // The number of windows in a row of the tile.
    int segments() const {
        return columns / window;
    }
    // How many rows the workers of one group compute at a time.
    int rows_at_once(int workers) const {
        int m = rows;
        while (m > 1 && (m * segments() > workers || rows % m != 0)) {
            m--;
        }
        return m;
    }
    int height() const {
        return rows * groups;
    }
};

// The outputs of an image, tile by tile and worker by worker: every (x, y) with x = left + lane inside
// `width` and y inside `height`, for images of any size. `part` is 0 for windows that are wholly inside the
// image, and 1 for the lanes of a window that is not. All extents inside a tile are constant; positions
// outside the image are excluded by conditions on unsigned numbers.
struct WindowDomain : Halide::NamesInterface {
    RDom domain;
    RVar lane, part, iteration, segment, row, group, block_x, block_y;
    Expr left, x, y;
    int window;

    // `whole_width` excludes a last element that only partly belongs to the image.
    WindowDomain(const WindowTile &tile, int workers, Expr width, Expr whole_width, Expr height)
        : window(tile.window) {
        const int segments = tile.segments(), at_once = tile.rows_at_once(workers),
                  step = at_once * tile.groups;
        domain = RDom(
            {{0, tile.window}, {0, 2}, {0, tile.height() / step}, {0, segments}, {0, at_once},
                {0, tile.groups}, {0, ceil_div(width, tile.columns)}, {0, ceil_div(height, tile.height())}},
            "outputs");
        lane = domain[0], part = domain[1], iteration = domain[2], segment = domain[3], row = domain[4];
        group = domain[5], block_x = domain[6], block_y = domain[7];
        left = block_x * tile.columns + segment * tile.window;
        x = left + lane;
        y = block_y * tile.height() + iteration * step + group * at_once + row;
        const Expr whole = below(left + tile.window - 1, whole_width);
        domain.where(below(y, height) && select(part == 0, whole, !whole) && (part == 0 || below(x, width)));
    }

    // The value of `f` at (x, y). For a window that is cut off, the lanes are selected one by one: an index
    // that varies would put the window into memory. `more`: further arguments of f.
    template<typename... More>
    Expr value(const Func &f, const More &...more) const {
        Expr picked = f(left, y, more...);
        for (int k = 1; k < window; k++) {
            picked = select(lane == k, f(left + k, y, more...), picked);
        }
        return select(part == 0, f(x, y, more...), picked);
    }
};

// The rows that a worker of the pass down columns reads: row(x, g, k) is row k of those of the worker that
// computes rows g of the tiles. A worker whose rows are all inside the image reads them in one way, and all
// others in another one. It is one branch, because the condition is the same for all rows of a worker.
struct RowsInTwoWays : Halide::NamesInterface {
    Var x{"x"}, g{"g"}, k{"k"};
    Func row{"row"};
    RDom inside, elsewhere;  // k, where all rows of the worker are inside the image, and where not

    // `rows` per worker, and `halo` rows above and below them. `columns`: whether the column of x is inside.
    // at(y) reads row y, which is inside the image, and bordered(y) any row.
    template<typename At, typename Bordered>
    RowsInTwoWays(Halide::Type type, int rows, int halo, const Expr &height, const Expr &columns,
        const At &at, const Bordered &bordered) {
        const int all = rows + 2 * halo;
        const Expr first = g * rows - halo,
                   whole = height >= all && below(first, height - all + 1) && columns;
        inside = RDom(0, all, "inside");
        inside.where(whole);
        elsewhere = RDom(0, all, "elsewhere");
        elsewhere.where(!whole);
        row(x, g, k) = Halide::undef(type);
        row(x, g, inside) = at(promised(first + inside, height));
        row(x, g, elsewhere) = bordered(first + elsewhere);
    }
};

// The weights w_-radius ... w_radius of a symmetric window, by an index t that is constant in unrolled loops.
inline Halide::Expr symmetric_weight(const std::vector<Halide::Expr> &weights, Halide::Expr t) {
    const int radius = (int)weights.size() - 1;
    std::vector<Halide::Expr> both_sides;
    for (int k = -radius; k <= radius; k++) {
        both_sides.push_back(weights[std::abs(k)]);
    }
    return mux(t + radius, both_sides);
}

// The separable blur of an image by a symmetric window of fixed radius: down columns, then along rows. The
// weights w_0 ... w_radius are arguments: floats, or integers for u16. x counts elements; an element is a
// channel of a pixel, so that neighbours along a row are `channels` elements apart.
struct GaussianBlurWindow : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_window";
    Var x{"x"}, y{"y"}, t{"t"};
    Func in, weight{"weight"}, pixel{"pixel"}, down_sum{"down_sum"}, down{"down"}, along_sum{"along_sum"},
        along{"along"}, out{"out"};
    RDom i, j;
    std::optional<RowsInTwoWays> two_ways;
    Func place{"place"};  // by a table: the row of the image that is read as row y
    int radius, channels;
    bool table;
    bool converts;  // pixels are of 16 bits, which are converted one by one
    WindowTile tile;
    WindowDomain to;

    // elements: those of a row.
    GaussianBlurWindow(Func image, Expr elements, Expr height, const BorderMap &border,
        const std::vector<Expr> &weights, const std::vector<Expr> &fractions, const BlurArithmetic &pass,
        const GaussianBlurWindowVariant &made)
        : in(image), radius((int)weights.size() - 1), channels(made.channels), table(made.table),
          converts(!pass.bits.empty() || pass.pixel == Halide::UInt(16)), tile(WindowTile::of(made, 1)),
          to(tile, workers(), elements, elements, height) {
        const bool in_words = pass.pixel == Halide::UInt(16);
        const WordSums sums{weights, fractions, made.two_ways};
        i = in_words ? sums.taps() : RDom(-radius, 2 * radius + 1, "i");
        j = in_words ? sums.taps() : RDom(-radius, 2 * radius + 1, "j");
        weight(t) = symmetric_weight(weights, t);
        const Expr at = x / channels, width = elements / channels,
                   sx = channels * border.inside(at, width, border.high_x) + x % channels;
        const auto number = [&](Expr element) {
            return in_words ? WordSums::word(element) : pass.read(element);
        };
        const auto read = [&](Expr sy) { return number(in(sx, sy)); };
        const Expr nothing = in_words ? WordSums::word(Halide::cast(in.type(), 0)) : pass.zero();
        const auto bordered = [&](Expr sy) {
            const Expr source = read(border.inside(sy, height, border.high_y));
            return border.zero.defined() ?
                       select(
                           border.counts(sy, select(border.counts(at, width), height, 0)), source, nothing) :
                       source;
        };
        place(y) = border.inside(y, border.high_y);
        pixel(x, y) = table ? read(promised(place(y), height)) : bordered(y);
        if (made.two_ways) {
            two_ways.emplace(
                pixel.type(), tile.rows, radius, height, border.counts(at, width), read, bordered);
        }
        const auto in_column = [&](const Expr &tap) {
            return two_ways ? two_ways->row(x, y / tile.rows, y % tile.rows + tap + radius) :
                              pixel(x, y + tap);
        };
        const auto in_row = [&](const Expr &tap) { return down(x + channels * tap, y); };
        if (in_words) {
            down_sum(x, y) = sums.start();
            down_sum(x, y) =
                sums.added(down_sum(x, y), i, in_column, weight(i), symmetric_weight(fractions, i));
            down(x, y) = sums.result(down_sum(x, y));
            along_sum(x, y) = sums.start();
            along_sum(x, y) =
                sums.added(along_sum(x, y), j, in_row, weight(j), symmetric_weight(fractions, j));
            along(x, y) = cast<uint16_t>(sums.result(along_sum(x, y)));
        } else {
            down_sum(x, y) = pass.zero();
            down_sum(x, y) += pass.wide(weight(i)) * pass.wide(in_column(i));
            down(x, y) = pass.rounded(down_sum(x, y));
            along_sum(x, y) = pass.zero();
            along_sum(x, y) += pass.wide(weight(j)) * pass.wide(in_row(j));
            along(x, y) = pass.written(pass.rounded(along_sum(x, y)));
        }
        out(x, y) = Halide::undef(in.type());
        out(promised(to.x, elements), promised(to.y, height)) = to.value(along);
    }

    // Workers of a group in the pass down columns: the tile's columns and the window's halo, rounded up to
    // four.
    int workers() const {
        return tile.columns + 2 * round_up(channels * radius, 4);
    }
};

}  // namespace tilewright
