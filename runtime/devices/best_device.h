#pragma once
// The choice of a device among some backends. Not installed.
#include "tilewright/device.h"
#include <functional>
#include <optional>
#include <string>

namespace tilewright {

// The first device, in the order of best_device(), of the backends that are `wanted` that `takes` says yes
// to; nothing when there is none. The drivers of other backends are not loaded, and devices whose driver has
// ended are passed over.
std::optional<Device> best_device(
    const std::function<bool(Backend)> &wanted,
    const std::function<bool(const DeviceInfo &)> &takes = [](const DeviceInfo &) { return true; });

// The entry of a device that can be used; null for others, and for what is not there.
const DeviceInfo *usable_info(Device device);

// Its units (DeviceInfo), by which work is divided among blocks; 1 where nothing is known of them.
int units_of(Device device);

// The device that the environment's TILEWRIGHT_DEVICE names for calls that name none; nothing where it is not
// set, or says auto. It is read at the first call. Errors: as of Device::parse(); they name the variable.
std::optional<Device> device_of_environment();

// The same for a word that the variable has.
Device device_of_environment(const std::string &word);

// Whether this thread can no longer use the backend's driver: none of a process can that was forked after one
// was loaded. The CPU has no driver.
bool driver_has_ended(Backend backend);

// Whether the drivers of GPUs were asked for their devices in this process: then they are started.
bool drivers_are_started();

}  // namespace tilewright
