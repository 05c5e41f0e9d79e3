// `help`: the topics, which are the pages of docs/topics, and the help of every command.
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/commands/topics.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/dispatch/options/option_text.h"
#include "tilewright/error.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

// The page for a terminal: paragraphs and items, which are one line each, are broken between words. Code
// stays as it is.
std::string in_columns(const std::string &page) {
    constexpr size_t width = 88;
    std::string text;
    for (size_t at = 0, end = 0; at < page.size(); at = end + 1) {
        end = std::min(page.find('\n', at), page.size());
        const std::string line = page.substr(at, end - at);
        text += line.empty() || line.starts_with("    ") ? line + "\n" :
                line.starts_with("# ")                   ? line.substr(2) + "\n" :
                line.starts_with("* ")                   ? wrapped_table({{"*", line.substr(2)}}, width) :
                                                           wrapped_table({{line}}, width);
    }
    return text;
}

// "# Devices: where a call runs": the text behind the sign.
std::string title_of(const Topic &topic) {
    return topic.page.substr(2, topic.page.find('\n') - 2);
}

std::string overview(const CommandLine &line) {
    std::vector<std::vector<std::string>> lines;
    for (const Topic &topic : topics()) {
        lines.push_back({"", topic.name, title_of(topic)});
    }
    return fmt::format("Topics, for `tilewright help TOPIC`:\n{}\nCommands and operators, of which it prints "
                       "what COMMAND --help prints:\n{}",
        table(lines), wrapped_table({{"", joined(line.commands(), ", ")}}, 88));
}

std::string help_about(const CommandLine &line, const std::string &name) {
    std::vector<std::string> known = line.commands();
    for (const Topic &topic : topics()) {
        if (topic.name == name) {
            return in_columns(topic.page);
        }
        known.push_back(topic.name);
    }
    if (const auto help = line.help_of(name)) {
        return *help;
    }
    throw Error(
        Fault::usage, fmt::format("no topic, command or operator '{}'{}; `tilewright help` lists them", name,
                          did_you_mean(name, known)));
}

Json as_json(const CommandLine &line) {
    Json all = {{"version", 1}};
    all.update(line.grammar());
    all["topics"] = Json::array();
    for (const Topic &topic : topics()) {
        all["topics"].push_back({{"name", topic.name}, {"title", title_of(topic)}, {"page", topic.page}});
    }
    return all;
}

}  // namespace

void add_help(CommandLine &line) {
    Command command = line.add("help", "Explains a topic, or prints the help of a command");
    static std::string name;
    static bool wants_json = false;
    std::vector<std::string> offers;
    for (const Topic &topic : topics()) {
        offers.push_back(topic.name);
    }
    command.add("topic", name, "A topic, a command or an operator; without one the topics are listed")
        .offer(offers);
    command.add_flag("--json", wants_json, "Print all commands, with what they take, and all topics as JSON");
    command.footer("A topic comes before the command of its name, whose help COMMAND --help prints.\n"
                   "Examples:\n"
                   "  tilewright help\n"
                   "  tilewright help schedules\n"
                   "  tilewright help bench\n");
    command.run([&line] {
        if (wants_json) {
            print(as_json(line));
        } else {
            print(name.empty() ? overview(line) : help_about(line, name));
        }
    });
}

}  // namespace tilewright::app
