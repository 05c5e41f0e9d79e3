#pragma once
// What every call asks of its arrays. Not installed.
#include "tilewright/array.h"
#include "tilewright/device.h"
#include "tilewright/error.h"
#include <optional>
#include <span>
#include <string>

namespace tilewright {

// Errors: usage, naming `operation`, when the output shares memory with one of the inputs.
inline void refuse_shared_memory(
    const Array &output, std::span<const Array> inputs, const std::string &operation) {
    for (const Array &input : inputs) {
        if (output.overlaps(input)) {
            throw Error(Fault::usage, "it shares memory with an input; give it memory of its own",
                {.operation = operation, .argument = "output", .value = output.describe()});
        }
    }
}

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
