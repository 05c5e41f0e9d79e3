// The command of each operator: files are read, the operator is called, and the result is written.
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/support/accepted.h"
#include "apps/tilewright/support/batch.h"
#include "apps/tilewright/support/call_report.h"
#include "apps/tilewright/support/command_line.h"
#include "apps/tilewright/support/environment.h"
#include "apps/tilewright/support/json.h"
#include "apps/tilewright/support/operator_options.h"
#include "apps/tilewright/support/progress.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/selection.h"
#include "apps/tilewright/support/streams.h"
#include "runtime/devices/hooks.h"
#include "tilewright/files.h"
#include "tilewright/operator.h"
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

// The words of one command.
struct Words {
    const Operator *op = nullptr;
    std::vector<std::string> inputs, more;
    std::string optional_input, output, into;
    std::string device, schedule = "tuned", format;
    bool statistics = false, as_json = false, check = false;
    std::map<std::string, std::string> settings;  // the operator's own options that were given
    FitWords fit;
    FileLimits limits;
};

Operation operation_of(const Words &words) {
    check_schedule({words.op}, words.schedule);
    check_fitting(words.fit, words.op->name());
    return {.op = words.op,
        .device = words.device == "auto" ? std::nullopt : std::optional(device_of(words.device)),
        .schedule = words.schedule,
        .settings = settings_of(*words.op, words.settings),
        .fit = words.fit,
        .limits = words.limits,
        .check = words.check};
}

// Prints what --stats, --json and --check ask for.
class Reports {
public:
    Reports(const Words &words, const Operation &operation, bool is_batch)
        : words_(words), device_(operation.device.value_or(Device{})), is_batch_(is_batch) {}

    void add(CallReport report) {
        Progress::hide();
        if (words_.statistics && !words_.as_json) {
            print_report(report, is_batch_);
        }
        if (words_.check && !words_.as_json) {
            print_error(fmt::format("verified    against {}\n", report.verified));
        }
        if (words_.as_json) {
            all_.push_back(std::move(report));
        }
    }

    void finish() const {
        if (words_.as_json) {
            print(json(all_, device_));
        }
    }

private:
    const Words &words_;
    const Device device_;
    const bool is_batch_;
    std::vector<CallReport> all_;
};

std::vector<std::string> with_optional(const Words &words, std::vector<std::string> inputs) {
    if (!words.optional_input.empty()) {
        inputs.push_back(words.optional_input);
    }
    return inputs;
}

// One call, or one with each file of several.
void operate_once(const Words &words) {
    const Operator &op = *words.op;
    if (words.output.empty()) {
        throw Error(Fault::usage, fmt::format("output is required; see `tilewright {} --help`", op.name()));
    }
    if (!words.more.empty()) {
        throw Error(Fault::usage,
            fmt::format("'{}' is one argument too many; with several inputs, --into names a folder for the "
                        "results; see `tilewright {} --help`",
                words.more.front(), op.name()));
    }
    const std::vector<std::string> inputs = with_optional(words, words.inputs);
    for (const std::string &input : inputs) {
        if (op.inputs() == 1 && std::filesystem::is_directory(input)) {
            throw Error(Fault::input,
                fmt::format(
                    "cannot read '{}': it is a directory; name a file in it, or take --into FOLDER for "
                    "the results of all its files",
                    input));
        }
    }
    check_ends(inputs, words.output, op.name());
    const Output output = output_of(words.output, format_of(words.format));
    if (output.is_standard() && words.as_json) {
        throw Error(Fault::usage, "standard output has the result; name a file as the output",
            {.operation = op.name(), .argument = "--json"});
    }
    const Operation operation = operation_of(words);
    Reports reports(words, operation, false);
    reports.add(run_on_files(operation, inputs, output));
    reports.finish();
}

void operate_on_many(const Words &words) {
    const Operator &op = *words.op;
    std::vector<std::string> files = words.inputs;
    if (!words.output.empty()) {
        files.push_back(words.output);
    }
    files.insert(files.end(), words.more.begin(), words.more.end());
    // Of an operator of two inputs, the last file is the second input of all calls.
    std::vector<std::string> further;
    if (op.inputs() > 1) {
        further.push_back(files.back());
        files.pop_back();
    }
    further = with_optional(words, further);
    for (const std::string &file : further) {
        if (path_of_input(file) == "/dev/stdin") {
            throw Error(Fault::usage, "standard input can be read once; name a file",
                {.operation = op.name(),
                    .argument = file == words.optional_input ? "--" + op.optional_input()->name : "input2",
                    .value = "-"});
        }
    }
    const std::optional<FileKind> format = format_of(words.format);
    const Operation operation = operation_of(words);
    if (operation.device) {
        // An error of the device, which each file would meet, ends the command.
        driver::open(*operation.device);
    }
    const std::vector<BatchItem> items = batch_of(files, further, words.into, format, op.name());
    Reports reports(words, operation, true);
    try {
        run_batch(items, op.name(), [&](const BatchItem &item) {
            const Output output = {.path = item.output, .kind = format, .is_named_by_kind = true};
            std::vector<std::string> inputs = {item.input};
            inputs.insert(inputs.end(), further.begin(), further.end());
            reports.add(run_on_files(operation, inputs, output));
        });
    } catch (const Error &) {
        reports.finish();
        throw;
    }
    reports.finish();
}

void operate(const Words &words) {
    if (words.into.empty()) {
        operate_once(words);
    } else {
        operate_on_many(words);
    }
}

std::string footer_of(const Operator &op, const Accepted &accepted) {
    std::string needed, option;
    for (const Option &o : op.options()) {
        if (!o.example.empty()) {
            needed += fmt::format(" --{} {}", o.name, o.example);
        } else if (!o.value.empty() && option.empty()) {
            option = fmt::format(" --{} {}", o.name, o.value);
        }
    }
    std::string text = fmt::format("{4}{5}"
                                   "Examples:\n"
                                   "  tilewright {0} {1}{3}{2}\n"
                                   "  tilewright {0} {1}{3} --device cpu --stats\n"
                                   "  tilewright {0} {1}{3} --schedule reference\n",
        op.name(), accepted.example, option, needed + accepted.example_options, accepted.notes,
        environment_help());
    if (accepted.png && op.inputs() == 1) {
        text += fmt::format("  tilewright {0} photo.png scan.png --into results{1}{2}\n", op.name(), needed,
            accepted.example_options);
        text += fmt::format("  tilewright {0} - -{1}{2} <photo.png >{3}\n", op.name(), needed,
            accepted.example_options, accepted.png_output ? "out.png" : "out.npy");
    }
    return text;
}

// The parts of the help that depend on the types and shapes that the operator takes. Finding these takes
// time, so they are filled in only for the operator whose command is named.
struct FileWords {
    std::vector<Parameter> inputs;
    Parameter output;
    std::vector<Parameter> of_pictures;  // options
};

void describe_files(Command command, const Operator &op, FileWords words) {
    const Accepted accepted = accepted_by(op);
    for (Parameter &input : words.inputs) {
        input.description(accepted.inputs);
    }
    words.output.description(accepted.output);
    if (!accepted.png && !accepted.png_output) {
        for (Parameter &option : words.of_pictures) {
            option.group("");
        }
    }
    command.footer(footer_of(op, accepted));
}

// The operator's own options.
void add_settings(Command &command, const Operator &op, const std::shared_ptr<Words> &request) {
    for (const Option &option : op.options()) {
        const auto set = [request, name = option.name](
                             const std::string &text) { request->settings[name] = text; };
        if (option.is_flag) {
            command.add_flag("--" + option.name, [set] { set("yes"); }, option.help).group(op.name());
            continue;
        }
        const bool is_limited = option.is_number ? std::isfinite(option.least) || std::isfinite(option.most) :
                                                   !option.choices.empty();
        command.add("--" + option.name, set, option.help + (is_limited ? " (" + option.range() + ")" : ""))
            .default_text(option.value)
            .value_name(option.unit == "m" ? "LENGTH" :
                        option.is_number   ? "NUMBER" :
                                             "WORD")
            .group(op.name());
    }
}

void add_operator(CommandLine &line, const Operator &op) {
    Command command = line.add(op.name(), op.summary(), "Operators");
    const auto request = std::make_shared<Words>();
    request->op = &op;
    request->inputs.resize((size_t)op.inputs());
    std::vector<Parameter> inputs;
    for (size_t i = 0; i < request->inputs.size(); i++) {
        const std::string name = request->inputs.size() == 1 ? "input" : fmt::format("input{}", i + 1);
        inputs.push_back(command.add(name, request->inputs[i]).required());
    }
    Parameter output = command.add("output", request->output);
    const bool is_single = op.inputs() == 1;
    command.add("more", request->more,
        is_single ? "With --into: further files and folders" :
                    "With --into: further files; the last one is the second input of all calls");
    command
        .add("--into", request->into,
            is_single ?
                "The folder for the results of all files that are named; an input may be a folder too" :
                "The folder for the results of all files that are named but the last one, with which "
                "each of them is the first input of a call")
        .value_name("FOLDER");
    add_device_and_threads(command, request->device);
    command.add("--schedule", request->schedule, "One of: " + joined(schedule_names(op), ", "))
        .show_default();
    add_format(command, request->format);
    command.add_flag("--stats", request->statistics, "Print what the call did and cost to standard error");
    command.add_flag(
        "--json", request->as_json, "Print what --stats prints as JSON to standard output instead");
    command.add_flag("--check", request->check,
        "Hold the result against the definition, as plain loops, before it is written (slow)");
    if (const std::optional<Option> more = op.optional_input()) {
        command.add("--" + more->name, request->optional_input, more->help)
            .value_name("FILE")
            .group(op.name());
    }
    add_settings(command, op, request);
    std::vector<Parameter> of_pictures = add_fitting(command, request->fit);
    for (const Parameter &limit : add_limits(command, request->limits)) {
        of_pictures.push_back(limit);
    }
    const FileWords words{inputs, output, of_pictures};
    command.when_named([command, &op, words] { describe_files(command, op, words); });
    command.run([request] { operate(*request); });
}

}  // namespace

void add_operators(CommandLine &line) {
    for (const Operator *op : operators()) {
        add_operator(line, *op);
    }
}

}  // namespace tilewright::app
