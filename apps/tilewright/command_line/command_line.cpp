// Reads the command line by CLI11, and says in this program's words what it does not take.
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "runtime/dispatch/options/option_text.h"
#include "tilewright/error.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

namespace tilewright::app {

namespace {

std::vector<std::string> command_names(const CLI::App &app) {
    std::vector<std::string> names;
    for (const CLI::App *command : app.get_subcommands(nullptr)) {
        names.push_back(command->get_name());
    }
    return names;
}

// The command that the line names, or the program itself.
const CLI::App *command_of(const CLI::App &app) {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? &app : parsed.front();
}

std::string where_help_is(const CLI::App &app) {
    const CLI::App *const command = command_of(app);
    return command == &app ? "`tilewright --help`" :
                             fmt::format("`tilewright {} --help`", command->get_name());
}

// The words of CLI11 about a value that is missing, too many or that of a flag, in those of this program;
// other words as they are.
std::string in_own_words(const CLI::ParseError &error) {
    const std::string text = one_line(error.what());
    const std::string name = text.substr(0, text.find(':'));
    if (dynamic_cast<const CLI::ArgumentMismatch *>(&error) != nullptr) {
        return text.ends_with(" missing")             ? name + ": it takes a value, and none follows" :
               text.find(": At Most 1 ") != text.npos ? name + ": it is given twice, and takes one value" :
                                                        text;
    }
    constexpr std::string_view not_converted = "Could not convert: ";
    return text.starts_with(not_converted) ?
               text.substr(not_converted.size()) + ": it takes no value; leave that out" :
               text;
}

// What CLI11 does not take, in the words of this program.
Error usage_error(const CLI::App &app, const CLI::ParseError &error) {
    const CLI::App &command = *command_of(app);
    const bool extras = dynamic_cast<const CLI::ExtrasError *>(&error) != nullptr;
    const auto left = app.remaining(true);
    if (!extras || left.empty()) {
        return {Fault::usage, fmt::format("{}; see {}", in_own_words(error), where_help_is(app))};
    }
    if (!left.front().starts_with("-")) {
        return {Fault::usage,
            fmt::format("'{}' is one argument too many; see {}", left.front(), where_help_is(app))};
    }
    std::vector<std::string> known;
    for (const CLI::Option *option : command.get_options()) {
        for (const std::string &name : option->get_lnames()) {
            known.push_back("--" + name);
        }
    }
    const std::string name = left.front().substr(0, left.front().find('='));
    return {Fault::usage,
        fmt::format("no option '{}'{}; see {}", name, did_you_mean(name, known), where_help_is(app))};
}

void check_command(const CLI::App &app, const std::vector<std::string> &words) {
    const auto names = command_names(app);
    if (words.empty()) {
        print_error(app.help());
        throw Error(Fault::usage, "no command; the help above lists them");
    }
    const std::string &first = words.front();
    const std::vector<std::string> options = {"-h", "--help", "--version"};
    const bool is_option = first.starts_with("-");
    if (is_option && std::find(options.begin(), options.end(), first) == options.end()) {
        throw Error(
            Fault::usage, fmt::format("no option '{}'{}; a command comes first, see `tilewright --help`",
                              first, did_you_mean(first, options)));
    }
    if (!is_option && std::find(names.begin(), names.end(), first) == names.end()) {
        throw Error(Fault::usage, fmt::format("no command or operator '{}'{}; `tilewright --help` lists them",
                                      first, did_you_mean(first, names)));
    }
}

// Refuses what is no number of the range, in the words of the operators' own options.
template<typename Number>
void limit(CLI::Option &option, Number least, Number most, const std::string &what) {
    const bool is_open = most >= Number(std::numeric_limits<int>::max());
    const std::string range = is_open ? fmt::format("{} on", least) : fmt::format("{} to {}", least, most);
    const auto check = [&option, least, most, what, range](const std::string &text) -> std::string {
        const std::optional<Number> value = number_in<Number>(text);
        if (!value || !(*value >= least && *value <= most)) {
            throw Error(Fault::usage, fmt::format("takes {} from {}", what, range),
                {.argument = option.get_name(), .value = text});
        }
        return "";
    };
    option.check(check, is_open ? "" : range);
}

// Refuses an empty value of an option: a shell makes it of a variable that is not set, and taken for an
// option that was not given it could mean another file.
CLI::Option *never_empty(CLI::Option *option) {
    if (option->nonpositional()) {
        option->check([option](const std::string &text) -> std::string {
            if (text.empty()) {
                throw Error(Fault::usage, "its value is empty; give it one, or leave the option out",
                    {.argument = option->get_name()});
            }
            return "";
        });
    }
    return option;
}

// The words that shells offer for the values of parameters.
std::map<const CLI::Option *, std::vector<std::string>> &offered() {
    static std::map<const CLI::Option *, std::vector<std::string>> words;
    return words;
}

Json json(const CLI::Option &option) {
    Json names = Json::array();
    for (const std::string &name : option.get_snames()) {
        names.push_back("-" + name);
    }
    for (const std::string &name : option.get_lnames()) {
        names.push_back("--" + name);
    }
    if (names.empty()) {
        names.push_back(option.get_name());
    }
    const auto offer = offered().find(&option);
    return {{"names", names}, {"is_option", option.nonpositional()},
        {"value", option.get_items_expected_max() == 0 ? "" : option.get_type_name()},
        {"default", option.get_default_str()}, {"required", option.get_required()},
        {"repeats", option.get_items_expected_max() > 1}, {"group", option.get_group()},
        {"help", option.get_description()},
        {"offers", offer == offered().end() ? std::vector<std::string>() : offer->second}};
}

Json json(const CLI::App &command) {
    Json parameters = Json::array();
    for (const CLI::Option *option : command.get_options()) {
        if (!option->get_group().empty()) {  // of no group are those that do not count for this command
            parameters.push_back(json(*option));
        }
    }
    return {{"name", command.get_name()}, {"group", command.get_group()},
        {"summary", command.get_description()}, {"parameters", parameters}, {"notes", command.get_footer()}};
}

}  // namespace

Parameter &Parameter::required() {
    option_->required();
    return *this;
}

Parameter &Parameter::description(const std::string &text) {
    option_->description(text);
    return *this;
}

Parameter &Parameter::group(const std::string &name) {
    option_->group(name);
    return *this;
}

Parameter &Parameter::value_name(const std::string &name) {
    option_->type_name(name);
    return *this;
}

Parameter &Parameter::offer(const std::vector<std::string> &words) {
    offered()[option_] = words;
    return *this;
}

Parameter &Parameter::show_default() {
    option_->capture_default_str();
    return *this;
}

Parameter &Parameter::default_text(const std::string &text) {
    option_->default_str(text);
    return *this;
}

Parameter &Parameter::range(int least, int most) {
    return range(int64_t(least), int64_t(most));
}

Parameter &Parameter::range(int64_t least, int64_t most) {
    limit(*option_, least, most, "a whole number");
    return *this;
}

Parameter &Parameter::range(double least, double most) {
    limit(*option_, least, most, "a number");
    return *this;
}

Parameter &Parameter::seconds(double least, double most) {
    limit(*option_, least, most, "a number of seconds");
    option_->transform([](const std::string &text) {
        const bool has_unit = text.size() > 1 && text.back() == 's';
        return has_unit ? text.substr(0, text.size() - 1) : text;
    });
    return *this;
}

Parameter &Parameter::commas() {
    option_->delimiter(',');
    return *this;
}

Parameter &Parameter::one_word() {
    option_->allow_extra_args(false);
    return *this;
}

Parameter &Parameter::words(int least, const std::string &text) {
    constexpr int most = 1 << 20;
    option_->expected(least, most)->option_text(text);
    return *this;
}

Parameter Command::add(const std::string &name, std::string &value, const std::string &help) {
    return Parameter(never_empty(app_->add_option(name, value, help)));
}

Parameter Command::add(const std::string &name, std::vector<std::string> &values, const std::string &help) {
    return Parameter(never_empty(app_->add_option(name, values, help)));
}

Parameter Command::add(const std::string &name, int &value, const std::string &help) {
    return Parameter(app_->add_option(name, value, help));
}

Parameter Command::add(const std::string &name, int64_t &value, const std::string &help) {
    return Parameter(app_->add_option(name, value, help));
}

Parameter Command::add(const std::string &name, double &value, const std::string &help) {
    return Parameter(app_->add_option(name, value, help));
}

Parameter Command::add(
    const std::string &name, const std::function<void(const std::string &)> &take, const std::string &help) {
    return Parameter(never_empty(app_->add_option_function<std::string>(name, take, help)));
}

Parameter Command::add_flag(const std::string &name, bool &value, const std::string &help) {
    return Parameter(app_->add_flag(name, value, help));
}

Parameter Command::add_flag(
    const std::string &name, const std::function<void()> &take, const std::string &help) {
    return Parameter(app_->add_flag_callback(name, take, help));
}

bool Command::takes(const std::string &name) const {
    // CLI11's own search allocates in a function that may not throw: without memory it ends the program.
    const CLI::App &app = *app_;
    return !app.get_options([&](const CLI::Option *option) { return option->check_name(name); }).empty();
}

Command &Command::footer(const std::string &text) {
    app_->footer(text);
    return *this;
}

Command &Command::when_helped(const std::function<void()> &describe) {
    (*helped_)[app_] = describe;
    return *this;
}

Command &Command::run(const std::function<void()> &action) {
    app_->callback(action);
    return *this;
}

CommandLine::CommandLine(
    const std::string &name, const std::string &description, const std::function<std::string()> &version)
    : app_(std::make_unique<CLI::App>(description, name)) {
    app_->set_version_flag("--version", version, "Print the versions");
    app_->require_subcommand(1);
    app_->get_formatter()->column_width(34);
}

CommandLine::~CommandLine() = default;

Command CommandLine::add(const std::string &name, const std::string &summary, const std::string &group) {
    CLI::App *command = app_->add_subcommand(name, summary);
    if (!group.empty()) {
        command->group(group);
    }
    command->add_flag_callback(
        "-q,--quiet", be_quiet, "Print no progress and no remarks to standard error, only errors");
    return Command(command, &helped_);
}

void CommandLine::leave_out(const std::string &name, const std::string &why) {
    left_out_[name] = why;
}

void CommandLine::footer(const std::string &text) {
    app_->footer(text);
}

std::vector<std::string> CommandLine::commands() const {
    return command_names(*app_);
}

std::string CommandLine::help_for(const CLI::App &command) const {
    if (const auto describe = helped_.find(&command); describe != helped_.end()) {
        describe->second();
    }
    return command.help(&command == app_.get() ? "" : app_->get_name());
}

std::optional<std::string> CommandLine::help_of(const std::string &command) const {
    for (const CLI::App *found : app_->get_subcommands(nullptr)) {
        if (found->get_name() == command) {
            return help_for(*found);
        }
    }
    return std::nullopt;
}

Json CommandLine::grammar() const {
    Json grammar = json(*app_);
    grammar["commands"] = Json::array();
    for (const CLI::App *command : app_->get_subcommands(nullptr)) {
        if (const auto describe = helped_.find(command); describe != helped_.end()) {
            describe->second();
        }
        grammar["commands"].push_back(json(*command));
    }
    return grammar;
}

void CommandLine::run(std::vector<std::string> words) {
    if (const auto out = words.empty() ? left_out_.end() : left_out_.find(words[0]); out != left_out_.end()) {
        throw Error(Fault::usage, fmt::format("{}: {}", out->first, out->second));
    }
    check_command(*app_, words);
    try {
        std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
        app_->parse(words);
    } catch (const CLI::CallForHelp &) {
        print(help_for(*command_of(*app_)));
    } catch (const CLI::CallForVersion &error) {
        print(std::string(error.what()) + "\n");
    } catch (const CLI::ParseError &error) {
        throw usage_error(*app_, error);
    }
}

}  // namespace tilewright::app
