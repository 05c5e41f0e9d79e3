// Reads values of tunables, and combines those that a variant takes.
#include "apps/tilewright/built_variants/tunable_options.h"
#include "apps/tilewright/built_variants/built_variant.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/dispatch/options/option_text.h"
#include "tilewright/error.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tilewright::app {

namespace {

[[noreturn]] void refuse_word(const std::string &value, const std::string &message) {
    throw Error(Fault::usage, message, {.argument = "--tunable", .value = value});
}

int number_of(
    const std::string &op, const std::string &tunable, const std::string &text, const std::string &word) {
    const std::optional<int> value = value_of(op, tunable, text);
    if (!value) {
        refuse_word(word,
            has_named_values(op, tunable) ?
                fmt::format("{} takes values that the generator declares or that --values names", tunable) :
                "write name=value with whole numbers, several separated by commas: tile=16,32");
    }
    return *value;
}

bool takes(const Variant::Tunable &tunable, int value) {
    return tunable.low <= value && value <= tunable.high;
}

void check_value(const std::vector<const Variant *> &variants, const std::string &name, int value) {
    std::vector<std::string> known, ranges;
    for (const Variant *variant : variants) {
        for (const std::string &other : names_of_tunables(*variant)) {
            add_once(known, other);
        }
        if (const Variant::Tunable *t = find_tunable(*variant, name)) {
            if (takes(*t, value)) {
                return;
            }
            add_once(ranges, fmt::format("{} to {} in '{}'", t->low, t->high, variant->schedule));
        }
    }
    if (!ranges.empty()) {
        refuse_word(fmt::format("{}={}", name, value),
            fmt::format("none of the variants takes it; {} takes {}", name, joined(ranges, ", ")));
    }
    refuse_word(name, known.empty() ? "none of the variants has tunables" :
                                      fmt::format("none of the variants has such a tunable{}; there are: {}",
                                          did_you_mean(name, known), joined(known, ", ")));
}

}  // namespace

Parameter add_tunables(Command &command, std::vector<std::string> &words) {
    return command
        .add("--tunable", words,
            "Build variants with these values of their tunables and load them: tile=32, or several values: "
            "tile=16,32")
        .one_word()
        .value_name("NAME=VALUE,...");
}

TunableGrid grid_of(const std::string &op, const std::vector<std::string> &words) {
    TunableGrid grid;
    for (const std::string &word : words) {
        bool named = false;  // a value without a name belongs to the name before it
        for (std::string part : parted(word)) {
            const size_t equals = part.find('=');
            if (equals != std::string::npos) {
                const std::string name = part.substr(0, equals);
                const auto is_same = [&](const auto &other) { return other.first == name; };
                if (std::any_of(grid.begin(), grid.end(), is_same)) {
                    refuse_word(
                        word, fmt::format("'{}' is named twice; name it once, with all its values", name));
                }
                grid.emplace_back(name, std::vector<int>{});
                part.erase(0, equals + 1);
                named = !name.empty();
            }
            const int value = number_of(op, named ? grid.back().first : "", named ? part : "", word);
            std::vector<int> &values = grid.back().second;
            if (std::find(values.begin(), values.end(), value) == values.end()) {
                values.push_back(value);
            }
        }
        if (!named) {
            number_of("", "", "", word);  // refuses an empty word
        }
    }
    return grid;
}

TunableValues single_values_of(const Operator &op, const std::vector<std::string> &words) {
    TunableValues values;
    for (const auto &[name, all] : grid_of(op.name(), words)) {
        if (all.size() != 1) {
            refuse_word(joined(words), "this command takes one value of a tunable; `bench` takes several");
        }
        values.emplace_back(name, all.front());
    }
    return values;
}

std::vector<TunableValues> points_of(const Variant &variant, const TunableGrid &grid) {
    std::vector<TunableValues> points = {{}};
    for (const auto &[name, values] : grid) {
        const Variant::Tunable *tunable = find_tunable(variant, name);
        std::vector<TunableValues> longer;
        for (const TunableValues &point : points) {
            for (const int value : values) {
                if (tunable && takes(*tunable, value)) {
                    longer.push_back(point);
                    longer.back().emplace_back(name, value);
                }
            }
        }
        if (!longer.empty()) {
            points = std::move(longer);
        }
    }
    return points.front().empty() ? std::vector<TunableValues>{} : points;
}

void check_grid(const std::vector<const Variant *> &variants, const TunableGrid &grid) {
    for (const auto &[name, values] : grid) {
        for (const int value : values) {
            check_value(variants, name, value);
        }
    }
}

const Variant &variant_at(const Variant &variant, const TunableValues &point) {
    // Never destroyed, because the runtime may keep a variant's address.
    static auto &built =
        *new std::map<std::pair<const Variant *, TunableValues>, std::unique_ptr<const Variant>>;
    std::unique_ptr<const Variant> &at = built[{&variant, point}];
    if (!at) {
        at = built_variant(variant, point);
    }
    return *at;
}

}  // namespace tilewright::app
