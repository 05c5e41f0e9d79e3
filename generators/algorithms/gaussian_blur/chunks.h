#pragma once
// A form of gaussian_blur for any radius, whose loops over taps are unrolled in part. Variants: tuned_any on
// GPUs.
#include "Halide.h"
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include "generators/algorithms/indices.h"

namespace tilewright {

// A thread makes `own` neighbouring outputs of a pass, of one column and then of one row, by `chunk` taps at
// a time: own + chunk - 1 pixels in registers serve own * chunk products. The taps that are left over, fewer
// than a chunk, follow one by one, so that no pixel beyond the window is read: 0 times infinity would be NaN.
//
// Rows of the image are read in two ways. Where all rows of a chunk are inside the image, they are read as
// they are; otherwise the table `rows` says where each one is.
struct GaussianBlurChunks : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_chunks";
    struct Shape {
        int own, chunk;
    };
    // The taps of a pass: in chunks, and those that are left over.
    struct Taps {
        Expr radius;
        RDom chunks, rest;
        int chunk;
        Func weight;  // of the tap at an index

        Taps(const std::string &name, const BlurPass &pass, int chunk)
            : radius(pass.radius), chunks(0, chunk, 0, (2 * radius + 1) / chunk, name),
              rest(0, (2 * radius + 1) % chunk, name + "_rest"), chunk(chunk), weight(name + "_weight") {
            const Var k{"k"};
            weight(k) = pass.weight(k - radius);
        }
        // The indices of the taps.
        Expr index() const {
            return chunk * chunks.y + chunks.x;
        }
        Expr rest_index() const {
            return (2 * radius + 1) / chunk * chunk + rest;
        }
    };

    Var x{"x"}, y{"y"}, c{"c"}, k{"k"}, g{"g"}, t{"t"};
    Func in, rows{"rows"}, pixels{"pixels"}, down_sum{"down_sum"}, down{"down"}, along_sum{"along_sum"},
        out{"out"};
    Taps by_y, by_x;
    RDom inside, elsewhere;
    Shape shape;
    Expr margins;  // the elements that a blur reads beyond both ends of a row

    // image and out: columns, rows and channels.
    GaussianBlurChunks(Func image, const ExtendedImage &border, const BlurPass &down_columns,
        const BlurPass &along_rows, const Shape &shape)
        : in(image), by_y("by_y", down_columns, shape.chunk), by_x("by_x", along_rows, shape.chunk),
          shape(shape), margins(2 * by_x.radius * border.channels) {
        const int own = shape.own, chunk = shape.chunk, all = own + chunk - 1;
        const BlurArithmetic &first = down_columns.arithmetic, &second = along_rows.arithmetic;
        const Expr width = border.width, height = border.height;
        rows(y) = border.row(y);
        const Expr inside_row = x >= 0 && x < width,
                   column = promised(select(inside_row, likely(x), border.source(x, width)), width);
        const Expr counts = border.rule != ExtendedImage::zero;  // also outside
        const auto at = [&](const Expr &row) {
            return first.read(in(column, promised(row, height), promised(c, border.channels)));
        };
        const auto bordered = [&](const Expr &row) {
            return select(counts || (inside_row && below(row, height)), at(rows(row)), cast(first.image, 0));
        };
        const Expr from = g * own + t * chunk - by_y.radius,
                   whole = from >= 0 && from + all <= height && (counts || inside_row);
        inside = RDom(0, all, "inside");
        inside.where(whole);
        elsewhere = RDom(0, all, "elsewhere");
        elsewhere.where(!whole);
        pixels(k, x, c, g, t) = Halide::undef(first.image);
        pixels(inside, x, c, g, t) = at(from + inside);
        pixels(elsewhere, x, c, g, t) = bordered(from + elsewhere);

        down_sum(x, y, c) = first.zero();
        down_sum(x, y, c) += first.wide(by_y.weight(by_y.index())) *
                             first.wide(pixels(y % own + by_y.chunks.x, x, c, y / own, by_y.chunks.y));
        const Expr tap_y = by_y.rest_index() - by_y.radius;
        down_sum(x, y, c) += first.wide(down_columns.weight(tap_y)) * first.wide(bordered(y + tap_y));
        down(x, y, c) = first.put(first.rounded(down_sum(x, y, c)));
        along_sum(x, y, c) = second.zero();
        along_sum(x, y, c) +=
            second.wide(by_x.weight(by_x.index())) * second.wide(down(x + by_x.index() - by_x.radius, y, c));
        const Expr tap_x = by_x.rest_index() - by_x.radius;
        along_sum(x, y, c) += second.wide(along_rows.weight(tap_x)) * second.wide(down(x + tap_x, y, c));
        out(x, y, c) = second.written(second.rounded(along_sum(x, y, c)));
    }
};

}  // namespace tilewright
