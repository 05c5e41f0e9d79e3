#include "apps/tilewright/program.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/support/interrupt.h"
#include "apps/tilewright/support/progress.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/selection.h"
#include "apps/tilewright/support/streams.h"
#include "tilewright/operator.h"
#include "apps/tilewright/support/version.h"
#include <algorithm>
#include <fmt/format.h>
#include <new>
#include <unistd.h>

namespace tilewright::app {

namespace {

constexpr const char *description = "Image pipelines from Halide, on the CPU, CUDA and OpenCL.";

std::string examples() {
    const std::string first = operators().front()->name();
    return fmt::format("Exit codes: 0 done, 1 failed, 2 wrong usage, 3 bad input, 4 no such device, 5 out of memory, 6 wrong result,\n"
                       "130 and 143 interrupted.\n"
                       "Examples:\n"
                       "  tilewright devices\n"
                       "  tilewright list {0}\n"
                       "  tilewright {0} --help\n"
                       "  tilewright verify --device cpu\n",
                       first);
}

std::vector<std::string> command_names(const CLI::App &app) {
    std::vector<std::string> names;
    for (const CLI::App *command : app.get_subcommands(nullptr)) {
        names.push_back(command->get_name());
    }
    return names;
}

// The command that the line names, or the program itself.
const CLI::App &command_of(const CLI::App &app) {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? app : *parsed.front();
}

std::string help_for(const CLI::App &app) {
    const CLI::App &command = command_of(app);
    return &command == &app ? "`tilewright --help`" : fmt::format("`tilewright {} --help`", command.get_name());
}

// What CLI11 does not take, in the words of this program.
Error usage_error(const CLI::App &app, const CLI::ParseError &error) {
    const CLI::App &command = command_of(app);
    const bool extras = dynamic_cast<const CLI::ExtrasError *>(&error) != nullptr;
    const auto left = app.remaining(true);
    if (!extras || left.empty()) {
        return {Fault::usage, fmt::format("{}; see {}", one_line(error.what()), help_for(app))};
    }
    if (!left.front().starts_with("-")) {
        return {Fault::usage, fmt::format("'{}' is one argument too many; see {}", left.front(), help_for(app))};
    }
    std::vector<std::string> known;
    for (const CLI::Option *option : command.get_options()) {
        for (const std::string &name : option->get_lnames()) {
            known.push_back("--" + name);
        }
    }
    const std::string name = left.front().substr(0, left.front().find('='));
    return {Fault::usage, fmt::format("no option '{}'{}; see {}", name, did_you_mean(name, known), help_for(app))};
}

void check_command(const CLI::App &app, const std::vector<std::string> &arguments) {
    const auto names = command_names(app);
    if (arguments.empty()) {
        throw Error(Fault::usage, fmt::format("no command; known: {}; see `tilewright --help`", joined(names, ", ")));
    }
    const std::string &first = arguments.front();
    const std::vector<std::string> options = {"-h", "--help", "--version"};
    if (first.starts_with("-") && std::find(options.begin(), options.end(), first) == options.end()) {
        throw Error(Fault::usage, fmt::format("no option '{}'{}; a command comes first, see `tilewright --help`", first, did_you_mean(first, options)));
    }
    if (!first.starts_with("-") && std::find(names.begin(), names.end(), first) == names.end()) {
        throw Error(Fault::usage, fmt::format("no command or operator '{}'{}; known: {}", first, did_you_mean(first, names), joined(names, ", ")));
    }
}

void run(std::vector<std::string> arguments) {
    CLI::App app(description, "tilewright");
    app.set_version_flag("--version", version_text, "Print the versions and the devices");
    app.require_subcommand(1);
    app.footer(examples());
    app.get_formatter()->column_width(34);
    add_devices(app);
    add_list(app);
    add_doctor(app);
    add_pipeline(app);
    add_show(app);
    add_verify(app);
    add_bench(app);
    add_operators(app);
    check_command(app, arguments);
    try {
        std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
        app.parse(arguments);
    } catch (const CLI::CallForHelp &) {
        const CLI::App &command = command_of(app);
        print(command.help(&command == &app ? "" : app.get_name()));
    } catch (const CLI::CallForVersion &error) {
        print(std::string(error.what()) + "\n");
    } catch (const CLI::ParseError &error) {
        throw usage_error(app, error);
    }
}

// The last thing that the program does. Nothing may fail here: there may be no memory, and standard error may be closed.
int fail(Fault fault, const char *message) noexcept {
    Progress::hide();
    print_error_line("tilewright: error: ", message);
    return (int)fault;
}

}  // namespace

int program(int argc, char **argv) {
    open_closed_streams();
    try {
        handle_interrupts();
        run({argv + 1, argv + argc});
        return 0;
    } catch (const Error &error) {
        return fail(error.fault(), error.what());
    } catch (const std::bad_alloc &) {
        // Not by way of exit(): what Halide's runtime and the drivers do there may need memory as well.
        _exit(fail(Fault::memory, "out of memory on the host; take a smaller image, or a machine with more"));
    } catch (const std::exception &error) {
        return fail(Fault::failed, error.what());
    }
}

}  // namespace tilewright::app
