// Writes files of measured times.
#include "apps/tilewright/calibration/times_file.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "runtime/files/output/output_file.h"
#include "runtime/measured/prediction.h"
#include "tilewright/error.h"
#include "tilewright/files.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

constexpr int version = 1;

// Four digits are more than times are reproducible to.
double rounded(double number) {
    return number == 0 ? 0 : std::stod(fmt::format("{:.3e}", number));
}

// The file that is there; null where there is none that is whole and of this version and device. A device
// with another number of units or other instructions is another one, whatever its name is: a folder of a user
// may be on several machines, and names are those of models.
Json older_file(const std::string &path, const MeasuredOn &device) {
    std::string why_not;
    const MeasuredDevice *known = read_measurements(path, why_not);
    const bool is_same = known && name_of(known->backend) == device.backend &&
                         known->vendor == device.vendor && known->name == device.name &&
                         known->units == device.units && known->capability == device.capability;
    if (known && !is_same) {
        print_remark(fmt::format("tilewright: calibrate: the times in '{}' are of another machine ({}, {} "
                                 "units), and are replaced\n",
            one_line(path), one_line(std::string(known->name)), known->units));
    }
    return is_same ? json_in(json_text_of(path), path) : Json();
}

std::string line_of(const Json &json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The file's text with one line per variant, so that a change of a few times is a small difference.
std::string text_of_file(const Json &file) {
    std::string text = "{", between;
    for (const auto &[key, value] : file.items()) {
        if (key != "times") {
            text += fmt::format("\"{}\": {},\n", key, line_of(value));
        }
    }
    text += "\"times\": [";
    for (const Json &times : file.at("times")) {
        text += fmt::format("{}\n{{\"operator\": {}, \"type\": {}, \"calls\": {},\n \"variants\": {{",
            between, line_of(times.at("operator")), line_of(times.at("type")), line_of(times.at("calls")));
        between.clear();
        for (const auto &[variant, of_variant] : times.at("variants").items()) {
            text += fmt::format("{}\n  {}: {}", between, line_of(variant), line_of(of_variant));
            between = ",";
        }
        text += "}}";
        between = ",";
    }
    return text + "\n]}\n";
}

// Adds how good the predictions from the file's times are.
PredictionError add_error(Json &file) {
    std::string why_not;
    const MeasuredDevice *device = measurements_in(line_of(file), "", why_not);
    if (!device) {
        throw std::logic_error("the file of times cannot be read: " + why_not);
    }
    const PredictionError error = error_of(device->times);
    file["error"] = {{"times", error.times}, {"median", rounded(error.median)}, {"p90", rounded(error.most)}};
    return error;
}

}  // namespace

MeasuredOn measured_on(const DeviceInfo &info) {
    const bool is_cpu = info.device.backend == Backend::cpu;
    return {name_of(info.device.backend), vendor_of(info), info.name, info.driver, info.units, info.is_gpu,
        is_cpu ? info.capability : ""};
}

std::string MeasuredOn::text() const {
    return fmt::format("{} ({})", name, backend);
}

void MeasuredFile::add(const std::string &op, const std::string &type, const std::string &schedule,
    const Measures &call, double ms) {
    Times &times = times_[{op, type}];
    const auto at = std::find(times.calls.begin(), times.calls.end(), call);
    const auto number = (size_t)(at - times.calls.begin());
    if (at == times.calls.end()) {
        times.calls.push_back(call);
    }
    times.variants[schedule].emplace(number, ms);
}

size_t MeasuredFile::points() const {
    size_t count = 0;
    for (const auto &[operator_and_type, times] : times_) {
        for (const auto &[variant, of_variant] : times.variants) {
            count += of_variant.size();
        }
    }
    return count;
}

std::string MeasuredFile::name() const {
    return measured_file_name(device_.backend, device_.vendor, device_.name);
}

Json MeasuredFile::json(const std::string &op, const std::string &type, const Times &times) {
    Json calls = Json::array(), variants = Json::object();
    for (const Measures &call : times.calls) {
        calls.push_back(std::vector<double>(call.numbers.begin(), call.numbers.begin() + (long)call.count));
    }
    for (const auto &[schedule, of_variant] : times.variants) {
        Json ms = Json::array();
        for (size_t call = 0; call < times.calls.size(); call++) {
            const auto at = of_variant.find(call);
            ms.push_back(at == of_variant.end() ? Json() : Json(rounded(at->second)));
        }
        variants[schedule] = {{"ms", ms}};
    }
    return {{"operator", op}, {"type", type}, {"calls", calls}, {"variants", variants}};
}

Json MeasuredFile::json(const Json &older, const Json &origin) const {
    Json times = Json::array();
    for (const Json &one : older.is_null() ? Json::array() : older.at("times")) {
        if (!times_.contains({one.at("operator"), one.at("type")})) {
            times.push_back(one);
        }
    }
    for (const auto &[of, measured] : times_) {
        times.push_back(json(of.first, of.second, measured));
    }
    Json copies = {{"bytes_to_device_per_ms", rounded(copies_.to_device)},
        {"bytes_to_host_per_ms", rounded(copies_.to_host)}, {"copy_ms", rounded(copies_.ms)}};
    if (copies_.to_device == 0 && !older.is_null()) {
        copies = older.at("copies");
    }
    Json device = {{"backend", device_.backend}, {"vendor", device_.vendor}, {"name", device_.name}};
    if (!device_.capability.empty()) {
        device["capability"] = device_.capability;
    }
    device.update(Json{{"driver", device_.driver}, {"units", device_.units}, {"is_gpu", device_.is_gpu}});
    return {
        {"version", version}, {"device", device}, {"origin", origin}, {"copies", copies}, {"times", times}};
}

void check_place_of_times(const std::string &path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code error;
    if (!folder.empty()) {
        std::filesystem::create_directories(folder, error);
    }
    if (error) {
        throw Error(Fault::failed,
            fmt::format("cannot make the folder '{}': {}; name another one by TILEWRIGHT_MEASURED",
                folder.string(), error.message()),
            {.operation = "calibrate"});
    }
    check_writable(path);
}

PredictionError MeasuredFile::write(const std::string &path, const Json &origin, bool keeps_older) const {
    check_place_of_times(path);
    Json json = this->json(keeps_older ? older_file(path, device_) : Json(), origin);
    const PredictionError error = add_error(json);
    OutputFile file(path);
    file.put(text_of_file(json));
    file.commit();
    return error;
}

}  // namespace tilewright::app
