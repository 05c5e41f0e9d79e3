// Reads values of tunables, and holds them against a row's ranges.
#include "apps/tilewright/built_variants/tunables.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/dispatch/options/option_text.h"
#include "tilewright/error.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace tilewright::app {

namespace {

[[noreturn]] void refuse(const std::string &value, const std::string &message, const Row *row = nullptr) {
    throw Error(
        Fault::usage, message, {.operation = row ? row->name() : "", .argument = "tunable", .value = value});
}

}  // namespace

TunableValues tunables_of(const std::string &text) {
    TunableValues values;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        const size_t equals = word.find('=');
        const char *begin = word.data() + std::min(word.size(), equals + 1), *end = word.data() + word.size();
        int value = 0;
        const auto [stopped, fault] = std::from_chars(begin, end, value);
        if (equals == std::string::npos || equals == 0 || fault != std::errc() || stopped != end) {
            refuse(word, "write name=value with a whole number, several separated by commas: tile=32,pad=1");
        }
        values.emplace_back(word.substr(0, equals), value);
    }
    return values;
}

TunableValues tunables_of(const Row &row) {
    TunableValues values;
    for (const Row::Tunable &tunable : row.tunables) {
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

Row with_tunables(const Row &row, const TunableValues &values) {
    Row varied = row;
    std::set<std::string> named;
    for (const auto &[name, value] : values) {
        const auto at = std::find_if(varied.tunables.begin(), varied.tunables.end(),
            [&, &name = name](const Row::Tunable &tunable) { return tunable.name == name; });
        if (at == varied.tunables.end()) {
            std::vector<std::string> known;
            for (const Row::Tunable &tunable : row.tunables) {
                known.push_back(tunable.name);
            }
            refuse(name,
                known.empty() ? "this row has no tunables" :
                                fmt::format("the row has no such tunable{}; it has: {}",
                                    did_you_mean(name, known), joined(known, ", ")),
                &row);
        }
        if (!named.insert(name).second) {
            refuse(name, "it is given twice; give it once", &row);
        }
        if (value < at->low || value > at->high) {
            refuse(
                fmt::format("{}={}", name, value), fmt::format("it takes {} to {}", at->low, at->high), &row);
        }
        at->value = value;
    }
    varied.origin = text_of(tunables_of(varied));
    varied.entry = nullptr;
    varied.metadata = nullptr;
    return varied;
}

}  // namespace tilewright::app
