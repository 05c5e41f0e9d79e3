#include "runtime/dispatch/options/option_text.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>

namespace tilewright {

namespace {

// Operators of a program's own, and whether operators() has been made: from then on none can be added.
struct Added {
    std::mutex mutex;
    std::vector<const Operator &(*)()> operators;
    bool in_use = false;
};

Added &added() {
    static auto &all = *new Added;
    return all;
}

}  // namespace

void add_operator(const Operator &(*op)()) {
    const std::lock_guard lock(added().mutex);
    if (added().in_use) {
        throw Error(Fault::failed,
            "operators are added before main(), and the list of them is in use already",
            {.operation = op().name()});
    }
    added().operators.push_back(op);
}

std::vector<const Operator *> with_added_operators(std::vector<const Operator *> own) {
    const std::lock_guard lock(added().mutex);
    added().in_use = true;
    for (const auto op : added().operators) {
        const auto same_name = [&](const Operator *other) { return other->name() == op().name(); };
        if (std::any_of(own.begin(), own.end(), same_name)) {
            throw Error(Fault::failed, "two operators have this name", {.operation = op().name()});
        }
        own.push_back(&op());
    }
    return own;
}

const Operator &find_operator(const std::string &name) {
    std::vector<std::string> known;
    for (const Operator *op : operators()) {
        if (op->name() == name) {
            return *op;
        }
        known.push_back(op->name());
    }
    const std::string of_variant = name.substr(0, name.find('/'));  // "transpose/tuned/u8/cpu"
    throw Error(Fault::usage,
        fmt::format("no such operator{}; known: {}", did_you_mean(of_variant, known), fmt::join(known, ", ")),
        {.argument = "operator", .value = name});
}

}  // namespace tilewright
