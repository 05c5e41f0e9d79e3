#pragma once
// A form of fft2d: one pass of a Fourier transform over an image, for a CPU. Variants: fused_* of fft2d and
// fresnel whose lines have 256 to 4096 points, or 8192 along rows.
//
// A line of N points is transformed in two levels, n = N2 n1 + n2 and k = k1 + N1 k2 with N = N1 N2: first N2
// transforms of length N1, then, after the twiddle factors exp(-2 pi i n2 k1 / N), N1 transforms of length
// N2 (the four-step method of D. Bailey, "FFTs in External or Hierarchical Memory", 1990). Each of these is
// two stages of radix 4 to 16, whose values are in registers. Real and imaginary parts are apart, so that a
// vector has the same part of neighbouring points:
//   lines along rows    the lanes are values of n2 on the first level and values of k1 on the second. Between
//                       the levels squares are transposed in registers
//   lines across        the lanes are neighbouring lines on both levels, and nothing is transposed
// Compared with FftPass, which has 16 lines as its lanes in either case, rows are read and written as they
// are in memory, and the stages of a line read a core's first cache.
//
// `convolve`: forward, times the response, and back. The line back has the levels in the other order, n = k
// with N2 for N1. So the last stage forward, the product and the first stage back have the same points, and
// are one stage. A transform back is a transform forward between two exchanges of real and imaginary parts.
//
// Inputs, in this order; complex numbers are pairs of f32, and c is the part. The host computes the tables in
// f64.
//   in             (c, n, line) of lines along rows, (c, line, n) of lines across
//   roots          (c, n): exp(-2 pi i n / N)
//   between        lines along rows only: (n2, k1, c), the twiddle factors between the levels
//   between_back   the same of the line back; `convolve` only
//   first          (c, n): the value at n is multiplied by it first; `chirp_first` only
//   last           (c, k): the result at k is multiplied by it; `chirp_last` only
//   response       (c, k): frequency k is multiplied by it; it includes the scale; `convolve` only
//   sign, scale_re, scale_im    as of FftPass
// Output: k = k1 + N1 (m0 + R m1) of the last line, where R is its third radix:
//   out            (c, k1, m0, m1, line) of lines along rows, (c, line, k1, m0, m1) of lines across
#include "generators/algorithms/fft2d/butterfly.h"
#include "generators/algorithms/fft2d/pass_shape.h"
#include "generators/algorithms/turned_squares.h"
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilewright {

// The inputs besides the lines; those that a pass does not use are undefined.
struct FftLinesTables {
    Halide::Func roots, between, between_back, first, last, response;
    Halide::Expr sign, scale_re, scale_im;
};

// One transform of each line.
struct FftLine : Halide::NamesInterface {
    // The value at n = N2 (radix[1] i0 + i1) + n2.
    using Read = std::function<Complex(Expr i0, Expr i1, Expr n2)>;

    const std::array<int, 4> radix;
    const int points1, points2;  // N1, N2
    Var line{"line"}, n2{"n2"}, j0{"j0"}, i1{"i1"}, j1{"j1"}, k1{"k1"}, m0{"m0"}, l1{"l1"}, m1{"m1"};

    // The stages, in their order. The first two have the points k1 = j0 + radix[0] j1 of level 1, the others
    // k2 = m0 + radix[2] m1. Of lines along rows: first(n2, j0, i1, line), second(n2, j0, j1, line),
    // turned(k1, n2, line), third(k1, m0, l1, line), fourth(k1, m0, m1, line). Of lines across, which have no
    // `turned`, the index of the line is the first one, and n2 or k1 the last one.
    Func first, second, turned, third, fourth;
    std::unique_ptr<TurnedSquares> squares_re, squares_im;

    // `square`: the side of the squares that are transposed between the levels; 0: lines across.
    FftLine(const std::string &name, const std::array<int, 4> &radix, int square, const Read &read,
        const Func &roots, const Func &between)
        : radix(radix), points1(radix[0] * radix[1]), points2(radix[2] * radix[3]), first(name + "_first"),
          second(name + "_second"), turned(name + "_turned"), third(name + "_third"),
          fourth(name + "_fourth"), along(square > 0), roots(roots), between(between) {
        begin(first, n2, j0, i1);
        begin(second, n2, j0, j1);
        begin(third, k1, m0, l1);
        begin(fourth, k1, m0, m1);
        level1(read);
        if (along) {
            turn(name, square);
        }
        level2();
    }

    // The result at k = k1 + N1 (m0 + radix[2] m1).
    Complex operator()(const Expr &k1, const Expr &m0, const Expr &m1) const {
        return cell(fourth, k1, m0, m1, line);
    }

private:
    bool along;
    Func roots, between;

    // The indices of a stage's Func: `point` is n2 or k1.
    std::vector<Expr> index(const Expr &point, const Expr &a, const Expr &b, const Expr &of_line) const {
        return along ? std::vector<Expr>{point, a, b, of_line} : std::vector<Expr>{of_line, a, b, point};
    }
    Complex cell(
        const Func &stage, const Expr &point, const Expr &a, const Expr &b, const Expr &of_line) const {
        const auto at = index(point, a, b, of_line);
        return {stage(at)[0], stage(at)[1]};
    }
    void begin(Func stage, const Var &point, const Var &a, const Var &b) const {
        stage(along ? std::vector<Var>{point, a, b, line} : std::vector<Var>{line, a, b, point}) =
            Tuple(Halide::undef<float>(), Halide::undef<float>());
    }
    Complex root(const Expr &k) const {
        return {roots(0, k), roots(1, k)};
    }

    // Stores values at all points of one dimension of a stage.
    enum class Dimension { second, third };
    void write(Func stage, const Expr &point, const Expr &other, Dimension dimension,
        const std::vector<Complex> &values) const {
        std::vector<Expr> places, re, im;
        for (size_t i = 0; i < values.size(); i++) {
            places.push_back((int)i);
            re.push_back(values[i].re);
            im.push_back(values[i].im);
        }
        const Expr all = scatter(places);
        stage(dimension == Dimension::second ? index(point, all, other, line) :
                                               index(point, other, all, line)) =
            Tuple(gather(re), gather(im));
    }

    // The transform of a few values, value(0) and so on. No factors are before a butterfly.
    template<typename Value>
    static std::vector<Complex> transformed(int radix, Value value) {
        std::vector<Complex> values;
        for (int i = 0; i < radix; i++) {
            values.push_back(value(i));
        }
        const Butterfly transform([](const Expr &a, const Expr &b, const Expr &c) { return a * b + c; });
        return transform(values, -1);
    }

    void level1(const Read &read) {
        auto values = transformed(radix[0], [&](int i0) { return read(i0, i1, n2); });
        for (int j = 1; j < radix[0]; j++) {
            values[(size_t)j] = values[(size_t)j] * root(i1 * (j * points2));
        }
        write(first, n2, i1, Dimension::second, values);

        values = transformed(radix[1], [&](int i) { return cell(first, n2, j0, i, line); });
        for (int j = 0; j < radix[1]; j++) {
            const Expr k = j0 + radix[0] * j;
            const Complex twiddle = along ? Complex{between(n2, k, 0), between(n2, k, 1)} : root(n2 * k);
            values[(size_t)j] = values[(size_t)j] * twiddle;
        }
        write(second, n2, j0, Dimension::third, values);
    }

    // The value of level 1 at n2 and k1, from `second`.
    Complex between_levels(const Expr &n, const Expr &k, const Expr &of_line) const {
        return cell(second, n, k % radix[0], k / radix[0], of_line);
    }

    // Squares of the two parts are apart, because the vectors of both do not fit the registers. Square number
    // t of a line is number t % (N1 / square) along k1.
    void turn(const std::string &name, int square) {
        const int side = square, across = points1 / side;
        const auto source = [&](const Expr &column, const Expr &row, const Expr &t, const Expr &u) {
            return between_levels(t / across * side + column, t % across * side + row, u);
        };
        squares_re = std::make_unique<TurnedSquares>(
            name + "_re", side, side, [&](auto &&...at) { return source(at...).re; });
        squares_im = std::make_unique<TurnedSquares>(
            name + "_im", side, side, [&](auto &&...at) { return source(at...).im; });
        const Expr column = n2 % side, row = k1 % side, t = n2 / side * across + k1 / side;
        turned(k1, n2, line) =
            Tuple((*squares_re)(column, row, t, line), (*squares_im)(column, row, t, line));
    }

    void level2() {
        auto values = transformed(radix[2], [&](int i0) {
            const Expr n = radix[3] * i0 + l1;
            return along ? Complex{turned(k1, n, line)[0], turned(k1, n, line)[1]} :
                           between_levels(n, k1, line);
        });
        for (int j = 1; j < radix[2]; j++) {
            values[(size_t)j] = values[(size_t)j] * root(l1 * (j * points1));
        }
        write(third, k1, l1, Dimension::second, values);

        values = transformed(radix[3], [&](int i) { return cell(third, k1, m0, i, line); });
        write(fourth, k1, m0, Dimension::third, values);
    }
};

struct FftLines : Halide::NamesInterface {
    static constexpr const char *name = "fft_lines";
    const FftPassShape shape;
    Var c{"c"}, line{"line"}, k1{"k1"}, m0{"m0"}, m1{"m1"};
    Func out{"out"};
    std::unique_ptr<FftLine> forward, back;  // back: `convolve` only

    // `square`: the side of the squares of lines along rows.
    FftLines(Func in, const FftLinesTables &tables, const FftPassShape &shape, int square)
        : shape(shape), in(std::move(in)), tables(tables), square(across() ? 0 : square) {
        const std::array<int, 4> &radix = shape.radix;
        forward = std::make_unique<FftLine>(
            "forward", radix, this->square,
            [&](const Expr &i0, const Expr &i1, const Expr &n2) {
                return read_in((radix[1] * i0 + i1) * (radix[2] * radix[3]) + n2);
            },
            tables.roots, tables.between);
        if (shape.convolve) {
            back = std::make_unique<FftLine>(
                "back", shape.mirrored().radix, this->square,
                [&](const Expr &i0, const Expr &i1, const Expr &n2) {
                    const Expr k = n2 + forward->points1 * (i1 + radix[2] * i0);
                    return exchanged((*forward)(n2, i1, i0) * entry(tables.response, k));
                },
                tables.roots, tables.between_back);
        }
        finish();
    }

    bool across() const {
        return shape.lines == FftPassShape::Lines::across;
    }

private:
    Func in;
    FftLinesTables tables;
    int square;

    static Complex entry(const Func &table, const Expr &at) {
        return {table(0, at), table(1, at)};
    }
    static Complex exchanged(const Complex &value) {
        return {value.im, value.re};
    }

    // The value at n as the transform reads it.
    Complex read_in(const Expr &at) const {
        Complex value =
            across() ? Complex{in(0, line, at), in(1, line, at)} : Complex{in(0, at, line), in(1, at, line)};
        if (!shape.convolve) {
            value.im = value.im * tables.sign;
        }
        return shape.chirp_first ? value * entry(tables.first, at) : value;
    }

    // An element of the input's row, another part of the row for each m0 and each vector of k1. A schedule
    // can prefetch what the next rows have there, in small pieces between its computations.
    Expr input_near(const FftLine &last) const {
        const Expr piece = m0 * (last.points1 / square) + k1 / square;
        return in(0, piece * (square * last.radix[3]) + m1 * square, line);
    }
    // `value`, of which Halide believes that it needs `before` too. Compilers leave `before` out.
    static Expr behind(const Expr &before, const Expr &value) {
        using Halide::Internal::Call;
        return Call::make(value.type(), Call::return_second, {before, value}, Call::PureIntrinsic);
    }

    void finish() {
        const FftLine &last = back ? *back : *forward;
        Complex value = last(k1, m0, m1);
        if (shape.chirp_last) {
            value = value * entry(tables.last, k1 + last.points1 * (m0 + last.radix[2] * m1));
        }
        value = shape.convolve ? exchanged(value) :
                                 Complex{value.re * tables.scale_re, value.im * tables.scale_im};
        const Expr part = select(c == 0, value.re, value.im);
        if (across()) {
            out(c, line, k1, m0, m1) = part;
        } else {
            out(c, k1, m0, m1, line) = behind(input_near(last), part);
        }
    }
};

}  // namespace tilewright
