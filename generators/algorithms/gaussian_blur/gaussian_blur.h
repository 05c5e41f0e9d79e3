#pragma once
#include "Halide.h"
#include "generators/algorithms/gaussian_blur/pass.h"

namespace tilewright {

// How an image of rows of pixels, each of `channels` elements, goes on beyond its border. `kind` is one of
//   0 reflect   d c b a | a b c d | d c b a
//   1 mirror      d c b | a b c d | c b a
//   2 nearest   a a a a | a b c d | d d d d
//   3 zero      0 0 0 0 | a b c d | 0 0 0 0
// and repeats for ever, as scipy.ndimage has it. `near`: positions are less than n away from the border, where no more than
// one reflection happens.
struct EndlessImage {
    using Expr = Halide::Expr;
    Expr kind, width, height, channels;
    bool near = false;

    // The position that shows at i, out of 0 ... n - 1.
    Expr shown(Expr i, Expr n) const {
        if (near) {
            const Expr turn = select(kind == 0, -1 - i, kind == 1, -i, 0), from_left = max(i, turn);
            const Expr back = select(kind == 0, 2 * n - 1, kind == 1, 2 * n - 2, n - 1) - select(kind < 2, from_left, 0);
            return max(min(from_left, back), 0);
        }
        const Expr twice = i % (2 * n), period = max(2 * n - 2, 1), turn = i % period;
        const Expr reflect = min(twice, 2 * n - 1 - twice), mirror = min(turn, period - turn);
        return select(kind == 0, reflect, kind == 1, mirror, clamp(i, 0, n - 1));
    }

    Expr inside_row(Expr x) const {
        return x >= 0 && x < width * channels;
    }

    // The element of a row that shows at element x.
    Expr column(Expr x) const {
        return select(inside_row(x), likely(x), shown(x / channels, width) * channels + x % channels);
    }

    // `columns`: column(x), as a Func, so that it can be kept. What a tile has beyond the positions that anyone needs may read it where it
    // is not made, hence the clamp.
    Expr operator()(Halide::Func image, Halide::Func columns, Expr x, Expr y) const {
        const Expr last = width * channels - 1, from = select(inside_row(x), likely(x), clamp(columns(x), 0, last));
        const Expr pixel = image(unsafe_promise_clamped(from, 0, last), unsafe_promise_clamped(shown(y, height), 0, height - 1));
        const Expr inside = inside_row(x) && y >= 0 && y < height;
        return select(inside || kind != 3, pixel, cast(pixel.type(), 0));
    }
};

// out = sum over j of weight(j) * down(x + j), down = sum over i of weight(i) * image(y + i), i and j from -r to r, each sum
// rounded as `Pass` says: the separable blur, columns first, of the image continued over its border.
struct GaussianBlur : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur";
    static constexpr bool integer_weights = true, near = false;
    static Pass pass(Halide::Type pixel, Expr multiplier) {
        return Pass::plain(pixel, multiplier);
    }

    Var x{"x"}, y{"y"};
    Func in, columns{"columns"}, endless{"endless"}, down_sum{"down_sum"}, down{"down"}, along_sum{"along_sum"}, out{"out"};
    Expr radius;
    RDom i, j;

    GaussianBlur(Func image, const EndlessImage &border, Func weight, Expr r, const Pass &pass)
        : in(image), radius(r), i(-r, 2 * r + 1, "i"), j(-r, 2 * r + 1, "j") {
        columns(x) = border.column(x);
        endless(x, y) = cast(pass.image, border(in, columns, x, y));
        down_sum(x, y) = pass.zero();
        down_sum(x, y) += pass.wide(weight(i)) * pass.wide(endless(x, y + i));
        down(x, y) = pass.put(pass.rounded(down_sum(x, y)));
        along_sum(x, y) = pass.zero();
        along_sum(x, y) += pass.wide(weight(j)) * pass.get(down(x + j * border.channels, y));
        out(x, y) = pass.rounded(along_sum(x, y));
    }
};

// The same for radii below the image's width and height.
struct GaussianBlurNear : GaussianBlur {
    static constexpr const char *name = "gaussian_blur_near";
    static constexpr bool near = true;
    using GaussianBlur::GaussianBlur;
};

// The same with 11 bits between the passes.
struct GaussianBlurHalf : GaussianBlurNear {
    static constexpr const char *name = "gaussian_blur_half";
    static Pass pass(Halide::Type, Expr) {
        return Pass::halves();
    }
    using GaussianBlurNear::GaussianBlurNear;
};

// The same by floats; u8 gives the same bytes, as long as 255 times the sum of the weights is below 2^24.
struct GaussianBlurFloats : GaussianBlur {
    static constexpr const char *name = "gaussian_blur_floats";
    static constexpr bool integer_weights = false;
    static Pass pass(Halide::Type pixel, Expr multiplier) {
        return Pass::floats(pixel, multiplier);
    }
    using GaussianBlur::GaussianBlur;
};

}  // namespace tilewright
