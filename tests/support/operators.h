#pragma once
// The operators and devices that a test finds: what this build has, and what this machine has.
#include "tests/support/pocl.h"
#include "tilewright/device.h"
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewright {

// The operator of this name; nullptr where this build has none.
inline const Operator *built_operator(const std::string &name) {
    for (const Operator *op : operators()) {
        if (op->name() == name) {
            return op;
        }
    }
    return nullptr;
}

// Small arguments that an operator's variants of a type take.
inline Sample small_sample(const Operator &op, const std::string &type, int64_t w, int64_t h) {
    return workload_of(op).benchmark_sample(type, {w, h}, {});
}

// The types that `tuned` serves on a backend, each once, in the order of the table.
inline std::vector<std::string> tuned_types(const Operator &op, Backend backend) {
    std::vector<std::string> types;
    for (const Variant *variant : op.variants("tuned", backend)) {
        if (std::ranges::count(types, variant->type) == 0) {
            types.push_back(variant->type);
        }
    }
    return types;
}

// The same on a device. By PoCL, which compiles for seconds, the first of them.
inline std::vector<std::string> quick_types(const Operator &op, Device device) {
    std::vector<std::string> types = tuned_types(op, device.backend);
    if (device.backend == Backend::opencl && !device_info(device).is_gpu) {
        types.resize(std::min<size_t>(types.size(), 1));
    }
    return types;
}

// What a call gives.
inline Array result_of(
    const Operator &op, std::span<const Array> inputs, const Settings &settings, Device device) {
    Array result;
    op(inputs, result, settings, {.device = device});
    return result;
}

// A call, and what it gives.
struct KnownCall {
    const Operator *op;
    Sample sample;
    Array result;
};

// A call of an operator of each type that `tuned` serves on a device.
inline std::vector<KnownCall> known_calls(const Operator &op, Device device, int64_t w, int64_t h) {
    std::vector<KnownCall> all;
    for (const std::string &type : tuned_types(op, device.backend)) {
        Sample sample = small_sample(op, type, w, h);
        Array result = result_of(op, sample.inputs, sample.settings, device);
        result.sync();
        all.push_back({&op, std::move(sample), std::move(result)});
    }
    return all;
}

// Every device that can be used, the CPU first.
inline std::vector<Device> usable_devices() {
    std::vector<Device> usable;
    for (const DeviceInfo &info : devices()) {
        if (info.usable) {
            usable.push_back(info.device);
        }
    }
    return usable;
}

// The first device of a backend that can be used. Where there is none, `why_not` gets the reason. PoCL, if it
// is that device, compiles quickly from then on.
inline std::optional<DeviceInfo> usable_device(Backend backend, std::string &why_not) {
    why_not = "no such device";
    for (const DeviceInfo &info : devices()) {
        if (info.device.backend == backend) {
            if (info.usable) {
                if (backend == Backend::opencl) {
                    compile_quickly_on_pocl();
                }
                return info;
            }
            why_not = info.why_not;
        }
    }
    return {};
}

}  // namespace tilewright
