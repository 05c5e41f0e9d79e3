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
    Json tunables = Json::array();
    for (const Row::Tunable &t : row.tunables) {
        tunables.push_back({{"name", t.name}, {"value", t.value}, {"low", t.low}, {"high", t.high}});
    }
    return {{"row", row.name()}, {"operator", row.op}, {"schedule", row.schedule}, {"type", row.type},
        {"backend", name_of(row.backend)}, {"needs_vnni", row.needs_vnni}, {"form", row.form},
        {"tunables", tunables}, {"autoscheduler", row.autoscheduler}, {"declined", row.declined},
        {"summary", row.summary},
        {"needs", {{"threads", row.needs.threads}, {"shared_bytes", row.needs.shared_bytes},
                      {"capability", row.needs.capability}, {"fp64", row.needs.fp64},
                      {"images", row.needs.images}, {"half", row.needs.half}, {"avx2", row.needs.avx2}}}};
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
