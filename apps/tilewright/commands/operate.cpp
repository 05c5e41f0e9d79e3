// The command of each operator: files are read, the operator is called, and the result is written.
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/support/accepted.h"
#include "apps/tilewright/support/call.h"
#include "apps/tilewright/support/command_line.h"
#include "apps/tilewright/support/picture.h"
#include "apps/tilewright/support/reference.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/selection.h"
#include "apps/tilewright/support/streams.h"
#include "runtime/dispatch/option_text.h"
#include "tilewright/files.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>

namespace tilewright::app {

namespace {

// The words of one call of an operator.
struct Request {
    const Operator *op = nullptr;
    std::vector<std::string> inputs;
    std::string optional_input, output;
    std::string device = "auto", schedule = "tuned";
    bool statistics = false, check = false;
    std::map<std::string, std::string> settings;  // the operator's own options that were given
    FileLimits limits;
};

Settings settings_of(const Request &request) {
    Settings settings;
    for (const Option &option : request.op->options()) {
        const auto given = request.settings.find(option.name);
        if (given == request.settings.end()) {
            continue;
        }
        settings.set(option.name, value_of(*request.op, option, given->second, "--" + option.name));
    }
    return settings;
}

// Everything that can be refused is refused before the operator computes.
void operate(const Request &request) {
    const Operator &op = *request.op;
    std::vector<std::string> files = request.inputs;
    if (!request.optional_input.empty()) {
        files.push_back(request.optional_input);
    }
    for (const std::string &input : files) {
        if (same_file(input, request.output)) {
            throw Error(Fault::usage, "it is an input as well; name another file",
                {.operation = op.name(), .argument = "output", .value = request.output});
        }
    }
    check_output(request.output);
    check_schedule({&op}, request.schedule);
    const Device device = Device::parse(request.device);
    Settings settings = settings_of(request);

    std::vector<Picture> pictures;
    for (const std::string &input : files) {
        pictures.push_back(read_picture(input, request.limits, device));
    }
    const std::vector<Array> inputs = arrays_for(op, pictures, settings);
    settings = op.settings_for(kind_of_file(request.output), inputs, settings);
    const auto parsed = op.parse(inputs, settings);
    check_output(request.output, type_in_file(pictures.front(), parsed->output_type, parsed->output_shape),
        parsed->output_shape);
    const Remarks remarks = op.remarks(*parsed);
    print_warnings(op, remarks);

    const Counters before = counters();
    const auto start = std::chrono::steady_clock::now();
    Statistics statistics;
    Array output;
    op.call(*parsed, output,
        {.device = device,
            .schedule = request.schedule,
            .statistics = &statistics,
            .pinned = device.backend == Backend::cuda});
    output.sync();
    const double total_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    const Counters after = counters();

    std::string verified;
    if (request.check) {
        verified = check_result(op, {inputs, settings, ""}, output, device, statistics.row);
    }
    write_array(request.output, array_for_file(op, pictures.front(), output), pictures.front().metadata);
    if (request.statistics) {
        print_error(fmt::format("row         {}\n", statistics.row));
        if (statistics.libraries != std::vector{statistics.row}) {
            print_error(fmt::format("libraries   {}\n", joined(statistics.libraries, " + ")));
        }
        print_costs(device, before, after, total_ms);
        print_facts(remarks);
    }
    if (request.check) {
        print_error(fmt::format("verified    against {}\n", verified));
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
    const char *channels = "A PNG is u8 or, with 16 bits per channel, u16; grey is (h, w), RGB (h, w, 3); "
                           "with alpha (h, w, 2) and (h, w, 4).\n";
    return fmt::format("{4}"
                       "Examples:\n"
                       "  tilewright {0} {1}{3}{2}\n"
                       "  tilewright {0} {1}{3} --device cpu --stats\n"
                       "  tilewright {0} {1}{3} --schedule reference\n",
        op.name(), accepted.example, option, needed, accepted.png ? channels : "");
}

// The parts of the help that depend on the types and shapes that the operator takes. Finding these takes
// time, so they are filled in only for the operator whose command is named.
struct FileWords {
    std::vector<Parameter> inputs;
    Parameter output;
    std::vector<Parameter> limits;  // of PNG files
};

void describe_files(Command command, const Operator &op, FileWords words) {
    const Accepted accepted = accepted_by(op);
    for (Parameter &input : words.inputs) {
        input.description(accepted.inputs);
    }
    words.output.description(accepted.output);
    if (!accepted.png && !accepted.png_output) {
        for (Parameter &limit : words.limits) {
            limit.group("");
        }
    }
    command.footer(footer_of(op, accepted));
}

// The operator's own options.
void add_settings(Command &command, const Operator &op, const std::shared_ptr<Request> &request) {
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
    const auto request = std::make_shared<Request>();
    request->op = &op;
    request->inputs.resize((size_t)op.inputs());
    std::vector<Parameter> inputs;
    for (size_t i = 0; i < request->inputs.size(); i++) {
        const std::string name = request->inputs.size() == 1 ? "input" : fmt::format("input{}", i + 1);
        inputs.push_back(command.add(name, request->inputs[i]).required());
    }
    const Parameter output = command.add("output", request->output).required();
    command.add("--device", request->device, "auto, cpu, cuda[:i] or opencl[:i]").show_default();
    command.add("--schedule", request->schedule, "One of: " + joined(schedule_names(op), ", "))
        .show_default();
    command.add_flag("--stats", request->statistics, "Print what the call did and cost to standard error");
    command.add_flag("--check", request->check,
        "Hold the result against the definition, as plain loops, before it is written (slow)");
    if (const std::optional<Option> more = op.optional_input()) {
        command.add("--" + more->name, request->optional_input, more->help)
            .value_name("FILE")
            .group(op.name());
    }
    add_settings(command, op, request);
    const FileWords words{inputs, output, add_limits(command, request->limits)};
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
