// The whole program: its commands, and how errors become a line and an exit code.
#include "apps/tilewright/program.h"
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/command_line/environment.h"
#include "apps/tilewright/command_line/exit_code.h"
#include "apps/tilewright/command_line/version.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/processes/interrupt.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/terminal/progress.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "runtime/devices/calls/halide_calls.h"
#include "tilewright/operator.h"
#include <fmt/format.h>
#include <new>
#include <unistd.h>

namespace tilewright::app {

namespace {

std::string examples() {
    const std::string first = operators().front()->name();
    return fmt::format("{1}"
                       "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 bad input, 4 no such device, 5 out of "
                       "memory, 6 wrong result,\n"
                       "7 slower (compare), 130 and 143 interrupted.\n"
                       "Examples:\n"
                       "  tilewright help\n"
                       "  tilewright devices\n"
                       "  tilewright list {0}\n"
                       "  tilewright {0} --help\n"
                       "  tilewright verify --device cpu\n",
        first, environment_help());
}

void run(std::vector<std::string> words, void (*add_more)(CommandLine &)) {
    if (words == std::vector<std::string>{"--version"}) {  // takes 3 ms without the commands, 10 with them
        print(version_text() + "\n");
        return;
    }
    if (words == std::vector<std::string>{"--version", "--json"}) {
        print(version_json());
        return;
    }
    if (words.empty() || words.front() != "doctor") {  // which reports what is wrong with them
        check_instruction_set();
        check_threads();
    }
    CommandLine line("tilewright", "Image pipelines from Halide, on the CPU, CUDA and OpenCL.", version_text);
    line.footer(examples());
    add_help(line);
    add_devices(line);
    add_list(line);
    add_calibrate(line);
    add_doctor(line);
    add_pipeline(line);
    add_show(line);
    add_explain(line);
    add_verify(line);
    add_more(line);
    add_operators(line);
    line.run(std::move(words));
}

// The last step of a program that failed. It must not fail itself: there may be no memory, and standard error
// may be closed.
int fail(Fault fault, const char *message) noexcept {
    Progress::hide();
    print_error_line("tilewright: error: ", message);
    return (int)fault;
}

// What a command found is no error: its last line says it.
int end_with(const ExitWith &end) noexcept {
    Progress::hide();
    print_error_line("tilewright: ", end.what());
    return end.code();
}

}  // namespace

int program(int argc, char **argv, void (*add_more)(CommandLine &)) {
    open_closed_streams();
    try {
        handle_interrupts();
        run({argv + 1, argv + argc}, add_more);
        return 0;
    } catch (const ExitWith &end) {
        return end_with(end);
    } catch (const Error &error) {
        return fail(error.fault(), error.what());
    } catch (const std::bad_alloc &) {
        // Not exit(): what Halide's runtime and the drivers do there may need memory as well.
        _exit(fail(Fault::memory, "out of memory on the host; take a smaller image, or a machine with more"));
    } catch (const std::exception &error) {
        return fail(Fault::failed, error.what());
    }
}

}  // namespace tilewright::app
