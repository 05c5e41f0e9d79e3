// Starts a program with files without names as its standard streams, and reads what it wrote.
#include "apps/tilewright/processes/subprocess.h"
#include "apps/tilewright/terminal/printing.h"
#include "tilewright/error.h"
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright::app {

namespace {

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        close();
    }
    Descriptor(const Descriptor &) = delete;

    operator int() const {
        return number_;
    }
    void close() {
        if (number_ >= 0) {
            ::close(number_);
            number_ = -1;
        }
    }

private:
    int number_;
};

[[noreturn]] void refuse_program(const std::string &program, int fault) {
    throw Error(
        Fault::failed, fmt::format("it cannot be started: {}", strerror(fault)), {.argument = program});
}

// A file without a name. The system removes it when the last process that has it open ends.
int nameless_file(const std::string &program) {
    const int file = memfd_create("tilewright", MFD_CLOEXEC);
    if (file < 0) {
        refuse_program(program, errno);
    }
    return file;
}

bool write_all(int file, const std::string &text) {
    for (size_t done = 0; done < text.size();) {
        const ssize_t written = write(file, text.data() + done, text.size() - done);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    return lseek(file, 0, SEEK_SET) == 0;
}

std::string contents(int file) {
    std::string text;
    std::array<char, 65536> piece;
    for (ssize_t size; (size = pread(file, piece.data(), piece.size(), (off_t)text.size())) > 0;) {
        text.append(piece.data(), (size_t)size);
    }
    return text;
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

Finished run_program(
    const std::string &program, const std::vector<std::string> &arguments, const std::string &input) {
    const Descriptor in(nameless_file(program)), out(nameless_file(program)), err(nameless_file(program));
    if (!write_all(in, input)) {
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
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        refuse_program(program, errno);
    }
    const Descriptor report(ends[0]);
    Descriptor reported(ends[1]);

    const pid_t parent = getpid(), child = fork();
    if (child < 0) {
        refuse_program(program, errno);
    }
    if (child == 0) {
        become(argv.data(), parent, {in, out, err}, reported);
    }
    reported.close();
    int fault = 0;
    const auto interrupted = [](auto result) { return result < 0 && errno == EINTR; };
    while (interrupted(::read(report, &fault, sizeof fault))) {
    }
    int status = 0;
    while (interrupted(waitpid(child, &status, 0))) {
    }
    if (fault != 0) {
        refuse_program(program, fault);
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(out), contents(err)};
}

}  // namespace tilewright::app
