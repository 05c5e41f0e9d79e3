// `bench`: which rows it times, on which data, and its command line.
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/support/benchmark.h"
#include "apps/tilewright/support/benchmark_report.h"
#include "apps/tilewright/support/command_line.h"
#include "apps/tilewright/support/environment.h"
#include "apps/tilewright/support/progress.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/selection.h"
#include "apps/tilewright/support/streams.h"
#include "apps/tilewright/support/threads.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tilewright::app {

namespace {

struct Options {
    std::vector<std::string> operators, sizes;
    std::string device, schedule, type, json;
    std::vector<std::string> flags;  // the operators' own flags that were given: "pad"
    bool peers = false;
    Plan plan;
};

// One set of data to time, and the rows that are timed on it.
struct Case {
    const Operator *op;
    std::string type;
    Size size;
    Settings settings;
    std::vector<const Row *> rows;
};

// The rows of one operator and type that were asked for and can run on the device.
std::vector<const Row *> rows_of(
    const Operator &op, const std::string &type, const Options &options, Device device) {
    std::vector<const Row *> rows;
    for (const Row &row : op.rows()) {
        const bool asked = row.type == type && (options.schedule.empty() || row.belongs_to(options.schedule));
        if (asked && row.backend == device.backend && why_not_here(row, {device}, true).empty()) {
            rows.push_back(&row);
        }
    }
    return rows;
}

bool has_flag(const Operator &op, const std::string &name) {
    const std::vector<Option> &all = op.options();
    return std::any_of(
        all.begin(), all.end(), [&](const Option &option) { return option.is_flag && option.name == name; });
}

void check_flags(const std::vector<const Operator *> &chosen, const std::vector<std::string> &flags) {
    for (const std::string &flag : flags) {
        const auto takes = [&](const Operator *op) { return has_flag(*op, flag); };
        if (std::none_of(chosen.begin(), chosen.end(), takes)) {
            throw Error(Fault::usage, "none of the chosen operators has this option",
                {.operation = "bench", .argument = "--" + flag});
        }
    }
}

// The settings with those of the flags that the operator has.
Settings with_flags(const Operator &op, Settings settings, const std::vector<std::string> &flags) {
    for (const std::string &flag : flags) {
        if (has_flag(op, flag)) {
            settings.set(flag, "yes");
        }
    }
    return settings;
}

// Everything to time, in the order of operators, types, sizes and settings. Without sizes: each operator's
// own.
std::vector<Case> cases_of(const std::vector<const Operator *> &chosen, const std::vector<Size> &sizes,
    const Options &options, Device device) {
    std::vector<Case> cases;
    for (const Operator *op : chosen) {
        const Workload &workload = workload_of(*op);
        for (const std::string &type : type_names(*op)) {
            const auto rows = rows_of(*op, type, options, device);
            if (rows.empty() || (!options.type.empty() && type != options.type)) {
                continue;
            }
            for (const Size &size : sizes.empty() ? std::vector<Size>{workload.benchmark_size()} : sizes) {
                for (const Settings &settings : workload.benchmark_settings(type)) {
                    cases.push_back({op, type, size, with_flags(*op, settings, options.flags), rows});
                }
            }
        }
    }
    return cases;
}

void time_case(
    const Case &one, const Options &options, Device device, Progress &progress, BenchmarkReport &report) {
    Benchmark benchmark(*one.op, one.type, one.size, one.settings, device, options.plan);
    for (const Row *row : one.rows) {
        progress.step(row->name());
        try {
            report.add(benchmark.row(*row));
        } catch (const Error &error) {
            report.add(benchmark.failed(*row, error));
        }
    }
    if (options.peers && device.backend == Backend::cpu) {
        for (const Peer &peer : benchmark.peers()) {
            report.add(benchmark.peer(peer));
        }
    }
}

void print_missing_peers(Device device) {
    for (const std::string &missing : missing_peers()) {
        print_error(fmt::format("tilewright: bench: no peer {}\n", missing));
    }
    if (device.backend != Backend::cpu) {
        print_error(fmt::format(
            "tilewright: bench: the peers run on the CPU: there are none for {}; add --device cpu\n",
            device.str()));
    }
}

void bench(const Options &options) {
    const auto chosen = chosen_operators(options.operators);
    check_schedule(chosen, options.schedule);
    check_type(chosen, options.type);
    check_flags(chosen, options.flags);
    std::vector<Size> sizes;
    for (const std::string &text : options.sizes) {
        sizes.push_back(size_of(text));
    }
    const Device device = device_of(options.device);
    BenchmarkReport report(options.json, device);
    report.begin(pin_threads(), options.plan);
    if (options.peers) {
        print_missing_peers(device);
    }
    const std::vector<Case> cases = cases_of(chosen, sizes, options, device);
    size_t steps = 0;
    for (const Case &one : cases) {
        steps += one.rows.size();
    }
    if (steps == 0) {
        throw Error(Fault::device,
            "none of the rows that were asked for can run here; `tilewright list` shows where they run",
            {.device = device.str()});
    }
    Progress progress("bench", steps);
    for (const Case &one : cases) {
        time_case(one, options, device, progress, report);
    }
    Progress::hide();
    report.end();
}

// The flags of all operators, each one once.
void add_flags(Command &command, Options &options) {
    std::map<std::string, std::vector<std::string>> takers;
    for (const Operator *op : operators()) {
        for (const Option &option : op->options()) {
            if (option.is_flag && !command.takes("--" + option.name)) {
                takers[option.name].push_back(op->name());
            }
        }
    }
    for (const auto &[name, of] : takers) {
        const std::string help =
            fmt::format("Time {} with this option of {}", of.size() == 1 ? "it" : "them", joined(of, ", "));
        command.add_flag(
                   "--" + name, [&options, flag = name] { options.flags.push_back(flag); }, help)
            .group("Options of operators");
    }
}

}  // namespace

void add_bench(CommandLine &line) {
    Command command = line.add("bench", "Times the schedules, and verifies what the timed calls computed");
    static Options options;
    command.add("operator", options.operators, "Operators (default: all)");
    add_device_and_threads(command, options.device);
    command.add("--schedule", options.schedule, "Only this schedule");
    command.add("--type", options.type, "Only this type of data, for example u8");
    command
        .add("--size", options.sizes,
            "WIDTHxHEIGHT, several separated by commas (default: the operator's own)")
        .commas()
        .one_word();
    command.add("--batch", options.plan.batch, "Back-to-back calls per measurement")
        .show_default()
        .range(1, 100000);
    command.add("--repeats", options.plan.repeats, "Measurements").show_default().range(3, 1000000);
    command.add("--limit", options.plan.limit_s, "Seconds a row may take, about")
        .show_default()
        .range(.001, 1e6);
    command.add_flag(
        "--peers", options.peers, "Time plain loops and what libraries there are as well (on the CPU)");
    command.add(
        "--json", options.json, "Write JSON to this file (- is standard output, instead of the table)");
    add_flags(command, options);
    const std::string first = operators().front()->name();
    command.footer(fmt::format("Examples:\n"
                               "  tilewright bench --json times.json\n"
                               "  tilewright bench {0} --device cpu --size 4096x4096 --peers\n"
                               "  tilewright bench {0} --schedule tuned --size 512x512,8192x8192\n",
        first));
    command.run([] { bench(options); });
}

}  // namespace tilewright::app
