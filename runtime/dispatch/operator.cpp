// The frame of every call: what is the same for all operators.
#include "tilewright/operator.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/dispatch/choice/choice.h"
#include "runtime/dispatch/form.h"
#include "runtime/dispatch/choice/kernel_needs.h"
#include "runtime/dispatch/options/option_text.h"
#include "runtime/dispatch/steps/plan.h"
#include "runtime/dispatch/options/settings.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/inside.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace tilewright {

Operator::~Operator() = default;

// The rows, each with what the front knows of its form.
static std::vector<Row> with_forms(const std::vector<Row> &rows, const std::vector<const Form *> &forms) {
    std::vector<Row> resolved = rows;
    for (Row &row : resolved) {
        const auto is_its = [&](const Form *form) { return form->name == row.form; };
        const auto known = std::find_if(forms.begin(), forms.end(), is_its);
        if (known == forms.end()) {
            throw std::logic_error(row.name() + ": the operator's front has no form " + row.form);
        }
        row.known_form = *known;
    }
    return resolved;
}

Operator::Operator(Description description, const std::vector<Row> &rows, std::vector<const Form *> forms)
    : description_(std::move(description)), rows_(with_forms(rows, forms)), forms_(std::move(forms)),
      choices_(std::make_unique<RowChoices>()) {
    for (const Row &row : rows) {
        Row::Needs &most = most_needs_[(size_t)row.backend];
        most.threads = std::max(most.threads, row.needs.threads);
        most.shared_bytes = std::max(most.shared_bytes, row.needs.shared_bytes);
        most.capability = std::max(most.capability, row.needs.capability);
        most.fp64 |= row.needs.fp64;
        most.images |= row.needs.images;
        most.half |= row.needs.half;
    }
}

const Form &Operator::form(const Row &row) const {
    if (!row.known_form) {
        throw std::logic_error(row.name() + " is not of the table of " + name());
    }
    return *row.known_form;
}

bool Operator::is_meant_for(const Row &row, const Measures &measures) const {
    return std::ranges::all_of(row.conditions, [&](const Row::Condition &condition) {
        return holds(row, condition, measures);
    }) && form(row).is_meant_for(row, measures);
}

double Operator::measure(std::string_view name, const Row &row, const Measures &measures) const {
    const auto at = std::ranges::find(description_.measures, name);
    const auto number = (size_t)(at - description_.measures.begin());
    if (number >= measures.count) {
        throw std::logic_error(fmt::format("{}: calls have no measure '{}'", row.name(), name));
    }
    return measures.numbers[number];
}

bool Operator::holds(const Row &row, const Row::Condition &condition, const Measures &measures) const {
    const double number = measure(condition.measure, row, measures);
    return number >= condition.least && number <= condition.most;
}

bool Operator::may_serve(const Row &row, const Request &request) const {
    return row.conditions.empty() || std::ranges::all_of(row.conditions,
                                         [&, measures = measures(request)](const Row::Condition &condition) {
                                             return !condition.is_needed || holds(row, condition, measures);
                                         });
}

std::optional<int64_t> Operator::halo(const Settings &settings, double error) const try {
    Settings completed;
    return halo_of(checked_settings(name(), options(), settings, completed), error);
} catch (...) {
    leave_with_error([&] { return name(); });
}

void Operator::refuse(
    Fault fault, const std::string &message, const std::string &argument, const std::string &value) const {
    throw Error(fault, message, {.operation = name(), .argument = argument, .value = value});
}

void Operator::check_schedule(const std::string &schedule) const {
    const auto is_named = [&](const Row &row) { return row.belongs_to(schedule); };
    if (std::none_of(rows().begin(), rows().end(), is_named)) {
        refuse(Fault::usage, no_such_schedule(schedule, rows(), name()), "schedule", schedule);
    }
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

std::unique_ptr<const Request> Operator::parse(
    std::span<const Array> inputs, const Settings &settings) const {
    const Inside inside;
    check_number(inputs.size());
    Settings completed;
    const Settings &all = checked_settings(name(), options(), settings, completed);
    check_declared(inputs, all);
    std::unique_ptr<Request> request = read_request(inputs, all);
    request->inputs.assign(inputs.begin(), inputs.end());
    return request;
}

bool Operator::serves(const Row &row, const Request &request, const Array &output) const {
    if (!row.declined.empty() || row.type != request.type || !may_serve(row, request) ||
        !form_serves(row, request, output)) {
        return false;
    }
    if (row.autoscheduler.empty()) {
        return true;
    }
    // What a plug-in's schedule takes, the library itself knows best.
    Array same_memory = output;
    return plan(row, {row.backend, 0}, request, same_memory).fits();
}

std::string Operator::why_not_on(
    const Row &row, Device device, const Request &request, const Array &output) const {
    if (device.backend == Backend::cpu) {
        return "";  // only rows themselves have needs there, which were looked at
    }
    const DeviceInfo &info = limits_of(device);
    // Plans are asked only where it matters: on devices that cannot run all rows.
    if (!tilewright::why_not_on(most_needs_[(size_t)device.backend], info).empty()) {
        Array same_memory = output;
        for (const Row *other : plan(row, device, request, same_memory).rows()) {
            if (other->backend != device.backend) {
                continue;
            }
            if (std::string why_not = tilewright::why_not_on(*other, info); !why_not.empty()) {
                return why_not;
            }
        }
    }
    return "";
}

const Row &Operator::choose(const Request &request, const Array &output, const std::string &schedule,
    Device device, const std::vector<Row> *rows) const {
    const std::vector<Row> &all = rows ? *rows : this->rows();
    driver::Current current(device);  // a library that is asked what it takes loads its kernels there
    const bool is_tuned = !rows && schedule == "tuned";
    const Row *row =
        is_tuned ? tuned_row(request, output, device).row : named_row(request, output, schedule, device, all);
    if (!row) {
        refuse_choice(request, output, schedule, device, all);
    }
    return *row;
}

const Row *Operator::named_row(const Request &request, const Array &output, const std::string &schedule,
    Device device, const std::vector<Row> &rows) const {
    const Measures measures = this->measures(request);
    const Row *other = nullptr;  // the first one that serves the request and is not meant for it
    for (const Row &row : rows) {
        if (row.backend != device.backend || row.type != request.type || !row.belongs_to(schedule)) {
            continue;
        }
        const bool is_meant = row.schedule == schedule || is_meant_for(row, measures);
        if ((is_meant || !other) && is_usable(row, device, request, output)) {
            if (is_meant) {
                return &row;
            }
            other = &row;
        }
    }
    return other;
}

// Looks over the rows a second time, so that a call that finds one collects nothing for this message.
void Operator::refuse_choice(const Request &request, const Array &output, const std::string &schedule,
    Device device, const std::vector<Row> &rows) const {
    const DeviceInfo &limits = limits_of(device);
    std::set<std::string> types, backends;
    std::string lacking;           // why the last row that serves the request cannot run there
    const Row *fitting = nullptr;  // the last row of the type there
    for (const Row &row : rows) {
        if (!row.belongs_to(schedule)) {
            continue;
        }
        backends.insert(name_of(row.backend));
        if (row.backend != device.backend) {
            continue;
        }
        types.insert(row.type);
        if (row.type != request.type) {
            continue;
        }
        if (!row.declined.empty()) {
            refuse(Fault::device, row.autoscheduler + " does not accept it: " + row.declined, "schedule",
                schedule);
        }
        fitting = &row;
        const std::string why_not = tilewright::why_not_on(row, limits);
        // What a plug-in's schedule takes, its library is asked on the device, which must be able to run it.
        const bool can_be_asked = row.autoscheduler.empty() || why_not.empty();
        if (!can_be_asked || serves(row, request, output)) {
            lacking = why_not.empty() ? why_not_on(row, device, request, output) : why_not;
        }
    }
    if (backends.empty()) {
        refuse(Fault::usage, no_such_schedule(schedule, rows, name()), "schedule", schedule);
    }
    if (!lacking.empty()) {
        refuse(Fault::device, lacking, "schedule", schedule);
    }
    if (fitting && schedule == "tuned") {
        refuse(Fault::input,
            fmt::format("it has no row for this size on {}; take --device cpu, or work on parts of the image",
                device.str()),
            "schedule", schedule);
    }
    if (fitting) {
        const bool is_alone = fitting->schedule == schedule && !fitting->summary.empty();
        refuse(Fault::input,
            fmt::format("it does not serve this size or alignment on {}; take --schedule {}{}", device.str(),
                named_row(request, output, fitting->family, device, rows) ? fitting->family : "tuned",
                is_alone ? fmt::format(" ({}: {})", schedule, fitting->summary) : ""),
            "schedule", schedule);
    }
    refuse(Fault::device,
        types.empty() ?
            fmt::format("it has no row for {}, only for {}; `tilewright devices` says what can be used here",
                device.str(), fmt::join(backends, " and ")) :
            fmt::format("on {} it serves {}, not {}; take --schedule tuned", device.str(),
                fmt::join(types, ", "), request.type),
        "schedule", schedule);
}

std::vector<const Row *> Operator::run(
    const Row &row, Device device, const Request &request, Array &output) const {
    return plan(row, device, request, output).run();
}

namespace {

// What a call cost, from the construction on. Calls without statistics measure nothing.
class Measurement {
public:
    explicit Measurement(Statistics *statistics) : statistics_(statistics) {
        if (statistics) {
            start_ = std::chrono::steady_clock::now();
            before_ = counters();
        }
    }

    void write(Device device, const Row &row, const std::vector<const Row *> &ran) const {
        if (!statistics_) {
            return;
        }
        synchronize(device);
        statistics_->counters = counters() - before_;
        statistics_->row = row.name();
        statistics_->libraries.clear();
        for (const Row *library : ran) {
            statistics_->libraries.push_back(library->name());
        }
        statistics_->device = device.str();
        statistics_->total_ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    Statistics *const statistics_;
    std::chrono::steady_clock::time_point start_;
    Counters before_;
};

}  // namespace

void Operator::execute(
    const Row &row, Device device, const Request &request, Array &output, Statistics *statistics) const try {
    const Inside inside;
    const Measurement measurement(statistics);
    check_elements(request);
    measurement.write(device, row, run(row, device, request, output));
} catch (...) {
    leave_with_error([&] { return name(); });
}

void Operator::operator()(
    std::span<const Array> inputs, Array &output, const Settings &settings, const Call &call) const try {
    const Inside inside;
    this->call(*parse(inputs, settings), output, call);
} catch (...) {
    leave_with_error([&] { return name(); });
}

// The device whose memory another library owns that the call works on: of the output, or else of an input.
static std::optional<Device> device_of_wrapped(const Request &request, const Array &output) {
    if (output.is_wrapped()) {
        return output.newest_on();
    }
    for (const Array &input : request.inputs) {
        if (input.is_wrapped()) {
            return input.newest_on();
        }
    }
    return {};
}

// The pitch of an output that the call makes. One column is dense: padded, it would span up to 64 times the
// memory, and writing it would take most of the time of a call.
static int64_t row_bytes_of(const Request &request) {
    const std::vector<int64_t> &shape = request.output_shape;
    return shape.size() == 2 && shape[1] == 1 ? 0 : Array::padded;
}

void Operator::call(const Request &request, Array &output, const Call &how) const try {
    const Inside inside;
    const Measurement measurement(how.statistics);
    // A call that fails leaves an empty output empty.
    const auto make = how.pinned ? Array::pinned : Array::uninitialized;
    Array made =
        output.empty() ? make(request.output_type, request.output_shape, row_bytes_of(request)) : Array();
    Array &result = output.empty() ? made : output;
    if (result.type() != request.output_type || result.shape() != request.output_shape) {
        refuse(Fault::input,
            fmt::format(
                "must be {} ({})", name_of(request.output_type), fmt::join(request.output_shape, ", ")),
            "output", output.describe());
    }
    for (const Array &input : request.inputs) {
        if (output.overlaps(input)) {
            refuse(Fault::usage, "it shares memory with an input; give it memory of its own", "output",
                output.describe());
        }
    }
    const std::optional<Device> known = how.device ? how.device : device_of_wrapped(request, result);
    const auto [device, chosen] =
        known ? Place{*known} : choose_place(request, result, how.schedule, how.rows);
    driver::open(device);
    check_elements(request);
    const Row *row = chosen ? chosen : &choose(request, result, how.schedule, device, how.rows);
    std::vector<const Row *> ran;
    try {
        ran = run(*row, device, request, result);
    } catch (const Error &error) {
        const bool may_change = error.fault() == Fault::memory && how.schedule == "tuned" && !how.rows;
        const Row *compact = may_change ? named_row(request, result, "compact", device, rows_) : nullptr;
        if (!compact || compact == row) {
            throw;
        }
        row = compact;
        ran = run(*row, device, request, result);
    }
    if (output.empty()) {
        output = std::move(made);
    }
    measurement.write(device, *row, ran);
} catch (...) {
    leave_with_error([&] { return name(); });
}

}  // namespace tilewright
