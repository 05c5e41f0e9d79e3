#pragma once
// Kernels that start while the one in front of them ends, on NVIDIA's GPUs from compute capability 9.0
// on: what generators and runtime must agree on.
#include "generators/algorithms/text_lines.h"
#include <string>
#include <string_view>

namespace tilewright {

// The oldest compute capability whose kernels can wait for the one in front of them.
constexpr int early_start_capability = 90;

// The text of a CUDA module for a device of this capability: each kernel first waits until the one in front
// of it has ended and its results can be read. Where a launch does not say that the kernel may start early,
// that does nothing. For older devices the text comes back as it is.
inline std::string with_early_starts(std::string text, int capability) {
    if (capability < early_start_capability) {
        return text;
    }
    const std::string entry = ".entry ";
    for (size_t at = text.find(entry); at != std::string::npos; at = text.find(entry, at)) {
        at = text.find('{', at);
        if (at == std::string::npos) {
            break;
        }
        text.insert(at + 1, "\n\tgriddepcontrol.wait;");
    }
    if (number_behind(text, before_capability) < early_start_capability) {
        const auto set = [&](std::string_view before, const std::string &to) {
            if (const size_t at = text.find(before); at != std::string::npos) {
                const size_t begin = at + before.size();
                text.replace(begin, text.find_first_of(", \n", begin) - begin, to);
            }
        };
        set(".version ", "7.8");
        set(before_capability, std::to_string(early_start_capability));
    }
    return text;
}

}  // namespace tilewright
