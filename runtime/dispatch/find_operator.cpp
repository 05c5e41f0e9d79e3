#include "runtime/dispatch/option_text.h"
#include "tilewright/operator.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

const Operator &find_operator(const std::string &name) {
    std::vector<std::string> known;
    for (const Operator *op : operators()) {
        if (op->name() == name) {
            return *op;
        }
        known.push_back(op->name());
    }
    throw Error(Fault::usage,
        fmt::format("no such operator{}; known: {}", did_you_mean(name, known), fmt::join(known, ", ")),
        {.argument = "operator", .value = name});
}

}  // namespace tilewright
