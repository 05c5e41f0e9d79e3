// Reads files for an operator, or makes the sample that it is timed with.
#include "apps/tilewright/calls/call_arguments.h"
#include "apps/tilewright/calls/call_options.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/foreign/foreign_operator.h"
#include "apps/tilewright/terminal/printing.h"
#include "tilewright/workload.h"
#include <fmt/format.h>

namespace tilewright::app {

namespace {

CallData from_files(const Operator &op, const DataOptions &options, const Settings &settings) {
    if (!options.size.empty()) {
        throw Error(Fault::usage, "the size is that of the files; leave one of the two out",
            {.operation = op.name(), .argument = "--size", .value = options.size});
    }
    std::vector<std::string> files = options.files;
    for (const auto &[name, file] : options.of_operators.optional_inputs) {
        files.push_back(file);
    }
    std::vector<Picture> pictures;
    std::vector<std::string> described;
    for (const std::string &file : files) {
        pictures.push_back(read_picture(file, options.limits));
        described.push_back(fmt::format("{}, {}", file, pictures.back().array.describe()));
    }
    CallData data;
    const Receiver to = receiver_of(op, settings);
    Fitted all = fitted(to, pictures, options.fit);
    data.inputs = all.calls.front();
    data.calls = all.calls.size();
    data.conversions = std::move(all.conversions);
    Settings own = settings;
    if (const auto *theirs = dynamic_cast<const ForeignOperator *>(&op)) {
        data.inputs = theirs->arranged(data.inputs, own);
    }
    data.settings = op.settings_for("npy", data.inputs, own);
    data.what = one_line(joined(described, "; "));
    try {
        data.request = op.parse(data.inputs, data.settings);
    } catch (const Error &error) {
        throw with_files(error, to, pictures, options.fit);
    }
    if (!options.type.empty() && data.request->type != options.type) {
        throw Error(Fault::usage, fmt::format("the files are {}; leave --type out", data.request->type),
            {.operation = op.name(), .argument = "--type", .value = options.type});
    }
    return data;
}

CallData from_sample(const Operator &op, const DataOptions &options, const Settings &settings) {
    check_sample(options);
    const Workload &workload = workload_of(op);
    const std::string type = options.type.empty() ? type_names(op).front() : options.type;
    const DataSize size = options.size.empty() ? workload.benchmark_size() : size_for(op, type, options.size);
    Settings all = workload.benchmark_settings(type).front();
    for (const auto &[name, value] : settings.all()) {
        all.set(name, value);
    }
    Sample sample = workload.benchmark_sample(type, size, all);
    CallData data{std::move(sample.inputs), sample.settings, sample.what, nullptr};
    data.request = op.parse(data.inputs, data.settings);
    return data;
}

}  // namespace

void add_data(Command &command, DataOptions &options) {
    command.add("files", options.files, "The operator's inputs; without them the sample that `bench` times");
    command.add("--type", options.type, "A type of the table; the first one without it");
    command.add("--size", options.size,
        "WIDTHxHEIGHT or WIDTHxHEIGHTxCHANNELS of the sample; the operator's own without it");
    add_options_of_operators(command, options.of_operators);
    add_fitting(command, options.fit);
    add_limits(command, options.limits);
}

void check_sample(const DataOptions &options) {
    const FitOptions &fit = options.fit;
    if (fit.grey || fit.crop || fit.channel >= 0) {
        throw Error(Fault::usage, "it is of a picture; name a file too",
            {.argument = fit.grey ? "--grey" :
                         fit.crop ? "--crop" :
                                    "--channel"});
    }
    if (!options.of_operators.optional_inputs.empty()) {
        throw Error(Fault::usage, "it goes with files; name the operator's other inputs too",
            {.argument = "--" + options.of_operators.optional_inputs.begin()->first});
    }
}

CallData call_data(const Operator &op, const DataOptions &options) {
    check_type({&op}, options.type);
    check_options({&op}, options.of_operators);
    check_fitting(options.fit, op.name());
    const Settings settings = settings_of(op, options.of_operators.given);
    return options.files.empty() ? from_sample(op, options, settings) : from_files(op, options, settings);
}

}  // namespace tilewright::app
