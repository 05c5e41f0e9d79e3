#include "app.h"
#include "context.h"
#include "progress.h"
#include "reference.h"
#include "report.h"
#include "selection.h"
#include "streams.h"
#include "tilewright/operator.h"
#include <fmt/format.h>
#include <map>

namespace tilewright::app {

namespace {

enum class Verdict { ok, wrong, failed, not_run };

const char *name_of(Verdict verdict) {
    switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::wrong: return "WRONG";
    case Verdict::failed: return "FAILED";
    case Verdict::not_run: return "not run";
    }
    return "";
}

// What became of one row on one device.
struct Result {
    const Row *row;
    std::string device;  // empty for a row that no device here can run
    Verdict verdict = Verdict::ok;
    size_t samples = 0;
    std::string why;
};

struct Options {
    std::vector<std::string> operators;
    std::string device, schedule;
    bool as_json = false;
};

// A sample and what the reference row makes of it.
struct Case {
    Sample sample;
    Expected expected;
};

std::vector<Case> cases_of(const Operator &op, const std::string &type, Progress &progress) {
    const Row *reference = cpu_row(op, "reference", type);
    if (!reference) {
        throw Error(Fault::failed, fmt::format("no reference row for {}, so nothing can be verified; add one to the table", type),
                    {.operation = op.name()});
    }
    progress.step(reference->name());
    std::vector<Case> cases;
    for (Sample &sample : op.samples(type)) {
        Expected expected = expect(op, *reference, sample);
        cases.push_back({std::move(sample), std::move(expected)});
    }
    return cases;
}

Result verify_row(const Operator &op, const Row &row, Device device, const std::vector<Case> &cases) {
    Result result{&row, device.str(), Verdict::ok, 0, ""};
    for (const Case &c : cases) {
        Array output = spoiled_output(op, c.sample);
        if (!serves(op, row, c.sample, output)) {
            continue;
        }
        try {
            op.run(row, device, c.sample.inputs, output, c.sample.settings);
            output.sync();
        } catch (const Error &error) {
            return {&row, device.str(), Verdict::failed, result.samples, fmt::format("{}: {}", c.sample.what, one_line(error.what()))};
        }
        result.samples++;
        Expected expected = c.expected;
        expected.bound = op.bound_of(row, c.sample.inputs, c.sample.settings);
        const std::string off = difference(output, expected);
        if (!off.empty()) {
            return {&row, device.str(), Verdict::wrong, result.samples, fmt::format("{}: {}", c.sample.what, one_line(off))};
        }
    }
    if (!cases.empty() && cases.front().expected.row == &row) {
        result.why = "(the reference itself)";
    }
    if (result.samples == 0) {
        result.verdict = Verdict::not_run;
        result.why = "no sample is of the sizes that this row serves";
    }
    return result;
}

std::string line_of(const Result &result) {
    std::string line = fmt::format("{:<8} {:<44} {:<9}", name_of(result.verdict), result.row->name(), result.device);
    if (result.samples > 0) {
        line += fmt::format(" {} samples", result.samples);
    }
    if (!result.why.empty()) {
        line += " " + result.why;
    }
    return line.erase(line.find_last_not_of(' ') + 1) + "\n";
}

Json json(const Result &result) {
    return {{"row", result.row->name()}, {"device", result.device}, {"verdict", name_of(result.verdict)}, {"samples", result.samples}, {"why", result.why}};
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
            const auto rows = rows_of(*op, type, options.schedule);
            steps += rows.empty() ? 0 : rows.size() + 1;
        }
    }
    Progress progress("verify", steps);
    for (const Operator *op : chosen) {
        for (const std::string &type : type_names(*op)) {
            const auto rows = rows_of(*op, type, options.schedule);
            if (rows.empty()) {
                continue;
            }
            const std::vector<Case> cases = cases_of(*op, type, progress);
            for (const Row *row : rows) {
                progress.step(row->name());
                const std::string reason = why_not_here(*row, places, !options.device.empty());
                if (!reason.empty()) {
                    report({row, "", Verdict::not_run, 0, reason});
                    continue;
                }
                for (const Device &device : places) {
                    if (device.backend == row->backend) {
                        report(verify_row(*op, *row, device, cases));
                    }
                }
            }
        }
    }
    Progress::hide();

    std::map<Verdict, size_t> count;
    for (const Result &result : results) {
        count[result.verdict]++;
    }
    const std::string sum = fmt::format("{} ok, {} wrong, {} failed, {} not run here", count[Verdict::ok], count[Verdict::wrong],
                                        count[Verdict::failed], count[Verdict::not_run]);
    if (options.as_json) {
        Json rows = Json::array();
        for (const Result &result : results) {
            rows.push_back(json(result));
        }
        print({{"version", 1}, {"context", options.device.empty() ? context() : context(places.front())}, {"summary", sum}, {"rows", rows}});
    }
    if (count[Verdict::wrong] > 0) {
        throw Error(Fault::mismatch, sum + "; run one alone with `tilewright verify OP --schedule NAME --device D`");
    }
    if (count[Verdict::failed] > 0) {
        throw Error(Fault::failed, sum + "; `tilewright doctor` says what is wrong with a device");
    }
    if (count[Verdict::ok] == 0) {
        throw Error(Fault::device, "none of these rows can run here: " + sum + "; `tilewright devices` says why",
                    {.device = options.device});
    }
    print_error(fmt::format("tilewright: verify: {}\n", sum));
}

}  // namespace

void add_verify(CLI::App &app) {
    CLI::App *command = app.add_subcommand("verify", "Runs every schedule on this machine and holds it against the reference");
    static Options options;
    command->add_option("operator", options.operators, "Operators (default: all)");
    command->add_option("--device", options.device, "auto, cpu, cuda[:i] or opencl[:i] (default: every usable device)");
    command->add_option("--schedule", options.schedule, "Only this schedule");
    command->add_flag("--json", options.as_json, "Print JSON");
    command->footer(fmt::format("One line a row and device: ok, WRONG, FAILED, or 'not run' with the reason. Exit code 6 if a result is wrong.\n"
                                "Examples:\n"
                                "  tilewright verify\n"
                                "  tilewright verify {0} --device cpu\n"
                                "  tilewright verify --schedule tuned --json > verified.json\n",
                                operators().front()->name()));
    command->callback([] { verify(options); });
}

}  // namespace tilewright::app
