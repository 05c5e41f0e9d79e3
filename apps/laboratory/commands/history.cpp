// `history`: the times of each variant over commits, as one page, and which of them drifted.
#include "apps/laboratory/commands/laboratory.h"
#include "apps/laboratory/report/assets.h"
#include "apps/laboratory/report/tables.h"
#include "apps/laboratory/results/comparison.h"
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/files/output/output_file.h"
#include "tilewright/error.h"
#include "tilewright/files.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <tuple>

namespace tilewright::app {

namespace {

struct HistoryOptions {
    std::string folder, output;
};

// All runs of one commit.
struct Commit {
    std::string name, date;  // the first date
    TimedFile file;
};

std::vector<TimedFile> files_in(const std::string &folder) {
    std::error_code fault;
    std::vector<std::string> paths;
    for (const auto &entry : std::filesystem::directory_iterator(folder, fault)) {
        const std::string ending = entry.path().extension();
        if (ending == ".json" || ending == ".jsonl") {
            paths.push_back(entry.path());
        }
    }
    if (fault || paths.empty()) {
        throw Error(Fault::input,
            fault ? fmt::format("it cannot be read: {}; name a folder", fault.message()) :
                    "it has no .json and no .jsonl file; put files of `bench --json` into it",
            {.argument = folder});
    }
    std::sort(paths.begin(), paths.end());
    std::vector<TimedFile> files;
    for (const std::string &path : paths) {
        files.push_back(read_timed_file(path));
    }
    return files;
}

// In the order of their first dates.
std::vector<Commit> commits_of(const TimedFile &all) {
    std::map<std::string, Commit> by_name;
    for (const TimedRun &run : all.runs) {
        const RunContext &context = all.contexts[run.context];
        Commit &commit = by_name[context.commit];
        if (commit.file.runs.empty()) {
            commit = {context.commit, context.date, {all.path, all.contexts, {}, 0}};
        }
        commit.date = std::min(commit.date, context.date);
        commit.file.runs.push_back(run);
    }
    std::vector<Commit> commits;
    for (auto &[name, commit] : by_name) {
        commits.push_back(std::move(commit));
    }
    std::stable_sort(
        commits.begin(), commits.end(), [](const Commit &a, const Commit &b) { return a.date < b.date; });
    return commits;
}

// A variant or peer on one device and set of data: operator, name, data, device.
using Series = std::tuple<std::string, std::string, std::string, std::string>;

Series series_of(const TimedRun &run) {
    return {run.op, run.name, run.data, run.device};
}

// The times of each series at each commit, by the commit's place.
std::map<Series, std::map<size_t, RunsOfSide>> times_of(const std::vector<Commit> &commits) {
    std::map<Series, std::map<size_t, RunsOfSide>> all;
    for (size_t i = 0; i < commits.size(); i++) {
        for (const TimedRun &run : commits[i].file.runs) {
            if (run.timed && !run.wrong) {
                all[series_of(run)][i].times.push_back(run.median);
            }
        }
    }
    return all;
}

// A line through the medians, and for each commit a bar from its least to its greatest run. Times begin at 0.
std::string plot_of(const std::map<size_t, RunsOfSide> &times, const std::vector<Commit> &commits) {
    constexpr double width = 640, height = 120, margin = 8;
    double most = 0;
    for (const auto &[i, runs] : times) {
        most = std::max(most, runs.most());
    }
    const auto x = [&](size_t i) {
        return margin +
               (width - 2 * margin) * (commits.size() > 1 ? double(i) / double(commits.size() - 1) : .5);
    };
    const auto y = [&](double ms) { return height - margin - (height - 2 * margin) * ms / most; };
    std::string line, marks;
    for (const auto &[i, runs] : times) {
        const double median = runs.median();
        line += fmt::format("{:.1f},{:.1f} ", x(i), y(median));
        marks += fmt::format("<g><title>{0}, {1}: {2:.4g} ms ({3:.4g} to {4:.4g}, {5} runs)</title>"
                             "<path d=\"M{6:.1f} {7:.1f}V{8:.1f}\" stroke=\"#0072b2\"/>"
                             "<circle cx=\"{6:.1f}\" cy=\"{9:.1f}\" r=\"4\" fill=\"#0072b2\"/></g>",
            html(commits[i].name), html(commits[i].date), median, runs.least(), runs.most(),
            runs.times.size(), x(i), y(runs.least()), y(runs.most()), y(median));
    }
    return fmt::format("<svg viewBox=\"0 0 {0} {1}\" style=\"width:100%;max-width:{0}px\" role=\"img\">"
                       "<path d=\"M0 {2}H{0}\" stroke=\"#bbb\"/><polyline points=\"{3}\" fill=\"none\" "
                       "stroke=\"#0072b2\"/>{4}</svg>",
        width, height, height - margin, line, marks);
}

std::string page_of(const std::vector<Commit> &commits, const Comparison &found) {
    std::map<Series, const ComparedRun *> verdicts;
    for (const ComparedRun &run : found.compared) {
        verdicts[series_of(*run.after.last)] = &run;
    }
    std::string drifted, others;
    for (const auto &[series, times] : times_of(commits)) {
        const auto &[op, name, data, device] = series;
        const auto verdict = verdicts.find(series);
        const bool is_drift = verdict != verdicts.end() && verdict->second->verdict != Change::within_noise;
        (is_drift ? drifted : others) += fmt::format("<h3>{}, {} on {}</h3>\n<figure>{}<figcaption>{:.4g} ms "
                                                     "at {}, {:.4g} ms at {}{}</figcaption></figure>\n",
            html(name), html(data), html(device), plot_of(times, commits), times.begin()->second.median(),
            html(commits[times.begin()->first].name), times.rbegin()->second.median(),
            html(commits[times.rbegin()->first].name),
            is_drift ? fmt::format(": {}", word_of(verdict->second->verdict)) : "");
    }
    const std::string title = fmt::format("Times of {} commits", commits.size());
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n"
                       "<p>Commits are in the order of their first runs, from {2} to {3}. A point is the "
                       "median of the runs of a commit, its line is from the least to the greatest; the "
                       "grey line is 0 ms. The last commit is compared with the first one.</p>\n"
                       "<h2>What drifted</h2>\n{4}<h2>All else</h2>\n{5}</body>\n</html>\n",
        title, assets().style, html(commits.front().date), html(commits.back().date),
        drifted.empty() ? "<p>Nothing.</p>\n" : drifted, others);
}

void history(const HistoryOptions &options) {
    check_writable(options.output);
    const std::vector<Commit> commits = commits_of(files_as_one(files_in(options.folder)));
    const Comparison found = compare_runs(commits.front().file, commits.back().file, {});
    std::vector<std::vector<std::string>> lines = {{"variant", "data", "first", "last", "ratio", "verdict"}};
    for (const ComparedRun &run : found.compared) {
        if (run.verdict != Change::within_noise && commits.size() > 1) {
            lines.push_back({run.after.last->name, run.after.last->data,
                fmt::format("{:.4g}", run.before.median()), fmt::format("{:.4g}", run.after.median()),
                fmt::format("{:.3f}", run.ratio()), word_of(run.verdict)});
        }
    }
    OutputFile file(options.output);
    file.put(page_of(commits, found));
    file.commit();
    print(fmt::format("# {} commits, first {} ({}), last {} ({})\n", commits.size(), commits.front().name,
        commits.front().date, commits.back().name, commits.back().date));
    print(lines.size() > 1 ? table(lines) : "nothing drifted\n");
    if (found.runs_needed > 0 && commits.size() > 1) {
        print(fmt::format("a guide only: a verdict about {} variants takes {} runs of each commit\n",
            found.compared.size(), found.runs_needed));
    }
}

}  // namespace

void add_history(CommandLine &line) {
    Command command =
        line.add("history", "Draws the times of a folder of files over commits, and says what drifted");
    const auto options = std::make_shared<HistoryOptions>();
    command
        .add(
            "folder", options->folder, "A folder of JSON of `bench --json` and results files, of all commits")
        .required();
    command.add("--output", options->output, "The page to write").required().value_name("FILE.html");
    command.footer(
        "The files say of which commit they are. The last commit is compared with the first one by the rule\n"
        "of `compare`: each file, and each process of `bench --processes`, is a run.\n"
        "Example:\n"
        "  tilewright history history --output history.html\n");
    command.run([options] { history(*options); });
}

}  // namespace tilewright::app
