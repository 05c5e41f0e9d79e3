#pragma once
// On which device the arrays of a call are whose memory another library owns (Array::wrap). Not installed.
#include "tilewright/array.h"
#include "tilewright/device.h"
#include <optional>
#include <span>

namespace tilewright {

// The device of the output, where another library owns its memory, or else of the first such input. Nothing
// where there is no such array.
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
