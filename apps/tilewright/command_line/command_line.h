#pragma once
// The grammar of the command line: commands, what they take, and their help. CLI11 reads the line;
// command_line.cpp is the only file that includes it, because it takes longer to compile than all else here.
#include "apps/tilewright/terminal/json.h"
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tilewright::app {

// Something that a command takes: an option, a flag or a positional argument. Each function returns the
// parameter itself.
class Parameter {
public:
    explicit Parameter(CLI::Option *option) : option_(option) {}

    Parameter &required();
    Parameter &description(const std::string &text);
    // the heading of the help that it is listed under; empty: it is not listed
    Parameter &group(const std::string &name);
    Parameter &value_name(const std::string &name);  // what the help calls its value: "FILE"

    Parameter &offer(const std::vector<std::string> &words);  // what a shell offers to complete its value

    // The default, which the help shows: what the variable holds now, or a text.
    Parameter &show_default();
    Parameter &default_text(const std::string &text);

    // Numbers outside are refused, with the range: whole numbers for an int or an int64_t. Of seconds, "60s"
    // is 60 too.
    Parameter &range(int least, int most);
    Parameter &range(int64_t least, int64_t most);
    Parameter &range(double least, double most);
    Parameter &seconds(double least, double most);

    // Of several values: with commas between them; only those of the one word that follows the option; or
    // `least` words and more, which the help calls `text`.
    Parameter &commas();
    Parameter &one_word();
    Parameter &words(int least, const std::string &text);

private:
    CLI::Option *option_;
};

// One command. Variables that are handed over receive the values, and outlive the command line.
class Command {
public:
    explicit Command(CLI::App *app, std::map<const CLI::App *, std::function<void()>> *helped = nullptr)
        : app_(app), helped_(helped) {}

    // A name that begins with "--" is an option's; any other one is a positional argument's. An empty value
    // of an option is refused.
    Parameter add(const std::string &name, std::string &value, const std::string &help = "");
    Parameter add(const std::string &name, std::vector<std::string> &values, const std::string &help = "");
    Parameter add(const std::string &name, int &value, const std::string &help);
    Parameter add(const std::string &name, int64_t &value, const std::string &help);
    Parameter add(const std::string &name, double &value, const std::string &help);
    Parameter add(const std::string &name, const std::function<void(const std::string &)> &take,
        const std::string &help);
    Parameter add_flag(const std::string &name, bool &value, const std::string &help);
    Parameter add_flag(const std::string &name, const std::function<void()> &take, const std::string &help);

    bool takes(const std::string &name) const;  // whether a parameter of that name was added

    Command &footer(const std::string &text);                     // the last lines of its help
    Command &when_helped(const std::function<void()> &describe);  // called before its help is printed
    Command &run(const std::function<void()> &action);            // called when all its words were read

private:
    CLI::App *app_;
    std::map<const CLI::App *, std::function<void()>> *helped_;  // of the command line
};

// The whole command line: `NAME COMMAND ...`, and the options --help and --version. Every command has
// --quiet.
class CommandLine {
public:
    CommandLine(
        const std::string &name, const std::string &description, const std::function<std::string()> &version);
    ~CommandLine();
    CommandLine(const CommandLine &) = delete;

    Command add(const std::string &name, const std::string &summary, const std::string &group = "");
    void footer(const std::string &text);

    // A command that the program was built without: what is said to who calls it.
    void leave_out(const std::string &name, const std::string &why);

    std::vector<std::string> commands() const;

    // What COMMAND --help prints; nothing where there is no such command.
    std::optional<std::string> help_of(const std::string &command) const;

    // All that it takes, as docs/JSON.md describes it: manual pages and completions are made of this.
    Json grammar() const;

    // Reads the words and runs the command; prints help or versions where they are asked for. Errors: usage,
    // for words that the command line does not take, and those of the command.
    void run(std::vector<std::string> words);

private:
    std::string help_for(const CLI::App &command) const;

    std::unique_ptr<CLI::App> app_;
    std::map<const CLI::App *, std::function<void()>> helped_;  // what is called before help is printed
    std::map<std::string, std::string> left_out_;
};

}  // namespace tilewright::app
