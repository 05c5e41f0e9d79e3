#pragma once
// What every call refuses of the array for its result. Not installed.
#include "tilewright/array.h"
#include "tilewright/error.h"
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

}  // namespace tilewright
