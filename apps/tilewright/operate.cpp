#include "app.h"
#include "picture.h"
#include "reference.h"
#include "report.h"
#include "selection.h"
#include "tilewright/files.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <memory>

namespace tilewright::app {

namespace {

// What the command line of one operator says.
struct Request {
    const Operator *op = nullptr;
    std::vector<std::string> inputs;
    std::string optional_input, output;
    std::string device = "auto", schedule = "tuned";
    bool statistics = false, check = false;
    std::map<std::string, std::string> settings;  // the operator's own options that were given
    FileLimits limits;
};

double number_of(const std::string &option, const std::string &text) {
    double value = 0;
    const char *end = text.data() + text.size();
    const char *begin = text.data() + (text.size() > 1 && text[0] == '+' ? 1 : 0);
    const auto [stopped, fault] = std::from_chars(begin, end, value);
    if (fault != std::errc() || stopped != end) {
        throw Error(Fault::usage, "takes a number, for example --" + option + " 2.5", {.argument = "--" + option, .value = text});
    }
    return value;
}

Settings settings_of(const Request &request) {
    Settings settings;
    for (const Option &option : request.op->options()) {
        const auto given = request.settings.find(option.name);
        if (given == request.settings.end()) {
            continue;
        }
        if (option.is_number) {
            settings.set(option.name, number_of(option.name, given->second));
            continue;
        }
        const auto &choices = option.choices;
        if (!choices.empty() && std::find(choices.begin(), choices.end(), given->second) == choices.end()) {
            throw Error(Fault::usage, fmt::format("takes {}{}", joined(choices, ", "), did_you_mean(given->second, choices)),
                        {.operation = request.op->name(), .argument = "--" + option.name, .value = given->second});
        }
        settings.set(option.name, given->second);
    }
    return settings;
}

void print_statistics(const Statistics &call, const Counters &before, const Counters &after, double total_ms) {
    const uint64_t modules = after.modules - before.modules;
    const auto copies = [](uint64_t count, uint64_t size, const char *where) {
        return fmt::format("{} to the {} ({})", count, where, bytes((double)size));
    };
    fmt::print(stderr, "row         {}\n", call.row);
    fmt::print(stderr, "device      {} ({})\n", call.device, device_info(Device::parse(call.device)).name);
    fmt::print(stderr, "total       {:.3f} ms, the result on the host\n", total_ms);
    fmt::print(stderr, "first call  {} module{} loaded or compiled in {:.3f} ms\n", modules, modules == 1 ? "" : "s",
               after.module_ms - before.module_ms);
    fmt::print(stderr, "kernels     {} launched\n", after.kernels - before.kernels);
    fmt::print(stderr, "copies      {}, {}\n",
               copies(after.copies_to_device - before.copies_to_device, after.bytes_to_device - before.bytes_to_device, "device"),
               copies(after.copies_to_host - before.copies_to_host, after.bytes_to_host - before.bytes_to_host, "host"));
    fmt::print(stderr, "allocations {} on the device\n", after.allocations - before.allocations);
}

// Holds the output against the reference row of its type, on the CPU.
void check_against_reference(const Operator &op, const Sample &sample, const Array &output, const Device &device) {
    const std::string type = op.type_of(sample.inputs, sample.settings);
    const Row *reference = cpu_row(op, "reference", type);
    if (!reference) {
        throw Error(Fault::failed, "the reference row of " + type + " is not linked in, so there is nothing to check against",
                    {.operation = op.name(), .argument = "--check"});
    }
    const std::string wrong = difference(output, expect(op, *reference, sample));
    if (!wrong.empty()) {
        throw Error(Fault::mismatch, wrong + "; nothing was written", {.operation = op.name(), .device = device.str()});
    }
}

// Everything that can be refused is refused before anything is computed.
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
    const Settings settings = settings_of(request);

    std::vector<Picture> pictures;
    for (const std::string &input : files) {
        pictures.push_back(read_picture(input, request.limits));
    }
    const std::vector<Array> inputs = arrays_for(op, pictures, settings);
    const auto [type, shape] = op.output_of(inputs, settings);
    check_output(request.output, type_in_file(pictures.front(), type, shape), shape);

    const Counters before = counters();
    const auto start = std::chrono::steady_clock::now();
    Statistics statistics;
    Array output;
    op(inputs, output, settings, {.device = device, .schedule = request.schedule, .statistics = &statistics});
    output.sync();
    const double total_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    const Counters after = counters();

    if (request.check) {
        check_against_reference(op, {inputs, settings, ""}, output, device);
    }
    write_array(request.output, array_for_file(op, pictures.front(), output), pictures.front().metadata);
    if (request.statistics) {
        print_statistics(statistics, before, after, total_ms);
    }
    if (request.check) {
        fmt::print(stderr, "verified    against the reference\n");
    }
}

std::string examples_of(const Operator &op) {
    std::string inputs = op.inputs() == 1 ? "photo.png" : "";
    for (int i = 0; op.inputs() > 1 && i < op.inputs(); i++) {
        inputs += fmt::format("{}{}.npy", i == 0 ? "" : " ", (char)('a' + i));
    }
    std::string option;
    for (const Option &o : op.options()) {
        if (!o.value.empty()) {
            option = fmt::format(" --{} {}", o.name, o.value);
            break;
        }
    }
    return fmt::format("An input is a PNG or .npy file; the output's name ends in .png (u8 and u16 images) or .npy (anything).\n"
                       "Examples:\n"
                       "  tilewright {0} {1} out.npy{2}\n"
                       "  tilewright {0} {1} out.npy --device cpu --stats\n"
                       "  tilewright {0} {1} out.npy --schedule reference\n",
                       op.name(), inputs, option);
}

void add_operator(CLI::App &app, const Operator &op) {
    CLI::App *command = app.add_subcommand(op.name(), op.summary())->group("Operators");
    const auto request = std::make_shared<Request>();
    request->op = &op;
    request->inputs.resize((size_t)op.inputs());
    for (size_t i = 0; i < request->inputs.size(); i++) {
        const std::string name = request->inputs.size() == 1 ? "input" : fmt::format("input{}", i + 1);
        command->add_option(name, request->inputs[i], "A PNG or .npy file")->required();
    }
    command->add_option("output", request->output, "The file to write: .png or .npy")->required();
    command->add_option("--device", request->device, "auto, cpu, cuda[:i] or opencl[:i]")->capture_default_str();
    command->add_option("--schedule", request->schedule, "One of: " + joined(schedule_names(op), ", "))->capture_default_str();
    command->add_flag("--stats", request->statistics, "Print what the call did and cost to standard error");
    command->add_flag("--check", request->check, "Hold the result against the reference before it is written (slow: the reference is plain)");
    if (const std::optional<Option> more = op.optional_input()) {
        command->add_option("--" + more->name, request->optional_input, more->help)->type_name("FILE")->group(op.name());
    }
    for (const Option &option : op.options()) {
        std::string help = option.help;
        help += option.choices.empty() ? "" : " (" + joined(option.choices, ", ") + ")";
        command
            ->add_option_function<std::string>(
                "--" + option.name, [request, name = option.name](const std::string &text) { request->settings[name] = text; }, help)
            ->default_str(option.value)
            ->type_name(option.is_number ? "NUMBER" : "WORD")
            ->group(op.name());
    }
    const std::string limits = "Limits for PNG inputs";
    command->add_option("--max-side", request->limits.png.side, "Pixels along x and y")->capture_default_str()->group(limits);
    command->add_option("--max-pixels", request->limits.png.pixels, "Pixels in all")->capture_default_str()->group(limits);
    command->add_option("--max-bytes", request->limits.png.bytes, "Decoded bytes")->capture_default_str()->group(limits);
    command->footer(examples_of(op));
    command->callback([request] { operate(*request); });
}

}  // namespace

void add_operators(CLI::App &app) {
    for (const Operator *op : operators()) {
        add_operator(app, *op);
    }
}

}  // namespace tilewright::app
