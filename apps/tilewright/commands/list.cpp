// `list`: the schedules of every operator with one sentence each, or all rows as JSON.
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/support/command_line.h"
#include "apps/tilewright/support/json.h"
#include "apps/tilewright/support/report.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

// What a row does, or why there is none.
static std::string sentence_of(const Row &row) {
    return row.declined.empty() ?
               row.summary :
               fmt::format("declined by {}: {}", row.autoscheduler, one_line(row.declined));
}

static void add_word(std::string &words, const std::string &word) {
    if ((" " + words + " ").find(" " + word + " ") == std::string::npos) {
        words += (words.empty() ? "" : " ") + word;
    }
}

// The operator's schedules: rows that differ only in type and backend are one line.
static std::string schedules_of(const Operator &op) {
    struct Line {
        std::string schedule, backends, types, sentence;
    };
    std::vector<Line> schedules;
    for (const Row &row : op.rows()) {
        const std::string sentence = sentence_of(row);
        auto line = std::find_if(schedules.begin(), schedules.end(),
            [&](const Line &l) { return l.schedule == row.schedule && l.sentence == sentence; });
        if (line == schedules.end()) {
            line = schedules.insert(schedules.end(), {row.schedule, "", "", sentence});
        }
        add_word(line->backends, name_of(row.backend) + (row.needs_vnni ? "(VNNI)" : ""));
        add_word(line->types, row.type);
    }
    std::vector<std::vector<std::string>> lines = {{"schedule", "backends", "types", "how"}};
    for (const Line &line : schedules) {
        lines.push_back({line.schedule, line.backends, line.types, line.sentence});
    }
    return fmt::format("{}: {}\n{}", op.name(), op.summary(), wrapped_table(lines));
}

static void print_list(const std::string &only, bool as_json) {
    const std::vector<const Operator *> chosen =
        only.empty() ? operators() : std::vector{&find_operator(only)};
    if (as_json) {
        Json all = Json::array();
        for (const Operator *op : chosen) {
            Json rows = Json::array();
            for (const Row &row : op->rows()) {
                rows.push_back(listed(row));
            }
            Json options = Json::array();
            for (const Option &o : op->options()) {
                options.push_back(
                    {{"name", o.name}, {"help", o.help}, {"default", o.value}, {"choices", o.choices}});
            }
            Json one = {{"operator", op->name()}, {"summary", op->summary()}, {"inputs", op->inputs()},
                {"options", options}, {"rows", rows}};
            if (const std::optional<Option> more = op->optional_input()) {
                one["optional_input"] = {{"name", more->name}, {"help", more->help}};
            }
            all.push_back(one);
        }
        print({{"version", json_version}, {"operators", all}});
        return;
    }
    std::string text;
    for (const Operator *op : chosen) {
        text += (text.empty() ? "" : "\n") + schedules_of(*op);
    }
    print(text);
}

void add_list(CommandLine &line) {
    Command command = line.add("list", "Lists every schedule of every operator, with what it does");
    static std::string only;
    static bool as_json = false;
    command.add("operator", only, "Only this operator's rows");
    command.add_flag("--json", as_json, "Print JSON: one row per library, with its tunables");
    const std::string first = operators().front()->name();
    command.footer(fmt::format("Examples:\n"
                               "  tilewright list\n"
                               "  tilewright list {0}\n"
                               "  tilewright list {0} --json\n",
        first));
    command.run([] { print_list(only, as_json); });
}

}  // namespace tilewright::app
