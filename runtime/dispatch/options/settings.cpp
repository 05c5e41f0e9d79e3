// Settings and options: reading a value, and checking the values of a call against what its operator
// declares.
#include "runtime/dispatch/options/settings.h"
#include "runtime/dispatch/options/option_text.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

double Settings::number(const std::string &name) const {
    const auto at = values_.find(name);
    if (at == values_.end()) {
        throw std::logic_error("there is no setting '" + name + "'");
    }
    if (const double *value = std::get_if<double>(&at->second)) {
        return *value;
    }
    throw Error(
        Fault::usage, "takes a number", {.argument = name, .value = std::get<std::string>(at->second)});
}

double Settings::number(const std::string &name, double otherwise) const {
    return has(name) ? number(name) : otherwise;
}

std::string Settings::text(const std::string &name) const {
    const auto at = values_.find(name);
    if (at == values_.end()) {
        throw std::logic_error("there is no setting '" + name + "'");
    }
    if (const std::string *value = std::get_if<std::string>(&at->second)) {
        return *value;
    }
    throw Error(Fault::usage, "takes a word",
        {.argument = name, .value = fmt::format("{}", std::get<double>(at->second))});
}

std::string Settings::text(const std::string &name, const std::string &otherwise) const {
    return has(name) ? text(name) : otherwise;
}

std::string Option::range() const {
    if (!is_number) {
        return fmt::format("{}", fmt::join(choices, ", "));
    }
    const std::string kind = unit == "m" ? "a length" : is_whole ? "a whole number" : "a number";
    const auto end = [&](double value) {
        std::string text = unit == "m" ? length_text(value) : fmt::format("{:g}", value);
        std::erase(text, ' ');  // as it is written on a command line
        return text;
    };
    if (!std::isfinite(least) && !std::isfinite(most)) {
        return kind;
    }
    if (excludes_ends) {
        return fmt::format("{} above {} and below {}", kind, end(least), end(most));
    }
    return !std::isfinite(most) ? fmt::format("{} of at least {}", kind, end(least)) :
                                  fmt::format("{} from {} to {}", kind, end(least), end(most));
}

namespace {

// Errors: usage, for a value that the option does not take.
void check_value(
    const std::string &op, const Option &option, const std::variant<double, std::string> &value) {
    const auto refuse = [&](const std::string &why) {
        const std::string text = value.index() == 0 ? fmt::format("{}{}", std::get<0>(value),
                                                          option.unit.empty() ? "" : " " + option.unit) :
                                                      std::get<1>(value);
        throw Error(Fault::usage, why, {.operation = op, .argument = option.name, .value = text});
    };
    if (option.is_number) {
        if (value.index() != 0) {
            refuse("takes a number");
        }
        const double number = std::get<0>(value);
        const bool inside = option.excludes_ends ? number > option.least && number < option.most :
                                                   number >= option.least && number <= option.most;
        if (!inside || (option.is_whole && number != std::floor(number))) {
            refuse("takes " + option.range() +
                   (option.unit == "m" ? "; lengths without a unit are metres" : ""));
        }
    } else if (!option.choices.empty() &&
               (value.index() == 0 || std::find(option.choices.begin(), option.choices.end(),
                                          std::get<1>(value)) == option.choices.end())) {
        refuse("takes " + option.range());
    }
}

}  // namespace

const Settings &checked_settings(
    const std::string &op, const std::vector<Option> &options, const Settings &given, Settings &completed) {
    for (const auto &[name, value] : given.all()) {
        const auto at = std::find_if(options.begin(), options.end(),
            [&, wanted = &name](const Option &o) { return o.name == *wanted; });
        if (at == options.end()) {
            const std::string text =
                value.index() == 0 ? fmt::format("{}", std::get<0>(value)) : std::get<1>(value);
            std::vector<std::string> known;
            std::transform(options.begin(), options.end(), std::back_inserter(known),
                [](const Option &option) { return option.name; });
            throw Error(Fault::usage,
                fmt::format("no such option{}; {}{}", did_you_mean(name, known),
                    known.empty() ? "it takes none" : "it takes ", fmt::join(known, ", ")),
                {.operation = op, .argument = name, .value = text});
        }
        check_value(op, *at, value);
    }
    bool complete = true;
    for (const Option &option : options) {
        if (given.has(option.name)) {
            continue;
        }
        if (option.is_needed) {
            throw Error(Fault::usage,
                fmt::format("is needed: {}{}", option.range(),
                    option.example.empty() ? "" : ", for example " + option.example),
                {.operation = op, .argument = option.name});
        }
        if (!option.value.empty()) {
            if (std::exchange(complete, false)) {
                completed = given;
            }
            completed.set(option.name,
                option.is_number ? std::variant<double, std::string>(number_of(option, option.value)) :
                                   option.value);
        }
    }
    // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): the caller has `given`
    return complete ? given : completed;
}

}  // namespace tilewright
