// The command of each operator: files are read, the operator is called, and the result is written.
#include "apps/tilewright/calls/bands.h"
#include "apps/tilewright/calls/calls_on_files.h"
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/command_line/environment.h"
#include "apps/tilewright/command_line/operator_options.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/pictures/accepted_files.h"
#include "runtime/dispatch/options/option_text.h"
#include "tilewright/files.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>

namespace tilewright::app {

namespace {

// The options of one command.
struct OperateOptions {
    const Operator *op = nullptr;
    std::vector<std::string> inputs, more;
    std::string optional_input, output;
    std::map<std::string, std::string> settings;  // the operator's own options that were given
    CallOptions call;

    Called called() const {
        return {op->name(), (int)op->inputs().size()};
    }
};

Operation operation_of(const OperateOptions &options) {
    const CallOptions &call = options.call;
    check_schedule({options.op}, call.schedule);
    check_fitting(call.fit, options.op->name());
    return {options.op, asked_device(call.device), settings_of(*options.op, options.settings), call};
}

std::vector<std::string> with_optional(const OperateOptions &options, std::vector<std::string> inputs) {
    if (!options.optional_input.empty()) {
        inputs.push_back(options.optional_input);
    }
    return inputs;
}

// One call, or one with each file of several.
void operate_once(const OperateOptions &options) {
    const Operator &op = *options.op;
    if (options.output.empty()) {
        throw Error(Fault::usage, fmt::format("output is required; see `tilewright {} --help`", op.name()));
    }
    if (!options.more.empty()) {
        throw Error(Fault::usage,
            fmt::format("'{}' is one argument too many; with several inputs, --into names a folder for the "
                        "results; see `tilewright {} --help`",
                options.more.front(), op.name()));
    }
    const std::vector<std::string> inputs = with_optional(options, options.inputs);
    const Output output = output_of_one(options.called(), options.call, inputs, options.output);
    const Operation operation = operation_of(options);
    Reports reports(options.call, operation.device);
    reports.add(run_on_files(operation, inputs, output));
    reports.finish();
}

void operate_on_many(const OperateOptions &options) {
    std::vector<std::string> files = options.inputs;
    if (!options.output.empty()) {
        files.push_back(options.output);
    }
    files.insert(files.end(), options.more.begin(), options.more.end());
    const ManyFiles many = many_files(options.called(), files);
    if (!options.optional_input.empty()) {
        check_can_be_read_again(
            options.optional_input, options.called(), "--" + options.op->optional_input()->name);
    }
    const Operation operation = operation_of(options);
    call_on_many(options.called(), options.call, many, with_optional(options, {}), operation.device,
        [&](const std::vector<std::string> &inputs, const Output &output) {
            return run_on_files(operation, with_optional(options, inputs), output);
        });
}

// An error of the operator, with the name of its option as it is written on the command line: "--sigma = 0".
Error as_written(const Operator &op, const Error &error) {
    const std::string &argument = error.context().argument, text = error.what(),
                      begin = op.name() + ": " + argument + " = ";
    const bool names_option =
        text.starts_with(begin) &&
        (argument == "layout" ||
            std::ranges::any_of(op.options(), [&](const Option &option) { return option.name == argument; }));
    return names_option ? Error(error.fault(), std::string(text).insert(op.name().size() + 2, "--")) : error;
}

void operate(const OperateOptions &options) try {
    if (options.call.into.empty()) {
        operate_once(options);
    } else {
        operate_on_many(options);
    }
} catch (const Error &error) {
    throw as_written(*options.op, error);
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
        op.name(), accepted.example, option, needed + accepted.example_options, op.notes() + accepted.notes,
        environment_help());
    if (accepted.png) {
        text += fmt::format("  tilewright {0} photo.png scan.png --into results{1}{2}\n", op.name(), needed,
            accepted.example_options);
        text += fmt::format("  tilewright {0} - -{1}{2} <photo.png >{3}\n", op.name(), needed,
            accepted.example_options, accepted.png_output ? "out.png" : "out.npy");
    }
    return text;
}

// The parts of the help that say what files the operator takes.
struct FileOptions {
    std::vector<Parameter> inputs;
    Parameter output;
    std::vector<Parameter> of_pictures;  // options
};

void describe_files(Command command, const Operator &op, FileOptions options) {
    const Accepted accepted = accepted_by(op);
    for (size_t i = 0; i < options.inputs.size(); i++) {
        options.inputs[i].description(accepted.inputs[i]);
    }
    options.output.description(accepted.output);
    if (!accepted.png && !accepted.png_output) {
        for (Parameter &option : options.of_pictures) {
            option.group("");
        }
    }
    command.footer(footer_of(op, accepted));
}

// The operator's own options.
void add_settings(Command &command, const Operator &op, const std::shared_ptr<OperateOptions> &request) {
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
            .group(op.name())
            .offer(option.choices);
    }
}

void add_operator(CommandLine &line, const Operator &op) {
    Command command = line.add(op.name(), op.summary(), "Operators");
    const auto request = std::make_shared<OperateOptions>();
    request->op = &op;
    request->inputs.resize(op.inputs().size());
    std::vector<Parameter> inputs;
    for (size_t i = 0; i < request->inputs.size(); i++) {
        const std::string name = request->inputs.size() == 1 ? "input" : fmt::format("input{}", i + 1);
        inputs.push_back(command.add(name, request->inputs[i]).required());
    }
    Parameter output = command.add("output", request->output);
    const bool is_single = op.inputs().size() == 1;
    command.add("more", request->more,
        is_single ? "With --into: further files and folders" :
                    "With --into: further files; the last one is the second input of all calls");
    command
        .add("--into", request->call.into,
            is_single ?
                "The folder for the results of all files that are named; an input may be a folder too" :
                "The folder for the results of all files that are named but the last one, with which "
                "each of them is the first input of a call")
        .value_name("FOLDER");
    add_device_and_threads(command, request->call.device);
    command
        .add("--schedule", request->call.schedule,
            fmt::format("A variant or a family of variants: {}; `tilewright list {}` has all",
                families_in(op.variants()), op.name()))
        .show_default();
    if (op.inputs().front().axes != Axes::vector) {
        command
            .add("--layout", request->call.layout,
                "Arrays of many images, .npy: a letter per axis, those of an image last, as nhw, nhwc or "
                "nchw")
            .value_name("AXES");
    }
    add_format(command, request->call.format, request->call.compression);
    add_memory(command, request->call.memory);
    command.add_flag(
        "--stats", request->call.statistics, "Print what the call did and cost to standard error");
    add_json(command, request->call.as_json);
    command.add_flag("--check", request->call.check,
        "Compare the result with the definition, as plain loops, before it is written (slow)");
    if (const std::optional<Input> &more = op.optional_input()) {
        command.add("--" + more->name, request->optional_input, more->help)
            .value_name("FILE")
            .group(op.name());
    }
    add_settings(command, op, request);
    std::vector<Parameter> of_pictures = add_fitting(command, request->call.fit);
    for (const Parameter &limit : add_limits(command, request->call.limits)) {
        of_pictures.push_back(limit);
    }
    const FileOptions options{inputs, output, of_pictures};
    command.when_helped([command, &op, options] { describe_files(command, op, options); });
    command.run([request] { operate(*request); });
}

}  // namespace

void add_operators(CommandLine &line) {
    for (const Operator *op : operators()) {
        add_operator(line, *op);
    }
}

}  // namespace tilewright::app
