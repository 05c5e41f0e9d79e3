#pragma once
// The operators' own options, as words of a command that works on several operators.
#include "apps/tilewright/command_line/command_line.h"
#include "tilewright/operator.h"
#include <map>
#include <string>
#include <vector>

namespace tilewright::app {

struct OperatorOptions {
    std::map<std::string, std::string> given;            // by name; a flag that is given is "yes"
    std::map<std::string, std::string> optional_inputs;  // files, by the name of their option
};

// Adds the options of all operators, each name once, without those that the command takes already. `options`
// outlives the command.
void add_options_of_operators(Command &command, OperatorOptions &options);

// Errors: usage, for an option that none of these operators has.
void check_options(const std::vector<const Operator *> &chosen, const OperatorOptions &options);

// The settings of those words, by the options' names, that are the operator's own. Errors: usage, for a value
// that it does not take.
Settings settings_of(const Operator &op, const std::map<std::string, std::string> &words);

}  // namespace tilewright::app
