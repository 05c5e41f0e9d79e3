#pragma once
// The operators and devices that a test finds: what this build has, and what this machine has.
#include "tests/support/pocl.h"
#include "tilewright/device.h"
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <optional>
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
