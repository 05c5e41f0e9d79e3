#pragma once
// A form of fft2d: one pass over lines of any length whose prime factors are at most 13. Variants on
// CPUs: fused_mixed* of fft2d and fresnel; of c64 for sides that have no other pass, of c128 for all sides.
// FftMixedBlocks (mixed_blocks.h) is the same for blocks of threads of a GPU.
//
// The length and the number of stages of each radix are numbers of the call, so that one library serves all
// lengths. The stages are those of W. M. Gentleman and G. Sande, "Fast Fourier Transforms: for Fun and
// Profit", 1966 (decimation in frequency): a line of P = R S points becomes R lines of S points, of which
// line k has the frequencies k, k + R, k + 2 R .... The stages are done in place, in `cells`; the host says
// where each frequency is in the end.
//
// A length may have one prime factor that is no radix: its stage is the first one, and is done while the line
// is read. It is a loop over the terms of sums, so that its code serves all prime numbers.
//
// A line may be a part of a longer one, as in pass.h, and may be read with zeros behind it, so that
// convolutions with a chirp are made of two passes, or of one that `convolves`
// (runtime/operators/fft_mixed.h). Inputs, in this order; FftMixedNumbers says what b, g and h are. The host
// computes the tables in f64. Complex numbers of f32 are words of 64 bits, the real part low; those of f64
// are Tuples of two parts, and the output then has a first dimension for the part.
//   in         (n, line, batch); with FftMixedShape::columns (line, n, batch)
//   roots      exp(-2 pi i n / L) for n < L, the length
//   first      what values are multiplied by when they are read
//   last       what results are multiplied by
//   positions  (k): which cell has frequency k after the stages
//   strides    (stage): S + 2^16 (L / P) + 2^32 fft_mixed_reciprocal(S)
//   counts     how many stages each radix has
//   the numbers of FftMixedNumbers, each by its name
//   sign, scale_re, scale_im    as of FftPass
// Output: (k, line, batch), or (line, k, batch).
#include "generators/algorithms/fft2d/complex_values.h"
#include "generators/algorithms/fft2d/mixed_shape.h"
#include "generators/algorithms/fft2d/small_transform.h"
#include <string>
#include <utility>

namespace tilewright {

struct FftMixedTables {
    Halide::Func roots, first, last, positions, response, strides;
    std::vector<Halide::Expr> counts;
    Halide::Expr sign, scale_re, scale_im;
};

// The lines are a dimension of the cells, of which a schedule makes vectors.
struct FftMixed : Halide::NamesInterface {
    static constexpr const char *name = "fft_mixed";
    using Numbers = FftMixedNumbers<Expr>;

    // One loop over stages of the same radix: the loops of its update, and the Func of what the stage's
    // number says, which is computed once per stage.
    struct Stages {
        RDom loops;  // (butterfly, stage)
        Func strides;
        int update;  // of `cells`
    };

    Var line{"line"}, batch{"batch"}, at{"at"}, x{"x"}, y{"y"}, stage{"stage"}, part{"part"};
    Func cells{"cells"}, out{"out"};
    // Of the two updates that read a line, one has no iteration: `reading` (n), and `reading_by_loop` (k, r),
    // whose butterfly r has the values r + j length / loop_radix. The sums and differences of those of j and
    // loop_radix - j are `pairs`, and `halves` the sums over `terms` of which the results k and
    // loop_radix - k are the sum and the difference.
    Var j{"j"}, k{"k"}, r{"r"};
    Func pairs{"pairs"}, halves{"halves"};
    RDom reading, reading_by_loop, terms;
    std::vector<Stages> stages;
    const Expr length;
    const FftMixedShape shape;
    const Halide::Type type;  // of the parts of numbers
    const bool is_f64;

    FftMixed(Func in, FftMixedTables tables, const Numbers &numbers, const FftMixedShape &shape,
        MultiplyAdd multiply_add, Halide::Type type)
        : length(numbers.length), shape(shape), type(type), is_f64(type.bits() == 64), in(std::move(in)),
          tables(std::move(tables)), numbers(numbers), power_of_two(std::move(multiply_add)) {
        cells(line, at, batch) = Halide::undef(type);
        read();
        read_by_loop();
        Expr before = 0;
        for (size_t i = 0; i < mixed_radices.size(); i++) {
            if (shape.stages()[i] > 0) {
                transform(mixed_radices[i], this->tables.counts[i], before);
            }
            before += this->tables.counts[i];
        }
        write();
    }

    // The dimensions of `out` along a line and across it.
    const Var &along() const {
        return shape.columns ? y : x;
    }
    const Var &across() const {
        return shape.columns ? x : y;
    }

    // a / b by fft_mixed_reciprocal(b).
    static Expr quotient(const Expr &a, const Expr &reciprocal) {
        const auto wide = [](const Expr &x) { return cast<uint64_t>(cast<uint32_t>(x)); };
        return cast<int>((wide(a + 1) * wide(reciprocal)) >> 32);
    }

private:
    Func in;
    FftMixedTables tables;
    Numbers numbers;
    Butterfly power_of_two;
    int updates = 0;

    static Expr within(const Expr &i, const Expr &extent) {
        return unsafe_promise_clamped(i, 0, extent - 1);
    }
    // The cell of the real part of a number; that of the imaginary one is the next one.
    Expr cell(const Expr &i) const {
        return 2 * within(i, length);
    }
    Complex value(const Var &of_line, const Expr &cell) const {
        return {cells(of_line, cell, batch), cells(of_line, cell + 1, batch)};
    }
    // Stores numbers in these cells, after all that they depend on was read.
    void store(const std::vector<Expr> &index, const std::vector<Complex> &values) {
        std::vector<Expr> positions, parts;
        for (size_t i = 0; i < values.size(); i++) {
            positions.insert(positions.end(), {index[i], index[i] + 1});
            parts.insert(parts.end(), {values[i].re, values[i].im});
        }
        cells(line, scatter(positions), batch) = gather(parts);
        updates++;
    }

    // The number at n, times its factor.
    Complex received(const Expr &n) const {
        const Expr number = min(line, numbers.lines - 1), is_present = n < numbers.present,
                   i = select(is_present, n, 0);
        ComplexValues both;
        for (const Expr &value : values_of(shape.columns ? in(number, i, batch) : in(i, number, batch))) {
            both.push_back(select(is_present, value, Halide::Internal::make_zero(value.type())));
        }
        both =
            joined(both, factor_where(numbers.first_by_point != 0, tables.first(i * numbers.first_by_point)));
        return product_of(both, tables.sign);
    }
    Complex root(const Expr &i) const {
        return number_of(values_of(tables.roots(within(i, length))));
    }

    void read() {
        reading = RDom(0, select(numbers.loop_radix == 1, length, 0), "reading");
        store({cell(reading.x)}, {received(reading.x)});
    }

    void read_by_loop() {
        const Expr radix = numbers.loop_radix, half = radix / 2,
                   apart = quotient(length, numbers.of_loop_radix),
                   butterflies = select(radix == 1, 0, apart);
        const Complex a = received(r + j * apart), b = received(r + select(j == 0, 0, radix - j) * apart);
        pairs(line, j, r, batch) = Tuple(a.re + b.re, a.im + b.im, a.re - b.re, a.im - b.im);
        const auto pair = [&](const Expr &j) { return pairs(line, j, r, batch); };
        const Expr zero = Halide::Internal::make_zero(type), two = Halide::Internal::make_const(type, 2);
        halves(line, k, r, batch) = Tuple(pair(0)[0] / two, pair(0)[1] / two, zero, zero);
        terms = RDom(1, half, "terms");
        const Expr turns = terms.x * k;
        const Complex w = root((turns - quotient(turns, numbers.of_loop_radix) * radix) * apart);
        const Halide::FuncRef of_term = pair(terms.x);
        Halide::FuncRef sums = halves(line, k, r, batch);
        sums = Tuple(sums[0] + of_term[0] * w.re, sums[1] + of_term[1] * w.re, sums[2] - of_term[2] * w.im,
            sums[3] - of_term[3] * w.im);

        reading_by_loop = RDom({{0, radix}, {0, butterflies}}, "reading_by_loop");
        const Expr result = reading_by_loop.x, butterfly = reading_by_loop.y, is_first = result <= half;
        const Expr of_half = unsafe_promise_clamped(select(is_first, result, radix - result), 0, half);
        const Halide::FuncRef both = halves(line, of_half, butterfly, batch);
        const Expr sign =
            select(is_first, Halide::Internal::make_one(type), -Halide::Internal::make_one(type));
        const Complex value{both[0] + both[3] * sign, both[1] - both[2] * sign};
        store({cell(result * apart + butterfly)}, {value * root(result * butterfly)});
    }

    // All stages of one radix; `before` stages have other ones.
    void transform(int radix, const Expr &count, const Expr &before) {
        const std::string number = std::to_string(radix);
        Stages made;
        made.update = updates;
        made.strides = Func("strides_of_" + number);
        made.strides(stage) = tables.strides(stage + before);
        made.loops = RDom({{0, length / radix}, {0, count}}, "stages_of_" + number);
        const Expr butterfly = made.loops[0], both = made.strides(made.loops[1]);
        const Expr low = cast<int>(cast<uint32_t>(both)), stride = low & 0xffff, step = (low >> 16) & 0xffff;
        const Expr group = quotient(butterfly, cast<int>(cast<uint32_t>(both >> 32))),
                   rest = butterfly - group * stride, first = butterfly + group * stride * (radix - 1);
        std::vector<Expr> index;
        std::vector<Complex> values;
        for (int j = 0; j < radix; j++) {
            index.push_back(cell(first + j * stride));
            values.push_back(value(line, index.back()));
        }
        values = small_transform(values, power_of_two);
        const auto factors = powers(number_of(values_of(tables.roots(within(rest * step, length)))), radix);
        for (size_t k = 1; k < (size_t)radix; k++) {
            values[k] = values[k] * factors[k];
        }
        store(index, values);
        stages.push_back(made);
    }

    void write() {
        const Complex factor = number_of(factor_where(numbers.last_by_result != 0, tables.last(along())));
        const Complex v = value(across(), cell(tables.positions(along()))) * factor,
                      result{v.re * tables.scale_re, v.im * tables.scale_im};
        if (!is_f64) {
            out(x, y, batch) = result.word();
            return;
        }
        out(part, x, y, batch) = select(part == 0, result.re, result.im);
    }
};

}  // namespace tilewright
