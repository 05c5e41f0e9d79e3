// The list of plain definitions: those of this build, and those of a program.
#include "tilewright/plain.h"
#include "runtime/arrays/channels.h"
#include "runtime/process/immortal.h"
#include <map>
#include <mutex>
#include <vector>

namespace tilewright {

// The definitions of plain/OP.cpp. plain/CMakeLists.txt makes this function.
const std::map<std::string, PlainDefinition> &built_plain_definitions();

namespace {

struct Definitions {
    std::map<std::string, PlainDefinition> known = built_plain_definitions();
    std::mutex mutex;
};

Definitions &definitions() {
    return immortal([] { return Definitions(); });
}

}  // namespace

std::optional<Array> plain_result(
    const Operator &op, std::span<const Array> inputs, const Settings &settings, Backend backend) {
    PlainDefinition definition = nullptr;
    {
        const std::lock_guard lock(definitions().mutex);
        const auto at = definitions().known.find(op.name());
        definition = at == definitions().known.end() ? nullptr : at->second;
    }
    if (!definition) {
        return std::nullopt;
    }
    const Array &first = inputs[0];
    if (!op.has_separate_channels() || first.dimensions() != 3) {
        return definition(inputs, settings, backend);
    }
    std::vector<Array> channels = empty_channels_of(first);
    split_channels(first, channels);
    for (Array &channel : channels) {
        channel = definition(std::span(&channel, 1), settings, backend);
    }
    Array result(channels.front().type(), first.shape(), 0);
    join_channels(channels, result);
    return result;
}

void add_plain_definition(const std::string &op, PlainDefinition definition) {
    if (!definition) {
        throw Error(Fault::usage, "is null; give the function that computes the exact result",
            {.operation = op, .argument = "definition"});
    }
    const std::lock_guard lock(definitions().mutex);
    definitions().known[op] = definition;
}

}  // namespace tilewright
