// Several files of `calibrate` become one.
#include "apps/tilewright/calibration/calibration.h"
#include "tilewright/error.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

namespace tilewright::app {

namespace {

[[noreturn]] void refuse(const std::string &path, const std::string &why) {
    throw Error(Fault::input, why, {.operation = "calibrate", .argument = "--from", .value = path});
}

MeasuredOn device_in(const Json &file) {
    const Json &device = file.at("device");
    return {device.at("backend"), device.at("vendor"), device.at("name"), device.at("driver"),
        int_of(device.at("units")), device.at("is_gpu"), device.value("capability", "")};
}

// The least ms of each variant and call, by operator, type, schedule and the numbers of the call.
using LeastTimes = std::map<std::tuple<std::string, std::string, std::string, std::vector<double>>, double>;

void take_times(const Json &file, LeastTimes &least) {
    for (const Json &times : file.at("times")) {
        const Json &calls = times.at("calls");
        for (const auto &[schedule, of_variant] : times.at("variants").items()) {
            const Json &ms = of_variant.at("ms");
            for (size_t i = 0; i < calls.size(); i++) {
                if (ms.at(i).is_null()) {
                    continue;  // the variant does not serve the call
                }
                const double time = ms.at(i);
                const auto [at, is_new] =
                    least.try_emplace({times.at("operator"), times.at("type"), schedule, calls.at(i)}, time);
                at->second = std::min(at->second, time);
            }
        }
    }
}

// The faster way to the device and back, and the shorter wait.
void take_copies(const Json &file, CopyRates &rates) {
    const Json &copies = file.at("copies");
    rates.to_device = std::max(rates.to_device, copies.at("bytes_to_device_per_ms").get<double>());
    rates.to_host = std::max(rates.to_host, copies.at("bytes_to_host_per_ms").get<double>());
    const double ms = copies.at("copy_ms");
    rates.ms = rates.ms == 0 ? ms : std::min(rates.ms, ms);
}

}  // namespace

MeasuredFile joined_calibrations(
    const std::vector<std::string> &files, Json &origin, std::vector<std::string> &others) {
    std::optional<MeasuredOn> device;
    LeastTimes least;
    CopyRates copies;
    for (const std::string &path : files) {
        const Json file = json_in(json_text_of(path), path);
        if (!file.is_object() || !file.contains("times") || !file.contains("device")) {
            refuse(path, "it is no file of `tilewright calibrate`, or was cut off");
        }
        try {
            const MeasuredOn of = device_in(file);
            device = device.value_or(of);
            if (!device->is_same(of)) {
                others.push_back(of.text());
                continue;
            }
            origin = file.at("origin");
            if (!origin.is_object() || !origin.value("how", Json("")).is_string()) {
                refuse(path, "its origin is no object with words");
            }
            take_times(file, least);
            take_copies(file, copies);
        } catch (const Json::exception &error) {
            refuse(path, fmt::format("a part is missing or of another kind ({})", error.what()));
        } catch (const std::out_of_range &error) {
            refuse(path, fmt::format("it has numbers that `calibrate` does not write ({})", error.what()));
        }
    }
    const size_t count = files.size() - others.size();
    if (count > 1) {
        origin["how"] = fmt::format("{}; the least of {} files", origin.value("how", ""), count);
    }
    MeasuredFile measured(device.value());
    for (const auto &[key, ms] : least) {
        const auto &[op, type, schedule, numbers] = key;
        Measures call;
        for (const double number : numbers) {
            call.add(number);
        }
        measured.add(op, type, schedule, call, ms);
    }
    measured.set_copies(copies);
    return measured;
}

}  // namespace tilewright::app
