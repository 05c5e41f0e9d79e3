#include "apps/tilewright/support/call_report.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/streams.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

nlohmann::ordered_json json(const CallReport &report) {
    const Counters &c = report.statistics.counters;
    nlohmann::ordered_json facts = nlohmann::ordered_json::object();
    for (const auto &[name, value] : report.remarks.facts) {
        facts[name] = value;
    }
    nlohmann::ordered_json one = {{"inputs", report.inputs}, {"output", report.output},
        {"device", report.device.str()}, {"row", report.statistics.row},
        {"libraries", report.statistics.libraries}, {"read_ms", report.times.read_ms},
        {"compute_ms", report.times.compute_ms}, {"write_ms", report.times.write_ms}, {"modules", c.modules},
        {"module_ms", c.module_ms}, {"kernels", c.kernels}, {"copies_to_device", c.copies_to_device},
        {"bytes_to_device", c.bytes_to_device}, {"copies_to_host", c.copies_to_host},
        {"bytes_to_host", c.bytes_to_host}, {"allocations", c.allocations},
        {"conversions", report.conversions}, {"facts", facts}, {"warnings", report.remarks.warnings}};
    if (!report.verified.empty()) {
        one["verified_against"] = report.verified;
    }
    return one;
}

}  // namespace

void print_report(const CallReport &report, bool is_one_of_many) {
    if (is_one_of_many) {
        print_error(fmt::format("files       {} -> {}\n", joined(report.inputs, ", "), report.output));
    }
    const Statistics &statistics = report.statistics;
    print_error(fmt::format("row         {}\n", statistics.row));
    if (statistics.libraries != std::vector{statistics.row}) {
        print_error(fmt::format("libraries   {}\n", joined(statistics.libraries, " + ")));
    }
    print_costs(report.device, statistics.counters, report.times);
    for (const std::string &conversion : report.conversions) {
        print_error(fmt::format("converted   {}\n", conversion));
    }
    print_facts(report.remarks);
}

nlohmann::ordered_json json(const std::vector<CallReport> &reports, Device otherwise) {
    const Device device = reports.empty() ? otherwise : reports.front().device;
    nlohmann::ordered_json calls = nlohmann::ordered_json::array();
    for (const CallReport &report : reports) {
        calls.push_back(json(report));
    }
    return {{"version", 1}, {"device", {{"device", device.str()}, {"name", device_info(device).name}}},
        {"calls", calls}};
}

}  // namespace tilewright::app
