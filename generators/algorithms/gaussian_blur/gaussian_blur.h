#pragma once
// The definition of gaussian_blur, and its forms with other arithmetic. Variants of the definition:
// reference and the documented steps on GPUs (direct, separable, shared, texture); of the others: branch;
// exp, native and relaxed; half and texture_half. On CPUs tuned_any is a form too, whose loops over rows are
// divided at the border, and on GPUs another one (chunks.h).
#include "Halide.h"
#include "generators/algorithms/gaussian_blur/arithmetic.h"
#include "generators/algorithms/gaussian_blur/border.h"
#include "generators/algorithms/indices.h"

namespace tilewright {

// An image that continues beyond its border without end. It has rows of pixels, and each pixel has `channels`
// elements. `rule` is a BorderRule as a number. `near`: positions are less than n outside, so that they need
// no more than one reflection.
struct ExtendedImage {
    using Expr = Halide::Expr;
    Expr rule, width, height, channels;
    bool near = false;
    // A thread branches between pixels inside the image and those outside; otherwise it computes both
    // positions and selects.
    bool branch = false;
    // Loops over rows are divided into parts inside the image and parts that meet its sides, so that the
    // parts inside have no condition. Otherwise both have the same code.
    bool divided = false;

    static constexpr int reflect = (int)BorderRule::reflect, mirror = (int)BorderRule::mirror,
                         zero = (int)BorderRule::zero;

    // The position in 0 ... n - 1 whose value is at position i.
    Expr source(Expr i, Expr n) const {
        if (near) {
            const Expr low = select(rule == reflect, -1 - i, rule == mirror, -i, 0), from_left = max(i, low);
            const Expr high = select(rule == reflect, 2 * n - 1, rule == mirror, 2 * n - 2, n - 1) -
                              select(rule < 2, from_left, 0);
            return max(min(from_left, high), 0);
        }
        const Expr twice = i % (2 * n), period = max(2 * n - 2, 1), in_period = i % period;
        const Expr reflected = min(twice, 2 * n - 1 - twice), mirrored = min(in_period, period - in_period);
        return select(rule == reflect, reflected, rule == mirror, mirrored, clamp(i, 0, n - 1));
    }

    Expr inside_row(Expr x) const {
        return x >= 0 && x < width * channels;
    }

    // The element of a row whose value is at element x.
    Expr column(Expr x) const {
        return select(inside_row(x), likely(x), continued(x));
    }

    // Continues rows by copies, `beyond` elements on each side: assign(to, from) sets element `to`, which is
    // outside of the row, to element `from`. `columns` becomes the table of the elements to copy, first those
    // for the left.
    template<typename Assign>
    void copy_sides(Halide::Func columns, Halide::Var x, Expr beyond, const Assign &assign) const {
        const Expr elements = width * channels;
        columns(x) = continued(select(x < beyond, x - beyond, elements + x - beyond));
        const Halide::RDom side(0, beyond, "side");
        assign(side - beyond, promised(columns(side), elements));
        assign(elements + side, promised(columns(beyond + side), elements));
    }

    // The row whose values are at row y.
    Expr row(Expr y) const {
        return select(y >= 0 && y < height, likely(y), source(y, height));
    }

    // Element x of row y, where x is inside of the rows. `rows` is row(y) as a Func.
    Expr of_row(Halide::Func image, Halide::Func rows, Expr x, Expr y) const {
        return masked(image(promised(x, width * channels), promised(rows(y), height)), y);
    }

    // Element x of the image extended above and below alone: any value where x is outside of the rows.
    // `rows` is row(y) as a Func. `masks`: a vector that lies across a side is one load with a mask;
    // otherwise its elements are loaded one by one.
    Expr within_row(Halide::Func image, Halide::Func rows, Expr x, Expr y, bool masks) const {
        using Halide::Internal::Call;
        const Expr elements = width * channels, at_y = promised(rows(y), height);
        if (!masks) {
            return masked(
                image(promised(select(inside_row(x), likely(x), clamp(x, 0, elements - 1)), elements), at_y),
                y);
        }
        const Expr pixel = image(promised(x, elements), at_y);
        return masked(
            Call::make(pixel.type(), Call::if_then_else, {likely(inside_row(x)), pixel}, Call::PureIntrinsic),
            y);
    }

    // The extended image at element x of row y. `columns` is column(x) as a Func, so that a schedule can
    // store it. A tile may compute positions that nothing reads, for which `columns` was not computed; the
    // clamp keeps them inside.
    Expr operator()(Halide::Func image, Halide::Func columns, Expr x, Expr y) const {
        if (branch) {
            return by_branch(image, columns, x, y);
        }
        const Expr elements = width * channels,
                   from = select(inside_row(x), likely(x), clamp(columns(x), 0, elements - 1));
        const Expr pixel = image(promised(from, elements), promised(source(y, height), height));
        if (divided) {
            const Expr known = select(inside_row(x), likely(Halide::Internal::const_true()), rule != zero);
            return select(known, masked(pixel, y), cast(pixel.type(), 0));
        }
        const Expr inside = inside_row(x) && y >= 0 && y < height;
        return select(inside || rule != zero, pixel, cast(pixel.type(), 0));
    }

private:
    // The element of a row whose value is at element x, which is outside of the row.
    Expr continued(Expr x) const {
        return source(x / channels, width) * channels + x % channels;
    }

    // A pixel of row y, or 0 where the border is zero and the row is outside. Rows have a mask: of a
    // condition that is the same for all pixels of a vector, LLVM makes 60 instructions for 32 bytes of AVX2.
    Expr masked(Expr pixel, Expr y) const {
        const Halide::Type bits = pixel.type().with_code(Halide::Type::UInt);
        const Expr kept = (y >= 0 && y < height) || rule != zero,
                   mask = select(kept, bits.max(), Halide::cast(bits, 0));
        return reinterpret(pixel.type(), reinterpret(bits, pixel) & mask);
    }

    Expr by_branch(Halide::Func image, Halide::Func columns, Expr x, Expr y) const {
        const Expr elements = width * channels, outside = clamp(columns(x), 0, elements - 1);
        const Expr pixel = image(promised(x, elements), promised(y, height)),
                   extended = image(promised(outside, elements), promised(source(y, height), height));
        return if_else(inside_row(x) && y >= 0 && y < height, pixel,
            if_else(rule != zero, extended, cast(pixel.type(), 0)));
    }
};

// A pass of a blur: the weights of the taps -radius ... radius, and how it adds and rounds.
struct BlurPass {
    Halide::Func weight;
    Halide::Expr radius;
    BlurArithmetic arithmetic;
};

// out = sum over j of weight_x(j) * down(x + j), down = sum over i of weight_y(i) * image(y + i), i and j
// from -r to r of their pass, each sum rounded as the arithmetic of the pass says. This is the separable blur
// of the extended image, columns first.
struct GaussianBlur : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur";
    static constexpr bool near = false, branch = false, divided = false, computes_weights = false;
    static BlurArithmetic arithmetic(Halide::Type pixel, Expr multiplier) {
        return BlurArithmetic::plain(pixel, multiplier);
    }

    Var x{"x"}, y{"y"};
    Func in, columns{"columns"}, extended{"endless"}, down_sum{"down_sum"}, down{"down"},
        along_sum{"along_sum"}, out{"out"};
    Expr halo, radius, margins;  // the rows that a blur reads above and below a row; the mean of both
                                 // radii; the elements that it reads beyond both ends of a row
    RDom i, j;

    GaussianBlur(Func image, const ExtendedImage &border, const BlurPass &pass)
        : GaussianBlur(image, border, pass, pass) {}

    // `by_y` goes down columns, `by_x` along rows.
    GaussianBlur(Func image, const ExtendedImage &border, const BlurPass &by_y, const BlurPass &by_x)
        : in(image), halo(by_y.radius), radius((by_y.radius + by_x.radius) / 2),
          margins(2 * by_x.radius * border.channels), i(-by_y.radius, 2 * by_y.radius + 1, "i"),
          j(-by_x.radius, 2 * by_x.radius + 1, "j") {
        const BlurArithmetic &first = by_y.arithmetic, &second = by_x.arithmetic;
        columns(x) = border.column(x);
        extended(x, y) = first.read(border(in, columns, x, y));
        down_sum(x, y) = first.zero();
        down_sum(x, y) += first.wide(by_y.weight(i)) * first.wide(extended(x, y + i));
        down(x, y) = first.put(first.rounded(down_sum(x, y)));
        along_sum(x, y) = second.zero();
        along_sum(x, y) += second.wide(by_x.weight(j)) * second.wide(down(x + j * border.channels, y));
        out(x, y) = second.written(second.rounded(along_sum(x, y)));
    }
};

// The same for schedules that walk along rows.
struct GaussianBlurLines : GaussianBlur {
    static constexpr const char *name = "gaussian_blur_lines";
    static constexpr bool divided = true;
    using GaussianBlur::GaussianBlur;
};

// The same for radii below the image's width and height.
struct GaussianBlurNear : GaussianBlur {
    static constexpr const char *name = "gaussian_blur_near";
    static constexpr bool near = true;
    using GaussianBlur::GaussianBlur;
};

// The same with a branch for positions outside the image.
struct GaussianBlurBranch : GaussianBlurNear {
    static constexpr const char *name = "gaussian_blur_branch";
    static constexpr bool branch = true;
    using GaussianBlurNear::GaussianBlurNear;
};

// The same with weights that are computed where they are used, by exp(): Halide cannot put a formula in place
// of a table that the caller gives.
struct GaussianBlurExp : GaussianBlurNear {
    static constexpr const char *name = "gaussian_blur_exp";
    static constexpr bool computes_weights = true;
    using GaussianBlurNear::GaussianBlurNear;
};

// The same with half-precision floats between the passes.
struct GaussianBlurHalf : GaussianBlurNear {
    static constexpr const char *name = "gaussian_blur_half";
    static BlurArithmetic arithmetic(Halide::Type, Expr) {
        return BlurArithmetic::halves();
    }
    using GaussianBlurNear::GaussianBlurNear;
};

}  // namespace tilewright
