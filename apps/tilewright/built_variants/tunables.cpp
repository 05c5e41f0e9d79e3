// Reads values of tunables, and compares them with a variant's ranges.
#include "apps/tilewright/built_variants/tunables.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/dispatch/options/option_text.h"
#include "tilewright/error.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace tilewright::app {

namespace {

[[noreturn]] void refuse(
    const std::string &value, const std::string &message, const Variant *variant = nullptr) {
    throw Error(Fault::usage, message,
        {.operation = variant ? variant->name() : "", .argument = "tunable", .value = value});
}

using Words = std::vector<std::string>;
std::map<std::pair<std::string, std::string>, Words> &named_values() {
    static std::map<std::pair<std::string, std::string>, Words> all;
    return all;
}

const Words *find_words(const std::string &op, const std::string &tunable) {
    const auto at = named_values().find({op, tunable});
    return at == named_values().end() ? nullptr : &at->second;
}

}  // namespace

void name_values(const std::string &op, const std::string &tunable, std::vector<std::string> words) {
    named_values()[{op, tunable}] = std::move(words);
}

bool has_named_values(const std::string &op, const std::string &tunable) {
    return find_words(op, tunable) != nullptr;
}

std::string word_of(const std::string &op, const std::string &tunable, int value) {
    const Words *words = find_words(op, tunable);
    return words && value >= 0 && value < (int)words->size() ? (*words)[(size_t)value] :
                                                               std::to_string(value);
}

std::optional<int> value_of(const std::string &op, const std::string &tunable, const std::string &word) {
    if (const Words *words = find_words(op, tunable)) {
        const auto at = std::find(words->begin(), words->end(), word);
        return at == words->end() ? std::nullopt : std::optional((int)(at - words->begin()));
    }
    return number_in<int>(word);
}

std::string words_of(const Variant &variant, const TunableValues &values) {
    Words words;
    for (const auto &[name, value] : values) {
        words.push_back(fmt::format("{}={}", name, word_of(variant.op, name, value)));
    }
    return joined(words, ",");
}

TunableValues tunables_of(const std::string &text) {
    TunableValues values;
    for (const std::string &word : parted(text)) {
        const size_t equals = word.find('=');
        const std::optional<int> value = number_in<int>(word.substr(std::min(word.size(), equals + 1)));
        if (equals == std::string::npos || equals == 0 || !value) {
            refuse(word, "write name=value with a whole number, several separated by commas: tile=32,pad=1");
        }
        values.emplace_back(word.substr(0, equals), *value);
    }
    return values;
}

TunableValues tunables_of(const Variant &variant) {
    TunableValues values;
    for (const Variant::Tunable &tunable : variant.tunables) {
        values.emplace_back(tunable.name, tunable.value);
    }
    return values;
}

std::string text_of(const TunableValues &values) {
    std::vector<std::string> words;
    for (const auto &[name, value] : values) {
        words.push_back(fmt::format("{}={}", name, value));
    }
    return joined(words, ",");
}

const Variant::Tunable *find_tunable(const Variant &variant, const std::string &name) {
    const auto at = std::ranges::find(variant.tunables, name, &Variant::Tunable::name);
    return at == variant.tunables.end() ? nullptr : &*at;
}

std::vector<std::string> names_of_tunables(const Variant &variant) {
    std::vector<std::string> names;
    for (const Variant::Tunable &tunable : variant.tunables) {
        names.push_back(tunable.name);
    }
    return names;
}

Variant with_tunables(const Variant &variant, const TunableValues &values) {
    Variant varied = variant;
    std::set<std::string> named;
    for (const auto &[name, value] : values) {
        const Variant::Tunable *const known_as = find_tunable(variant, name);
        if (!known_as) {
            const std::vector<std::string> known = names_of_tunables(variant);
            refuse(name,
                known.empty() ? "this variant has no tunables" :
                                fmt::format("the variant has no such tunable{}; it has: {}",
                                    did_you_mean(name, known), joined(known, ", ")),
                &variant);
        }
        if (!named.insert(name).second) {
            refuse(name, "it is given twice; give it once", &variant);
        }
        if (value < known_as->low || value > known_as->high) {
            refuse(fmt::format("{}={}", name, value),
                fmt::format("it takes {} to {}", known_as->low, known_as->high), &variant);
        }
        std::ranges::find(varied.tunables, name, &Variant::Tunable::name)->value = value;
    }
    varied.origin = words_of(varied, tunables_of(varied));
    varied.entry = nullptr;
    varied.metadata = nullptr;
    return varied;
}

}  // namespace tilewright::app
