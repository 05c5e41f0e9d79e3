#include "tilewright/fft2d.h"
#include "runtime/operators/fft_tables.h"
#include "runtime/dispatch/launch.h"
#include "runtime/dispatch/option_text.h"
#include <bit>
#include <complex>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <random>
#include <stdexcept>
#include <tuple>

namespace tilewright {

const std::vector<Row> &fft2d_rows();

namespace {

constexpr int64_t shortest = 16, longest = 8192;

bool is_side(int64_t n) {
    return n >= shortest && n <= longest && std::has_single_bit((uint64_t)n);
}

int64_t next_side(int64_t n) {
    return std::max<int64_t>(shortest, (int64_t)std::bit_ceil((uint64_t)n));
}

bool is_pass(const Row &row) {
    return row.form == "fft_pass";
}

// One launch: a pass over lines of `points`, of which there are `groups` interleaved in each line of the image.
struct Step {
    enum class Way { rows, columns, rows_first, columns_first, rows_second, columns_second };
    const Row *row;
    Way way;
    int64_t points, groups;

    // The second part of a line writes where other blocks read.
    bool in_place() const {
        return way != Way::rows_second && way != Way::columns_second;
    }
};

using Lines = FftPassRow::Lines;
using Steps = std::vector<Step>;

// The first row of the backend for lines of that kind and length; `side_by_side` is how many lines there are. None: null.
const Row *find_pass(Backend backend, Lines lines, bool twiddled, int64_t length, int64_t side_by_side) {
    for (const Row &row : fft2d_rows()) {
        if (row.backend == backend && is_pass(row)) {
            const FftPassRow pass(row);
            const bool of_kind = pass.lines == lines && pass.twiddled == twiddled && pass.length == length;
            if (of_kind && side_by_side % pass.together == 0) {
                return &row;
            }
        }
    }
    return nullptr;
}

// The passes that transform the rows of an image, or its columns (`across`): one, or two where there is none of the whole length. `n` is
// the length, `lines` how many there are.
Steps steps_along(Backend backend, bool across, int64_t n, int64_t lines) {
    using enum Step::Way;
    if (const Row *whole = find_pass(backend, across ? Lines::across : Lines::along, false, n, lines)) {
        return {{whole, across ? columns : rows, n, 1}};
    }
    for (int64_t second = n / 2; second >= shortest; second /= 2) {
        const int64_t first = n / second;
        const Row *head = find_pass(backend, Lines::across, false, first, across ? lines : second);
        const Row *tail = find_pass(backend, across ? Lines::across : Lines::turned, true, second, across ? lines : first);
        if (head && tail) {
            return {{head, across ? columns_first : rows_first, first, second}, {tail, across ? columns_second : rows_second, second, first}};
        }
    }
    return {};
}

// The passes of a whole transform. Kept: finding them takes longer than a call should.
const Steps &steps_of(Backend backend, int64_t h, int64_t w) {
    static auto &mutex = *new std::mutex;  // neither is destroyed (inside.h)
    static auto &known = *new std::map<std::tuple<Backend, int64_t, int64_t>, Steps>;
    const std::lock_guard lock(mutex);
    Steps &steps = known[{backend, h, w}];
    if (steps.empty()) {
        const Steps along = steps_along(backend, false, w, h), down = steps_along(backend, true, h, w);
        if (along.empty() || down.empty()) {
            throw std::logic_error(fmt::format("fft2d: no passes for {} x {}", w, h));
        }
        steps = along;
        steps.insert(steps.end(), down.begin(), down.end());
    }
    return steps;
}

// An image of h x w words as lines of a step: `reads` tells the side that is read from the one that is written.
View view_of(const Array &image, const Step &step, bool reads) {
    using enum Step::Way;
    View view = complex_words(image);
    const int64_t h = image.shape()[0], w = image.shape()[1], pitch = image.strides()[0];
    const int64_t points = step.points, groups = step.groups;
    switch (step.way) {
    case rows:
    case columns: view.dims = {{w, 1}, {h, pitch}, {1, 1}}; break;
    case rows_first: view.dims = {{groups, 1}, {points, groups}, {h, pitch}}; break;
    case columns_first: view.dims = {{w, 1}, {points, groups * pitch}, {groups, pitch}}; break;
    case rows_second:
        view.dims = reads ? std::vector<View::Dim>{{points, 1}, {groups, points}, {h, pitch}} : std::vector<View::Dim>{{groups, 1}, {points, groups}, {h, pitch}};
        break;
    case columns_second:
        view.dims = reads ? std::vector<View::Dim>{{w, 1}, {points, pitch}, {groups, points * pitch}} :
                            std::vector<View::Dim>{{w, 1}, {points, groups * pitch}, {groups, pitch}};
        break;
    }
    return view;
}

// What the first step does to the imaginary part, and the last one to both.
struct Ends {
    float sign = 1, scale_re = 1, scale_im = 1;
};

void launch(const Step &step, Device device, const Array &from, Array &to, const Ends &ends) {
    Launch launch(*step.row, device);
    const Array roots = fft_roots(step.points);
    launch.in(from, view_of(from, step, true)).in(roots, complex_words(roots));
    if (!step.in_place()) {
        const Array turns = fft_roots(step.points * step.groups);
        launch.in(turns, complex_words(turns));
    }
    launch.value(ends.sign).value(ends.scale_re).value(ends.scale_im).out(to, view_of(to, step, false)).run();
}

// The steps one after another, from `field` to `output`; in place, or by way of an array of the same size.
void run_steps(const Steps &steps, Device device, const Array &field, Array &output, const Ends &ends) {
    Array other;
    std::vector<Array *> to(steps.size(), &output);
    for (size_t i = steps.size() - 1; i > 0; i--) {
        to[i - 1] = steps[i].in_place() ? to[i] : to[i] == &output ? &other : &output;
    }
    for (size_t i = 0; i < steps.size(); i++) {
        if (to[i]->empty()) {
            *to[i] = Array(Type::c64, field.shape());
        }
        const Ends these{i == 0 ? ends.sign : 1, i + 1 == steps.size() ? ends.scale_re : 1, i + 1 == steps.size() ? ends.scale_im : 1};
        launch(steps[i], device, i == 0 ? field : *to[i - 1], *to[i], these);
    }
}

class Fft2dOperator : public Operator {
public:
    std::string name() const override {
        return "fft2d";
    }
    std::string summary() const override {
        return "the two-dimensional Fourier transform, and its inverse";
    }
    const std::vector<Row> &rows() const override {
        return fft2d_rows();
    }
    using Operator::rows;

    std::vector<Option> options() const override {
        std::vector<Option> all = {{"direction", "forward, without a factor, or inverse, times 1 / (width height)", false, "forward", {"forward", "inverse"}},
                                   {"pad", "Add zeros at the right and at the bottom up to the next power of two; any size up to 8192 goes then", false, "", {"yes", "no"}}};
        all[1].is_flag = true;
        return all;
    }

    std::string type_of(std::span<const Array> inputs, const Settings &settings) const override {
        const Array &field = inputs[0];
        if ((field.type() != Type::c64 && field.type() != Type::f32) || field.dimensions() != 2) {
            refuse(Fault::input, "takes a field of shape (h, w), of c64 or, for real values, f32", "field", field.describe());
        }
        const char *const names[] = {"height", "width"};
        for (size_t axis : {0, 1}) {
            const int64_t n = field.shape()[axis];
            if (n > longest) {
                refuse(Fault::input, fmt::format("its {} is {}, and a side has at most {}; work on parts of it", names[axis], n, longest), "field", field.describe());
            }
            if (!is_side(n) && !pads(settings)) {
                refuse(Fault::input, fmt::format("its {} is {}, which is no power of two from {} to {}; --pad adds zeros up to {}", names[axis], n, shortest,
                                                 longest, next_side(n)), "field", field.describe());
            }
        }
        return "c64";
    }

    std::pair<Type, std::vector<int64_t>> output_of(std::span<const Array> inputs, const Settings &) const override {
        return {Type::c64, {next_side(inputs[0].shape()[0]), next_side(inputs[0].shape()[1])}};
    }

    // A row that is a pass serves what it is a step of. `passes` and `tuned_any` put steps together for every size.
    bool serves(const Row &row, std::span<const Array>, const Array &output, const Settings &) const override {
        if (!row.autoscheduler.empty()) {  // it was made for tiles of 64, and keeps all steps of all lines
            const int64_t h = output.shape()[0], w = output.shape()[1];
            return std::min(h, w) >= 64 && w * h <= 4096 * 4096;
        }
        if (!is_pass(row) || row.schedule == "tuned_any") {
            return true;
        }
        for (const Step &step : steps_of(row.backend, output.shape()[0], output.shape()[1])) {
            if (step.row == &row) {
                return true;
            }
        }
        return false;
    }

    void run(const Row &row, Device device, std::span<const Array> inputs, Array &output, const Settings &settings) const override {
        const auto [type, shape] = output_of(inputs, settings);
        const Array field = inputs[0].type() == type && inputs[0].shape() == shape ? inputs[0] : padded(inputs[0], shape);
        const int64_t h = shape[0], w = shape[1];
        const bool inverse = settings.text("direction", "forward") == "inverse";
        const float scale = inverse ? (float)(1.0 / (double)(w * h)) : 1;
        const Ends ends{inverse ? -1.0f : 1.0f, scale, inverse ? -scale : scale};
        if (is_pass(row)) {
            run_steps(steps_of(row.backend, h, w), device, field, output, ends);
        } else if (row.form == "fft2d_turn") {
            // Rows, turned, what were the columns, and turned back.
            Array turned(Type::c64, {w, h}), columns(Type::c64, {w, h});
            run_steps(steps_along(row.backend, false, w, h), device, field, output, {.sign = ends.sign});
            turn(row, device, output, turned);
            run_steps(steps_along(row.backend, false, h, w), device, turned, columns, {.scale_re = ends.scale_re, .scale_im = ends.scale_im});
            turn(row, device, columns, output);
        } else {
            const Array row_roots = fft_roots(w), column_roots = fft_roots(h);
            Launch(row, device).in(field, complex_words(field)).in(row_roots, complex_words(row_roots)).in(column_roots, complex_words(column_roots))
                .value((int32_t)std::countr_zero((uint64_t)w)).value((int32_t)std::countr_zero((uint64_t)h))
                .value(ends.sign).value(scale).out(output, complex_words(output)).run();
        }
    }

    // Of the output as a whole: 2e-6 log2 of the longer side, relative, in the L2 norm.
    Array bound(std::span<const Array> inputs, const Settings &settings) const override {
        const auto shape = output_of(inputs, settings).second;
        Array bound(Type::f64, {1});
        *bound.as<double>() = 2e-6 * (double)std::countr_zero((uint64_t)std::max(shape[0], shape[1]));
        return bound;
    }

    // Every length of rows and of columns at least once, so that every row takes part in one.
    std::vector<Sample> samples(const std::string &) const override {
        std::vector<Sample> all;
        const std::pair<int64_t, int64_t> sizes[] = {{16, 16}, {32, 16}, {32, 64}, {64, 32}, {128, 256}, {256, 128}, {512, 512}, {1024, 16},
                                                     {16, 1024}, {2048, 32}, {16, 2048}, {4096, 16}, {4096, 32}, {16, 4096}, {8192, 16},
                                                     {8192, 32}, {16, 8192}};
        for (const auto &[h, w] : sizes) {
            for (const char *direction : {"forward", "inverse"}) {
                all.push_back(sample(h, w, {{"direction", std::string(direction)}}));
                all.back().what += std::string(" ") + direction;
            }
        }
        all.push_back(sample(100, 60, {{"pad", std::string("yes")}}));
        all.back().what += " padded";
        Sample crop = sample(70, 150, {});
        crop.inputs[0] = crop.inputs[0].crop(3, 5, 64, 128);
        crop.what += " cropped to 64x128";
        all.push_back(crop);
        return all;
    }

    Sample benchmark_sample(const std::string &, int64_t w, int64_t h, const Settings &settings) const override {
        return sample(std::max(h, shortest), std::max(w, shortest), settings);
    }
    std::pair<int64_t, int64_t> benchmark_size() const override {
        return {1024, 1024};
    }

    // 5 n log2 n, as it is usually counted.
    Work work(std::span<const Array> inputs, const Array &output, const Settings &settings) const override {
        Work work = Operator::work(inputs, output, settings);
        work.flops = 5 * (double)output.size() * std::countr_zero((uint64_t)output.size());
        return work;
    }

private:
    static bool pads(const Settings &settings) {
        return settings.text("pad", "no") == "yes";
    }

    static void turn(const Row &row, Device device, const Array &from, Array &to) {
        Launch(row, device).in(from, complex_words(from)).out(to, complex_words(to)).run();
    }

    // The field as c64 of a shape, zeros behind it.
    static Array padded(const Array &field, const std::vector<int64_t> &shape) {
        Array made(Type::c64, shape);
        auto *to = made.as<std::complex<float>>();
        for (int64_t y = 0; y < field.shape()[0]; y++) {
            for (int64_t x = 0; x < field.shape()[1]; x++) {
                const int64_t at = y * field.strides()[0] + x;
                to[y * made.strides()[0] + x] = field.type() == Type::c64 ? field.as<std::complex<float>>()[at] : field.as<float>()[at];
            }
        }
        return made;
    }

    static Sample sample(int64_t h, int64_t w, const Settings &settings) {
        std::minstd_rand random(1);
        const auto value = [&] { return (float)((double)random() / 0x1p30 - 1); };
        Array field(Type::c64, {h, w});
        auto *data = field.as<std::complex<float>>();
        for (int64_t y = 0; y < h; y++) {
            for (int64_t x = 0; x < w; x++) {
                data[y * field.strides()[0] + x] = {value(), value()};
            }
        }
        return {{field}, settings, fmt::format("c64 {}x{}", w, h)};
    }
};

}  // namespace

const Operator &fft2d_operator() {
    static const auto &op = *new Fft2dOperator;  // never destroyed (inside.h)
    return op;
}

void fft2d(const Array &field, Array &output, Direction direction, bool pad, const Call &call) {
    const Settings settings{{"direction", word_of((size_t)direction, {"forward", "inverse"})}, {"pad", std::string(pad ? "yes" : "no")}};
    fft2d_operator()({&field, 1}, output, settings, call);
}

}  // namespace tilewright
