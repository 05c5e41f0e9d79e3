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
// convolutions with a chirp are made of two passes, or of one that `convolves`
// (runtime/operators/fft_mixed.h). Inputs, in this order; FftMixedNumbers says what b, g and h are. The host
// computes the tables in f64. Complex numbers of f32 are words of 64 bits, the real part low; those of f64
// are Tuples of two parts, and the output then has a first dimension for the part.
//   in         (n, line, batch), or (line, n, batch)
//   roots      exp(-2 pi i n / L) for n < L, the length
//   first      what values are multiplied by when they are read
//   last       what results are multiplied by
//   positions  (k): which cell has frequency k after the stages. Not with FftMixedShape::convolves
//   response   with `convolves` only: (i): cell i is multiplied by it after the stages. Then the conjugate of
//              the line is transformed from the order of the cells into that of the points, by the same
//              stages from the last one to the first one
//   strides    (stage): S + 2^16 (L / P) + 2^32 fft_mixed_reciprocal(S). In shared memory they are words as
//              the cells are: Halide 21 takes accesses for out of bounds where arrays of several types share
//              an allocation
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
        int update;  // of `cells`
    };

    Var line{"line"}, batch{"batch"}, at{"at"}, block{"block"}, x{"x"}, y{"y"}, stage{"stage"}, turn{"turn"},
        iteration{"iteration"}, thread{"thread"}, part{"part"};
    Func cells{"cells"}, out{"out"};
    // With threads: `reading` is (iteration, thread), `writing` is (turn, iteration, thread, block). A thread
    // moves `each` words per iteration. So that it waits for all of them at once, they and their factors are
    // `received` and `fetched` before they are used, those from the `sources`.
    RDom reading, writing;
    RDom multiplying;  // with `convolves`, an update of `cells` after the stages: (turn, iteration, thread)
    int multiplied = 0;
    Func responses{"responses"}, received{"received"}, sources{"sources"}, fetched{"fetched"};
    std::vector<Stages> stages;
    const Expr length;
    const FftMixedShape shape;
    const Halide::Type type;  // of the parts of numbers
    const bool is_f64;

    FftMixed(Func in, FftMixedTables tables, const Numbers &numbers, const FftMixedShape &shape,
        MultiplyAdd multiply_add, int threads, int size, int each, Halide::Type type)
        : length(numbers.length), shape(shape), type(type), is_f64(type.bits() == 64), in(std::move(in)),
          tables(std::move(tables)), numbers(numbers), power_of_two(std::move(multiply_add)),
          threads(threads), size(size), each(each) {
        if (on_threads()) {
            cells(at, block, batch) = Halide::undef<uint64_t>();
        } else {
            cells(line, at, batch) = Halide::undef(type);
        }
        read();
        transform(false);
        if (shape.convolves) {
            multiply();
            transform(true);
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
    int threads, size, each, updates = 1;

    // a / b by fft_mixed_reciprocal(b).
    static Expr quotient(const Expr &a, const Expr &reciprocal) {
        return cast<int>((cast<float>(a) + 0.5f) * reinterpret<float>(reciprocal));
    }
    static Expr within(const Expr &i, const Expr &extent) {
        return unsafe_promise_clamped(i, 0, extent - 1);
    }

    // Which of all points of the lines of a block item number `i` is: neighbouring items are neighbouring
    // lines where these are columns, and neighbouring points of a row.
    Place place(const Expr &i, const Expr &points, const Expr &reciprocal, const Expr &columns) const {
        const Expr inner = select(columns != 0, numbers.together, points);
        const Expr slow = select(columns != 0, i >> shift(), quotient(i, reciprocal));
        const Expr fast = i - slow * inner;
        return {select(columns != 0, fast, slow), select(columns != 0, slow, fast)};
    }

    // How often all threads take so many items.
    Expr iterations(const Expr &items, int of_thread) const {
        const int taken = threads * of_thread;
        return (items + (taken - 1)) / taken;
    }

    // Powers of two: without a sign, Halide shifts by one instruction.
    Expr shift() const {
        return cast<uint32_t>(numbers.shift);
    }
    Expr all_points() const {
        return length << shift();
    }
    Place neighbours(const Expr &i) const {
        return {i & (numbers.together - 1), i >> shift()};
    }

    // After each 16 words of 8 bytes one is left out, so that powers of two are in different banks of shared
    // memory.
    static Expr padded(const Expr &i) {
        return i + i / 16;
    }

    // The indices of the cells of points that are `step` apart.
    std::vector<std::vector<Expr>> cells_of(
        const Place &p, const Expr &step, int count, const Expr &of_block) const {
        std::vector<std::vector<Expr>> all;
        const Expr first = p.point * numbers.together + p.line, apart = step * numbers.together;
        for (int j = 0; j < count; j++) {
            if (on_threads()) {
                const Expr i = first + j * apart;
                all.push_back({within(padded(i), size), of_block, batch});
            } else {
                all.push_back({line, 2 * within(p.point + j * step, length), batch});
            }
        }
        return all;
    }
    std::vector<Expr> cell(const Place &p, const Expr &of_block) const {
        return cells_of(p, 0, 1, of_block)[0];
    }
    // From the cell of a real part to that of the imaginary one. On threads all cells are words, and of f64
    // those of imaginary parts are behind the others.
    int to_imaginary() const {
        return on_threads() ? size : 1;
    }
    ComplexValues values_at(std::vector<Expr> index) const {
        const Expr first = cells(index);
        if (on_threads() && !is_f64) {
            return {first};
        }
        index[on_threads() ? 0 : 1] += to_imaginary();
        return {reinterpret(type, first), reinterpret(type, cells(index))};
    }
    Complex value(const std::vector<Expr> &index) const {
        return number_of(values_at(index));
    }
    // Stores numbers at these cells, after all that they depend on was read.
    void store(const std::vector<std::vector<Expr>> &index, const std::vector<Complex> &values) {
        const size_t moving = on_threads() ? 0 : 1;
        const Halide::Type of_cells = on_threads() ? Halide::UInt(64) : type;
        std::vector<Expr> positions, parts, all = index[0];
        for (size_t i = 0; i < values.size(); i++) {
            Expr position = index[i][moving];
            for (const Expr &part : values_of(values[i], on_threads() && !is_f64)) {
                positions.push_back(position);
                parts.push_back(reinterpret(of_cells, part));
                position += to_imaginary();
            }
        }
        all[moving] = scatter(positions);
        cells(all) = gather(parts);
    }

    Expr b_of(const Expr &number) const {
        return number * numbers.b_of_line + batch * numbers.b_of_batch;
    }

    // The number from memory that is at a point as the transform reads it, 0 where there is none; `number` is
    // that of the line in its batch. And the one that it is multiplied by.
    ComplexValues received_at(const Expr &n, const Expr &number, const Expr &columns) const {
        const Expr b = b_of(number), g = n * numbers.read_step + b * numbers.read_offset;
        const Expr is_present = g < numbers.present, i = select(is_present, n, 0);
        const Expr place_x = select(columns != 0, number, i), place_y = select(columns != 0, i, number);
        ComplexValues all;
        for (const Expr &value : values_of(in(place_x, place_y, batch))) {
            all.push_back(select(is_present, value, Halide::Internal::make_zero(value.type())));
        }
        const Expr at = g * numbers.first_by_point + n * b * numbers.twiddled;
        return joined(all, factor_where(numbers.first_by_point + numbers.twiddled != 0,
                               tables.first(select(is_present, at, 0))));
    }

    // The item that a thread takes.
    Expr item(const Expr &turn, const Expr &iteration, const Expr &thread) const {
        return thread + threads * (turn + each * iteration);
    }

    void read() {
        if (on_threads()) {
            const Expr items = all_points();
            reading = RDom(0, iterations(items, each), 0, threads, "reading");
            const auto place_of = [&](const Expr &turn, const Expr &iteration, const Expr &thread) {
                return place(min(item(turn, iteration, thread), items - 1), length, numbers.of_length,
                    numbers.reads_columns);
            };
            const Place from = place_of(turn, iteration, thread);
            received(turn, iteration, thread, block, batch) = Tuple(received_at(
                from.point, min((block << shift()) + from.line, numbers.lines - 1), numbers.reads_columns));
            std::vector<std::vector<Expr>> index;
            std::vector<Complex> values;
            for (int j = 0; j < each; j++) {
                index.push_back(cell(place_of(j, reading.x, reading.y), block));
                const std::vector<Expr> at = {j, reading.x, reading.y, block, batch};
                values.push_back(product_of(values_of(received(at)), tables.sign));
            }
            store(index, values);
            return;
        }
        reading = RDom(0, length, "reading");
        const ComplexValues both =
            received_at(reading.x, min(line, numbers.lines - 1), Expr((int)shape.columns));
        store({cell({line, reading.x}, block)}, {product_of(both, tables.sign)});
    }

    // All stages, or those back from the last one to the first one.
    void transform(bool back) {
        std::vector<Expr> before(mixed_radices.size(), 0);
        for (size_t i = 1; i < mixed_radices.size(); i++) {
            before[i] = before[i - 1] + tables.counts[i - 1];
        }
        for (size_t turn = 0; turn < mixed_radices.size(); turn++) {
            const size_t i = back ? mixed_radices.size() - 1 - turn : turn;
            if (const int most = shape.stages()[i]) {
                transform(mixed_radices[i], tables.counts[i], before[i], most, back);
            }
        }
    }

    // All stages of one radix; `before` stages have other ones. A stage back multiplies before its
    // butterflies.
    void transform(int radix, const Expr &count, const Expr &before, int most, bool back) {
        const std::string number = std::to_string(radix) + (back ? "_back" : ""),
                          name = "stages_of_" + number;
        const Expr butterflies = length / radix;
        Stages made;
        made.update = updates++;
        made.strides = Func("strides_of_" + number);
        made.strides(stage) = tables.strides(stage + before);
        Place p{line, 0};
        Expr of_stage;
        if (on_threads()) {
            const Expr items = butterflies << shift();
            const Expr all_stages = shape.unrolled() ? Expr(most) : count;
            made.loops = RDom({{0, iterations(items, 1)}, {0, threads}, {0, all_stages}}, name);
            const Expr i = made.loops[1] + threads * made.loops[0];
            of_stage = back ? all_stages - 1 - made.loops[2] : Expr(made.loops[2]);
            made.loops.where(i < (shape.unrolled() ? select(of_stage < count, items, 0) : items));
            p = neighbours(i);
        } else {
            made.loops = RDom({{0, butterflies}, {0, count}}, name);
            p.point = made.loops[0];
            of_stage = made.loops[1];
        }
        const Expr both = shape.unrolled() ? tables.strides(of_stage + before) : made.strides(of_stage);
        const Expr low = cast<int>(cast<uint32_t>(both)), stride = low & 0xffff, step = (low >> 16) & 0xffff;
        const Expr group = quotient(p.point, cast<int>(cast<uint32_t>(both >> 32))),
                   rest = p.point - group * stride;
        const Expr base = p.point + group * stride * (radix - 1);
        const auto index = cells_of({p.line, base}, stride, radix, block);
        std::vector<Complex> values;
        for (const std::vector<Expr> &of_cell : index) {
            values.push_back(value(of_cell));
        }
        if (!back) {
            values = small_transform(values, power_of_two);
        }
        const auto factors = powers(number_of(values_of(tables.roots(within(rest * step, length)))), radix);
        for (size_t k = 1; k < (size_t)radix; k++) {
            values[k] = values[k] * factors[k];
        }
        store(index, back ? small_transform(values, power_of_two) : values);
        stages.push_back(made);
    }

    // Cells times the response, conjugated. For f32.
    void multiply() {
        multiplied = updates++;
        const Expr items = all_points();
        multiplying = RDom({{0, each}, {0, iterations(items, each)}, {0, threads}}, "multiplying");
        responses(turn, iteration, thread) =
            tables.response(min(item(turn, iteration, thread) >> shift(), length - 1));
        const Expr i = item(multiplying[0], multiplying[1], multiplying[2]);
        multiplying.where(i < items);
        const auto at = cell(neighbours(i), block);
        const Complex v =
            value(at) * Complex::of_word(responses(multiplying[0], multiplying[1], multiplying[2]));
        cells(at) = Complex{v.re, -v.im}.word();
    }

    ComplexValues factor_of(const Expr &h) const {
        return factor_where(numbers.last_by_result != 0, tables.last(h));
    }
    Complex scaled(const Complex &v) const {
        return {v.re * tables.scale_re, v.im * tables.scale_im};
    }

    void write() {
        if (!on_threads()) {
            const Expr position = 2 * within(tables.positions(along()), length);
            const Complex result = scaled(value({across(), position, batch}) * number_of(factor_of(along())));
            if (!is_f64) {
                out(x, y, batch) = result.word();
                return;
            }
            out(part, x, y, batch) = select(part == 0, result.re, result.im);
            return;
        }
        const Expr items = numbers.results << shift();
        writing =
            RDom({{0, each}, {0, iterations(items, each)}, {0, threads}, {0, numbers.blocks}}, "writing");
        const auto place_of = [&](const Expr &i) {
            return place(i, numbers.results, numbers.of_results, numbers.writes_columns);
        };
        const auto line_of = [&](const Place &p, const Expr &of_block) {
            return (of_block << shift()) + p.line;
        };
        const auto h_of = [&](const Place &p, const Expr &number) {
            return p.point * numbers.write_step + b_of(number) * numbers.write_offset;
        };
        const Place from = place_of(item(turn, iteration, thread));
        sources(turn, iteration, thread) =
            cast<uint64_t>(shape.convolves ? from.point : tables.positions(min(from.point, length - 1)));
        const Expr source =
            padded(cast<int>(sources(turn, iteration, thread)) * numbers.together + from.line);
        const Expr of_cell = min(within(source, 8 * size), size - 1);
        fetched(turn, iteration, thread, block, batch) = Tuple(joined(values_at({of_cell, block, batch}),
            factor_of(min(h_of(from, line_of(from, block)), numbers.written - 1))));

        const Expr of_block = writing[3], i = item(writing[0], writing[1], writing[2]);
        const Place p = place_of(i);
        const Expr number = line_of(p, of_block);
        writing.where(i < items && number < numbers.lines && h_of(p, number) < numbers.written);
        const std::vector<Expr> at = {writing[0], writing[1], writing[2], of_block, batch};
        const Expr columns = numbers.writes_columns != 0,
                   to_x = within(select(columns, number, p.point), numbers.result_width),
                   to_y = within(select(columns, p.point, number), numbers.result_height);
        const Complex result = scaled(product_of(values_of(fetched(at)), Halide::Internal::make_one(type)));
        if (is_f64) {
            out(part, x, y, batch) = Halide::undef(type);
            out(Halide::scatter(0, 1), to_x, to_y, batch) = Halide::gather(result.re, result.im);
            return;
        }
        out(x, y, batch) = Halide::undef<uint64_t>();
        out(to_x, to_y, batch) = result.word();
    }
};

}  // namespace tilewright
