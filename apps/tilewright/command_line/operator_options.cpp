// Makes a command's options from those of the operators, and settings from their words.
#include "apps/tilewright/command_line/operator_options.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/dispatch/options/option_text.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewright::app {

void add_options_of_operators(Command &command, OperatorOptions &options) {
    const std::string group = "Options of operators";
    for (const Operator *op : operators()) {
        for (const Option &option : op->options()) {
            const std::string name = "--" + option.name;
            if (command.takes(name)) {
                continue;
            }
            const auto set = [&options, name = option.name](
                                 const std::string &text) { options.given[name] = text; };
            if (option.is_flag) {
                command.add_flag(name, [set] { set("yes"); }, option.help).group(group);
            } else {
                command.add(name, set, option.help).group(group).offer(option.choices);
            }
        }
        const std::optional<Input> &more = op->optional_input();
        if (more && !command.takes("--" + more->name)) {
            const auto set = [&options, name = more->name](
                                 const std::string &file) { options.optional_inputs[name] = file; };
            command.add("--" + more->name, set, more->help).value_name("FILE").group(group);
        }
    }
}

void check_options(const std::vector<const Operator *> &chosen, const OperatorOptions &options) {
    std::vector<std::string> known;
    for (const Operator *op : chosen) {
        for (const Option &option : op->options()) {
            known.push_back("--" + option.name);
        }
        if (op->optional_input()) {
            known.push_back("--" + op->optional_input()->name);
        }
    }
    const std::string who = chosen.size() == 1 ? chosen.front()->name() : "";
    const auto check = [&](const std::string &name) {
        if (std::find(known.begin(), known.end(), "--" + name) == known.end()) {
            throw Error(Fault::usage,
                who.empty() ? "none of the chosen operators has this option" :
                known.empty() ?
                              "the operator has no options of its own" :
                              fmt::format("the operator has no such option; it has {}", joined(known, ", ")),
                {.operation = who, .argument = "--" + name});
        }
    };
    for (const auto &[name, value] : options.given) {
        check(name);
    }
    for (const auto &[name, file] : options.optional_inputs) {
        check(name);
    }
}

Settings settings_of(const Operator &op, const std::map<std::string, std::string> &words) {
    Settings settings;
    for (const Option &option : op.options()) {
        if (const auto given = words.find(option.name); given != words.end()) {
            settings.set(option.name, value_of(op, option, given->second, "--" + option.name));
        }
    }
    return settings;
}

}  // namespace tilewright::app
