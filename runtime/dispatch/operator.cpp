// The frame of every call: what is the same for all operators.
#include "tilewright/operator.h"
#include "runtime/devices/hooks.h"
#include "runtime/dispatch/needs.h"
#include "runtime/dispatch/plan.h"
#include "runtime/dispatch/settings.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/inside.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

void Operator::refuse(
    Fault fault, const std::string &message, const std::string &argument, const std::string &value) const {
    throw Error(fault, message, {.operation = name(), .argument = argument, .value = value});
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
    const std::optional<Option> &more = optional_input();
    if ((int)inputs.size() != this->inputs() && !(more && (int)inputs.size() == this->inputs() + 1)) {
        refuse(Fault::usage,
            fmt::format("takes {} input{}{}", this->inputs(), this->inputs() == 1 ? "" : "s",
                more ? " and, if wanted, " + more->name : ""),
            "inputs", std::to_string(inputs.size()));
    }
    for (const Array &input : inputs) {
        if (input.empty()) {
            refuse(Fault::input, "an input is empty", "input", "");
        }
    }
    std::unique_ptr<Request> request = parse_checked(inputs, checked_settings(name(), options(), settings));
    request->inputs.assign(inputs.begin(), inputs.end());
    return request;
}

bool Operator::serves(const Row &row, const Request &request, const Array &output) const {
    if (!row.declined.empty() || row.type != request.type || !accepts(row, request, output)) {
        return false;
    }
    if (row.autoscheduler.empty()) {
        return true;
    }
    // What a plug-in's schedule takes, the library itself knows best.
    Array same_memory = output;
    return plan_of(row, {row.backend, 0}, request, same_memory).fits();
}

std::string Operator::why_not_on(
    const Row &row, Device device, const Request &request, const Array &output) const {
    if (device.backend == Backend::cpu) {
        return "";  // only rows themselves have needs there, which were looked at
    }
    const DeviceInfo &info = limits_of(device);
    const auto lacks = [&](const Row &other) {
        return other.backend == device.backend && !tilewright::why_not_on(other, info).empty();
    };
    // Plans are asked only where it matters: on devices that cannot run all rows.
    if (std::any_of(rows().begin(), rows().end(), lacks)) {
        Array same_memory = output;
        for (const Row *other : plan_of(row, device, request, same_memory).rows()) {
            if (lacks(*other)) {
                return tilewright::why_not_on(*other, info);
            }
        }
    }
    return "";
}

const Row &Operator::choose(const Request &request, const Array &output, const std::string &schedule,
    Device device, const std::vector<Row> *rows) const {
    driver::Current current(device);  // a library that is asked what it takes loads its kernels there
    const DeviceInfo &limits = limits_of(device);
    std::vector<std::string> schedules, types, declined, lacking;
    bool known = false, fits_type = false;
    for (const Row &row : rows ? *rows : this->rows()) {
        for (const std::string &word : {row.family, row.schedule}) {
            if (std::find(schedules.begin(), schedules.end(), word) == schedules.end()) {
                schedules.push_back(word);
            }
        }
        if (!row.belongs_to(schedule)) {
            continue;
        }
        known = true;
        if (row.backend != device.backend) {
            continue;
        }
        types.push_back(row.type);
        if (row.type != request.type) {
            continue;
        }
        if (!row.declined.empty()) {
            declined.push_back(row.autoscheduler + " does not accept it: " + row.declined);
            continue;
        }
        fits_type = true;
        std::string why_not = tilewright::why_not_on(row, limits);
        // What a plug-in's schedule takes, its library is asked on the device, which must be able to run it.
        const bool can_be_asked = row.autoscheduler.empty() || why_not.empty();
        if (can_be_asked && !serves(row, request, output)) {
            continue;
        }
        why_not = why_not.empty() ? why_not_on(row, device, request, output) : why_not;
        if (why_not.empty()) {
            return row;
        }
        lacking.push_back(why_not);
    }
    if (!known) {
        refuse(Fault::usage, fmt::format("no such schedule; known: {}", fmt::join(schedules, ", ")),
            "schedule", schedule);
    }
    if (!declined.empty()) {
        refuse(Fault::device, declined.front(), "schedule", schedule);
    }
    if (!lacking.empty()) {
        refuse(Fault::device, lacking.back(), "schedule", schedule);
    }
    if (fits_type) {
        refuse(Fault::input,
            schedule == "tuned" ?
                fmt::format(
                    "it has no row for this size on {}; take --device cpu, or work on parts of the image",
                    device.str()) :
                fmt::format(
                    "it does not serve this size or alignment on {}; take --schedule tuned", device.str()),
            "schedule", schedule);
    }
    std::sort(types.begin(), types.end());
    types.erase(std::unique(types.begin(), types.end()), types.end());
    refuse(Fault::device,
        types.empty() ? fmt::format("it has no row for {}; `tilewright list {}` shows where it runs",
                            device.str(), name()) :
                        fmt::format("on {} it serves {}, not {}; take --schedule tuned", device.str(),
                            fmt::join(types, ", "), request.type),
        "schedule", schedule);
}

std::vector<const Row *> Operator::run(
    const Row &row, Device device, const Request &request, Array &output) const {
    return plan_of(row, device, request, output).run();
}

std::vector<const Row *> Operator::planned(
    const Row &row, Device device, const Request &request, Array &output) const {
    return plan_of(row, device, request, output).rows();
}

namespace {

// What a call cost, from the construction on.
class Measurement {
public:
    void write(
        Statistics *statistics, Device device, const Row &row, const std::vector<const Row *> &ran) const {
        if (!statistics) {
            return;
        }
        synchronize(device);
        statistics->counters = counted();
        statistics->row = row.name();
        statistics->libraries.clear();
        for (const Row *library : ran) {
            statistics->libraries.push_back(library->name());
        }
        statistics->device = device.str();
        statistics->total_ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    // What the driver was asked to do.
    Counters counted() const {
        Counters c = counters();
        c.kernels -= before_.kernels;
        c.copies_to_device -= before_.copies_to_device;
        c.bytes_to_device -= before_.bytes_to_device;
        c.copies_to_host -= before_.copies_to_host;
        c.bytes_to_host -= before_.bytes_to_host;
        c.allocations -= before_.allocations;
        c.modules -= before_.modules;
        c.module_ms -= before_.module_ms;
        return c;
    }

    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    const Counters before_ = counters();
};

}  // namespace

void Operator::execute(
    const Row &row, Device device, const Request &request, Array &output, Statistics *statistics) const try {
    const Inside inside;
    const Measurement measurement;
    check_values(request);
    measurement.write(statistics, device, row, run(row, device, request, output));
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

void Operator::call(const Request &request, Array &output, const Call &how) const try {
    const Inside inside;
    const Measurement measurement;
    // A call that fails leaves an empty output empty.
    const auto make = how.pinned ? Array::pinned : Array::uninitialized;
    Array result = output.empty() ? make(request.output_type, request.output_shape, Array::padded) : output;
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
    const Device device = how.device ? *how.device : best_device();
    driver::open(device);
    check_values(request);
    const Row &row = choose(request, result, how.schedule, device, how.rows);
    const std::vector<const Row *> ran = run(row, device, request, result);
    output = result;
    measurement.write(how.statistics, device, row, ran);
} catch (...) {
    leave_with_error([&] { return name(); });
}

}  // namespace tilewright
