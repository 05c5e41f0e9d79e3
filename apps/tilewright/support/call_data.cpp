// Reads files for an operator, or makes the sample that it is timed with.
#include "apps/tilewright/support/call_data.h"
#include "apps/tilewright/support/call.h"
#include "apps/tilewright/support/fitting.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/selection.h"
#include "runtime/dispatch/option_text.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewright::app {

namespace {

// The operator's settings. Errors: usage, for an option that only other operators have.
Settings settings_of(const Operator &op, const DataWords &words) {
    std::vector<std::string> known;
    Settings settings;
    for (const Option &option : op.options()) {
        known.push_back("--" + option.name);
        if (const auto given = words.options.find(option.name); given != words.options.end()) {
            settings.set(option.name, value_of(op, option, given->second, "--" + option.name));
        }
    }
    const std::optional<Option> &more = op.optional_input();
    if (more) {
        known.push_back("--" + more->name);
    }
    const auto check = [&](const std::string &name) {
        if (std::find(known.begin(), known.end(), "--" + name) == known.end()) {
            throw Error(Fault::usage,
                known.empty() ?
                    "the operator has no options of its own" :
                    fmt::format("the operator has no such option; it has {}", joined(known, ", ")),
                {.operation = op.name(), .argument = "--" + name});
        }
    };
    for (const auto &[name, value] : words.options) {
        check(name);
    }
    for (const auto &[name, file] : words.optional_inputs) {
        check(name);
    }
    return settings;
}

CallData from_files(const Operator &op, const DataWords &words, const Settings &settings) {
    if (!words.size.empty()) {
        throw Error(Fault::usage, "the size is that of the files; leave one of the two out",
            {.operation = op.name(), .argument = "--size", .value = words.size});
    }
    std::vector<std::string> files = words.files;
    for (const auto &[name, file] : words.optional_inputs) {
        files.push_back(file);
    }
    std::vector<Picture> pictures;
    std::vector<std::string> described;
    for (const std::string &file : files) {
        pictures.push_back(read_picture(file, words.limits));
        described.push_back(fmt::format("{}, {}", file, pictures.back().array.describe()));
    }
    CallData data;
    Fitted all = fitted(op, pictures, settings);
    data.inputs = all.calls.front();
    data.calls = all.calls.size();
    data.conversions = std::move(all.conversions);
    data.settings = op.settings_for("npy", data.inputs, settings);
    data.what = joined(described, "; ");
    data.request = op.parse(data.inputs, data.settings);
    if (!words.type.empty() && data.request->type != words.type) {
        throw Error(Fault::usage, fmt::format("the files are {}; leave --type out", data.request->type),
            {.operation = op.name(), .argument = "--type", .value = words.type});
    }
    return data;
}

CallData from_sample(const Operator &op, const DataWords &words, const Settings &settings) {
    if (!words.optional_inputs.empty()) {
        throw Error(Fault::usage, "it goes with files; name the operator's other inputs too",
            {.operation = op.name(), .argument = "--" + words.optional_inputs.begin()->first});
    }
    const Workload &workload = workload_of(op);
    const std::string type = words.type.empty() ? type_names(op).front() : words.type;
    const Size size = words.size.empty() ? workload.benchmark_size() : size_of(words.size);
    Settings all = workload.benchmark_settings(type).front();
    for (const auto &[name, value] : settings.all()) {
        all.set(name, value);
    }
    Sample sample = workload.benchmark_sample(type, size.first, size.second, all);
    CallData data{std::move(sample.inputs), sample.settings, sample.what, nullptr};
    data.request = op.parse(data.inputs, data.settings);
    return data;
}

}  // namespace

void add_data(Command &command, DataWords &words) {
    command.add("files", words.files, "The operator's inputs; without them the sample that `bench` times");
    command.add("--type", words.type, "A type of the table; the first one without it");
    command.add("--size", words.size, "WIDTHxHEIGHT of the sample; the operator's own without it");
    for (const Operator *op : operators()) {
        for (const Option &option : op->options()) {
            const std::string name = "--" + option.name;
            if (command.takes(name)) {
                continue;
            }
            const auto set = [&words, name = option.name](
                                 const std::string &text) { words.options[name] = text; };
            if (option.is_flag) {
                command.add_flag(name, [set] { set("yes"); }, option.help).group("Options of operators");
            } else {
                command.add(name, set, option.help).group("Options of operators");
            }
        }
        const std::optional<Option> &more = op->optional_input();
        if (more && !command.takes("--" + more->name)) {
            command
                .add(
                    "--" + more->name,
                    [&words, name = more->name](
                        const std::string &file) { words.optional_inputs[name] = file; },
                    more->help)
                .value_name("FILE")
                .group("Options of operators");
        }
    }
    add_limits(command, words.limits);
}

CallData call_data(const Operator &op, const DataWords &words) {
    check_type({&op}, words.type);
    const Settings settings = settings_of(op, words);
    return words.files.empty() ? from_sample(op, words, settings) : from_files(op, words, settings);
}

}  // namespace tilewright::app
