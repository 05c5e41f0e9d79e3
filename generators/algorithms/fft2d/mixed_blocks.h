#pragma once
// A form of fft2d: FftMixed (mixed.h) for blocks of threads of a GPU, which keep a few lines in shared
// memory. Variants on GPUs: fused_mixed* of fft2d and fresnel; of c64 for sides that have no other pass, of
// c128 for all sides.
//
// The last stage takes its numbers from shared memory and writes its results to memory. Its radix is a number
// of the call: of the updates for all radices that a library has code for, one is done. Radix 1 is writing
// alone, for lines of one point and for those whose stages have large radices alone.
//
// A block transforms `together` lines. A thread has one line, of which it takes each s-th butterfly, s the
// threads per line: so its numbers and addresses are sums, without a division. Cells of a line are in rows of
// the points that have the same first digit, and neighbouring threads take butterflies of neighbouring rows.
// Rows are an odd number of cells apart, and lines an odd multiple of 16 / `together`, so that 16 threads use
// all banks of shared memory.
//
// Inputs and output are those of FftMixed, with these differences:
//   in, output are (n, line, batch) and (k, line, batch), with any strides
//   positions  (m), m < L / last_radix: the first of the cells whose butterfly has the frequencies m,
//              m + L / last_radix ... Not with FftMixedShape::convolves
//   response   with `convolves` only: (i): cell i is multiplied by it after the stages. Then the conjugate of
//              the line is transformed from the order of the cells into that of the points, by the same
//              stages from the last one to the first one
//   strides, counts    of the stages before the last one, with `convolves` of all. S of the first one is the
//              distance of its cells. Strides are words, as the cells are, because they are in shared memory
//              too: Halide 21 takes accesses for out of bounds where arrays of several types share one
#include "generators/algorithms/fft2d/mixed.h"
#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

struct FftMixedBlocks : Halide::NamesInterface {
    static constexpr const char *name = FftMixed::name;
    using Numbers = FftMixed::Numbers;

    // All stages of one radix before the last stage: the loops of its update of `cells`, (iteration, thread,
    // stage), and the Func of what the stage's number says, which is computed once per stage.
    struct Stages {
        RDom loops;
        int update = 0;
        Func strides;
    };

    Var batch{"batch"}, at{"at"}, block{"block"}, x{"x"}, y{"y"}, stage{"stage"}, turn{"turn"},
        iteration{"iteration"}, thread{"thread"}, part{"part"};
    Func cells{"cells"}, out{"out"};
    std::vector<Stages> stages;
    // (iteration, thread): a thread moves `each` points per iteration. So that it waits for all of them at
    // once, they are `received` before they are used. With `convolves`, `multiplying` is an update of
    // `cells`: (turn, iteration, thread).
    RDom reading, multiplying;
    int multiplied = 0;
    Func received{"received"}, responses{"responses"};
    // The last stage: where a butterfly's first cell is, and its results. (turn, iteration, thread, block).
    Func sources{"sources"}, results{"results"};
    RDom writing;
    // The loops that multiply `received` and `results` by factors, of one iteration where the call has
    // factors and of none otherwise; they are undefined if `unrolled`.
    RDom first_factors, last_factors;
    const FftMixedShape shape;
    const Halide::Type type;  // of the parts of numbers
    const bool is_f64;
    const int size;

    // `size`: words that a block keeps, of f64 pairs of words.
    FftMixedBlocks(Func in, FftMixedTables tables, const Numbers &numbers, const FftMixedShape &shape,
        MultiplyAdd multiply_add, int threads, int size, Halide::Type type)
        : shape(shape), type(type), is_f64(type.bits() == 64), size(size), in(std::move(in)),
          tables(std::move(tables)), numbers(numbers), length(numbers.length),
          power_of_two(std::move(multiply_add)), threads(threads) {
        cells(at, block, batch) = Halide::undef<uint64_t>();
        read();
        transform(false);
        if (shape.convolves) {
            multiply();
            transform(true);
        }
        write();
    }

private:
    // A line of a block, and the first butterfly of it that a thread takes, or a later one.
    struct Place {
        Expr line, point;
    };

    Func in;
    FftMixedTables tables;
    Numbers numbers;
    const Expr length;
    Butterfly power_of_two;
    int threads, updates = 0;
    static constexpr int each = 4;

    static Expr within(const Expr &i, const Expr &extent) {
        return unsafe_promise_clamped(i, 0, extent - 1);
    }

    // Powers of two: without a sign, Halide shifts by one instruction.
    Expr shift() const {
        return cast<uint32_t>(numbers.shift);
    }
    // How many threads a line has.
    Expr step() const {
        return Expr(threads) >> shift();
    }
    // How often a thread takes so many points of its line, `of_thread` at once.
    Expr iterations(const Expr &points, int of_thread = 1) const {
        return (points + of_thread * step() - 1) >>
               (cast<uint32_t>(std::countr_zero((uint32_t)(of_thread * threads))) - shift());
    }
    // Neighbouring threads have neighbouring lines where these are columns, and neighbouring points of a row.
    Place place(const Expr &thread, const Expr &columns) const {
        const Expr row = thread >> (cast<uint32_t>(std::countr_zero((uint32_t)threads)) - shift());
        return {select(columns != 0, thread & (numbers.together - 1), row),
            select(columns != 0, thread >> shift(), thread & (step() - 1))};
    }
    Expr number_of_line(const Place &p, const Expr &of_block) const {
        return (of_block << shift()) + p.line;
    }
    Expr b_of(const Expr &number) const {
        return number * numbers.b_of_line + batch * numbers.b_of_batch;
    }
    // How many multiples of `step` there are from the offset of a line to `end`; one at least.
    Expr reached(const Expr &end, const Expr &number, const Expr &offset, const Expr &of_step) const {
        return 1 + FftMixed::quotient(max(0, end - 1 - b_of(number) * offset), of_step);
    }
    // The distance of the rows of a line.
    Expr pitch() const {
        return numbers.row + numbers.left_out;
    }
    // The indices of `count` cells of a line that are `apart`.
    std::vector<Expr> cells_of(const Expr &of_line, const Expr &first, const Expr &apart, int count) const {
        std::vector<Expr> all;
        const Expr begin = first + of_line * numbers.line_cells;
        for (int j = 0; j < count; j++) {
            all.push_back(within(begin + j * apart, size));
        }
        return all;
    }
    // All cells are words, and of f64 those of imaginary parts are behind the others.
    Complex value(const Expr &index) const {
        const Expr first = cells(index, block, batch);
        return is_f64 ?
                   Complex{reinterpret(type, first), reinterpret(type, cells(index + size, block, batch))} :
                   Complex::of_word(first);
    }
    std::vector<Complex> values_at(const std::vector<Expr> &index) const {
        std::vector<Complex> values;
        for (const Expr &i : index) {
            values.push_back(value(i));
        }
        return values;
    }
    // Stores numbers in these cells, after all that they depend on was read.
    void store(const std::vector<Expr> &index, const std::vector<Complex> &values) {
        std::vector<Expr> positions, parts;
        for (size_t i = 0; i < values.size(); i++) {
            Expr position = index[i];
            for (const Expr &part : values_of(values[i], !is_f64)) {
                positions.push_back(position);
                parts.push_back(reinterpret(Halide::UInt(64), part));
                position += size;
            }
        }
        cells(scatter(positions), block, batch) = gather(parts);
        updates++;
    }

    std::vector<Complex> times_powers(std::vector<Complex> values, const Expr &of_root) const {
        const auto factors =
            powers(number_of(values_of(tables.roots(within(of_root, length)))), (int)values.size());
        for (size_t k = 1; k < values.size(); k++) {
            values[k] = values[k] * factors[k];
        }
        return values;
    }

    // Multiplies what was moved by a factor where the call has factors, and where it is not `present` by 0.
    // The result is the loop of one iteration or none, whose variable is the argument of `factor`. PoCL 3.1
    // takes minutes for such loops, so that OpenCL has none.
    RDom multiply(Func &moved, const Expr &has_factors,
        const std::function<Halide::FuncRef(const Expr &)> &factor, const Expr &present) {
        const std::vector<Expr> index = {turn, iteration, thread, block, batch};
        const RDom loop =
            shape.unrolled() ? RDom() : RDom(0, cast<int>(has_factors), moved.name() + "_factors");
        const Halide::FuncRef entry = factor(shape.unrolled() ? Expr(0) : Expr(loop.x));
        const Complex product =
            number_of(values_of(moved(index))) *
            number_of(shape.unrolled() ? factor_where(has_factors, entry) : values_of(entry));
        ComplexValues kept;
        for (const Expr &value : values_of(product, !is_f64)) {
            kept.push_back(select(present, value, Halide::Internal::make_zero(value.type())));
        }
        moved(turn, iteration, thread, block, batch) = Tuple(kept);
        return loop;
    }

    void read() {
        reading = RDom(0, iterations(length, each), 0, threads, "reading");
        const auto place_of = [&](const Expr &turn, const Expr &iteration, const Expr &thread) {
            Place p = place(thread, numbers.reads_columns);
            p.point = min(p.point + step() * (turn + each * iteration), length - 1);
            return p;
        };
        const Place from = place_of(turn, iteration, thread);
        const Expr number = min(number_of_line(from, block), numbers.lines - 1),
                   present = reached(numbers.present, number, numbers.read_offset, numbers.of_read_step),
                   i = min(from.point, present - 1), b = b_of(number);
        Complex point = number_of(values_of(in(i, number, batch)));
        point.im = point.im * tables.sign;
        received(turn, iteration, thread, block, batch) = Tuple(values_of(point, !is_f64));
        const Expr entry = (i * numbers.read_step + b * numbers.read_offset) * numbers.first_by_point +
                           i * b * numbers.twiddled;
        first_factors = multiply(
            received, numbers.first_by_point + numbers.twiddled != 0,
            [&](const Expr &none) { return tables.first(entry + none); }, from.point < present);

        std::vector<Expr> index;
        std::vector<Complex> values;
        for (int j = 0; j < each; j++) {
            const Place to = place_of(j, reading.x, reading.y);
            const Expr row = FftMixed::quotient(to.point, numbers.of_row);
            index.push_back(cells_of(to.line, to.point + row * numbers.left_out, 0, 1)[0]);
            values.push_back(
                number_of(values_of(received(std::vector<Expr>{j, reading.x, reading.y, block, batch}))));
        }
        store(index, values);
    }

    // The stages before the last one, or those back to the one before the first one.
    void transform(bool back) {
        std::vector<Expr> before(mixed_radices.size(), 0);
        for (size_t i = 1; i < mixed_radices.size(); i++) {
            before[i] = shape.stages()[i - 1] > 0 ? before[i - 1] + tables.counts[i - 1] : before[i - 1];
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
        const std::string number = std::to_string(radix) + (back ? "_back" : "");
        const Expr butterflies = length / radix;
        Stages made;
        made.update = updates;
        made.strides = Func("strides_of_" + number);
        made.strides(stage) = tables.strides(stage + before);
        const Expr skipped = back ? select(before == 0 && count > 0, 1, 0) : 0,
                   all_stages = shape.unrolled() ? Expr(most) : count - skipped;
        made.loops =
            RDom({{0, iterations(butterflies)}, {0, threads}, {0, all_stages}}, "stages_of_" + number);
        const Expr of_stage = back ? count - 1 - made.loops[2] : Expr(made.loops[2]);
        // As a sum, of which Halide makes the end of the loop: where a loop has the same end in all threads,
        // PoCL 3.1 compiles what follows twice.
        const Expr items = butterflies << shift(), item = made.loops[1] + threads * made.loops[0];
        made.loops.where(item < (shape.unrolled() ? select(of_stage < count, items, 0) : items));
        Place p = place(made.loops[1], 1);
        p.point += step() * made.loops[0];
        const Expr both = shape.unrolled() ? tables.strides(of_stage + before) : made.strides(of_stage);
        const Expr low = cast<int>(cast<uint32_t>(both)), stride = low & 0xffff, found = (low >> 16) & 0xffff;
        // The first stage is that of one row.
        const Expr in_row = FftMixed::quotient(p.point, select(found == 1, -1, numbers.of_rows)),
                   row = p.point - in_row * select(found == 1, 1, numbers.rows),
                   group = FftMixed::quotient(in_row, cast<int>(cast<uint32_t>(both >> 32))),
                   rest = in_row - group * stride;
        const Expr first = row * pitch() + in_row + group * stride * (radix - 1);
        const auto index = cells_of(p.line, first, stride, radix);
        std::vector<Complex> values = values_at(index);
        values = back ? small_transform(times_powers(values, rest * found), power_of_two) :
                        times_powers(small_transform(values, power_of_two), rest * found);
        store(index, values);
        stages.push_back(made);
    }

    // Cells times the response, conjugated. For f32.
    void multiply() {
        multiplied = updates++;
        const Expr count = numbers.rows * pitch();
        multiplying = RDom({{0, each}, {0, iterations(count, each)}, {0, threads}}, "multiplying");
        const auto place_of = [&](const Expr &turn, const Expr &iteration, const Expr &thread) {
            Place p = place(thread, 1);
            p.point += step() * (turn + each * iteration);
            return p;
        };
        responses(turn, iteration, thread) =
            tables.response(min(place_of(turn, iteration, thread).point, count - 1));
        const Place p = place_of(multiplying[0], multiplying[1], multiplying[2]);
        multiplying.where(p.point < count);
        const Expr index = cells_of(p.line, p.point, 0, 1)[0];
        const Complex v =
            value(index) * Complex::of_word(responses(multiplying[0], multiplying[1], multiplying[2]));
        cells(index, block, batch) = Complex{v.re, -v.im}.word();
    }

    // The last stage, if it has that radix, from the cells into `results`. Of `convolves` it is the first one
    // back.
    void last_stage(int radix, const Place &from) {
        const RDom once(0, select(numbers.last_radix == radix, 1, 0), "last_of_" + std::to_string(radix));
        const Expr first = cast<int>(sources(iteration, thread, block, batch)) + once;
        std::vector<Complex> values =
            values_at(cells_of(from.line, first, shape.convolves ? pitch() : Expr(1), radix));
        if (shape.convolves) {
            values = times_powers(values, from.point);
        }
        values = small_transform(values, power_of_two);
        std::vector<Expr> turns;
        std::vector<std::vector<Expr>> parts(is_f64 ? 2 : 1);
        for (int j = 0; j < radix; j++) {
            turns.push_back(j);
            const ComplexValues both = values_of(values[(size_t)j], !is_f64);
            for (size_t part = 0; part < both.size(); part++) {
                parts[part].push_back(both[part]);
            }
        }
        ComplexValues gathered;
        for (const std::vector<Expr> &of_part : parts) {
            gathered.push_back(gather(of_part));
        }
        results(scatter(turns), iteration, thread, block, batch) = Tuple(gathered);
    }

    void write() {
        const std::vector<int> radices = shape.last_radices();
        const Expr butterflies = numbers.last_butterflies;
        writing = RDom({{0, *std::max_element(radices.begin(), radices.end())}, {0, iterations(butterflies)},
                           {0, threads}, {0, numbers.blocks}},
            "writing");
        // Threads without a butterfly of their own do one that another thread does.
        const auto place_of = [&](const Expr &iteration, const Expr &thread, const Expr &of_block) {
            const Place p = place(thread, numbers.writes_columns);
            return Place{min(p.line, numbers.lines - 1 - (of_block << shift())),
                min(p.point + step() * iteration, butterflies - 1)};
        };
        const auto written = [&](const Place &p, const Expr &of_block) {
            return min(length, reached(numbers.written, number_of_line(p, of_block), numbers.write_offset,
                                   numbers.of_write_step));
        };
        const Place from = place_of(iteration, thread, block);
        sources(iteration, thread, block, batch) =
            cast<uint64_t>(shape.convolves ? from.point : tables.positions(from.point));
        results(turn, iteration, thread, block, batch) =
            Tuple(ComplexValues(is_f64 ? 2 : 1, Halide::undef(is_f64 ? type : Halide::UInt(64))));
        for (const int radix : radices) {
            last_stage(radix, from);
        }
        const Expr h = min(from.point + turn * butterflies, written(from, block) - 1) * numbers.write_step +
                       b_of(number_of_line(from, block)) * numbers.write_offset;
        last_factors = multiply(
            results, numbers.last_by_result != 0, [&](const Expr &none) { return tables.last(h + none); },
            true);

        const Place p = place_of(writing[1], writing[2], writing[3]);
        const Expr k = p.point + writing[0] * butterflies;
        writing.where(k < written(p, writing[3]));
        Complex result = number_of(
            values_of(results(std::vector<Expr>{writing[0], writing[1], writing[2], writing[3], batch})));
        result = {result.re * tables.scale_re, result.im * tables.scale_im};
        const Expr to = within(k, numbers.result_width),
                   to_line = within(number_of_line(p, writing[3]), numbers.result_height);
        if (is_f64) {
            out(part, x, y, batch) = Halide::undef(type);
            out(Halide::scatter(0, 1), to, to_line, batch) = Halide::gather(result.re, result.im);
            return;
        }
        out(x, y, batch) = Halide::undef<uint64_t>();
        out(to, to_line, batch) = result.word();
    }
};

}  // namespace tilewright
