#pragma once
// A form of fft2d: one pass over lines of any length whose prime factors are at most 13. Variants:
// fused_mixed* of fft2d and fresnel, for sides that are no powers of two from 16 to 8192.
//
// The length and the number of stages of each radix are numbers of the call, so that one library serves all
// lengths. The stages are those of W. M. Gentleman and G. Sande, "Fast Fourier Transforms: for Fun and
// Profit", 1966 (decimation in frequency): a line of P = R S points becomes R lines of S points, of which
// line k has the frequencies k, k + R, k + 2 R .... The stages are done in place, in `cells`; the host says
// where each frequency is in the end.
//
// A line may be a part of a longer one, as in pass.h, and may be read with zeros behind it, so that
// convolutions with a chirp are made of two passes (runtime/operators/fft_mixed.h). Inputs, in this order;
// FftMixedNumbers says what b, g and h are. The host computes the tables in f64. Complex numbers are words of
// 64 bits, the real part low.
//   in         (n, line, batch), or (line, n, batch)
//   roots      exp(-2 pi i n / L) for n < L, the length
//   first      what values are multiplied by when they are read
//   last       what results are multiplied by
//   positions  (k): which cell has frequency k after the stages
//   strides    (stage): S + 2^32 (L / P). In shared memory they are words as the cells are: Halide 21 takes
//              accesses for out of bounds where arrays of several types share an allocation
//   counts     how many stages each radix has
//   the numbers of FftMixedNumbers, each by its name
//   sign, scale_re, scale_im    as of FftPass
// Output: (k, line, batch), or (line, k, batch).
#include "generators/algorithms/fft2d/butterfly.h"
#include "generators/algorithms/fft2d/mixed_shape.h"
#include <string>
#include <utility>

namespace tilewright {

// exp(-2 pi i j k / n) times v[j], summed over j, for an odd number n of values: those of j and n - j are
// added and subtracted first.
inline std::vector<Complex> odd_butterfly(const std::vector<Complex> &v) {
    const int n = (int)v.size();
    std::vector<Complex> sums, differences, x((size_t)n, v[0]);
    for (int j = 1; j <= n / 2; j++) {
        sums.push_back(v[(size_t)j] + v[(size_t)(n - j)]);
        differences.push_back(v[(size_t)j] - v[(size_t)(n - j)]);
        x[0] = x[0] + sums.back();
    }
    for (int k = 1; k <= n / 2; k++) {
        Complex even = v[0], odd{0.0f, 0.0f};
        for (int j = 1; j <= n / 2; j++) {
            const Complex root = Complex::root(j * k % n, n, 1);
            const Complex &sum = sums[(size_t)(j - 1)], &difference = differences[(size_t)(j - 1)];
            even = {sum.re * root.re + even.re, sum.im * root.re + even.im};
            odd = {difference.re * root.im + odd.re, difference.im * root.im + odd.im};
        }
        x[(size_t)k] = {even.re + odd.im, even.im - odd.re};
        x[(size_t)(n - k)] = {even.re - odd.im, even.im + odd.re};
    }
    return x;
}

struct FftMixedTables {
    Halide::Func roots, first, last, positions, strides;
    std::vector<Halide::Expr> counts;
    Halide::Expr sign, scale_re, scale_im;
};

// With `threads`, a block of so many threads transforms `together` lines in one vector of cells, of which
// there are `size`: a thread takes each `threads`-th one of all the points or butterflies of the lines.
// Without threads, the lines are a dimension of the cells, and a schedule makes vectors of it.
struct FftMixed : Halide::NamesInterface {
    static constexpr const char *name = "fft_mixed";
    using Numbers = FftMixedNumbers<Expr>;

    // One loop over stages of the same radix: the loops of its update, and the Func of what the stage's
    // number says, which is computed once per stage.
    struct Stages {
        RDom loops;  // with threads: (iteration, thread, stage); without: (butterfly, stage)
        Func strides;
    };

    Var line{"line"}, batch{"batch"}, at{"at"}, block{"block"}, x{"x"}, y{"y"}, stage{"stage"};
    Func cells{"cells"}, out{"out"};
    RDom reading, writing;  // with threads: (iteration, thread), (iteration, thread, block)
    std::vector<Stages> stages;
    const Expr length;
    const FftMixedShape shape;

    FftMixed(Func in, FftMixedTables tables, const Numbers &numbers, const FftMixedShape &shape,
        MultiplyAdd multiply_add, int threads, int size)
        : length(numbers.length), shape(shape), in(std::move(in)), tables(std::move(tables)),
          numbers(numbers), power_of_two(std::move(multiply_add)), threads(threads), size(size) {
        if (on_threads()) {
            cells(at, block, batch) = Halide::undef<uint64_t>();
        } else {
            cells(line, at, batch) = Halide::undef<float>();
        }
        read();
        Expr before = 0;
        for (size_t i = 0; i < mixed_radices.size(); i++) {
            if (const int most = shape.stages()[i]) {
                transform(mixed_radices[i], this->tables.counts[i], before, most);
            }
            before = before + this->tables.counts[i];
        }
        write();
    }

    bool on_threads() const {
        return threads > 0;
    }

    // Without threads: the dimensions of `out` along a line and across it.
    const Var &along() const {
        return shape.columns ? y : x;
    }
    const Var &across() const {
        return shape.columns ? x : y;
    }

private:
    // A point of a line, or the number of a butterfly in it.
    struct Place {
        Expr line, point;
    };

    Func in;
    FftMixedTables tables;
    Numbers numbers;
    Butterfly power_of_two;
    int threads, size;

    // Of numbers that are not negative, which Halide does not know.
    static Expr quotient(const Expr &a, const Expr &b) {
        return cast<int>(cast<uint32_t>(a) / cast<uint32_t>(b));
    }
    static Expr within(const Expr &i, const Expr &extent) {
        return unsafe_promise_clamped(i, 0, extent - 1);
    }

    // Which of all points of the lines of a block item number `i` is: neighbouring items are neighbouring
    // lines where these are columns, and neighbouring points of a row.
    Place place(const Expr &i, const Expr &points, const Expr &columns) const {
        const Expr inner = select(columns != 0, numbers.together, points);
        const Expr slow = quotient(i, inner), fast = i - slow * inner;
        return {select(columns != 0, fast, slow), select(columns != 0, slow, fast)};
    }

    // How often all threads take an item each.
    Expr iterations(const Expr &items) const {
        return (items + (threads - 1)) / threads;
    }

    // The index of a cell. After each 16 words of 8 bytes one is left out, so that powers of two are in
    // different banks of shared memory.
    std::vector<Expr> cell(const Place &p, const Expr &of_block) const {
        if (!on_threads()) {
            return {line, 2 * within(p.point, length), batch};
        }
        const Expr i = select(
            numbers.reads_columns != 0, p.point * numbers.together + p.line, p.line * length + p.point);
        return {within(i + i / 16, size), of_block, batch};
    }
    Complex value(const std::vector<Expr> &index) const {
        return on_threads() ? Complex::of_word(cells(index)) :
                              Complex{cells(index), cells(line, index[1] + 1, batch)};
    }
    // Stores numbers at these cells, after all that they depend on was read.
    void store(const std::vector<std::vector<Expr>> &index, const std::vector<Complex> &values) {
        const size_t moving = on_threads() ? 0 : 1;
        std::vector<Expr> positions, parts, all = index[0];
        for (size_t i = 0; i < values.size(); i++) {
            positions.push_back(index[i][moving]);
            parts.push_back(on_threads() ? values[i].word() : values[i].re);
            if (!on_threads()) {
                positions.push_back(index[i][moving] + 1);
                parts.push_back(values[i].im);
            }
        }
        all[moving] = scatter(positions);
        cells(all) = gather(parts);
    }

    Expr b_of(const Expr &number) const {
        return number * numbers.b_of_line + batch * numbers.b_of_batch;
    }

    // The value at a point as the transform reads it; `number` is that of the line in its batch.
    Complex read_in(const Expr &n, const Expr &number, const Expr &columns) const {
        const Expr b = b_of(number), g = n * numbers.read_step + b * numbers.read_offset;
        const Expr is_present = g < numbers.present;
        const Expr i = select(is_present, n, 0);
        const Expr place_x = select(columns != 0, number, i), place_y = select(columns != 0, i, number);
        Complex v = Complex::of_word(in(place_x, place_y, batch));
        v.im = v.im * tables.sign;
        const Expr factor = g * numbers.first_by_point + n * b * numbers.twiddled;
        v = v * Complex::of_word(tables.first(select(is_present, factor, 0)));
        return {select(is_present, v.re, 0.0f), select(is_present, v.im, 0.0f)};
    }

    void read() {
        if (on_threads()) {
            const Expr items = numbers.together * length;
            reading = RDom(0, iterations(items), 0, threads, "reading");
            const Expr i = reading.y + threads * reading.x;
            reading.where(i < items);
            const Place p = place(i, length, numbers.reads_columns);
            const Expr number = min(block * numbers.together + p.line, numbers.lines - 1);
            cells(cell(p, block)) = read_in(p.point, number, numbers.reads_columns).word();
            return;
        }
        reading = RDom(0, length, "reading");
        const Expr number = min(line, numbers.lines - 1);
        store({cell({line, reading.x}, block)}, {read_in(reading.x, number, Expr((int)shape.columns))});
    }

    // The factors w, w^2, ... of the results of a butterfly; number 0 is not there.
    static std::vector<Complex> powers(const Complex &w, int count) {
        std::vector<Complex> all(2, w);
        for (int k = 2; k < count; k++) {
            all.push_back(all[(size_t)(k / 2)] * all[(size_t)(k - k / 2)]);
        }
        return all;
    }

    // All stages of one radix; `before` stages have other ones.
    void transform(int radix, const Expr &count, const Expr &before, int most) {
        const std::string number = std::to_string(radix), name = "stages_of_" + number;
        const Expr butterflies = length / radix;
        Stages made;
        made.strides = Func("strides_of_" + number);
        made.strides(stage) = tables.strides(stage + before);
        Place p{line, 0};
        Expr of_stage;
        if (on_threads()) {
            const Expr items = numbers.together * butterflies;
            const Expr all_stages = shape.unrolled ? Expr(most) : count;
            made.loops = RDom({{0, iterations(items)}, {0, threads}, {0, all_stages}}, name);
            const Expr i = made.loops[1] + threads * made.loops[0];
            made.loops.where(i < (shape.unrolled ? select(made.loops[2] < count, items, 0) : items));
            p = place(i, butterflies, numbers.reads_columns);
            of_stage = made.loops[2];
        } else {
            made.loops = RDom({{0, butterflies}, {0, count}}, name);
            p.point = made.loops[0];
            of_stage = made.loops[1];
        }
        const Expr both = shape.unrolled ? tables.strides(of_stage + before) : made.strides(of_stage);
        const Expr stride = cast<int>(cast<uint32_t>(both)), step = cast<int>(cast<uint32_t>(both >> 32));
        const Expr group = quotient(p.point, stride), rest = p.point - group * stride;
        const Expr base = p.point + group * stride * (radix - 1);
        std::vector<std::vector<Expr>> index;
        std::vector<Complex> values;
        for (int j = 0; j < radix; j++) {
            index.push_back(cell({p.line, base + j * stride}, block));
            values.push_back(value(index.back()));
        }
        values = radix % 2 ? odd_butterfly(values) : power_of_two(values, -1);
        const auto factors = powers(Complex::of_word(tables.roots(within(rest * step, length))), radix);
        for (size_t k = 1; k < (size_t)radix; k++) {
            values[k] = values[k] * factors[k];
        }
        store(index, values);
        stages.push_back(made);
    }

    Expr result(const Complex &of_cell, const Expr &h) const {
        const Complex v = of_cell * Complex::of_word(tables.last(h * numbers.last_by_result));
        return Complex{v.re * tables.scale_re, v.im * tables.scale_im}.word();
    }

    void write() {
        if (!on_threads()) {
            const Expr position = 2 * within(tables.positions(along()), length);
            const Complex v{cells(across(), position, batch), cells(across(), position + 1, batch)};
            out(x, y, batch) = result(v, along());
            return;
        }
        const Expr items = numbers.together * length;
        writing = RDom({{0, iterations(items)}, {0, threads}, {0, numbers.blocks}}, "writing");
        const Expr i = writing[1] + threads * writing[0], of_block = writing[2];
        const Place p = place(i, length, numbers.writes_columns);
        const Expr number = of_block * numbers.together + p.line;
        const Expr h = p.point * numbers.write_step + b_of(number) * numbers.write_offset;
        writing.where(i < items && number < numbers.lines && h < numbers.written);
        const Expr word = result(value(cell({p.line, tables.positions(within(p.point, length))}, of_block)),
            min(h, numbers.written));
        out(x, y, batch) = Halide::undef<uint64_t>();
        const Expr columns = numbers.writes_columns != 0;
        out(within(select(columns, number, p.point), numbers.result_width),
            within(select(columns, p.point, number), numbers.result_height), batch) = word;
    }
};

}  // namespace tilewright
