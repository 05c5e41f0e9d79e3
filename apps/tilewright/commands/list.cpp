// `list`: the rows of every operator, as a table or as JSON.
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/support/command_line.h"
#include "apps/tilewright/support/json.h"
#include "apps/tilewright/support/report.h"
#include "tilewright/operator.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

static std::string tunables_of(const Row &row) {
    std::vector<std::string> words;
    for (const Row::Tunable &t : row.tunables) {
        words.push_back(fmt::format("{}={} [{}..{}]", t.name, t.value, t.low, t.high));
    }
    return joined(words);
}

static std::string made_by(const Row &row) {
    if (!row.declined.empty()) {
        return fmt::format("declined by {}: {}", row.autoscheduler, one_line(row.declined));
    }
    return row.autoscheduler;
}

static void print_list(const std::string &only, bool as_json) {
    const std::vector<const Operator *> chosen =
        only.empty() ? operators() : std::vector{&find_operator(only)};
    if (as_json) {
        Json all = Json::array();
        for (const Operator *op : chosen) {
            Json rows = Json::array();
            for (const Row &row : op->rows()) {
                rows.push_back(json(row));
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
        print({{"version", 1}, {"operators", all}});
        return;
    }
    std::vector<std::vector<std::string>> lines = {
        {"operator", "schedule", "type", "backend", "form", "tunables", "autoscheduler"}};
    for (const Operator *op : chosen) {
        for (const Row &row : op->rows()) {
            const std::string backend = name_of(row.backend) + (row.needs_vnni ? " (VNNI)" : "");
            lines.push_back(
                {row.op, row.schedule, row.type, backend, row.form, tunables_of(row), made_by(row)});
        }
    }
    print(table(lines));
}

void add_list(CommandLine &line) {
    Command command = line.add("list", "Lists every schedule of every operator: one row a library");
    static std::string only;
    static bool as_json = false;
    command.add("operator", only, "Only this operator's rows");
    command.add_flag("--json", as_json, "Print JSON");
    const std::string first = operators().front()->name();
    command.footer(fmt::format("Examples:\n"
                               "  tilewright list\n"
                               "  tilewright list {0}\n"
                               "  tilewright list {0} --json\n",
        first));
    command.run([] { print_list(only, as_json); });
}

}  // namespace tilewright::app
