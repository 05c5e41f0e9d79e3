#include "tilewright/operator.h"
#include "runtime/devices/hooks.h"
#include "runtime/process/inside.h"
#include "runtime/errors/leaving.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

double Settings::number(const std::string &name, double otherwise) const {
    auto at = values_.find(name);
    if (at == values_.end()) {
        return otherwise;
    }
    if (const double *value = std::get_if<double>(&at->second)) {
        return *value;
    }
    throw Error(Fault::usage, "takes a number", {.argument = name, .value = std::get<std::string>(at->second)});
}

std::string Settings::text(const std::string &name, const std::string &otherwise) const {
    auto at = values_.find(name);
    if (at == values_.end()) {
        return otherwise;
    }
    if (const std::string *value = std::get_if<std::string>(&at->second)) {
        return *value;
    }
    throw Error(Fault::usage, "takes a word", {.argument = name, .value = fmt::format("{}", std::get<double>(at->second))});
}

void Operator::refuse(Fault fault, const std::string &message, const std::string &argument, const std::string &value) const {
    throw Error(fault, message, {.operation = name(), .argument = argument, .value = value});
}

Work Operator::work(std::span<const Array> inputs, const Array &output, const Settings &) const {
    Work work;
    for (const Array &a : inputs) {
        work.bytes += (double)a.size() * (double)size_of(a.type());
    }
    work.bytes += (double)output.size() * (double)size_of(output.type());
    return work;
}

std::vector<const Row *> Operator::rows(const std::string &schedule, Backend backend) const {
    std::vector<const Row *> found;
    for (const Row &row : rows()) {
        if (row.backend == backend && row.belongs_to(schedule)) {
            found.push_back(&row);
        }
    }
    return found;
}

const Row &Operator::choose(std::span<const Array> inputs, const Array &output, const Settings &settings, const std::string &schedule,
                            Device device, const std::vector<Row> *rows) const {
    driver::Current current(device);  // a front may ask a library what it takes, and the library then loads its kernels there
    const std::string type = type_of(inputs, settings);
    std::vector<std::string> schedules, types, declined;
    bool known = false, fits_type = false;
    for (const Row &row : rows ? *rows : this->rows()) {
        if (std::find(schedules.begin(), schedules.end(), row.schedule) == schedules.end()) {
            schedules.push_back(row.schedule);
        }
        if (!row.belongs_to(schedule)) {
            continue;
        }
        known = true;
        if (row.backend != device.backend) {
            continue;
        }
        types.push_back(row.type);
        if (row.type != type) {
            continue;
        }
        if (!row.declined.empty()) {
            declined.push_back(row.autoscheduler + " does not accept it: " + row.declined);
            continue;
        }
        fits_type = true;
        if ((!row.needs_vnni || cpu_has_vnni()) && serves(row, inputs, output, settings)) {
            return row;
        }
    }
    if (!known) {
        refuse(Fault::usage, fmt::format("no such schedule; known: {}", fmt::join(schedules, ", ")), "schedule", schedule);
    }
    if (!declined.empty()) {
        refuse(Fault::device, declined.front(), "schedule", schedule);
    }
    if (fits_type) {
        refuse(Fault::input,
               schedule == "tuned" ? fmt::format("it has no row for this size on {}; take --device cpu, or work on parts of the image", device.str()) :
                                     fmt::format("it does not serve this size or alignment on {}; take --schedule tuned", device.str()),
               "schedule", schedule);
    }
    std::sort(types.begin(), types.end());
    types.erase(std::unique(types.begin(), types.end()), types.end());
    refuse(Fault::device,
           types.empty() ? fmt::format("it has no row for {}; `tilewright list {}` shows where it runs", device.str(), name()) :
                           fmt::format("on {} it serves {}, not {}; take --schedule tuned", device.str(), fmt::join(types, ", "), type),
           "schedule", schedule);
}

void Operator::operator()(std::span<const Array> inputs, Array &output, const Settings &settings, const Call &call) const try {
    const Inside inside;
    const auto start = std::chrono::steady_clock::now();
    const Counters before = counters();
    const std::optional<Option> more = optional_input();
    if ((int)inputs.size() != this->inputs() && !(more && (int)inputs.size() == this->inputs() + 1)) {
        refuse(Fault::usage, fmt::format("takes {} input{}{}", this->inputs(), this->inputs() == 1 ? "" : "s", more ? " and, if wanted, " + more->name : ""),
               "inputs", std::to_string(inputs.size()));
    }
    for (const Array &input : inputs) {
        if (input.empty()) {
            refuse(Fault::input, "an input is empty", "input", "");
        }
    }
    for (const auto &[option, value] : settings.all()) {
        const auto known = options();
        auto at = std::find_if(known.begin(), known.end(), [&](const Option &o) { return o.name == option; });
        const std::string text = value.index() == 0 ? fmt::format("{}", std::get<0>(value)) : std::get<1>(value);
        if (at == known.end()) {
            refuse(Fault::usage, "there is no such option", option, text);
        }
        if (!at->choices.empty() && std::find(at->choices.begin(), at->choices.end(), text) == at->choices.end()) {
            refuse(Fault::usage, fmt::format("takes {}", fmt::join(at->choices, ", ")), option, text);
        }
    }
    type_of(inputs, settings);
    const auto [type, shape] = output_of(inputs, settings);
    // A call that fails leaves an empty output empty.
    Array result = output.empty() ? Array(type, shape) : output;
    if (result.type() != type || result.shape() != shape) {
        refuse(Fault::input, fmt::format("must be {} ({})", name_of(type), fmt::join(shape, ", ")), "output", output.describe());
    }
    for (const Array &input : inputs) {
        if (output.overlaps(input)) {
            refuse(Fault::usage, "it shares memory with an input; give it memory of its own", "output", output.describe());
        }
    }
    const Device device = call.device ? *call.device : best_device();
    driver::open(device);
    check_values(inputs, settings);
    const Row &row = choose(inputs, result, settings, call.schedule, device, call.rows);
    run(row, device, inputs, result, settings);
    output = result;
    if (call.statistics) {
        synchronize(device);
        const Counters after = counters();
        Counters &c = call.statistics->counters;
        c = after;
        c.kernels -= before.kernels;
        c.copies_to_device -= before.copies_to_device;
        c.bytes_to_device -= before.bytes_to_device;
        c.copies_to_host -= before.copies_to_host;
        c.bytes_to_host -= before.bytes_to_host;
        c.allocations -= before.allocations;
        c.modules -= before.modules;
        c.module_ms -= before.module_ms;
        call.statistics->row = row.name();
        call.statistics->device = device.str();
        call.statistics->total_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    }
} catch (...) {
    leave_with_error([&] { return name(); });
}

namespace {

// An array as rows of numbers: a complex element is two of them. f64 of shape (..., 2) stands for c64 and gives the same numbers.
class Numbers {
public:
    explicit Numbers(const Array &array)
        : type_(array.type() == Type::c64 ? Type::f32 : array.type()), data_(static_cast<const char *>(array.data())) {
        const int64_t parts = array.type() == Type::c64 ? 2 : 1;
        rows = array.dimensions() > 1 ? array.shape()[0] : 1;
        row = array.size() / rows * parts;
        pitch_ = rows > 1 ? array.strides()[0] * parts : 0;
    }

    const void *at(int64_t y, int64_t i) const {
        return data_ + (y * pitch_ + i) * (int64_t)size_of(type_);
    }
    double operator()(int64_t y, int64_t i) const {
        switch (type_) {
        case Type::u8: return *static_cast<const uint8_t *>(at(y, i));
        case Type::u16: return *static_cast<const uint16_t *>(at(y, i));
        case Type::u32: return *static_cast<const uint32_t *>(at(y, i));
        case Type::i32: return *static_cast<const int32_t *>(at(y, i));
        case Type::f32: return *static_cast<const float *>(at(y, i));
        case Type::f64: return *static_cast<const double *>(at(y, i));
        case Type::c64: break;
        }
        return 0;
    }
    bool has_bytes_of(const Numbers &other, int64_t y, int64_t i, int64_t count) const {
        return type_ == other.type_ && memcmp(at(y, i), other.at(y, i), (size_t)count * size_of(type_)) == 0;
    }

    int64_t rows, row;  // how many rows, and how many numbers each has

private:
    Type type_;
    const char *data_;
    int64_t pitch_;
};

// How far a number is off: not at all where both are NaN, by infinity where one of them is, or is infinite.
double distance(double actual, double expected) {
    const bool same = actual == expected || (std::isnan(actual) && std::isnan(expected));
    return same ? 0 : std::isfinite(actual - expected) ? std::abs(actual - expected) : INFINITY;
}

// The L2 norm of what an output is off, against the expected one's; NaN and infinity are off by infinity, unless both have them.
std::string difference_in_norm(const Numbers &actual, const Numbers &expected, int parts, double allowed) {
    double off = 0, all = 0, worst = 0;
    int64_t worst_x = 0, worst_y = 0;
    for (int64_t y = 0; y < actual.rows; y++) {
        for (int64_t i = 0; i < actual.row; i++) {
            const double should = expected(y, i), here = distance(actual(y, i), should);
            all += std::isfinite(should) ? should * should : 0;
            off += here * here;
            if (here > worst) {
                worst = here;
                worst_x = i / parts;
                worst_y = y;
            }
        }
    }
    if (off <= allowed * allowed * all) {
        return "";
    }
    return fmt::format("it is off by {:.3g} relative to the norm of what was expected (allowed: {:.3g}); the largest difference is {:.3g}, at x = {}, y = {}",
                       all > 0 ? std::sqrt(off / all) : INFINITY, allowed, worst, worst_x, worst_y);
}

// Whether `expected` has a number for each one of `actual`: the same type and shape, or f64 for what is to be compared within a bound.
bool is_comparable(const Array &actual, const Array &expected) {
    std::vector<int64_t> shape = actual.shape();
    if (expected.type() == Type::f64 && actual.type() == Type::c64) {
        shape.push_back(2);
    }
    return expected.shape() == shape && (expected.type() == actual.type() || expected.type() == Type::f64);
}

}  // namespace

std::string difference(const Array &actual, const Array &expected, const Array &bound, double factor) {
    if (!is_comparable(actual, expected)) {
        return fmt::format("{} where {} was expected", actual.describe(), expected.describe());
    }
    const int parts = actual.type() == Type::c64 ? 2 : 1;
    const Numbers is(actual), should(expected);
    if (bound.size() == 1 && actual.size() > 1) {
        return difference_in_norm(is, should, parts, factor * *bound.as<double>());
    }
    const double *bounds = bound.empty() ? nullptr : bound.as<double>();
    const int64_t bound_pitch = bound.empty() || is.rows == 1 ? 0 : bound.strides()[0];
    int64_t wrong = 0, first_x = 0, first_y = 0;
    double worst = 0;
    std::string first;
    for (int64_t y = 0; y < is.rows; y++) {
        if (is.has_bytes_of(should, y, 0, is.row)) {
            continue;
        }
        for (int64_t x = 0; x < is.row / parts; x++) {
            if (is.has_bytes_of(should, y, x * parts, parts)) {
                continue;
            }
            // c64 is held to the bound in each part; the worse one is shown.
            int64_t at = x * parts;
            if (parts == 2 && distance(is(y, at + 1), should(y, at + 1)) > distance(is(y, at), should(y, at))) {
                at++;
            }
            const double off = distance(is(y, at), should(y, at)), allowed = bounds ? factor * bounds[y * bound_pitch + x] : -1;
            if (bounds && (off == 0 || off <= allowed)) {  // the same number, or both NaN, is right where the bound is NaN too
                continue;
            }
            if (wrong++ == 0) {
                first_x = x;
                first_y = y;
                first = fmt::format("{} where {} was expected", is(y, at), should(y, at)) + (bounds ? fmt::format(" (allowed: {:.3g} off)", allowed) : "");
            }
            worst = std::max(worst, off);
        }
    }
    return wrong ? fmt::format("{} of {} elements differ, by up to {:.3g}; the first at x = {}, y = {}: {}", wrong, actual.size(), worst, first_x, first_y, first) : "";
}

}  // namespace tilewright
