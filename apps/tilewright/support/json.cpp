// Devices and rows as JSON, and JSON as text.
#include "apps/tilewright/support/json.h"
#include "apps/tilewright/support/report.h"
#include <nlohmann/json.hpp>

namespace tilewright::app {

Json json(const DeviceInfo &info) {
    return {{"device", info.device.str()}, {"name", info.name}, {"platform", info.platform},
        {"driver", info.driver}, {"memory", info.memory}, {"units", info.units},
        {"capability", info.capability}, {"block_threads", info.block_threads},
        {"block_memory", info.block_memory}, {"fp64", info.fp64}, {"images", info.images},
        {"half", info.half}, {"is_gpu", info.is_gpu}, {"usable", info.usable}, {"why_not", info.why_not}};
}

Json json(const Row &row) {
    Json tunables = Json::object();
    for (const Row::Tunable &t : row.tunables) {
        tunables[t.name] = t.value;
    }
    return {{"row", row.name()}, {"operator", row.op}, {"schedule", row.schedule}, {"family", row.family},
        {"library", row.origin}, {"type", row.type}, {"backend", name_of(row.backend)},
        {"tunables", tunables}};
}

Json listed(const Row &row) {
    Json ranges = Json::object();
    for (const Row::Tunable &t : row.tunables) {
        ranges[t.name] = {{"low", t.low}, {"high", t.high}};
    }
    Json one = json(row);
    one.update({{"ranges", ranges}, {"needs_vnni", row.needs_vnni}, {"form", row.form},
        {"autoscheduler", row.autoscheduler}, {"declined", row.declined}, {"summary", row.summary},
        {"needs", {{"threads", row.needs.threads}, {"shared_bytes", row.needs.shared_bytes},
                      {"capability", row.needs.capability}, {"fp64", row.needs.fp64},
                      {"images", row.needs.images}, {"half", row.needs.half},
                      {"only_capability", row.needs.only_capability}, {"avx2", row.needs.avx2}}}});
    return one;
}

std::string text_of(const Json &json) {
    // A name from a driver may hold bytes that are not UTF-8; they are replaced rather than ending the
    // report.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void print(const Json &json) {
    print(text_of(json));
}

}  // namespace tilewright::app
