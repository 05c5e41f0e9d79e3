// Finds operators, devices and variants by their names.
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/command_line/environment.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/dispatch/options/option_text.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewright::app {

std::vector<const Operator *> chosen_operators(const std::vector<std::string> &names) {
    if (names.empty()) {
        return operators();
    }
    std::vector<const Operator *> chosen;
    for (const std::string &name : names) {
        const Operator *op = &find_operator(name);
        if (std::find(chosen.begin(), chosen.end(), op) == chosen.end()) {
            chosen.push_back(op);
        }
    }
    return chosen;
}

namespace {

std::vector<Device> usable_devices() {
    std::vector<Device> usable;
    for (const DeviceInfo &info : devices()) {
        if (info.usable) {
            usable.push_back(info.device);
        }
    }
    return usable;
}

}  // namespace

std::vector<Device> chosen_devices(const std::string &words) {
    const std::string all = "all";
    std::vector<Device> chosen;
    for (const std::string &word : parted((words.empty() ? all : words) + ",")) {
        for (const Device &device : word == all ? usable_devices() : std::vector{device_of(word)}) {
            if (std::find(chosen.begin(), chosen.end(), device) == chosen.end()) {
                chosen.push_back(device);
            }
        }
    }
    return chosen;
}

std::vector<Device> named_devices(const std::string &words) {
    return words == "auto" ? std::vector<Device>() : chosen_devices(words);
}

std::vector<std::string> operator_names() {
    std::vector<std::string> names;
    for (const Operator *op : operators()) {
        names.push_back(op->name());
    }
    return names;
}

std::vector<std::string> type_names(const Operator &op) {
    std::vector<std::string> names;
    for (const Variant &variant : op.variants()) {
        add_once(names, variant.type);
    }
    return names;
}

const Variant *variant_called(const Operator &op, const std::string &name) {
    const auto at = std::ranges::find(op.variants(), name, &Variant::name);
    return at == op.variants().end() ? nullptr : &*at;
}

void check_schedule(const std::vector<const Operator *> &chosen, const std::string &name) {
    std::vector<Variant> all;
    for (const Operator *op : chosen) {
        for (const Variant &variant : op->variants()) {
            if (name.empty() || variant.belongs_to(name)) {
                return;
            }
        }
        all.insert(all.end(), op->variants().begin(), op->variants().end());
    }
    throw Error(Fault::usage, no_such_schedule(name, all, chosen.size() == 1 ? chosen.front()->name() : ""),
        {.argument = "--schedule", .value = name});
}

void check_type(const std::vector<const Operator *> &chosen, const std::string &type) {
    std::vector<std::string> known;
    for (const Operator *op : chosen) {
        for (const std::string &name : type_names(*op)) {
            if (type.empty() || name == type) {
                return;
            }
            add_once(known, name);
        }
    }
    throw Error(Fault::usage, fmt::format("no such type; known: {}", joined(known)),
        {.argument = "--type", .value = type});
}

bool VariantOptions::ask_for(const Variant &variant) const {
    const auto means = [&](const std::string &word) { return variant.belongs_to(word); };
    return (schedules.empty() || std::any_of(schedules.begin(), schedules.end(), means)) &&
           (types.empty() || std::find(types.begin(), types.end(), variant.type) != types.end());
}

void add_variants(Command &command, VariantOptions &options) {
    command.add("--schedule", options.schedules, "Only these schedules, families or libraries, with commas")
        .commas()
        .one_word()
        .value_name("NAME,...");
    command.add("--type", options.types, "Only these types of data, with commas: u8,f32")
        .commas()
        .one_word()
        .value_name("TYPE,...");
}

void check_variants(const std::vector<const Operator *> &chosen, const VariantOptions &options) {
    for (const std::string &schedule : options.schedules) {
        check_schedule(chosen, schedule);
    }
    for (const std::string &type : options.types) {
        check_type(chosen, type);
    }
}

DataSize size_of(const std::string &text) {
    constexpr int64_t most_pixels = 1 << 20, most_channels = 64;
    std::vector<int64_t> numbers;
    bool good = true;
    for (const std::string &word : parted(text + "x", 'x')) {
        numbers.push_back(number_in<int64_t>(word).value_or(0));
        good = good && numbers.back() >= 1 && numbers.back() <= most_pixels;
    }
    good = good && numbers.size() <= 3 && (numbers.size() < 3 || numbers[2] <= most_channels);
    if (!good) {
        throw Error(Fault::usage,
            "takes WIDTHxHEIGHT from 1x1 to 1048576x1048576, for example 4096x2048, and for an image of "
            "several channels WIDTHxHEIGHTxCHANNELS, for example 1920x1080x3",
            {.argument = "--size", .value = text});
    }
    return {numbers[0], numbers[numbers.size() > 1 ? 1 : 0], numbers.size() > 2 ? numbers[2] : 1};
}

DataSize size_for(const Operator &op, const std::string &type, const std::string &text) {
    const DataSize size = size_of(text);
    if (size.channels > 1 && !workload_of(op).takes_channels(type)) {
        throw Error(Fault::usage,
            fmt::format(
                "{} of {} takes data of one channel; write {}x{}", op.name(), type, size.width, size.height),
            {.argument = "--size", .value = text});
    }
    return size;
}

std::string why_not_here(const Variant &variant, const std::vector<Device> &chosen, bool by_name) {
    std::string lacking;
    for (const Device &device : chosen) {
        if (device.backend == variant.backend) {
            lacking = why_not_on(variant, device);
            if (lacking.empty()) {
                return "";
            }
        }
    }
    if (!lacking.empty()) {
        return lacking;
    }
    if (by_name) {
        return fmt::format("{} was not chosen by --device", name_of(variant.backend));
    }
    const std::vector<DeviceInfo> &all = devices(variant.backend);
    return all.empty() ? fmt::format("no {} device", name_of(variant.backend)) : one_line(all.back().why_not);
}

}  // namespace tilewright::app
