// Reads points, and writes what became of them.
#include "apps/laboratory/explore/ask_tell.h"
#include "apps/tilewright/processes/line_reader.h"
#include "apps/tilewright/terminal/printing.h"
#include "tilewright/error.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unistd.h>

namespace tilewright::app {

namespace {

constexpr int protocol_version = 1;

[[noreturn]] void refuse(const std::string &message, const std::string &argument = "") {
    throw Error(Fault::input, message, {.argument = argument});
}

void write_line(const Json &json) {
    print(json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n");
}

Json variants_json(const Exploration &exploration) {
    Json all = Json::array();
    for (const ExploredCase &c : exploration.cases()) {
        for (const ExploredVariant &variant : c.variants) {
            Json tunables = Json::object();
            for (const Variant::Tunable &tunable : variant.variant->tunables) {
                tunables[tunable.name] = {{"value", tunable.value}, {"low", tunable.low},
                    {"high", tunable.high}, {"worthwhile", worthwhile_values(tunable)}};
            }
            all.push_back({{"variant", variant.variant->name()}, {"case", c.name()}, {"tunables", tunables}});
        }
    }
    return all;
}

// The member of that name, which is a text; an empty one where there is none.
std::string word_in(const Json &ask, const char *name) {
    const auto at = ask.find(name);
    if (at != ask.end() && !at->is_string()) {
        refuse("it is a text", name);
    }
    return at == ask.end() ? "" : at->get<std::string>();
}

std::pair<ExploredCase *, ExploredVariant *> asked_variant(Exploration &exploration, const Json &ask) {
    const std::string name = word_in(ask, "variant"), of_case = word_in(ask, "case");
    std::pair<ExploredCase *, ExploredVariant *> found = {};
    for (ExploredCase &c : exploration.cases()) {
        for (ExploredVariant &variant : c.variants) {
            if ((!name.empty() && variant.variant->name() != name) ||
                (!of_case.empty() && c.name() != of_case)) {
                continue;
            }
            if (found.first) {
                refuse("several variants are meant; give `variant` and `case` as the first line has them");
            }
            found = {&c, &variant};
        }
    }
    if (!found.first) {
        refuse(fmt::format("this search has no variant '{}'{}; the first line has those that there are", name,
            of_case.empty() ? "" : " of the case '" + of_case + "'"));
    }
    return found;
}

// The variant's own values where the point does not name them.
TunableValues asked_values(const Variant &variant, const Json &ask) {
    TunableValues asked;
    const Json tunables = ask.value("tunables", Json::object());
    if (!tunables.is_object()) {
        refuse("it is an object such as {\"tile\": 16}", "tunables");
    }
    for (const auto &[name, value] : tunables.items()) {
        try {
            if (!value.is_number()) {
                throw std::out_of_range("it is no number");
            }
            asked.emplace_back(name, int_of(value));
        } catch (const std::out_of_range &) {
            refuse("a tunable takes a whole number", name);
        }
    }
    return tunables_of(with_tunables(variant, asked));  // which refuses names and values
}

// What became of a point, as a line of a results file and a verdict.
Json told(Json line) {
    const std::string failed = line.value("failed", "");
    const char *const verdict = line.contains("skipped")           ? "skipped" :
                                failed.starts_with("wrong result") ? "wrong" :
                                !line.contains("real_time")        ? "failed" :
                                                                     "ok";
    Json tell = {{"verdict", verdict}};
    tell.update(line);
    return tell;
}

// The answer to a line; nothing where a signal asks this program to end.
std::optional<Json> answer(Exploration &exploration, const std::string &line) {
    Json reply = Json::object();
    ExploredCase *c = nullptr;
    ExploredVariant *variant = nullptr;
    TunableValues values;
    try {
        const Json asked = json_in(line, "the line");
        if (!asked.is_object() || !asked.contains("ask") || !asked["ask"].is_object()) {
            refuse("a line is an object such as {\"ask\": {\"tunables\": {\"tile\": 16}}}");
        }
        if (asked.contains("id")) {
            reply["id"] = asked["id"];
        }
        std::tie(c, variant) = asked_variant(exploration, asked["ask"]);
        values = asked_values(*variant->variant, asked["ask"]);
    } catch (const std::exception &error) {
        reply["error"] = one_line(error.what());
        return std::make_optional(std::move(reply));
    }
    const std::optional<Json> tried = exploration.try_asked(*c, *variant, values);
    if (!tried) {
        return {};
    }
    reply["tell"] = told(*tried);
    return std::make_optional(std::move(reply));
}

}  // namespace

void ask_and_tell(Exploration &exploration) {
    write_line({{"version", protocol_version}, {"variants", variants_json(exploration)}});
    LineReader input;
    for (std::string line;
        input.next(STDIN_FILENO, line, exploration.interrupted()) == LineReader::Came::line;) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) {
            continue;
        }
        if (const std::optional<Json> reply = answer(exploration, line)) {
            write_line(*reply);
        }
    }
}

}  // namespace tilewright::app
