// Devices and variants as JSON, and JSON as text.
#include "apps/tilewright/terminal/json.h"
#include "apps/tilewright/built_variants/tunables.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/files/input_file.h"
#include "runtime/measured/json_bounds.h"
#include "tilewright/error.h"
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tilewright::app {

Json json(const DeviceInfo &info) {
    return {{"device", info.device.str()}, {"name", info.name}, {"platform", info.platform},
        {"driver", info.driver}, {"memory", info.memory}, {"units", info.units},
        {"capability", info.capability}, {"block_threads", info.block_threads},
        {"block_memory", info.block_memory}, {"fp64", info.fp64}, {"images", info.images},
        {"half", info.half}, {"is_gpu", info.is_gpu}, {"usable", info.usable}, {"why_not", info.why_not}};
}

Json json(const Variant &variant) {
    Json tunables = Json::object();
    for (const Variant::Tunable &t : variant.tunables) {
        const std::string word = word_of(variant.op, t.name, t.value);
        const std::optional<int> number = number_in<int>(word);  // some words are numbers too
        tunables[t.name] = number ? Json(*number) : Json(word);
    }
    return {{"variant", variant.name()}, {"operator", variant.op}, {"schedule", variant.schedule},
        {"family", variant.family}, {"library", variant.origin}, {"type", variant.type},
        {"backend", name_of(variant.backend)}, {"tunables", tunables}};
}

Json listed(const Variant &variant) {
    Json ranges = Json::object();
    for (const Variant::Tunable &t : variant.tunables) {
        ranges[t.name] = {{"low", t.low}, {"high", t.high}};
    }
    Json conditions = Json::array();
    for (const Variant::Condition &condition : variant.conditions) {
        conditions.push_back({{"measure", condition.measure}, {"least", condition.least},
            {"most", std::isinf(condition.most) ? Json() : Json(condition.most)},
            {"needed", condition.is_needed}});
    }
    Json one = json(variant);
    one.update({{"ranges", ranges}, {"also", variant.also}, {"conditions", conditions},
        {"needs_vnni", variant.needs_vnni}, {"form", variant.form}, {"autoscheduler", variant.autoscheduler},
        {"summary", variant.summary}, {"kept_for", variant.kept_for},
        {"needs", {{"threads", variant.needs.threads}, {"shared_bytes", variant.needs.shared_bytes},
                      {"capability", variant.needs.capability}, {"fp64", variant.needs.fp64},
                      {"images", variant.needs.images}, {"half", variant.needs.half},
                      {"only_capability", variant.needs.only_capability}, {"ptx", variant.needs.ptx},
                      {"avx2", variant.needs.avx2}}}});
    return one;
}

Json json_in(std::string_view text, const std::string &name) {
    if (const std::string_view why_not = why_not_parsed(text); !why_not.empty()) {
        throw Error(Fault::input, fmt::format("{}; give a file that this program wrote", why_not),
            {.argument = name});
    }
    return Json::parse(text, nullptr, false);
}

std::string json_text_of(const std::string &path) {
    constexpr int64_t most_bytes = int64_t(256) << 20;
    InputFile file(path, InputFile::Kinds::regular);
    return std::string(
        file.read_rest(most_bytes, "give a file that this program wrote, or parts of it").text());
}

int int_of(const Json &value) {
    const auto number = value.get<double>();
    constexpr double least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
    if (!(number >= least && number <= most) || number != std::floor(number)) {
        throw std::out_of_range(fmt::format("{} is out of range", number));
    }
    return (int)number;
}

std::string text_of(const Json &json) {
    // In ASCII, so that a terminal shows every letter as it is. A name from a driver may hold bytes that are
    // not UTF-8; they are replaced rather than ending the report.
    return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

void print(const Json &json) {
    print(text_of(json));
}

}  // namespace tilewright::app
