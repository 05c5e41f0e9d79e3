// Starts a program with files without names as its standard streams, and reads what it wrote.
#include "apps/tilewright/processes/subprocess.h"
#include "apps/tilewright/processes/children.h"
#include "apps/tilewright/terminal/printing.h"
#include "tilewright/error.h"
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace tilewright::app {

namespace {

[[noreturn]] void refuse_program(const std::string &program, int fault) {
    throw Error(
        Fault::failed, fmt::format("it cannot be started: {}", strerror(fault)), {.argument = program});
}

// A file without a name. The system removes it when the last process that has it open ends.
Descriptor nameless_file(const std::string &program) {
    Descriptor file(memfd_create("tilewright", MFD_CLOEXEC));
    if (!file) {
        refuse_program(program, errno);
    }
    return file;
}

// Runs in the child and becomes the program. Makes only async-signal-safe calls: a lock that another thread
// of the parent held at the fork is never released here.
[[noreturn]] void become(char **argv, pid_t parent, const std::array<int, 3> &streams, int report) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127);  // the parent ended before the line above
    }
    for (int i = 0; i < 3; i++) {
        dup2(streams[(size_t)i], i);
    }
    execv(argv[0], argv);
    const int fault = errno;
    static_cast<void>(!write(report, &fault, sizeof fault));
    _exit(127);
}

}  // namespace

std::string program_in_path(const std::string &name, const std::string &more) {
    const char *path = getenv("PATH");
    for (const std::string &folder : parted(fmt::format("{}:{}", path ? path : "/usr/bin:/bin", more), ':')) {
        const std::string program = folder + "/" + name;
        if (folder.starts_with("/") && access(program.c_str(), X_OK) == 0) {
            return program;
        }
    }
    return "";
}

std::string text_of_file(const std::string &path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

Finished run_program(
    const std::string &program, const std::vector<std::string> &arguments, const std::string &input) {
    const Descriptor in = nameless_file(program), out = nameless_file(program), err = nameless_file(program);
    if (!write_all(in, input) || lseek(*in, 0, SEEK_SET) != 0) {
        refuse_program(program, errno);
    }
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char *> argv;
    for (std::string &word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    // If the child cannot become the program, it writes the reason to this pipe. If it can, the pipe is
    // closed without a word.
    Pipe report;
    if (!report.writer) {
        refuse_program(program, errno);
    }
    const pid_t parent = getpid(), child = fork();
    if (child < 0) {
        refuse_program(program, errno);
    }
    if (child == 0) {
        become(argv.data(), parent, {*in, *out, *err}, *report.writer);
    }
    report.writer.close();
    int fault = 0;
    while (::read(*report.reader, &fault, sizeof fault) < 0 && errno == EINTR) {
    }
    const int status = status_of(child);
    if (fault != 0) {
        refuse_program(program, fault);
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(out), contents(err)};
}

}  // namespace tilewright::app
