// Fills in page.html: the tables, which need no JavaScript, and the data that page.js draws.
#include "apps/laboratory/report/page.h"
#include "apps/laboratory/report/assets.h"
#include "apps/laboratory/report/tables.h"
#include "apps/tilewright/command_line/version.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "runtime/files/output/output_file.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace tilewright::app {

namespace {

// Of several runs of one variant, device and data: the one that `explore` made again at the end of its
// search, because the least of many times is partly luck; of several processes that of the middle time; else
// the last.
TimedRun one_of(std::vector<TimedRun> &runs) {
    if (runs.back().process == runs.front().process || runs.back().again) {
        return std::move(runs.back());
    }
    std::erase_if(runs, [](const TimedRun &run) { return !run.timed || run.wrong; });
    const auto middle = runs.begin() + std::ptrdiff_t(runs.size() / 2);
    std::nth_element(runs.begin(), middle, runs.end(),
        [](const TimedRun &a, const TimedRun &b) { return a.median < b.median; });
    return std::move(*middle);
}

// The runs of all files with their devices.
ReportData data_of(const std::vector<TimedFile> &files) {
    ReportData data;
    std::map<std::tuple<std::string, std::string, std::string, size_t, std::string>, size_t> places;
    std::map<std::string, size_t> devices;  // their places in data.devices
    std::vector<std::vector<TimedRun>> runs;
    for (const TimedFile &file : files) {
        for (TimedRun run : file.runs) {
            const RunContext &context = file.contexts[run.context];
            const std::string backend = run.device.substr(0, run.device.find(':'));
            const std::string label =
                fmt::format("{} ({})", context.device_name.empty() ? "?" : context.device_name, backend);
            const auto [device, is_new_device] = devices.emplace(label, data.devices.size());
            run.context = device->second;
            if (is_new_device) {
                data.devices.push_back(label);
                data.copy_rates.push_back(0);
            }
            data.copy_rates[run.context] = std::max(data.copy_rates[run.context], context.copy_rate);
            const auto [place, is_new] =
                places.emplace(std::tuple(run.op, run.name, run.type, run.context, run.data), runs.size());
            if (is_new) {
                runs.emplace_back();
            }
            std::vector<TimedRun> &of_one = runs[place->second];
            if (!of_one.empty() && (of_one.back().wrong || run.wrong) && run.process > 0) {
                of_one.resize(1);  // that one process was wrong is what the report says
                of_one.front() = of_one.front().wrong ? of_one.front() : std::move(run);
            } else {
                of_one.push_back(std::move(run));
            }
        }
    }
    for (std::vector<TimedRun> &of_one : runs) {
        data.runs.push_back(one_of(of_one));
    }
    return data;
}

// Whether the calls found their data in the cache: on a CPU, inputs of at most 2.5 MB are in two sets of
// buffers. Files of peers do not say how many sets there were.
bool is_cached(const TimedRun &run) {
    constexpr double most = 5e6;  // bytes of inputs and output
    return run.device == "cpu" && run.sets <= 2 && run.bytes > 0 && run.bytes <= most;
}

// On which buffers the times are.
std::string buffers_text(const ReportData &data) {
    const auto has_cpu = std::any_of(
        data.runs.begin(), data.runs.end(), [](const TimedRun &run) { return run.device == "cpu"; });
    const auto has_other = std::any_of(
        data.runs.begin(), data.runs.end(), [](const TimedRun &run) { return run.device != "cpu"; });
    const std::string cpu =
                          "of data in its cache where the inputs take at most 2.5 MB, and else of data from "
                          "memory",
                      other = "of data that no cache holds";
    return has_cpu && has_other ? fmt::format("on the CPU {}; on other devices {}", cpu, other) :
           has_cpu              ? "on the CPU " + cpu :
                                  other;
}

// What the script draws, with short names because there may be many runs: name, operator, schedule, family,
// type, device, data, width, height, times, bytes, arithmetic, chosen, peer, in a cache, timed again,
// tunables, sentence, channels.
Json drawn(const ReportData &data) {
    Json runs = Json::array();
    for (const TimedRun &run : data.runs) {
        if (!run.timed || run.wrong) {
            continue;
        }
        Json one = {{"n", run.name}, {"o", run.op}, {"s", run.schedule}, {"y", run.type}, {"d", run.context},
            {"x", run.data}, {"w", run.width}, {"h", run.height}, {"t", {run.median, run.p10, run.p90}}};
        if (run.channels > 1) {
            one["ch"] = run.channels;
        }
        if (!run.is_peer) {
            one["f"] = run.family;
        } else {
            one["p"] = 1;
        }
        if (run.bytes > 0) {
            one["b"] = run.bytes;
        }
        if (run.flops > 0) {
            one["a"] = run.flops;
        }
        if (run.chosen) {
            one["c"] = 1;
        }
        if (!run.verified) {
            one["u"] = 1;
        }
        if (is_cached(run)) {
            one["m"] = 1;
        }
        if (run.again) {
            one["g"] = 1;
        }
        if (!run.tunables.empty()) {
            one["q"] = run.tunables;
        }
        if (!run.point.empty()) {
            one["k"] = 1;
        } else if (!run.summary.empty()) {
            one["z"] = run.summary;
        }
        runs.push_back(std::move(one));
    }
    return {{"devices", data.devices}, {"copy", data.copy_rates}, {"runs", std::move(runs)}};
}

// In a page: no text in it ends the element.
std::string text_of_json(const Json &json) {
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    for (size_t at = 0; (at = text.find('<', at)) != std::string::npos;) {
        text.replace(at, 1, "\\u003c");
    }
    return text;
}

// Puts each {{name}}'s text in its place. A name that the page does not have would be a mistake of this file.
std::string filled(std::string_view page, const std::map<std::string, std::string> &texts) {
    std::string out;
    for (size_t at = 0; at < page.size();) {
        const size_t open = page.find("{{", at);
        if (open == std::string_view::npos) {
            out += page.substr(at);
            break;
        }
        const size_t close = page.find("}}", open);
        out += page.substr(at, open - at);
        out += texts.at(std::string(page.substr(open + 2, close - open - 2)));
        at = close + 2;
    }
    return out;
}

constexpr const char *small_page =
    "The plots need the file plots.js beside this page: `python3 apps/laboratory/report/plots.py plots.js` "
    "writes it.";
constexpr const char *no_plots =
    "This report has no plots, because the program was built without the plotting library: build it with "
    "vl-convert-python of requirements-plots.txt installed, and without TILEWRIGHT_SMALL.";

}  // namespace

std::string report_page(const std::vector<TimedFile> &files, bool small) {
    const ReportData data = data_of(files);
    std::string notes;
    if (small || assets().plots.empty()) {
        notes += fmt::format("<p class=\"note\" id=\"no-plots\">{}</p>\n", small ? small_page : no_plots);
    }
    const std::string plots =
        small ? "<script src=\"plots.js\"></script>" : fmt::format("<script>{}</script>", assets().plots);
    return filled(assets().page,
        {{"version", html(tilewright_version)}, {"title", html(title_of(data))},
            {"style", std::string(assets().style)}, {"notes", notes}, {"buffers", buffers_text(data)},
            {"answers", answers(data)}, {"files", files_table(files)}, {"operators", operator_sections(data)},
            {"untimed", untimed_table(data)}, {"data", text_of_json(drawn(data))}, {"plots", plots},
            {"script", std::string(assets().script)}});
}

void write_report(const std::string &path, const std::vector<TimedFile> &files, bool small) {
    OutputFile file(path);
    const std::string page = report_page(files, small);
    if (assets().plots.empty() && !small) {
        print_error_line(fmt::format("tilewright: {}: ", path), no_plots);
    }
    file.put(page);
    file.commit();
}

}  // namespace tilewright::app
