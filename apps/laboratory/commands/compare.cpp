// `compare`: whether what one file has timed is faster or slower in another one.
#include "apps/laboratory/commands/laboratory.h"
#include "apps/laboratory/results/comparison.h"
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/command_line/exit_code.h"
#include "apps/tilewright/terminal/printing.h"
#include "tilewright/error.h"
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

struct CompareOptions {
    std::string before, after;
    double threshold = 2;  // percent
    bool all = false, json = false;
};

std::string title_of(const TimedFile &file) {
    const RunContext &context = file.contexts.front();
    return fmt::format("{}: {}, {}, commit {}{}", one_line(file.path), context.date, context.device_name,
        context.commit, file.cut_lines > 0 ? "; its last line is cut off and was left out" : "");
}

// What a line says of one run.
std::vector<std::string> line_of(const ComparedRun &run) {
    const auto time = [](const TimedRun &one) {
        return fmt::format("{:.4g} ({:.4g} to {:.4g})", one.median, one.p10, one.p90);
    };
    const std::string name = run.after->is_peer ? run.after->op + ", " + run.after->name : run.after->name;
    return {name, run.after->data, run.after->device, time(*run.before), time(*run.after),
        fmt::format("{:.3f}", run.ratio()), word_of(run.verdict)};
}

// One line per kind of run that is in no verdict: how many, and their names.
std::string names_of(const std::string &what, const std::vector<const TimedRun *> &runs) {
    if (runs.empty()) {
        return "";
    }
    std::vector<std::string> names;
    for (const TimedRun *run : runs) {
        names.push_back(fmt::format("{} ({}, {}{})", run->name, run->data, run->device,
            (run->timed && !run->wrong) || run->why_not.empty() ? "" : ": " + run->why_not));
    }
    return fmt::format("{} {}: {}\n", runs.size(), what, joined(names, ", "));
}

std::string summary_of(const Comparison &found, const CompareOptions &options) {
    return fmt::format(
        "{} compared: {} slower, {} faster, {} within noise (differs: by more than {:g} %, and "
        "p10 to p90 do not overlap)\n",
        found.compared.size(), found.count(Change::slower), found.count(Change::faster),
        found.count(Change::within_noise), options.threshold);
}

std::string text_of(
    const TimedFile &before, const TimedFile &after, const Comparison &found, const CompareOptions &options) {
    std::vector<std::vector<std::string>> lines = {
        {"variant", "data", "device", "before, ms (p10 to p90)", "after, ms", "ratio", "verdict"}};
    for (const Change verdict : {Change::within_noise, Change::faster, Change::slower}) {
        for (const ComparedRun &run : found.compared) {
            if (run.verdict == verdict && (options.all || verdict != Change::within_noise)) {
                lines.push_back(line_of(run));
            }
        }
    }
    std::string text = fmt::format("# before: {}\n# after:  {}\n", title_of(before), title_of(after));
    for (const std::string &device : found.different_devices) {
        text += fmt::format("# not compared, because the names are of two devices: {}\n", device);
    }
    if (lines.size() > 1) {
        text += table(lines);
    }
    text += names_of("timed only in the first file", found.only_before);
    text += names_of("timed only in the second file", found.only_after);
    text += names_of("timed in the first file, and without a time in the second", found.not_timed);
    text += names_of("wrong in the second file", found.wrong);
    return text + summary_of(found, options);
}

Json json(const TimedRun &run) {
    Json out = {{run.is_peer ? "peer" : "variant", run.is_peer ? run.schedule : run.name},
        {"operator", run.op}, {"type", run.type}, {"device", run.device}, {"data", run.data}};
    if (!run.why_not.empty()) {
        out["why_not"] = run.why_not;
    }
    return out;
}

Json json(const std::vector<const TimedRun *> &runs) {
    Json all = Json::array();
    for (const TimedRun *run : runs) {
        all.push_back(json(*run));
    }
    return all;
}

Json json(const TimedFile &file) {
    const RunContext &context = file.contexts.front();
    return {{"file", file.path}, {"date", context.date}, {"commit", context.commit},
        {"device_name", context.device_name}, {"driver", context.driver}};
}

Json json(
    const TimedFile &before, const TimedFile &after, const Comparison &found, const CompareOptions &options) {
    const auto times = [](const TimedRun &run) {
        return Json{{"median", run.median}, {"p10", run.p10}, {"p90", run.p90}};
    };
    Json runs = Json::array();
    for (const ComparedRun &run : found.compared) {
        Json one = json(*run.after);
        one["before"] = times(*run.before);
        one["after"] = times(*run.after);
        one["ratio"] = run.ratio();
        one["verdict"] = word_of(run.verdict);
        runs.push_back(std::move(one));
    }
    return {{"version", 2}, {"before", json(before)}, {"after", json(after)},
        {"threshold", options.threshold / 100}, {"different_devices", found.different_devices},
        {"slower", found.count(Change::slower)}, {"faster", found.count(Change::faster)},
        {"within_noise", found.count(Change::within_noise)}, {"runs", std::move(runs)},
        {"only_before", json(found.only_before)}, {"only_after", json(found.only_after)},
        {"not_timed", json(found.not_timed)}, {"wrong", json(found.wrong)}};
}

void compare(const CompareOptions &options) {
    const TimedFile before = read_timed_file(options.before), after = read_timed_file(options.after);
    const Comparison found = compare_runs(before, after, options.threshold / 100);
    if (options.json) {
        print(json(before, after, found, options));
    } else {
        print(text_of(before, after, found, options));
    }
    if (!found.wrong.empty()) {
        throw Error(Fault::mismatch,
            fmt::format("{} results of {} are wrong; their lines say which", found.wrong.size(), after.path));
    }
    const auto failed = std::count_if(
        found.not_timed.begin(), found.not_timed.end(), [](const TimedRun *run) { return run->failed; });
    if (failed > 0) {
        throw Error(
            Fault::failed, fmt::format("{} variants that had times failed in {}; their lines say which",
                               failed, after.path));
    }
    if (found.compared.empty()) {
        throw Error(Fault::input,
            found.different_devices.empty() ?
                "no variant is timed on the same device and data in both files; take files that "
                "`bench` wrote with the same --device and --size" :
                fmt::format(
                    "no variant is timed on the same device in both files: {}; take files of one machine",
                    joined(found.different_devices, "; ")));
    }
    if (const size_t slower = found.count(Change::slower); slower > 0) {
        throw ExitWith(
            exit_slower, fmt::format("{} of {} variants are slower", slower, found.compared.size()));
    }
}

}  // namespace

void add_compare(CommandLine &line) {
    Command command =
        line.add("compare", "Says which variants are faster or slower in one file of times than in another");
    const auto options = std::make_shared<CompareOptions>();
    command.add("before", options->before, "JSON of `bench --json`, or results of `explore`").required();
    command.add("after", options->after, "The same of the program that is to be judged").required();
    command
        .add("--threshold", options->threshold,
            "Percent by which medians must differ, beside the spread, to be more than noise")
        .show_default()
        .range(0., 1000.);
    command.add_flag("--all", options->all, "List the variants within noise too");
    command.add_flag("--json", options->json, "Print JSON");
    command.footer(
        "A variant is faster or slower where the medians differ by more than the threshold and the "
        "intervals from the 10th to the 90th\n"
        "percentile do not overlap. Exit codes: 0 when nothing is slower, 7 when a variant is slower, 6 "
        "when a result is wrong,\n"
        "1 when a variant that had a time failed, 3 for a file that is no such JSON, or when no variant has "
        "a time "
        "in "
        "both.\n"
        "Examples:\n"
        "  tilewright compare before.json after.json\n"
        "  tilewright compare before.json after.json --threshold 5 --json\n");
    command.run([options] { compare(*options); });
}

}  // namespace tilewright::app
