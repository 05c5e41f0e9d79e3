// `compare`: whether what some files have timed is faster or slower in others.
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
    std::vector<std::string> files, after;
    double threshold = 2;  // percent
    double alpha = ComparisonRule().alpha;
    bool all = false, json = false;
};

std::string title_of(const TimedFile &file) {
    const RunContext &context = file.contexts.front();
    return fmt::format("{}: {}, {}, commit {}{}", one_line(file.path), context.date, context.device_name,
        context.commit, file.cut_lines > 0 ? "; its last line is cut off and was left out" : "");
}

// What a line says of one variant.
std::vector<std::string> line_of(const ComparedRun &run) {
    const TimedRun &last = *run.after.last;
    return {last.is_peer ? last.op + ", " + last.name : last.name, fmt::format("{:.4g}", run.before.median()),
        fmt::format("{:.4g}", run.after.median()), fmt::format("{:.3f}", run.ratio()),
        fmt::format("{}+{}", run.before.times.size(), run.after.times.size()),
        fmt::format("{:.2g}", run.probability), word_of(run.verdict)};
}

// The lines of the variants that differ, or of all, below headings that name data and device.
std::string table_of(const Comparison &found, bool all) {
    std::vector<std::vector<std::string>> lines = {
        {"variant", "before", "after", "ratio", "runs", "p", "verdict"}};
    std::string last;
    for (const ComparedRun &run : found.compared) {
        if (all || run.verdict != Change::within_noise) {
            const std::string heading =
                fmt::format("# {} on {}:", run.after.last->data, run.after.last->device);
            if (heading != last) {
                lines.push_back({last = heading});
            }
            lines.push_back(line_of(run));
        }
    }
    return lines.size() == 1 ?
               "" :
               "# before, after: ms, the median of the runs; --json has the least and the greatest\n" +
                   table(lines);
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
    std::string text = fmt::format(
        "{} compared: {} slower, {} faster, {} within noise (differs: by more than {:g} %, and\n"
        "p is at most {:g}: the test of Mann and Whitney over the runs, corrected for all variants)\n",
        found.compared.size(), found.count(Change::slower), found.count(Change::faster),
        found.count(Change::within_noise), options.threshold, options.alpha);
    if (found.runs_needed > 0) {
        text += fmt::format(
            "a guide only: {} perhaps slower, {} perhaps faster; for a verdict about {} variants take\n"
            "{} runs of each side (`tilewright bench --processes {}`)\n",
            found.count(Change::perhaps_slower), found.count(Change::perhaps_faster), found.compared.size(),
            found.runs_needed, found.runs_needed);
    }
    return text;
}

std::string text_of(
    const TimedFile &before, const TimedFile &after, const Comparison &found, const CompareOptions &options) {
    std::string text = fmt::format("# before: {}\n# after:  {}\n", title_of(before), title_of(after));
    for (const std::string &device : found.different_devices) {
        text += fmt::format("# not compared, because the names are of two devices: {}\n", device);
    }
    text += table_of(found, options.all);
    text += names_of("timed only before", found.only_before);
    text += names_of("timed only after", found.only_after);
    text += names_of("timed before, and without a time after", found.not_timed);
    text += names_of("wrong after", found.wrong);
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
    return {{"files", file.path}, {"date", context.date}, {"commit", context.commit},
        {"device_name", context.device_name}, {"driver", context.driver}};
}

Json json(
    const TimedFile &before, const TimedFile &after, const Comparison &found, const CompareOptions &options) {
    const auto times = [](const RunsOfSide &side) {
        return Json{{"median", side.median()}, {"least", side.least()}, {"most", side.most()},
            {"runs", side.times.size()}};
    };
    Json runs = Json::array();
    for (const ComparedRun &run : found.compared) {
        Json one = json(*run.after.last);
        one["before"] = times(run.before);
        one["after"] = times(run.after);
        one["ratio"] = run.ratio();
        one["p"] = run.probability;
        one["verdict"] = word_of(run.verdict);
        runs.push_back(std::move(one));
    }
    return {{"version", 3}, {"before", json(before)}, {"after", json(after)},
        {"threshold", options.threshold / 100}, {"alpha", options.alpha},
        {"different_devices", found.different_devices}, {"slower", found.count(Change::slower)},
        {"faster", found.count(Change::faster)}, {"within_noise", found.count(Change::within_noise)},
        {"perhaps_slower", found.count(Change::perhaps_slower)},
        {"perhaps_faster", found.count(Change::perhaps_faster)}, {"runs_needed", found.runs_needed},
        {"runs", std::move(runs)}, {"only_before", json(found.only_before)},
        {"only_after", json(found.only_after)}, {"not_timed", json(found.not_timed)},
        {"wrong", json(found.wrong)}};
}

// The files before and after: two, or those around --after.
std::pair<TimedFile, TimedFile> sides_of(const CompareOptions &options) {
    std::vector<std::string> before = options.files, after = options.after;
    if (after.empty() && before.size() == 2) {
        after = {before.back()};
        before.pop_back();
    }
    if (after.empty()) {
        throw Error(Fault::usage,
            before.size() == 1 ?
                "the file after it is missing; give two files, or several and --after between the two sides" :
                "give two files, or --after between the files before and those after");
    }
    const auto read = [](const std::vector<std::string> &paths) {
        std::vector<TimedFile> files;
        for (const std::string &path : paths) {
            files.push_back(read_timed_file(path));
        }
        return files_as_one(std::move(files));
    };
    return {read(before), read(after)};
}

void compare(const CompareOptions &options) {
    const auto [before, after] = sides_of(options);
    const Comparison found = compare_runs(before, after, {options.threshold / 100, options.alpha});
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
        line.add("compare", "Says which variants are faster or slower in some files of times than in others");
    const auto options = std::make_shared<CompareOptions>();
    command
        .add("file", options->files,
            "JSON of `bench --json`, or results of `explore`: one before and one after, or the files before")
        .required();
    command.add("--after", options->after, "The files after").value_name("FILE");
    command
        .add("--threshold", options->threshold,
            "Percent by which medians must differ, whatever the test says, to be more than noise")
        .show_default()
        .range(0., 1000.);
    command
        .add("--alpha", options->alpha,
            "How often a comparison of equal programs may call any variant faster or slower")
        .show_default()
        .range(1e-6, .5);
    command.add_flag("--all", options->all, "List the variants within noise too");
    command.add_flag("--json", options->json, "Print JSON");
    command.footer(
        "A variant is faster or slower where the medians of its runs differ by more than the threshold, and\n"
        "the test of Mann and Whitney over the runs gives at most alpha after Holm's correction for all\n"
        "variants. Each file, and each process of `bench --processes`, is a run. With 5 runs of each side\n"
        "one variant can be judged, with 6 up to 4, with 7 up to 17, with 8 up to 64, with 10 up to 923.\n"
        "Fewer runs are a guide only, and never end with 7.\n"
        "Exit codes: 0 when nothing is slower, 7 when a variant is slower, 6 when a result is wrong,\n"
        "1 when a variant that had a time failed, 3 for a file that is no such JSON, or when no variant has\n"
        "a time on both sides.\n"
        "Examples:\n"
        "  tilewright compare before.json after.json\n"
        "  tilewright compare before*.json --after after*.json\n"
        "  tilewright compare before.json after.json --threshold 5 --json\n");
    command.run([options] { compare(*options); });
}

}  // namespace tilewright::app
