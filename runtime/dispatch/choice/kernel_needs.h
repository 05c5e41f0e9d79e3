#pragma once
// The limits of a device, for the choice of variants. Not installed.
#include "tilewright/device.h"
#include "tilewright/variant.h"
#include <optional>
#include <span>
#include <string>

namespace tilewright {

// The entry of a device; for one that is not there, and for the CPU, an entry without limits.
const DeviceInfo &limits_of(Device device);

// Why kernels that need this cannot run on the device; empty where they can.
std::string why_not_on(const Variant::Needs &needs, const DeviceInfo &info);

// The device of a call that names none: the best one, in the order of best_device(), that can run one of the
// variants; nothing where none can. The drivers of backends that have none of the variants are not loaded.
std::optional<Device> best_device_for(std::span<const Variant *const> variants);

}  // namespace tilewright
