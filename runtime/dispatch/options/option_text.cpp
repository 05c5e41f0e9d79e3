#include "runtime/dispatch/options/option_text.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace tilewright {

namespace {

// The number of letters to insert, delete or change to turn one word into the other.
size_t distance(const std::string &a, const std::string &b) {
    std::vector<size_t> variant(b.size() + 1);
    for (size_t j = 0; j <= b.size(); j++) {
        variant[j] = j;
    }
    for (size_t i = 1; i <= a.size(); i++) {
        size_t diagonal = variant[0];
        variant[0] = i;
        for (size_t j = 1; j <= b.size(); j++) {
            const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = variant[j];
            variant[j] = std::min({changed, variant[j] + 1, variant[j - 1] + 1});
        }
    }
    return variant.back();
}

// A number, and what stands behind it.
std::pair<double, std::string> number_and_rest(const std::string &text) {
    double value = 0;
    const char *end = text.data() + text.size();
    const bool has_plus = text.starts_with('+') && !text.starts_with("+-");
    const char *begin = text.data() + (has_plus ? 1 : 0);
    const auto [stopped, fault] = std::from_chars(begin, end, value);
    return {value, fault == std::errc() ? std::string(stopped, end) : "not a number"};
}

// Metres in one unit of a length's suffix; both of Unicode's letters for micro are taken.
const auto &units_of_length = *new std::map<std::string, double>{{"", 1}, {"km", 1e3}, {"m", 1}, {"cm", 1e-2},
    {"mm", 1e-3}, {"um", 1e-6}, {"\u00b5m", 1e-6}, {"\u03bcm", 1e-6}, {"nm", 1e-9}, {"pm", 1e-12}};

// As it is written: `--sigma 2`, `sigma=2`.
std::string with_value(const std::string &option, const std::string &value) {
    return option + (option.starts_with("-") ? " " : "=") + value;
}

}  // namespace

std::string did_you_mean(const std::string &word, const std::vector<std::string> &known) {
    std::string best;
    size_t least = std::max<size_t>(2, word.size() / 3) + 1;
    for (const std::string &candidate : known) {
        // The beginning of a longer word counts as near: `gauss` for `gaussian_blur`.
        const bool begins = word.size() >= 3 && candidate.starts_with(word);
        const size_t apart = begins ? 1 : distance(word, candidate);
        if (apart < least) {
            least = apart;
            best = candidate;
        }
    }
    return best.empty() ? "" : fmt::format(" (did you mean '{}'?)", best);
}

void add_once(std::vector<std::string> &words, const std::string &word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) {
        words.push_back(word);
    }
}

std::string families_in(std::span<const Variant> variants) {
    std::vector<std::string> families;
    for (const Variant &variant : variants) {
        add_once(families, variant.family);
    }
    return fmt::format("{}", fmt::join(families, ", "));
}

std::string no_such_schedule(
    const std::string &word, std::span<const Variant> variants, const std::string &op) {
    if (variants.empty()) {
        return "there are no variants to choose from; fill the call's list of variants, or link the "
               "operator's libraries";
    }
    std::vector<std::string> known;
    for (const Variant &variant : variants) {
        add_once(known, variant.family);
    }
    for (const Variant &variant : variants) {  // a family before its variants: it is what most people mean
        add_once(known, variant.schedule);
    }
    return fmt::format("no such schedule{}; there are {}; `tilewright list{}{}` has all",
        did_you_mean(word, known), families_in(variants), op.empty() ? "" : " ", op);
}

std::string word_of(size_t value, const std::vector<std::string> &words) {
    return value < words.size() ? words[value] : std::to_string((int)value);
}

std::string length_text(double metres) {
    const double far = std::abs(metres);
    if (far >= 1e7) {
        return fmt::format("{:.0f} km", metres / 1e3);  // without an exponent: "1000000 km"
    }
    for (const auto &[unit, name] :
        {std::pair{1e3, "km"}, {1.0, "m"}, {1e-2, "cm"}, {1e-3, "mm"}, {1e-6, "um"}, {1e-9, "nm"}}) {
        if (far >= unit) {
            return fmt::format("{:.4g} {}", metres / unit, name);
        }
    }
    return fmt::format("{:.4g} pm", metres / 1e-12);
}

namespace {

double number_of(const Option &option, const std::string &text, const ErrorContext &context) {
    const bool is_length = option.unit == "m";
    const auto [value, rest] = number_and_rest(text);
    if (!is_length && !rest.empty()) {
        throw Error(
            Fault::usage, "takes a number, for example " + with_value(context.argument, "2.5"), context);
    }
    const auto unit = units_of_length.find(rest);
    if (unit == units_of_length.end()) {
        throw Error(Fault::usage,
            "takes a length: a number and km, m, cm, mm, um, nm or pm, for example " +
                with_value(context.argument, "2.5cm"),
            context);
    }
    // Division by a whole number rounds once: 532nm is the double next to 532e-9.
    return unit->second < 1 ? value / std::round(1 / unit->second) : value * unit->second;
}

}  // namespace

double number_of(const Option &option, const std::string &text) {
    return number_of(option, text, {.argument = option.name, .value = text});
}

std::variant<double, std::string> value_of(
    const Operator &op, const Option &option, const std::string &text, const std::string &written) {
    const ErrorContext context = {.operation = op.name(), .argument = written, .value = text};
    if (option.is_number) {
        return number_of(option, text, context);
    }
    const auto &choices = option.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
        throw Error(Fault::usage,
            fmt::format("takes {}{}", fmt::join(choices, ", "), did_you_mean(text, choices)), context);
    }
    return text;
}

}  // namespace tilewright
