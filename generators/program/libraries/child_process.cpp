// Processes of the program itself.
#include "generators/program/libraries/child_process.h"
#include "generators/program/errors/printed_errors.h"
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright {

namespace {

// Forks; what this process has yet to write is written by this process alone.
pid_t forked() {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid < 0) {
        std::perror("error: fork");
        std::exit(1);
    }
    return pid;
}

void print_to(const std::string &file) {
    const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (descriptor < 0) {
        _exit(99);
    }
    dup2(descriptor, STDOUT_FILENO);
    dup2(descriptor, STDERR_FILENO);
    close(descriptor);
}

[[noreturn]] void leave(int code) {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
    _exit(code);
}

}  // namespace

pid_t start_child(const std::string &said, const std::function<int()> &work) {
    const pid_t pid = forked();
    if (pid == 0) {
        print_to(said);
        leave(with_printed_errors(work));
    }
    return pid;
}

Ended wait_for_child(pid_t asked) {
    int status = 0;
    pid_t pid;
    do {
        pid = waitpid(asked, &status, 0);
    } while (pid < 0 && errno == EINTR);
    const bool exited = WIFEXITED(status);
    return {pid, pid > 0 && exited && WEXITSTATUS(status) == 0,
        exited ? "with code " + std::to_string(WEXITSTATUS(status)) :
                 "by signal " + std::to_string(WTERMSIG(status))};
}

std::string answer_of_child(const std::function<std::string()> &work) {
    int ends[2];
    if (pipe(ends) != 0) {
        return "";
    }
    const pid_t pid = forked();
    if (pid == 0) {
        close(ends[0]);
        print_to("/dev/null");
        leave(with_printed_errors([&] {
            const std::string answer = work();
            return write(ends[1], answer.data(), answer.size()) == (ssize_t)answer.size() ? 0 : 1;
        }));
    }
    close(ends[1]);
    std::string answer;
    char part[256];
    for (ssize_t n; (n = ::read(ends[0], part, sizeof part)) > 0;) {
        answer.append(part, (size_t)n);
    }
    close(ends[0]);
    return wait_for_child(pid).well ? answer : "";
}

bool processor_is_free() {
    cpu_set_t ours;
    const int processors = sched_getaffinity(0, sizeof ours, &ours) == 0 ? CPU_COUNT(&ours) : 1;
    // "0.20 0.18 0.12 3/80 11206": three processes of 80 run or could run, and this one is among them.
    std::ifstream load("/proc/loadavg");
    double averages[3];
    int running = 0;
    load >> averages[0] >> averages[1] >> averages[2] >> running;
    return load && running - 1 < processors;
}

}  // namespace tilewright
