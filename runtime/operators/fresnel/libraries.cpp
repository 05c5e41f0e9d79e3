#include "runtime/operators/fresnel/libraries.h"
#include "runtime/operators/fft_tables.h"
#include "runtime/dispatch/launch.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <functional>
#include <list>
#include <map>
#include <mutex>

namespace tilewright {

const std::vector<Row> &fresnel_rows();

namespace {

using Lines = FftPassRow::Lines;

// ------------------------------------------------------------------------------------------------------------------------ rows

// Which pass is looked for.
struct Kind {
    Lines lines;
    bool twiddled = false, chirp_first = false, chirp_last = false, convolve = false;
};

// Every row that is a pass, with what its tunables say.
const std::vector<std::pair<const Row *, FftPassRow>> &passes() {
    static const auto &all = *new std::vector<std::pair<const Row *, FftPassRow>>([] {  // never destroyed (inside.h)
        std::vector<std::pair<const Row *, FftPassRow>> found;
        for (const Row &row : fresnel_rows()) {
            if (row.form == "fft_pass") {
                found.emplace_back(&row, FftPassRow(row));
            }
        }
        return found;
    }());
    return all;
}

const FftPassRow &pass_of(const Row &row) {
    return std::find_if(passes().begin(), passes().end(), [&](const auto &one) { return one.first == &row; })->second;
}

const Row *find_pass(Backend backend, const Kind &kind, int64_t length, int64_t side) {
    for (const auto &[row, pass] : passes()) {
        const bool of_kind = pass.lines == kind.lines && pass.twiddled == kind.twiddled && pass.chirp_first == kind.chirp_first &&
                             pass.chirp_last == kind.chirp_last && pass.convolve == kind.convolve;
        if (row->backend == backend && of_kind && pass.length == length && side % pass.together == 0) {
            return row;
        }
    }
    return nullptr;
}

const Row *find_form(Backend backend, const std::string &form) {
    for (const Row &row : fresnel_rows()) {
        if (row.backend == backend && row.form == form) {
            return &row;
        }
    }
    return nullptr;
}

// ---------------------------------------------------------------------------------------------------------------------- tables

// Tables of the last propagations, so that what a device holds of them need not be made and sent again.
Array remembered(const std::string &key, size_t most, const std::function<Array()> &make) {
    static auto &mutex = *new std::mutex;  // neither is destroyed (inside.h)
    static auto &shelves = *new std::map<size_t, std::list<std::pair<std::string, Array>>>;  // by how many are kept; the last one used is first
    const std::lock_guard lock(mutex);
    auto &tables = shelves[most];
    for (auto at = tables.begin(); at != tables.end(); ++at) {
        if (at->first == key) {
            tables.splice(tables.begin(), tables, at);
            return at->second;
        }
    }
    tables.emplace_front(key, make());
    if (tables.size() > most) {
        tables.pop_back();
    }
    return tables.front().second;
}

constexpr size_t many = 64, few = 1;  // vectors, and tables of a whole field

// A vector of n numbers.
template<typename Value>
Array vector_of(int64_t n, Value value) {
    Array made(Type::c64, {n});
    auto *to = made.as<std::complex<float>>();
    for (int64_t i = 0; i < n; i++) {
        to[i] = std::complex<float>(value(i));
    }
    return made;
}

// A table of a pass, seen by (index, number of the line or batch).
struct Table {
    Array array;
    View view;

    Table() = default;
    Table(Array table, std::vector<View::Dim> dims) : array(std::move(table)) {
        view = complex_words(array);
        view.dims = std::move(dims);
    }
};

// Factors along a line: what the input is multiplied by, the output, the spectrum between.
enum class Factors { ones, before, after, transfer };

Array factors_of(const Propagation &p, Factors factors) {
    const double reach = p.wavelengths();
    return remembered(fmt::format("{} {} {} {}", (int)factors, p.side, reach, p.grain()), many, [&] {
        return vector_of(p.side, [&](int64_t k) -> std::complex<double> {
            switch (factors) {
            case Factors::before: return p.before(k);
            case Factors::after: return p.after(k);
            case Factors::transfer: return p.transfer(k) / (double)p.side;
            case Factors::ones: break;
            }
            return 1;
        });
    });
}

// The transfer function in the order in which a pass meets the frequencies b + parts k of lines in `parts` parts: (k, b).
Array response_of(const Propagation &p, const Row &row, int64_t parts) {
    return remembered(fmt::format("{} {} {} {} {}", row.name(), parts, p.side, p.wavelengths(), p.grain()), many, [&] {
        const FftPassRow &pass = pass_of(row);
        return vector_of(p.side, [&](int64_t i) { return p.transfer(i / pass.length + parts * pass.order(i % pass.length)) / (double)p.side; });
    });
}

// ----------------------------------------------------------------------------------------------------------------------- steps

// One launch. Where it cannot be done in place, blocks write what others still read.
struct Step {
    const Row *row;
    bool in_place;
    std::function<void(Device, const Array &from, Array &to)> launch;
};
using Steps = std::vector<Step>;

// What a pass does to the imaginary part that it reads, and to the one that it writes. A conjugate before and after makes the inverse.
struct Ends {
    float sign = 1, scale_im = 1;
};
constexpr Ends inverse{-1, -1};

// How a pass sees a field: lines side by side or one after another, whole or in parts.
using Sight = std::function<std::vector<View::Dim>(const Array &)>;

std::vector<View::Dim> whole(const Array &field) {
    return {{field.shape()[1], 1}, {field.shape()[0], field.strides()[0]}, {1, 1}};
}

// Columns as `batches` ones of `points`: batch b has the rows b + batches n, or those from b points on.
Sight spread(int64_t points, int64_t batches) {
    return [=](const Array &field) {
        const int64_t pitch = field.strides()[0];
        return std::vector<View::Dim>{{field.shape()[1], 1}, {points, batches * pitch}, {batches, pitch}};
    };
}
Sight together(int64_t points, int64_t batches) {
    return [=](const Array &field) {
        const int64_t pitch = field.strides()[0];
        return std::vector<View::Dim>{{field.shape()[1], 1}, {points, pitch}, {batches, points * pitch}};
    };
}

// A pass with what it reads besides the lines; empty tables are those that it does not have.
struct PassCall {
    const Row *row;
    Sight reads = whole, writes = whole;
    int64_t turns = 0;
    std::function<Table(Device)> first = {}, last = {}, response = {};
    Ends ends = {};

    void launch(Device device, const Array &from, Array &to) const {
        const FftPassRow &pass = pass_of(*row);
        View in = complex_words(from), out = complex_words(to);
        in.dims = reads(from);
        out.dims = writes(to);
        Launch launch(*row, device);
        auto vector = [&](const Array &table) { launch.in(table, complex_words(table)); };
        launch.in(from, in);
        vector(fft_roots(pass.length));
        if (turns > 0) {
            vector(fft_roots(turns));
        }
        for (const auto *table : {&first, &last, &response}) {
            if (*table) {
                const Table made = (*table)(device);
                launch.in(made.array, made.view);
            }
        }
        if (response) {
            vector(remembered("middle " + row->name(), many, [&] { return pass.middle(); }));
        } else {
            launch.value(ends.sign).value(1.0f).value(ends.scale_im);
        }
        launch.out(to, out).run();
    }

    Step step(bool in_place) const {
        return {row, in_place, [call = *this](Device device, const Array &from, Array &to) { call.launch(device, from, to); }};
    }
};

// Puts the passes of one propagation together, on one backend.
class Course {
public:
    Course(Backend backend, const Propagation &propagation) : backend_(backend), p_(propagation), n_(propagation.side) {
    }

    // Phases inside the passes.
    Steps fused() {
        switch (p_.method) {
        case FresnelMethod::transform: {
            const float sign = p_.distance < 0 ? -1.0f : 1.0f;
            transform(false, Factors::before, Factors::after, {sign, 1});
            transform(true, Factors::before, Factors::after, {1, sign});
            break;
        }
        case FresnelMethod::convolution:
            convolve(false);
            convolve(true);
            break;
        default: angular_spectrum();
        }
        return std::move(steps_);
    }

    // Phases as steps of their own, columns as rows of the turned field.
    Steps passes(const Row &times_row) {
        const Row *turn_row = find_form(backend_, "fft2d_turn");
        const auto rows = [&](const Ends &ends) { transform(false, Factors::ones, Factors::ones, ends); };
        if (p_.method == FresnelMethod::transform) {
            const float sign = p_.distance < 0 ? -1.0f : 1.0f;
            times(times_row, 0, 1);
            rows({sign, 1});
            turn(*turn_row);
            rows({1, sign});
            turn(*turn_row);
            times(times_row, 1, 1);
        } else {
            rows({});
            turn(*turn_row);
            rows({});
            times(times_row, p_.method == FresnelMethod::convolution ? 2 : 3, 1 / ((double)n_ * (double)n_));  // the same, turned
            rows(inverse);
            turn(*turn_row);
            rows(inverse);
        }
        return std::move(steps_);
    }

private:
    Backend backend_;
    Propagation p_;
    int64_t n_;
    Steps steps_;

    std::function<Table(Device)> factors(Factors kind, std::vector<View::Dim> dims) const {
        return [p = p_, kind, dims](Device) { return Table(factors_of(p, kind), dims); };
    }
    std::function<Table(Device)> factors(Factors kind) const {
        return factors(kind, {{n_, 1}, {1, n_}});
    }

    void add(const PassCall &call, bool in_place = true) {
        steps_.push_back(call.step(in_place));
    }

    void turn(const Row &row) {
        steps_.push_back({&row, false, [&row](Device device, const Array &from, Array &to) {
                              Launch(row, device).in(from, complex_words(from)).out(to, complex_words(to)).run();
                          }});
    }

    void times(const Row &row, int number, double scale) {
        steps_.push_back({&row, true, [&row, number, scale, p = p_](Device device, const Array &from, Array &to) {
                              Launch(row, device).in(from, complex_words(from)).value((int32_t)number).value(p.wavelengths()).value(p.grain())
                                  .value((float)scale).out(to, complex_words(to)).run();
                          }});
    }

    // Rows that no pass takes are the columns of the turned field.
    template<typename Columns>
    void turned(Columns columns) {
        const Row *row = find_form(backend_, "fft2d_turn");
        if (!row) {
            throw std::logic_error(fmt::format("fresnel: no pass for rows of {}", n_));
        }
        turn(*row);
        columns();
        turn(*row);
    }

    // The transform of all rows or columns, between two factors.
    void transform(bool columns, Factors first, Factors last, const Ends &ends) {
        const Kind kind{.lines = columns ? Lines::across : Lines::along, .chirp_first = true, .chirp_last = true};
        if (const Row *row = find_pass(backend_, kind, n_, n_)) {
            return add({.row = row, .first = factors(first), .last = factors(last), .ends = ends});
        }
        if (!columns) {
            return turned([&] { transform(true, first, last, ends); });
        }
        for (int64_t second = n_ / 2; second >= 16; second /= 2) {
            const int64_t head = n_ / second;
            const Row *head_row = find_pass(backend_, {.lines = Lines::across, .chirp_first = true}, head, n_);
            const Row *row = find_pass(backend_, {.lines = Lines::across, .twiddled = true, .chirp_last = true}, second, n_);
            if (head_row && row) {
                add({.row = head_row, .reads = spread(head, second), .writes = spread(head, second),
                     .first = factors(first, {{head, second}, {second, 1}}), .ends = {ends.sign, 1}});
                return add({.row = row, .reads = together(second, head), .writes = spread(second, head), .turns = n_,
                            .last = factors(last, {{second, head}, {head, 1}}), .ends = {1, ends.scale_im}}, false);
            }
        }
        throw std::logic_error(fmt::format("fresnel: no passes for columns of {}", n_));
    }

    // All rows or columns there, times H along the line, and back.
    void convolve(bool columns) {
        const Kind kind{.lines = columns ? Lines::across : Lines::along, .convolve = true};
        if (const Row *row = find_pass(backend_, kind, n_, n_)) {
            return add({.row = row, .response = response(*row, 1, {{n_, 1}, {columns ? n_ : 1, 0}})});
        }
        if (!columns && !find_pass(backend_, {.lines = Lines::along, .chirp_first = true, .chirp_last = true}, n_, n_)) {
            return turned([&] { convolve(true); });
        }
        for (int64_t second = n_ / 2; columns && second >= 16; second /= 2) {
            const int64_t head = n_ / second;
            const Row *head_row = find_pass(backend_, {.lines = Lines::across, .chirp_first = true}, head, n_);
            const Row *row = find_pass(backend_, {.lines = Lines::across, .twiddled = true, .convolve = true}, second, n_);
            const Row *last_row = find_pass(backend_, {.lines = Lines::across, .twiddled = true}, head, n_);
            if (head_row && row && last_row) {
                add({.row = head_row, .reads = spread(head, second), .writes = spread(head, second),
                     .first = factors(Factors::ones, {{head, second}, {second, 1}})});
                add({.row = row, .reads = together(second, head), .writes = together(second, head), .turns = n_,
                     .response = response(*row, head, {{second, 1}, {head, second}})});
                return add({.row = last_row, .reads = spread(head, second), .writes = spread(head, second), .turns = n_, .ends = inverse});
            }
        }
        transform(columns, Factors::ones, Factors::transfer, {});
        transform(columns, Factors::ones, Factors::ones, inverse);
    }

    std::function<Table(Device)> response(const Row &row, int64_t parts, std::vector<View::Dim> dims) const {
        return [p = p_, &row, parts, dims](Device) { return Table(response_of(p, row, parts), dims); };
    }

    void angular_spectrum() {
        const Row *row = find_pass(backend_, {.lines = Lines::across, .convolve = true}, n_, n_), *table = find_form(backend_, "fresnel_transfer");
        transform(false, Factors::ones, Factors::ones, {});
        if (row && table) {
            add({.row = row, .response = [p = p_, row, table](Device device) {
                     const Array made = remembered(fmt::format("{} {} {} {} {}", row->name(), device.str(), p.side, p.wavelengths(), p.grain()), few,
                                                   [&] { return transfer_table(p, *row, *table, device); });
                     return Table(made, {{p.side, made.strides()[0]}, {p.side, 1}});
                 }});
        } else {
            transform(true, Factors::ones, Factors::ones, {});
            times(*find_form(backend_, "fresnel_times"), 3, 1 / ((double)n_ * (double)n_));
            transform(true, Factors::ones, Factors::ones, inverse);
        }
        transform(false, Factors::ones, Factors::ones, inverse);
    }

    // H of both axes: row i is for the frequency that the pass meets as number i.
    static Array transfer_table(const Propagation &p, const Row &pass_row, const Row &table_row, Device device) {
        const FftPassRow &pass = pass_of(pass_row);
        Array order(Type::i32, {p.side}), made(Type::c64, {p.side, p.side});
        for (int64_t i = 0; i < p.side; i++) {
            order.as<int32_t>()[i] = (int32_t)pass.order(i);
        }
        const float scale = (float)(1 / ((double)p.side * (double)p.side));
        Launch(table_row, device).in(order).value(p.wavelengths()).value(p.grain()).value(scale).out(made, complex_words(made)).run();
        return made;
    }
};

Steps steps_of(const Row &row, const Propagation &propagation) {
    Course course(row.backend, propagation);
    return row.belongs_to("passes") ? course.passes(*find_form(row.backend, "fresnel_times")) : course.fused();
}

// The definition: all of it is one library.
void run_definition(const Row &row, Device device, const Propagation &p, const Array &field, Array &output) {
    const Array roots = fft_roots(p.side);
    const int method = p.method == FresnelMethod::transform ? 0 : p.method == FresnelMethod::convolution ? 1 : 2;
    Launch(row, device)
        .in(field, complex_words(field))
        .in(roots, complex_words(roots))
        .value((int32_t)std::countr_zero((uint64_t)p.side))
        .value((int32_t)method)
        .value(p.wavelengths())
        .value(p.grain())
        .out(output, complex_words(output))
        .run();
}

}  // namespace

bool serves_propagation(const Row &row, const Propagation &propagation) {
    if (row.form == "fresnel" || row.schedule == "tuned" || row.schedule == "passes") {
        return true;
    }
    for (const Step &step : steps_of(row, propagation)) {
        if (step.row == &row) {
            return true;
        }
    }
    return false;
}

void propagate(const Row &row, Device device, const Propagation &propagation, const Array &field, Array &output) {
    if (row.form == "fresnel") {
        return run_definition(row, device, propagation, field, output);
    }
    // The last step writes to `output`; those before it are done there too, or in an array of the same size.
    const Steps steps = steps_of(row, propagation);
    Array other;
    std::vector<Array *> to(steps.size(), &output);
    for (size_t i = steps.size() - 1; i > 0; i--) {
        to[i - 1] = steps[i].in_place ? to[i] : to[i] == &output ? &other : &output;
    }
    for (size_t i = 0; i < steps.size(); i++) {
        if (to[i]->empty()) {
            *to[i] = Array(Type::c64, field.shape());
        }
        steps[i].launch(device, i == 0 ? field : *to[i - 1], *to[i]);
    }
}

}  // namespace tilewright
