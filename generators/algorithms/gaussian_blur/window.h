#pragma once
#include "Halide.h"
#include <cstdlib>
#include <functional>
#include <vector>

namespace tilewright {

// How coordinates outside an image are brought inside: three numbers, so that one library serves all borders.
//             turn  low  high(n)
//   reflect    -1   -1   2n - 1      d c b a | a b c d | d c b a
//   mirror     -1    0   2n - 2      d c b | a b c d | c b a
//   nearest     0    0    n - 1      a a a a | a b c d | d d d d
//   zero        0    0    n - 1      and what is outside counts as 0
// One reflection reaches as far as the image is large: the radius must not exceed n - 1. Positions further out than that, where
// no output lies, show anything inside.
struct BorderMap {
    Halide::Expr turn, low, high_x, high_y;
    Halide::Expr zero;    // not 0: what is outside counts as 0. Undefined: it never does
    bool large = false;   // the image is larger than a tile with its halo, so that no position is further out than one reflection reaches

    Halide::Expr inside(Halide::Expr i, Halide::Expr n, Halide::Expr high) const {
        Halide::Expr up = max(i, low + turn * i);
        Halide::Expr down = min(up, high + turn * up);
        return Halide::unsafe_promise_clamped(large ? down : max(down, 0), 0, n - 1);
    }
};

// What one group of threads makes of the output: `columns` of `rows` x `groups` rows. A thread owns `rows` outputs of a
// column in the pass down columns and `window` neighbours in the pass along rows.
struct WindowTile {
    int columns, rows, groups, window;

    // Each row's windows, and how many rows the threads of one group take at a time.
    int segments() const {
        return columns / window;
    }
    int rows_at_once(int threads) const {
        int m = 1;
        while (m * 2 * segments() <= threads && rows % (m * 2) == 0) {
            m *= 2;
        }
        return m;
    }
    int height() const {
        return rows * groups;
    }
};

// The outputs of an image in the order tile by tile, thread by thread: every (x, y) with x = left + lane inside `width` and
// y inside `height`, whatever the size. `part` is 0 for a window that lies wholly inside, and 1 for the lanes of the one
// that does not. The domain has constant extents inside a tile; what lies outside the image is left out by `where`, on
// unsigned numbers.
struct WindowDomain : Halide::NamesInterface {
    RDom domain;
    RVar lane, part, turn, segment, row, group, block_x, block_y;
    Expr left, x, y;
    int window;

    // `whole_width` leaves out a last element that only partly belongs to the image.
    WindowDomain(const WindowTile &tile, int threads, Expr width, Expr whole_width, Expr height) : window(tile.window) {
        const int segments = tile.segments(), at_once = tile.rows_at_once(threads), step = at_once * tile.groups;
        domain = RDom({{0, tile.window}, {0, 2}, {0, tile.height() / step}, {0, segments}, {0, at_once}, {0, tile.groups},
                       {0, (width + tile.columns - 1) / tile.columns}, {0, (height + tile.height() - 1) / tile.height()}},
                      "outputs");
        lane = domain[0], part = domain[1], turn = domain[2], segment = domain[3], row = domain[4];
        group = domain[5], block_x = domain[6], block_y = domain[7];
        left = block_x * tile.columns + segment * tile.window;
        x = left + lane;
        y = block_y * tile.height() + turn * step + group * at_once + row;
        const Expr whole = below(left + tile.window - 1, whole_width);
        domain.where(below(y, height) && select(part == 0, whole, !whole && below(x, width)));
    }

    // What `f` is there. The lanes of a window that is cut off are picked one by one: an index that runs would put the window
    // in memory.
    Expr value(const Func &f) const {
        Expr picked = f(left, y);
        for (int k = 1; k < window; k++) {
            picked = select(lane == k, f(left + k, y), picked);
        }
        return select(part == 0, f(x, y), picked);
    }

    static Expr below(Expr i, Expr n) {
        return cast<uint32_t>(i) < cast<uint32_t>(n);
    }
};

// The separable blur of a float image by a symmetric window of fixed radius: down columns, then along rows. The weights
// w_0 ... w_radius are arguments.
struct GaussianBlurWindow : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_window";
    Var x{"x"}, y{"y"}, t{"t"};
    Func in, weight{"weight"}, pixel{"pixel"}, down_sum{"down_sum"}, down{"down"}, along_sum{"along_sum"}, along{"along"}, out{"out"};
    RDom i, j;
    int radius;
    WindowTile tile;
    WindowDomain to;

    GaussianBlurWindow(Func image, Expr width, Expr height, const BorderMap &border, const std::vector<Expr> &weights, WindowTile shape)
        : in(image), radius((int)weights.size() - 1), tile(shape), to(shape, threads(), width, width, height) {
        i = RDom(-radius, 2 * radius + 1, "i");
        j = RDom(-radius, 2 * radius + 1, "j");
        std::vector<Expr> both_sides;
        for (int k = -radius; k <= radius; k++) {
            both_sides.push_back(weights[std::abs(k)]);
        }
        weight(t) = mux(t + radius, both_sides);
        const Expr sx = border.inside(x, width, border.high_x), sy = border.inside(y, height, border.high_y);
        const Expr shown = in(sx, sy);
        pixel(x, y) = border.zero.defined() ? select(border.zero != 0 && (sx != x || sy != y), 0.f, shown) : shown;
        down_sum(x, y) = 0.f;
        down_sum(x, y) += weight(i) * pixel(x, y + i);
        down(x, y) = down_sum(x, y);
        along_sum(x, y) = 0.f;
        along_sum(x, y) += weight(j) * down(x + j, y);
        along(x, y) = along_sum(x, y);
        out(x, y) = Halide::undef<float>();
        out(unsafe_promise_clamped(to.x, 0, width - 1), unsafe_promise_clamped(to.y, 0, height - 1)) = to.value(along);
    }

    // Threads of a group in the pass down columns: the tile's columns and the window's halo, in fours.
    int threads() const {
        return tile.columns + 2 * ((radius + 3) / 4 * 4);
    }
};

}  // namespace tilewright
