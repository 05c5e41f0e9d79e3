// Devices by name, and the choice among those of this machine.
#include "tilewright/device.h"
#include "runtime/devices/best_device.h"
#include "runtime/devices/calls/halide_calls.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/cpu.h"
#include "runtime/devices/cuda/cuda.h"
#include "runtime/devices/opencl/opencl.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/environment.h"
#include "runtime/process/immortal.h"
#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include "tilewright/timing.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

std::string Device::str() const {
    if (backend != Backend::cpu && backend != Backend::cuda && backend != Backend::opencl) {
        return "of no backend";
    }
    return *this == Device() ? "cpu" : std::string(name_of(backend)) + ":" + std::to_string(index);
}

Device Device::parse(const std::string &text) {
    if (text == "auto") {
        return default_device();
    }
    const size_t colon = text.find(':');
    const std::string word = text.substr(0, colon),
                      number = colon == std::string::npos ? "0" : text.substr(colon + 1);
    const bool digits =
        !number.empty() && number.size() < 5 && number.find_first_not_of("0123456789") == std::string::npos;
    for (Backend backend : {Backend::cpu, Backend::cuda, Backend::opencl}) {
        if (word == name_of(backend) && digits && (backend != Backend::cpu || colon == std::string::npos)) {
            Device device{backend, std::stoi(number)};
            device_info(device);
            return device;
        }
    }
    throw Error(Fault::usage,
        "no such device name; write auto, cpu, cuda, cuda:1, opencl or opencl:1 (`tilewright "
        "devices` lists them)",
        {.argument = "device", .value = text});
}

bool driver_has_ended(Backend backend) {
    return backend != Backend::cpu && drivers_have_ended();
}

static std::atomic<bool> started{false};

bool drivers_are_started() {
    return started;
}

const std::vector<DeviceInfo> &devices(Backend backend) {
    const Inside inside;
    started = started || backend != Backend::cpu;
    switch (backend) {
    case Backend::cuda: return immortal([] { return driver::cuda_devices(); });
    case Backend::opencl: return immortal([] { return driver::opencl_devices(); });
    case Backend::cpu: break;
    }
    return immortal([] { return std::vector{driver::cpu_device()}; });
}

const std::vector<DeviceInfo> &devices() {
    return immortal([] {
        std::vector<DeviceInfo> found;
        for (const Backend backend : {Backend::cpu, Backend::cuda, Backend::opencl}) {
            found.insert(found.end(), devices(backend).begin(), devices(backend).end());
        }
        return found;
    });
}

std::optional<Device> best_device(
    const std::function<bool(Backend)> &wanted, const std::function<bool(const DeviceInfo &)> &takes) {
    const auto first = [&](Backend backend, bool gpu) -> std::optional<Device> {
        if (!wanted(backend) || driver_has_ended(backend)) {
            return {};
        }
        for (const DeviceInfo &d : devices(backend)) {
            if (d.usable && d.is_gpu == gpu && takes(d)) {
                return d.device;
            }
        }
        return {};
    };
    for (const auto &[backend, gpu] : {std::pair(Backend::cuda, true), {Backend::opencl, true},
             {Backend::cpu, false}, {Backend::opencl, false}}) {
        if (const auto found = first(backend, gpu)) {
            return found;
        }
    }
    return {};
}

Device best_device() {
    return *best_device([](Backend) { return true; });
}

Device default_device() {
    const std::optional<Device> asked = device_of_environment();
    return asked ? *asked : best_device();
}

std::optional<Device> device_of_environment() {
    static const std::string &word = immortal([] { return environment_value("TILEWRIGHT_DEVICE"); });
    return word.empty() || word == "auto" ? std::nullopt : std::optional(device_of_environment(word));
}

Device device_of_environment(const std::string &word) try {
    return Device::parse(word);
} catch (const Error &error) {
    throw Error(
        error.fault(), fmt::format("{} (the environment's TILEWRIGHT_DEVICE is {})", error.what(), word));
}

const DeviceInfo *usable_info(Device device) {
    for (const DeviceInfo &d : devices(device.backend)) {
        if (d.device == device && d.usable) {
            return &d;
        }
    }
    return nullptr;
}

int units_of(Device device) {
    const DeviceInfo *info = usable_info(device);
    return info ? std::max(info->units, 1) : 1;
}

const DeviceInfo &device_info(Device device) {
    if (const DeviceInfo *usable = usable_info(device)) {
        return *usable;
    }
    const DeviceInfo *first = nullptr;
    for (const DeviceInfo &d : devices(device.backend)) {
        if (!d.usable && (!first || d.device == device)) {
            first = &d;
        }
    }
    std::vector<std::string> usable;
    for (const DeviceInfo &d : devices()) {
        if (d.usable) {
            usable.push_back(d.device.str());
        }
    }
    throw Error(Fault::device,
        fmt::format("{}; usable here: {} (`tilewright devices` lists all)",
            first ? first->why_not : "there is no such device", fmt::join(usable, ", ")),
        {.argument = "device", .value = device.str()});
}

void synchronize(Device device) try {
    if (device.backend == Backend::cpu) {
        return;
    }
    const Inside inside;
    prepare_halide();
    driver::Current current(device);
    if (int code = wait_for_device(device.backend)) {
        throw_halide_error(code, "waiting for the device", "", device);
    }
} catch (...) {
    leave_with_error();
}

double device_time_ms(Device device, const std::function<void()> &calls) {
    synchronize(device);
    if (device.backend == Backend::cuda) {
        driver::Current current(device);
        return driver::cuda_time_ms(calls);
    }
    const auto start = std::chrono::steady_clock::now();
    calls();
    synchronize(device);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace tilewright
