// Which measurements count for a device.
#include "runtime/measured/measured.h"
#include "runtime/errors/plain_text.h"
#include "runtime/process/environment.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <tuple>

namespace tilewright {

namespace {

// "NVIDIA H200" becomes "nvidia-h200".
std::string in_file_name(const std::string &text) {
    std::string name;
    for (const char c : text) {
        if (isalnum((unsigned char)c)) {
            name += (char)tolower((unsigned char)c);
        } else if (!name.empty() && name.back() != '-') {
            name += '-';
        }
    }
    while (name.ends_with('-')) {
        name.pop_back();
    }
    return name;
}

// The device's own file; null where there is none, or none that can be used.
const MeasuredDevice *own_file(const DeviceInfo &device) {
    const std::string folder = measured_folder();
    const std::string word = device.device.str(), backend = word.substr(0, word.find(':'));
    const std::string path = folder + "/" + measured_file_name(backend, vendor_of(device), device.name);
    std::error_code unknown;
    if (folder.empty() || !std::filesystem::exists(path, unknown)) {
        return nullptr;
    }
    std::string why_not;
    const MeasuredDevice *own = read_measurements(path, why_not);
    if (own && (own->backend != device.device.backend || own->name != device.name)) {
        why_not =
            fmt::format("it is of another device, {}; remove it, and run `tilewright calibrate`", own->name);
        own = nullptr;
    }
    if (!own) {
        fprintf(stderr, "tilewright: warning: the measured times in '%s' are not used: %s\n",
            plain_text(path, '?').c_str(), plain_text(why_not, '?').c_str());
    }
    return own;
}

}  // namespace

std::string vendor_of(const DeviceInfo &device) {
    switch (device.device.backend) {
    case Backend::cuda: return "NVIDIA";
    case Backend::opencl: return device.platform;
    case Backend::cpu: break;
    }
    return device.name.substr(0, device.name.find(' '));
}

const MeasuredDevice *most_like(const DeviceInfo &device, std::span<const MeasuredDevice> measured) {
    const std::string vendor = vendor_of(device);
    const MeasuredDevice *best = nullptr;
    std::tuple<bool, bool, bool, double> least;
    for (const MeasuredDevice &one : measured) {
        if (one.backend != device.device.backend || one.is_gpu != device.is_gpu) {
            continue;
        }
        const double factor = std::abs(std::log(std::max(1, one.units) / (double)std::max(1, device.units)));
        const std::tuple distance(
            one.capability != device.capability, one.vendor != vendor, one.name != device.name, factor);
        if (!best || distance < least) {
            best = &one;
            least = distance;
        }
    }
    return best;
}

std::optional<DeviceMeasurements::Found> DeviceMeasurements::find(
    std::string_view op, std::string_view type) const {
    for (const MeasuredDevice *device : {own, like}) {
        if (!device) {
            continue;
        }
        for (const MeasuredTimes &times : device->times) {
            if (times.op == op && times.type == type) {
                return Found{&times, device};
            }
        }
    }
    return {};
}

const DeviceMeasurements &measurements_of(const DeviceInfo &device) {
    auto &mutex = immortal([] { return std::mutex(); });
    auto &known = immortal([] { return std::map<std::string, DeviceMeasurements>(); });
    const std::lock_guard lock(mutex);
    const auto [at, is_new] = known.try_emplace(device.device.str() + device.name);
    if (is_new) {
        at->second = {own_file(device), most_like(device, built_in_measurements())};
    }
    return at->second;
}

std::string measured_folder() {
    if (const std::string named = environment_value("TILEWRIGHT_MEASURED"); !named.empty()) {
        return named == "off" ? "" : named;
    }
    const std::string config = environment_value("XDG_CONFIG_HOME"), home = environment_value("HOME");
    return config.starts_with('/') ? config + "/tilewright/measured" :
           home.starts_with('/')   ? home + "/.config/tilewright/measured" :
                                     "";
}

std::string measured_file_name(
    const std::string &backend, const std::string &vendor, const std::string &name) {
    const bool is_named = in_file_name(name).starts_with(in_file_name(vendor));
    return fmt::format(
        "{}-{}{}.json", backend, is_named ? "" : in_file_name(vendor) + "-", in_file_name(name));
}

}  // namespace tilewright
