#pragma once
// Where the memory of a call's arrays is that another library owns. Not installed.
#include "tilewright/array.h"
#include "tilewright/device.h"
#include <optional>
#include <span>

namespace tilewright {

// The device of the output's memory, or else of that of an input. Nothing where the library owns all of it.
inline std::optional<Device> wrapped_device(std::span<const Array> inputs, const Array &output) {
    if (output.is_wrapped()) {
        return output.newest_on();
    }
    for (const Array &input : inputs) {
        if (input.is_wrapped()) {
            return input.newest_on();
        }
    }
    return {};
}

}  // namespace tilewright
