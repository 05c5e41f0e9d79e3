// `verify`: which rows are run on which devices, and what is printed about each.
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/support/command_line.h"
#include "apps/tilewright/support/context.h"
#include "apps/tilewright/support/environment.h"
#include "apps/tilewright/support/json.h"
#include "apps/tilewright/support/progress.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/selection.h"
#include "apps/tilewright/support/streams.h"
#include "apps/tilewright/support/verification.h"
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

struct Options {
    std::vector<std::string> operators;
    std::string device, schedule;
    int repeat = 10;
    bool as_json = false;
};

std::string line_of(const Result &result) {
    std::string line =
        fmt::format("{:<8} {:<44} {:<9}", name_of(result.verdict), result.row->name(), result.device);
    if (result.samples > 0) {
        line += fmt::format(" {} samples", result.samples);
    }
    if (result.error > 0) {
        line += fmt::format(", off by up to {:.1e} of the largest number", result.error);
    }
    if (!result.libraries.empty()) {
        line += ", the last one by " + result.libraries;
    }
    if (!result.why.empty()) {
        line += " " + result.why;
    }
    return line.erase(line.find_last_not_of(' ') + 1) + "\n";
}

Json json(const Result &result) {
    Json one = app::json(*result.row);
    one.update({{"device", result.device}, {"verdict", name_of(result.verdict)}, {"samples", result.samples},
        {"runs", result.runs}, {"error", result.error}, {"libraries", result.libraries},
        {"against", result.against}, {"why", result.why}});
    return one;
}

// The rows of `type` that were asked for.
std::vector<const Row *> rows_of(const Operator &op, const std::string &type, const std::string &schedule) {
    std::vector<const Row *> rows;
    for (const Row &row : op.rows()) {
        if (row.type == type && (schedule.empty() || row.belongs_to(schedule))) {
            rows.push_back(&row);
        }
    }
    return rows;
}

// Runs the rows of one operator and type on the devices, and hands each result to `report`.
void verify_type(const Operator &op, const std::string &type, const Options &options,
    const std::vector<Device> &places, Progress &progress, const std::function<void(Result)> &report) {
    const auto rows = rows_of(op, type, options.schedule);
    if (rows.empty()) {
        return;
    }
    Verification verification(op, type, options.repeat);
    for (const Row *row : rows) {
        progress.step(row->name());
        const std::string reason = why_not_here(*row, places, !options.device.empty());
        if (!reason.empty()) {
            report({.row = row, .verdict = Verdict::not_run, .why = reason});
            continue;
        }
        for (const Device &device : places) {
            if (device.backend != row->backend) {
                continue;
            }
            const std::string lacking = why_not_on(*row, device);
            report(
                lacking.empty() ?
                    verification.run(*row, device) :
                    Result{.row = row, .device = device.str(), .verdict = Verdict::not_run, .why = lacking});
        }
    }
}

// How many rows had which verdict.
class Sum {
public:
    explicit Sum(const std::vector<Result> &results) {
        for (const Result &result : results) {
            count_[result.verdict]++;
            by_reference_ += result.verdict == Verdict::ok && result.against == "reference row";
            device_fault_ = device_fault_ || result.device_fault;
        }
    }

    std::string text() const {
        std::string text = fmt::format("{} ok{}, {} wrong, {} failed", count(Verdict::ok),
            by_reference_ ? fmt::format(" ({} of them against their reference row only)", by_reference_) : "",
            count(Verdict::wrong), count(Verdict::failed));
        text += count(Verdict::untried) ?
                    fmt::format(", {} untried (no sample is of their sizes)", count(Verdict::untried)) :
                    "";
        text += count(Verdict::unheld) ?
                    fmt::format(", {} with nothing to hold them against", count(Verdict::unheld)) :
                    "";
        return text + fmt::format(", {} not run here", count(Verdict::not_run));
    }

    Json json() const {
        Json all = Json::object();
        for (const Verdict verdict : {Verdict::ok, Verdict::wrong, Verdict::failed, Verdict::untried,
                 Verdict::unheld, Verdict::not_run}) {
            all[name_of(verdict)] = count(verdict);
        }
        return all;
    }

    // Errors: those that the exit code of the command stands for.
    void check(const std::string &device) const {
        if (count(Verdict::wrong) > 0) {
            throw Error(Fault::mismatch,
                text() + "; run one alone with `tilewright verify OP --schedule NAME --device D`");
        }
        if (count(Verdict::failed) > 0) {
            throw Error(Fault::failed,
                text() + (device_fault_ ? "; `tilewright doctor` says what is wrong with a device" :
                                          "; the FAILED lines say why"));
        }
        if (count(Verdict::untried) > 0) {
            throw Error(Fault::failed, text() + "; add a sample of their sizes to the operator's samples()");
        }
        if (count(Verdict::ok) + count(Verdict::unheld) == 0) {
            throw Error(Fault::device,
                "none of these rows can run here: " + text() + "; `tilewright devices` says why",
                {.device = device});
        }
    }

private:
    size_t count(Verdict verdict) const {
        const auto at = count_.find(verdict);
        return at == count_.end() ? 0 : at->second;
    }

    std::map<Verdict, size_t> count_;
    size_t by_reference_ = 0;
    bool device_fault_ = false;
};

void verify(const Options &options) {
    const auto chosen = chosen_operators(options.operators);
    const auto places = chosen_devices(options.device);
    check_schedule(chosen, options.schedule);

    std::vector<Result> results;
    const auto report = [&](Result result) {
        if (!options.as_json) {
            print(line_of(result));
        }
        results.push_back(std::move(result));
    };
    size_t steps = 0;
    for (const Operator *op : chosen) {
        for (const std::string &type : type_names(*op)) {
            steps += rows_of(*op, type, options.schedule).size();
        }
    }
    Progress progress("verify", steps);
    for (const Operator *op : chosen) {
        for (const std::string &type : type_names(*op)) {
            verify_type(*op, type, options, places, progress, report);
        }
    }
    Progress::hide();

    const Sum sum(results);
    if (options.as_json) {
        Json rows = Json::array();
        for (const Result &result : results) {
            rows.push_back(json(result));
        }
        print({{"version", json_version},
            {"context", options.device.empty() ? context() : context(places.front())},
            {"summary", sum.text()}, {"count", sum.json()}, {"rows", rows}});
    }
    sum.check(options.device);
    print_error(fmt::format("tilewright: verify: {}\n", sum.text()));
}

}  // namespace

void add_verify(CommandLine &line) {
    Command command =
        line.add("verify", "Runs every schedule on this machine and holds it against the definition");
    static Options options;
    command.add("operator", options.operators, "Operators (default: all)");
    options.device = device_of_environment();
    command.add("--device", options.device,
        "auto, cpu, cuda[:i] or opencl[:i] (default: TILEWRIGHT_DEVICE, or else every usable device)");
    command.add("--schedule", options.schedule, "Only this schedule");
    command
        .add("--repeat", options.repeat,
            "How often each row runs the largest of its samples, which must give the same bytes each time")
        .show_default()
        .range(1, 100000);
    command.add_flag("--json", options.as_json, "Print JSON");
    command.footer(fmt::format("One line per row and device: ok, WRONG, FAILED, UNTRIED (no sample is of its "
                               "sizes), or 'not run' with the reason.\n"
                               "'Off by' is the largest difference that the bound of the operator allowed, "
                               "divided by the largest number of that result.\n"
                               "Exit code 6 if a result is wrong, 1 if a row failed or is untried. Threads "
                               "that race may still agree by chance: raise --repeat.\n"
                               "Examples:\n"
                               "  tilewright verify\n"
                               "  tilewright verify {0} --device cpu\n"
                               "  tilewright verify --schedule tuned --json > verified.json\n",
        operators().front()->name()));
    command.run([] { verify(options); });
}

}  // namespace tilewright::app
