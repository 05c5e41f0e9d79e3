#pragma once
#include "generators/algorithms/fft2d/butterfly.h"
#include <string>

// One pass of a Fourier transform over an image: many lines of the same length, each transformed on its own. A two-dimensional transform
// is a pass over the rows and one over the columns; a convolution is one pass each with `convolve`.
//
// What the caller makes (runtime/operators/fft_tables.h makes the tables, in f64). L is the product of the radices; all complex numbers are
// words of 64 bits, real part low. `in` and `out` are views of three dimensions, and the strides of the view say which lines these are:
//   lines along rows       in(n, line, batch)    out(k, line, batch)
//   lines across           in(line, n, batch)    out(line, k, batch)
//   turned                 in(n, line, batch)    out(line, k, batch)
// Columns of an image are `across`, with one batch. A long line of L M points can be done in two passes, n = M j + g, k = k1 + L1 k2:
//   1. the transforms over j: the same as columns of length L1 whose rows are M apart, the M values of g being batches (of a column) or
//      neighbouring lines (of a row);
//   2. over g, with `twiddled`: the value at n is first multiplied by exp(-2 pi i n b / (L M)), where b = k1 is the number of the
//      batch (or of the line).
// Inputs, in this order:
//   in
//   roots      exp(-2 pi i n / L) for n < L
//   turns      `twiddled` only: exp(-2 pi i n / (L M)) for n < L M
//   first      `chirp_first` only: (n, b): the value at n is multiplied by it first
//   last       `chirp_last` only: (k, b): the result at k is multiplied by it
//   response   `convolve` only: (i, b): what frequency number order(i) is multiplied by (FftTables::order), scale included
//   middle     `convolve` only: exp(-2 pi i order(u) / L) for u < L / last radix
//   sign, scale_re, scale_im   (f32) not with `convolve`: the imaginary part is multiplied by `sign` when read, the result's parts by the
//              scales. sign = -1, scale_re = s, scale_im = -s is the inverse transform times s; of several passes the first has the
//              sign, and the last the scales.
// b is 0, the number of the line or of the batch, as `Pass::numbered` says.
namespace tilewright {

struct Pass {
    enum class Lines { along, across, turned };
    enum class Numbered { none, by_line, by_batch };

    std::vector<int> radices;       // n = n0 (L / R0) + n1 (L / R0 R1) + ...: a digit a stage
    Lines lines = Lines::along;
    Numbered numbered = Numbered::none;
    bool twiddled = false, chirp_first = false, chirp_last = false, convolve = false;
    int side_by_side = 1;           // how many butterflies of the last stage are done side by side

    int length() const {
        int all = 1;
        for (int r : radices) {
            all *= r;
        }
        return all;
    }
};

// What a pass reads besides the lines; those that it does not use are undefined.
struct PassTables {
    Halide::Func roots, turns, first, last, response, middle;
    Halide::Expr sign, scale_re, scale_im;
};

// Each line is kept in `cells`, one dimension a digit of n, and transformed in place, a stage a digit: a stage reads the R values
// that differ in its digit, and puts the R values of their transform where they were. Afterwards the digit is one of k = k0 + R0 k1 + ....
// The last stage writes k in its natural order to `out`. All factors stand before the butterfly: exp(-2 pi i n_s K / P), K being the
// digits found so far, on the way there; exp(2 pi i k_s r / L_s), r being the digits that are left, on the way back.
//
// `convolve`: forward, times the response in the order in which the digits lie, back; the last stage forward, the product and the first
// stage back are one, so that nothing is ever put into order.
struct FftPass : Halide::NamesInterface {
    static constexpr const char *name = "fft_pass";

    // Of one stage: the digit that it transforms, the factors that it makes for each butterfly.
    struct Stage {
        int digit;
        std::vector<Func> factors;
    };

    const Pass pass;
    const int count, length, butterflies;  // of digits, of points, of the last stage's butterflies
    Var line{"line"}, batch{"batch"}, at{"at"};
    std::vector<Var> digits;
    Func cells{"cells"}, out{"out"};
    std::vector<Stage> stages;     // updates of cells
    std::vector<Func> last_factors;
    RDom last_stage;               // turns, butterflies side by side

    // `words`: cells are words of 64 bits, else pairs of f32.
    FftPass(Func in, const PassTables &tables, const Pass &pass, MultiplyAdd multiply_add, bool words)
        : pass(pass), count((int)pass.radices.size()), length(pass.length()),
          butterflies(length / pass.radices[pass.convolve ? 0 : pass.radices.size() - 1]), in(std::move(in)), tables(tables),
          transform(std::move(multiply_add)), words(words) {
        for (int s = 0; s < count; s++) {
            digits.push_back(Var("digit" + std::to_string(s)));
        }
        begin();
        for (int s = 0; s < (pass.convolve ? count : count - 1); s++) {
            forward(s);
        }
        if (pass.convolve) {
            for (int s = count - 2; s >= 1; s--) {
                backward(s);
            }
        }
        finish();
    }

    bool across() const {
        return pass.lines == Pass::Lines::across;
    }

private:
    Func in;
    PassTables tables;
    Butterfly transform;
    bool words;

    int radix(int s) const {
        return pass.radices[(size_t)s];
    }
    // How far apart in n the values of digit s are.
    int stride(int s) const {
        int all = 1;
        for (int j = s + 1; j < count; j++) {
            all *= radix(j);
        }
        return all;
    }
    Expr number() const {
        return pass.numbered == Pass::Numbered::by_line ? Expr(line) : pass.numbered == Pass::Numbered::by_batch ? Expr(batch) : Expr(0);
    }
    std::vector<Expr> digit_values() const {
        return {digits.begin(), digits.end()};
    }

    // Where the cell of these digits is.
    std::vector<Expr> cell(const std::vector<Expr> &digit) const {
        std::vector<Expr> place(digit.rbegin(), digit.rend());
        place.insert(across() ? place.begin() : place.end(), line);
        place.push_back(batch);
        return place;
    }

    void begin() {
        std::vector<Var> place(digits.rbegin(), digits.rend());
        place.insert(across() ? place.begin() : place.end(), line);
        place.push_back(batch);
        if (words) {
            cells(place) = Halide::undef<uint64_t>();
        } else {
            cells(place) = Tuple(Halide::undef<float>(), Halide::undef<float>());
        }
    }

    // The values of digit s.
    std::vector<Complex> read(int s, std::vector<Expr> digit) const {
        std::vector<Complex> values;
        for (int j = 0; j < radix(s); j++) {
            digit[(size_t)s] = j;
            const auto place = cell(digit);
            values.push_back(words ? Complex::of_word(cells(place)) : Complex{cells(place)[0], cells(place)[1]});
        }
        return values;
    }

    // In place: all values are read before any is written.
    void write(int s, const std::vector<Complex> &values, std::vector<Func> factors) {
        std::vector<Expr> index, packed, re, im, digit = digit_values();
        for (int j = 0; j < radix(s); j++) {
            index.push_back(j);
            re.push_back(values[(size_t)j].re);
            im.push_back(values[(size_t)j].im);
            packed.push_back(values[(size_t)j].word());
        }
        digit[(size_t)s] = scatter(index);
        if (words) {
            cells(cell(digit)) = gather(packed);
        } else {
            cells(cell(digit)) = Tuple(gather(re), gather(im));
        }
        stages.push_back({s, std::move(factors)});
    }

    // The value at n as the transform takes it.
    Complex read_in(Expr n) const {
        Complex value = Complex::of_word(across() ? in(line, n, batch) : in(n, line, batch));
        if (!pass.convolve) {
            value.im = value.im * tables.sign;
        }
        return pass.chirp_first ? value * Complex::of_word(tables.first(n, number())) : value;
    }

    // The factors of a transform of n values with w = base(arg), each a Func of its own: few numbers, made once a butterfly.
    Factors factors_of(int n, const std::function<Expr(Expr)> &base, Expr arg, int sign, std::vector<Func> &made) const {
        Factors factors;
        Func before;
        for (int m = n; m >= 2; m /= 2) {
            Func power(Halide::Internal::unique_name("power"));
            Complex w;
            if (m == n) {
                w = Complex::of_word(base(at));
                w = sign > 0 ? conjugate(w) : w;
            } else {
                const Complex root{before(at)[0], before(at)[1]};
                w = root * root;
            }
            power(at) = Tuple(w.re, w.im);
            made.push_back(power);
            before = power;
            factors[{m, 0}] = {power(arg)[0], power(arg)[1]};
            for (int k = 1; k < m / 4; k++) {
                Func turned(Halide::Internal::unique_name("turned"));
                const Complex product = Complex{power(at)[0], power(at)[1]} * Complex::root(k, m, sign);
                turned(at) = Tuple(product.re, product.im);
                made.push_back(turned);
                factors[{m, k}] = {turned(arg)[0], turned(arg)[1]};
            }
        }
        return factors;
    }

    // n without the digits up to s.
    Expr lower(int s, const std::vector<Expr> &digit) const {
        Expr sum = 0;
        for (int j = s + 1; j < count; j++) {
            sum += digit[(size_t)j] * stride(j);
        }
        return sum;
    }
    // The number of a butterfly of the last stage, in the order in which its digits lie.
    Expr butterfly_of(const std::vector<Expr> &digit) const {
        Expr number = 0;
        int all = 1;
        for (int j = count - 2; j >= 0; j--) {
            number += digit[(size_t)j] * all;
            all *= radix(j);
        }
        return number;
    }

    void forward(int s) {
        const auto digit = digit_values();
        std::vector<Func> made;
        std::vector<Complex> values;
        Factors factors;
        bool has_factors = s > 0;
        if (s == 0) {
            for (int j = 0; j < radix(0); j++) {
                values.push_back(read_in(j * stride(0) + lower(0, digit)));
            }
            if (pass.twiddled) {  // W^(b (n0 stride + r)) = W^(b r) (W^(b stride))^n0
                const Complex all = Complex::of_word(tables.turns(number() * lower(0, digit)));
                for (Complex &value : values) {
                    value = value * all;
                }
                factors = factors_of(radix(0), [&](Expr b) { return tables.turns(b * stride(0)); }, number(), -1, made);
                has_factors = true;
            }
        } else {
            values = read(s, digit);
            if (s == count - 1) {  // of `convolve`: neighbours have neighbouring factors
                factors = factors_of(radix(s), [&](Expr u) { return tables.middle(u); }, butterfly_of(digit), -1, made);
            } else {
                Expr found = 0;
                int period = 1;
                for (int j = 0; j < s; j++) {
                    found += digit[(size_t)j] * period;
                    period *= radix(j);
                }
                period *= radix(s);
                factors = factors_of(radix(s), [&](Expr k) { return tables.roots(k * (length / period)); }, found, -1, made);
            }
        }
        values = transform(values, -1, has_factors ? &factors : nullptr);
        if (s == count - 1) {
            for (int q = 0; q < radix(s); q++) {
                values[(size_t)q] = values[(size_t)q] * Complex::of_word(tables.response(butterfly_of(digit) + q * (length / radix(s)), number()));
            }
            values = transform(values, 1);
        }
        write(s, values, made);
    }

    void backward(int s) {
        std::vector<Func> made;
        const auto digit = digit_values();
        const Factors factors = factors_of(radix(s), [&](Expr r) { return tables.roots(r * (length / (radix(s) * stride(s)))); },
                                           lower(s, digit), 1, made);
        write(s, transform(read(s, digit), 1, &factors), made);
    }

    // The last stage writes its values where they belong in `out`.
    void finish() {
        const int s = pass.convolve ? 0 : count - 1, sign = pass.convolve ? 1 : -1, side = std::min(pass.side_by_side, butterflies);
        last_stage = RDom(0, butterflies / side, 0, side, "last_stage");
        const Expr butterfly = last_stage.y + side * last_stage.x;
        std::vector<Expr> digit((size_t)count);
        Expr rest = butterfly;
        for (int step = 0; step < count - 1; step++) {
            const int j = pass.convolve ? count - 1 - step : step;
            digit[(size_t)j] = rest % radix(j);
            rest = rest / radix(j);
        }
        const Factors factors = factors_of(radix(s), [&](Expr k) { return tables.roots(k); }, butterfly, sign, last_factors);
        const auto values = transform(read(s, digit), sign, &factors);

        std::vector<Expr> places, results;
        for (int q = 0; q < radix(s); q++) {
            const Expr k = butterfly + q * butterflies;
            Complex value = values[(size_t)q];
            if (pass.chirp_last) {
                value = value * Complex::of_word(tables.last(k, number()));
            }
            if (!pass.convolve) {
                value = {value.re * tables.scale_re, value.im * tables.scale_im};
            }
            places.push_back(k);
            results.push_back(value.word());
        }
        if (pass.lines == Pass::Lines::along) {
            out(at, line, batch) = Halide::undef<uint64_t>();
            out(scatter(places), line, batch) = gather(results);
        } else {
            out(line, at, batch) = Halide::undef<uint64_t>();
            out(line, scatter(places), batch) = gather(results);
        }
    }
};

}  // namespace tilewright
