#pragma once
// Which operators, devices and variants a command works on, by the names in its command line.
#include "apps/tilewright/command_line/command_line.h"
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <string>
#include <vector>

namespace tilewright::app {

// The named operators, or all. Errors: usage, for an unknown name.
std::vector<const Operator *> chosen_operators(const std::vector<std::string> &names);

// The devices of the words of --device, which have commas between them, each once. `all` and no word at all
// stand for every device that can be used. Errors: usage, device.
std::vector<Device> chosen_devices(const std::string &words);

// The same, but none for `auto`: the variants that are asked for then say which.
std::vector<Device> named_devices(const std::string &words);

// The names of the operators, and of an operator's types, each once and in the order of the tables.
std::vector<std::string> operator_names();
std::vector<std::string> type_names(const Operator &op);

// The operator's variant of that full name; null where it has none.
const Variant *variant_called(const Operator &op, const std::string &name);

// Errors: usage, when none of the operators has that schedule; the message names the known ones. An empty
// name stands for every schedule.
void check_schedule(const std::vector<const Operator *> &chosen, const std::string &name);

// Errors: usage, when none of the operators has variants of that type. An empty name stands for every type.
void check_type(const std::vector<const Operator *> &chosen, const std::string &type);

// The variants that a command is asked for: the words of --schedule and --type. Without words: all variants.
struct VariantOptions {
    std::vector<std::string> schedules, types;

    bool ask_for(const Variant &variant) const;
};

// Adds --schedule and --type, which take several words with commas between them.
void add_variants(Command &command, VariantOptions &options);

// Errors: usage, for a word of which none of the operators has a variant.
void check_variants(const std::vector<const Operator *> &chosen, const VariantOptions &options);

// WIDTHxHEIGHT, a number alone for both, or WIDTHxHEIGHTxCHANNELS. Errors: usage.
DataSize size_of(const std::string &text);

// The same for data of a type of an operator, which may take no channels. Errors: usage.
DataSize size_for(const Operator &op, const std::string &type, const std::string &text);

// Why a variant cannot run on any of the devices; empty when it can. `by_name`: --device chose them, so
// nothing is said about other backends.
std::string why_not_here(const Variant &variant, const std::vector<Device> &chosen, bool by_name);

}  // namespace tilewright::app
