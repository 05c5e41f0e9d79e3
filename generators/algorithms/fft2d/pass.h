#pragma once
// A form of fft2d: one pass of a Fourier transform over an image. Variants: fused_* of fft2d and fresnel, and
// tuned* of fft2d. Long because all stages of a pass share its digits, cells and tables.
//
// A pass transforms many lines of the same length, each by itself. A two-dimensional transform is a pass over
// the rows and one over the columns; a convolution is one pass over each with `convolve`. Stages of small
// radices are those of J. Cooley and J. Tukey, "An Algorithm for the Machine Calculation of Complex Fourier
// Series", 1965; long lines in two passes are the four-step method of D. Bailey, "FFTs in External or
// Hierarchical Memory", 1990.
//
// L is the length of a line, the product of the radices. All complex numbers are words of 64 bits, the real
// part low. Those of f64 are Tuples of both parts, and in `out` the part is a dimension before the others.
// `in` and `out` are views of three dimensions, and the strides of the views say which lines these are:
//   lines along rows       in(n, line, batch)    out(k, line, batch)
//   lines across           in(line, n, batch)    out(line, k, batch)
//   transposed             in(n, line, batch)    out(line, k, batch)
// Columns of an image are `across`, with one batch. A long line of L M points is transformed in two passes,
// n = M j + g, k = k1 + L1 k2:
//   1. the transforms over j: as columns of length L1 whose rows are M apart. The M values of g are batches
//      (of a column) or neighbouring lines (of a row);
//   2. the transforms over g, with `twiddled`: the value at n is first multiplied by
//      exp(-2 pi i n b / (L M)), where b = k1 is the number of the batch (or of the line).
//
// Inputs, in this order; the host computes the tables in f64. b is 0, the number of the line or that of the
// batch, as FftPassShape::numbered says.
//   in
//   roots      exp(-2 pi i n / L) for n < L
//   twiddles   `twiddled` only; its argument is named "turns": exp(-2 pi i n / (L M)) for n < L M
//   first      `chirp_first` only: (n, b): the value at n is multiplied by it first
//   last       `chirp_last` only: (k, b): the result at k is multiplied by it
//   response   `convolve` only: (i, line, batch), or (i, 0, 0) for rows and padded passes: frequency number
//              order(i) (FftPassShape::order) is multiplied by it; it includes the scale
//   middle     `convolve` only: exp(-2 pi i order(u) / L) for u < L / last radix
//   sign, scale_re, scale_im
//              (of the type of the parts) where FftPassShape::has_endpoints: the imaginary part is multiplied
//              by `sign` when it is read, and the parts of the result by the scales. sign = -1, scale_re = s,
//              scale_im = -s gives the inverse transform times s; of several passes the first one has the
//              sign, the last one the scales.
#include "generators/algorithms/fft2d/complex_values.h"
#include "generators/algorithms/fft2d/pass_shape.h"
#include "generators/algorithms/fft2d/small_transform.h"
#include <string>

namespace tilewright {

// How blocks of threads that are a cluster exchange words of 64 bits
// (generators/algorithms/block_clusters.h).
struct ClusterExchange {
    std::function<Halide::Expr(Halide::Expr word, int block, int blocks)> word_of;
    std::function<Halide::Expr(const std::vector<Halide::Expr> &words)> words_for;
};

// The inputs of a pass besides the lines; those that it does not use are undefined.
struct FftPassTables {
    Halide::Func roots, twiddles, first, last, response, middle;
    Halide::Expr sign, scale_re, scale_im;
    Halide::Expr points, lines;  // of a padded pass: how many points a line has, and how many lines there are
};

// Each line is stored in `cells`, which have one dimension per digit of n, and is transformed in place, one
// stage per digit. A stage reads the R values that differ in its digit, and stores the R values of their
// transform in their cells. Afterwards the digit is one of k = k0 + R0 k1 + .... The last stage writes k to
// `out` in natural order. All twiddle factors are before the butterfly: forward exp(-2 pi i n_s K / P), where
// K are the digits that are already transformed; backward exp(2 pi i k_s r / L_s), where r are the digits
// that are not.
//
// `convolve`: forward, times the response in the order in which the digits are stored, and back. The last
// stage forward, the product and the first stage back are one stage, so that nothing is ever sorted.
struct FftPass : Halide::NamesInterface {
    static constexpr const char *name = "fft_pass";

    // One stage: the digit that it transforms, and the Funcs of the factors that it computes for each
    // butterfly.
    struct Stage {
        int digit;
        std::vector<Func> factors;
    };

    const FftPassShape shape;
    const int count, length,
        butterflies;          // number of digits, of points of a line, of butterflies of the last stage
    const Halide::Type type;  // of the parts of numbers
    const bool is_f64;
    Var part{"part"}, line{"line"}, batch{"batch"}, at{"at"};
    std::vector<Var> digits;
    Func cells{"cells"}, out{"out"};
    std::vector<Stage> stages;  // the updates of cells
    std::vector<Func> last_factors;
    RDom last_stage;  // iteration, butterflies side by side, and the block where it is one of a cluster
    RDom of_block;    // of the stage of the last digit, where it updates cells: the first digits of a block

    // `side_by_side`: how many butterflies of the last stage are computed side by side.
    // `type`: of the parts of numbers, f32 or f64.
    // `words`: cells are words of 64 bits, of f64 two of them; otherwise a cell is a pair of f32.
    // `loaded`: what becomes of the first word of each butterfly that was loaded; it may fetch what other
    // blocks of threads read. Undefined: nothing.
    // `cluster`: how blocks of a cluster exchange words, where the shape is of one.
    FftPass(Func in, const FftPassTables &tables, const FftPassShape &shape, int side_by_side,
        MultiplyAdd multiply_add, Halide::Type type, bool words, std::function<Expr(Expr)> loaded = {},
        ClusterExchange cluster = {})
        : shape(shape), count((int)shape.radices().size()), length(shape.length()),
          butterflies(length / (shape.convolve ? shape.radix[0] : shape.radices().back())), type(type),
          is_f64(type.bits() == 64), in(std::move(in)), tables(tables), power_of_two(std::move(multiply_add)),
          words(words), side_by_side(side_by_side), loaded(std::move(loaded)), cluster(std::move(cluster)) {
        of_block = RDom(0, shape.clustered ? shape.radix[0] / shape.blocks() : 1, "of_block");
        for (int s = 0; s < count; s++) {
            digits.push_back(Var("digit" + std::to_string(s)));
        }
        begin();
        for (int s = 0; s < (shape.convolve ? count : count - 1); s++) {
            forward(s);
        }
        if (shape.convolve) {
            for (int s = count - 2; s >= 1; s--) {
                backward(s);
            }
        }
        finish();
    }

    bool across() const {
        return shape.lines == FftPassShape::Lines::across;
    }
    // Whether the values of a digit are in different blocks of a cluster.
    bool is_spread(int digit) const {
        return shape.clustered && digit == count - 1;
    }

private:
    using Numbered = FftPassShape::Numbered;
    Func in;
    FftPassTables tables;
    Butterfly power_of_two;
    bool words;
    int side_by_side;
    std::function<Expr(Expr)> loaded;
    ClusterExchange cluster;

    int radix(int s) const {
        return shape.radix[(size_t)s];
    }
    // The distance in n between neighbouring values of digit s.
    int stride(int s) const {
        int product = 1;
        for (int j = s + 1; j < count; j++) {
            product *= radix(j);
        }
        return product;
    }
    Expr number() const {
        return shape.numbered == Numbered::by_line  ? Expr(line) :
               shape.numbered == Numbered::by_batch ? Expr(batch) :
                                                      Expr(0);
    }
    // The digits of the butterflies of a stage. Of those over digits of other blocks, a block has the ones
    // whose first digit is its number, or so many blocks more.
    std::vector<Expr> digit_values(int s) const {
        std::vector<Expr> digit(digits.begin(), digits.end());
        if (is_spread(s)) {
            digit[0] = digits.back() + shape.blocks() * of_block;
        }
        return digit;
    }

    // The indices of the cell that has these digits.
    std::vector<Expr> cell(const std::vector<Expr> &digit) const {
        std::vector<Expr> index(digit.rbegin(), digit.rend());
        index.insert(across() ? index.begin() : index.end(), line);
        index.push_back(batch);
        return index;
    }

    void begin() {
        std::vector<Var> index(digits.rbegin(), digits.rend());
        index.insert(across() ? index.begin() : index.end(), line);
        index.push_back(batch);
        const Halide::Type of_cells = words ? Halide::UInt(64) : type;
        cells(index) = Tuple(ComplexValues(words && !is_f64 ? 1 : 2, Halide::undef(of_cells)));
    }

    // A number of a table or of `in`.
    static Complex number_of(const Halide::FuncRef &at) {
        return tilewright::number_of(values_of(at));
    }
    // A number from the values of a cell, and the values of a cell for it.
    Complex of_cell(const ComplexValues &cell) const {
        return cell.size() == 1 ? Complex::of_word(cell[0]) :
                                  Complex{reinterpret(type, cell[0]), reinterpret(type, cell[1])};
    }
    ComplexValues cell_of(const Complex &number) const {
        if (words && !is_f64) {
            return {number.word()};
        }
        const Halide::Type of_cells = words ? Halide::UInt(64) : type;
        return {reinterpret(of_cells, number.re), reinterpret(of_cells, number.im)};
    }

    // The values of digit s.
    std::vector<Complex> read(int s, std::vector<Expr> digit) const {
        std::vector<Complex> values;
        if (is_spread(s)) {
            for (int j = 0; j < radix(s); j++) {
                ComplexValues words = values_of(cells(cell(digit)));
                for (Expr &word : words) {
                    word = cluster.word_of(word, j, radix(s));
                }
                values.push_back(of_cell(words));
            }
            return values;
        }
        for (int j = 0; j < radix(s); j++) {
            digit[(size_t)s] = j;
            values.push_back(of_cell(values_of(cells(cell(digit)))));
        }
        return values;
    }

    // Stores the values of digit s in place: all values are read before any is written.
    void write(int s, const std::vector<Complex> &values, std::vector<Func> factors) {
        std::vector<Expr> index, digit = digit_values(s);
        std::vector<std::vector<Expr>> parts(words && !is_f64 ? 1 : 2);  // of all cells
        for (int j = 0; j < radix(s); j++) {
            index.push_back(j);
            const ComplexValues cell = cell_of(values[(size_t)j]);
            for (size_t part = 0; part < cell.size(); part++) {
                parts[part].push_back(cell[part]);
            }
        }
        if (loaded && stages.empty()) {
            parts[0][0] = loaded(parts[0][0]);
        }
        if (!is_spread(s)) {
            digit[(size_t)s] = scatter(index);
        }
        ComplexValues stored;
        for (const std::vector<Expr> &part : parts) {
            stored.push_back(is_spread(s) ? cluster.words_for(part) : Expr(gather(part)));
        }
        cells(cell(digit)) = Tuple(stored);
        stages.push_back({s, std::move(factors)});
    }

    // Of a padded pass: the index, or the last one of so many.
    Expr at_most(const Expr &index, const Expr &extent) const {
        return shape.is_padded() ? unsafe_promise_clamped(min(index, extent - 1), 0, extent - 1) : index;
    }

    // The value at n as the transform reads it.
    Complex read_in(const Expr &n) const {
        const Expr of = at_most(line, tables.lines), from = at_most(n, tables.points);
        Complex value = number_of(across() ? in(of, from, batch) : in(from, of, batch));
        if (shape.has_endpoints()) {
            value.im = value.im * tables.sign;
        }
        return shape.chirp_first ? value * number_of(tables.first(n, number())) : value;
    }

    std::vector<Complex> transform(
        const std::vector<Complex> &values, int sign, const Factors *factors = nullptr) const {
        return small_transform(values, power_of_two, sign, factors);
    }

    // The factors of a transform of n values, where w = base(arg). Each is a Func of its own, which a
    // schedule computes once per butterfly; `funcs` collects them.
    Factors factors_of(
        int n, const std::function<Complex(Expr)> &base, Expr arg, int sign, std::vector<Func> &funcs) const {
        Factors factors;
        Func before;
        if (!is_power_of_two(n)) {
            Func root(Halide::Internal::unique_name("root"));
            const Complex w = base(at);
            root(at) = Tuple(w.re, sign > 0 ? negated(w.im) : w.im);
            funcs.push_back(root);
            const auto all = powers({root(arg)[0], root(arg)[1]}, n);
            for (int k = 1; k < n; k++) {
                factors[{n, k}] = all[(size_t)k];
            }
            return factors;
        }
        for (int m = n; m >= 2; m /= 2) {
            Func power(Halide::Internal::unique_name("power"));
            Complex w;
            if (m == n) {
                w = base(at);
                w = sign > 0 ? conjugate(w) : w;
            } else {
                const Complex root{before(at)[0], before(at)[1]};
                w = root * root;
            }
            power(at) = Tuple(w.re, w.im);
            funcs.push_back(power);
            before = power;
            factors[{m, 0}] = {power(arg)[0], power(arg)[1]};
            for (int k = 1; k < m / 4; k++) {
                Func rotated(Halide::Internal::unique_name("turned"));
                const Complex product = Complex{power(at)[0], power(at)[1]} * Complex::root(k, m, sign, type);
                rotated(at) = Tuple(product.re, product.im);
                funcs.push_back(rotated);
                factors[{m, k}] = {rotated(arg)[0], rotated(arg)[1]};
            }
        }
        return factors;
    }

    // n without the digits 0 ... s.
    Expr lower(int s, const std::vector<Expr> &digit) const {
        Expr sum = 0;
        for (int j = s + 1; j < count; j++) {
            sum += digit[(size_t)j] * stride(j);
        }
        return sum;
    }
    // The digits that are already transformed before stage s, as a number.
    Expr transformed(int s, const std::vector<Expr> &digit, int &period) const {
        Expr found = 0;
        period = 1;
        for (int j = 0; j < s; j++) {
            found += digit[(size_t)j] * period;
            period *= radix(j);
        }
        period *= radix(s);
        return found;
    }
    // The number of a butterfly of the last stage, in the order in which its digits are stored.
    Expr butterfly_of(const std::vector<Expr> &digit) const {
        Expr number = 0;
        int product = 1;
        for (int j = count - 2; j >= 0; j--) {
            number += digit[(size_t)j] * product;
            product *= radix(j);
        }
        return number;
    }

    // Multiplies the values of the first stage by the factors that do not depend on its digit, and returns
    // those that do: W^(b (n0 stride + r)) = W^(b r) (W^(b stride))^n0.
    Factors twiddle(
        std::vector<Complex> &values, const std::vector<Expr> &digit, std::vector<Func> &funcs) const {
        const Complex common = number_of(tables.twiddles(number() * lower(0, digit)));
        for (Complex &value : values) {
            value = value * common;
        }
        return factors_of(
            radix(0), [&](Expr b) { return number_of(tables.twiddles(b * stride(0))); }, number(), -1, funcs);
    }

    void forward(int s) {
        const auto digit = digit_values(s);
        std::vector<Func> funcs;
        std::vector<Complex> values;
        Factors factors;
        bool has_factors = s > 0;
        if (s == 0) {
            for (int j = 0; j < radix(0); j++) {
                values.push_back(
                    shape.is_padded() && 2 * j >= radix(0) ?
                        Complex{Halide::Internal::make_zero(type), Halide::Internal::make_zero(type)} :
                        read_in(j * stride(0) + lower(0, digit)));
            }
            if (shape.twiddled) {
                factors = twiddle(values, digit, funcs);
                has_factors = true;
            }
        } else {
            values = read(s, digit);
            if (s == count - 1) {  // of `convolve`: a table whose neighbouring entries are for neighbouring
                                   // butterflies
                factors = factors_of(
                    radix(s), [&](Expr u) { return number_of(tables.middle(u)); }, butterfly_of(digit), -1,
                    funcs);
            } else {
                int period;
                const Expr found = transformed(s, digit, period);
                factors = factors_of(
                    radix(s), [&](Expr k) { return number_of(tables.roots(k * (length / period))); }, found,
                    -1, funcs);
            }
        }
        values = transform(values, -1, has_factors ? &factors : nullptr);
        if (s == count - 1) {
            const bool by_line = across() && !shape.is_padded();
            const Expr column = by_line ? Expr(line) : Expr(0), part = by_line ? Expr(batch) : Expr(0);
            for (int q = 0; q < radix(s); q++) {
                const Expr i = butterfly_of(digit) + q * (length / radix(s));
                values[(size_t)q] = values[(size_t)q] * number_of(tables.response(i, column, part));
            }
            values = transform(values, 1);
        }
        write(s, values, funcs);
    }

    void backward(int s) {
        std::vector<Func> funcs;
        const auto digit = digit_values(s);
        const Factors factors = factors_of(
            radix(s), [&](Expr r) { return number_of(tables.roots(r * (length / (radix(s) * stride(s))))); },
            lower(s, digit), 1, funcs);
        write(s, transform(read(s, digit), 1, &factors), funcs);
    }

    // The last stage, of which a block of a cluster has each so many-th butterfly.
    void finish() {
        const int s = shape.convolve ? 0 : count - 1, sign = shape.convolve ? 1 : -1;
        const int blocks = shape.blocks(), butterflies_of_block = butterflies / blocks;
        int side = std::min(side_by_side, butterflies_of_block);
        while (butterflies_of_block % side != 0) {  // every thread has as many of them
            side--;
        }
        last_stage = shape.clustered ?
                         RDom(0, butterflies_of_block / side, 0, side, 0, blocks, "last_stage") :
                         RDom(0, butterflies_of_block / side, 0, side, "last_stage");
        Expr rest = last_stage.y + side * last_stage.x, butterfly = rest;
        std::vector<Expr> digit((size_t)count);
        for (int step = 0; step < count - 1; step++) {
            const int j = shape.convolve ? count - 1 - step : step;
            const bool is_divided = shape.clustered && step == 0;  // among the blocks
            const int values = is_divided ? radix(j) / blocks : radix(j);
            digit[(size_t)j] = rest % values;
            rest = rest / values;
            if (is_divided) {
                digit[(size_t)j] = last_stage.z + blocks * digit[(size_t)j];
                butterfly = last_stage.z + blocks * butterfly;
            }
        }
        if (is_spread(s)) {
            digit[(size_t)s] = last_stage.z;
        }
        const Factors factors = factors_of(
            radix(s), [&](Expr k) { return number_of(tables.roots(k)); }, butterfly, sign, last_factors);
        write_out(butterfly, transform(read(s, digit), sign, &factors));
    }

    // Writes the values of a butterfly to their positions in `out`.
    void write_out(const Expr &butterfly, const std::vector<Complex> &values) {
        std::vector<Expr> part_numbers, positions, results;
        const int written = (int)values.size() / (shape.is_padded() ? 2 : 1);
        for (int q = 0; q < written; q++) {
            Expr k = butterfly + q * butterflies;
            Complex value = values[(size_t)q];
            if (shape.chirp_last) {
                value = value * number_of(tables.last(k, number()));
            }
            if (shape.has_endpoints()) {
                value = {value.re * tables.scale_re, value.im * tables.scale_im};
            }
            ComplexValues parts = values_of(value, !is_f64);
            if (shape.is_padded() && q > 0) {  // of no result: the first one once more
                for (size_t part = 0; part < parts.size(); part++) {
                    parts[part] = select(k < tables.points, parts[part], results[part]);
                }
                k = select(k < tables.points, k, positions[0]);
            }
            for (size_t part = 0; part < parts.size(); part++) {
                part_numbers.push_back((int)part);
                positions.push_back(at_most(k, tables.points));
                results.push_back(parts[part]);
            }
        }
        // (k, line), or (line, k), of f64 behind the part of the number
        std::vector<Var> pure = {at, line, batch};
        std::vector<Expr> to = {scatter(positions), line, batch};
        if (shape.lines != FftPassShape::Lines::along) {
            std::swap(pure[0], pure[1]);
            std::swap(to[0], to[1]);
        }
        if (is_f64) {
            pure.insert(pure.begin(), part);
            to.insert(to.begin(), scatter(part_numbers));
        }
        out(pure) = Halide::undef(is_f64 ? type : Halide::UInt(64));
        out(to) = gather(results);
    }
};

}  // namespace tilewright
