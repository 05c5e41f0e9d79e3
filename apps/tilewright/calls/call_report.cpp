#include "apps/tilewright/calls/call_report.h"
#include "apps/tilewright/terminal/json.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "runtime/errors/plain_text.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

void add_counters(const Counters &c, Json &out) {
    out.update({{"modules", c.modules}, {"module_ms", c.module_ms}, {"kernels", c.kernels},
        {"copies_to_device", c.copies_to_device}, {"bytes_to_device", c.bytes_to_device},
        {"copies_to_host", c.copies_to_host}, {"bytes_to_host", c.bytes_to_host},
        {"allocations", c.allocations}});
}

void add_variant(const WorkReport &work, Json &out) {
    out["variant"] = work.statistics.variant;
    out["libraries"] = work.statistics.libraries;
}

void add_remarks(const WorkReport &work, Json &out) {
    Json facts = Json::object();
    for (const auto &[name, value] : work.remarks.facts) {
        facts[name] = value;
    }
    out["facts"] = facts;
    out["warnings"] = work.remarks.warnings;
    if (!work.verified.empty()) {
        out["verified_against"] = work.verified;
    }
}

Json json_of_stage(const WorkReport &stage) {
    Json one;
    add_variant(stage, one);
    one["ms"] = stage.statistics.total_ms;
    add_counters(stage.statistics.counters, one);
    add_remarks(stage, one);
    return one;
}

Json json(const CallReport &report) {
    Json one = {{"inputs", report.inputs}, {"output", report.output}, {"device", report.device.str()}};
    if (report.stages.empty()) {
        add_variant(report.work, one);
    }
    one.update({{"read_ms", report.times.read_ms}, {"compute_ms", report.times.compute_ms},
        {"write_ms", report.times.write_ms}});
    add_counters(report.work.statistics.counters, one);
    one["conversions"] = report.conversions;
    if (report.stages.empty()) {
        add_remarks(report.work, one);
    }
    for (const WorkReport &stage : report.stages) {
        one["stages"].push_back(json_of_stage(stage));
    }
    return one;
}

void print_variant(const Statistics &statistics) {
    print_error(fmt::format("variant     {}\n", statistics.variant));
    if (const std::string others = other_libraries(statistics.variant, statistics.libraries);
        !others.empty()) {
        print_error(fmt::format("libraries   {}\n", others));
    }
}

void print_stages(const std::vector<WorkReport> &stages) {
    for (size_t i = 0; i < stages.size(); i++) {
        const Statistics &s = stages[i].statistics;
        const Counters &c = s.counters;
        print_error(fmt::format("{:<11} {}, {:.3f} ms, {}, copies {}, {}\n", fmt::format("stage {}", i + 1),
            s.variant, s.total_ms, plural(c.kernels, "kernel"),
            copies(c.copies_to_device, c.bytes_to_device, "device"),
            copies(c.copies_to_host, c.bytes_to_host, "host")));
        if (const std::string others = other_libraries(s.variant, s.libraries); !others.empty()) {
            print_error(fmt::format("  libraries {}\n", others));
        }
        print_facts(stages[i].remarks);
    }
}

}  // namespace

void print_report(const CallReport &report, bool is_one_of_many) {
    if (is_one_of_many) {
        const std::string files = fmt::format("{} -> {}", joined(report.inputs, ", "), report.output);
        print_error(fmt::format("files       {}\n", plain_text(files, '?')));
    }
    if (report.stages.empty()) {
        print_variant(report.work.statistics);
    }
    print_stages(report.stages);
    print_costs(report.device, report.work.statistics.counters, report.times);
    for (const std::string &conversion : report.conversions) {
        print_error(fmt::format("converted   {}\n", plain_text(conversion, '?')));
    }
    print_facts(report.work.remarks);
}

void print_verified(const CallReport &report) {
    if (!report.work.verified.empty()) {
        print_error(fmt::format("verified    against {}\n", report.work.verified));
    }
    for (size_t i = 0; i < report.stages.size(); i++) {
        if (!report.stages[i].verified.empty()) {
            print_error(fmt::format("verified    stage {} against {}\n", i + 1, report.stages[i].verified));
        }
    }
}

Json json(const std::vector<CallReport> &reports, Device otherwise) {
    const Device device = reports.empty() ? otherwise : reports.front().device;
    Json calls = Json::array();
    for (const CallReport &report : reports) {
        calls.push_back(json(report));
    }
    return {{"version", 1}, {"device", {{"device", device.str()}, {"name", device_info(device).name}}},
        {"calls", calls}};
}

}  // namespace tilewright::app
