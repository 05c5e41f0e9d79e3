// Starts the process, and waits for its answers.
#include "apps/laboratory/explore/point_worker.h"
#include "apps/laboratory/explore/point_server.h"
#include "apps/tilewright/processes/children.h"
#include "apps/tilewright/terminal/printing.h"
#include "tilewright/error.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace tilewright::app {

namespace {

[[noreturn]] void refuse(int fault) {
    throw Error(Fault::failed,
        fmt::format("the process that measures points cannot be started: {}", strerror(fault)),
        {.operation = "explore"});
}

// Runs in the child, with async-signal-safe calls only. It is a group of processes of its own, so that its
// generators end with it, and so that Ctrl-C reaches the search alone, which then ends it.
[[noreturn]] void become(pid_t parent, int tasks, int answers, int said) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) {
        dup2(tasks, STDIN_FILENO);
        dup2(answers, STDOUT_FILENO);
        dup2(said, STDERR_FILENO);
        execl("/proc/self/exe", "tilewright", "explore", serve_points_option, nullptr);
    }
    _exit(127);
}

}  // namespace

PointWorker::~PointWorker() {
    stop();
}

void PointWorker::start() {
    Pipe tasks, answers;
    if (!tasks.writer || !answers.writer) {
        refuse(errno);
    }
    said_ = Descriptor(memfd_create("tilewright", MFD_CLOEXEC));
    const pid_t parent = getpid();
    process_ = fork();
    const int fault = errno;
    if (process_ == 0) {
        become(parent, *tasks.reader, *answers.writer, *said_);
    }
    tasks_ = std::move(tasks.writer);
    answers_ = std::move(answers.reader);
    if (process_ < 0) {
        stop();
        refuse(fault);
    }
    setpgid(process_, process_);  // here too, so that it holds before the child runs
}

void PointWorker::stop() {
    if (process_ > 0) {
        kill(-process_, SIGKILL);
        status_of(process_);
    }
    for (Descriptor *file : {&tasks_, &answers_, &said_}) {
        file->close();
    }
    process_ = -1;
    answers_read_.clear();
}

std::string PointWorker::ending() {
    siginfo_t about = {};
    while (waitid(P_PID, (id_t)process_, &about, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    kill(-process_, SIGKILL);  // generators that it had started
    const int status = status_of(process_);
    process_ = -1;
    std::string said = contents(said_);
    said.erase(said.find_last_not_of("\n ") + 1);
    const std::string last = one_line(said.substr(said.rfind('\n') + 1));
    const std::string how =
        WIFSIGNALED(status) ?
            fmt::format("it crashed: signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status))) :
            fmt::format("its process ended with code {}", WEXITSTATUS(status));
    return last.empty() ? how : how + ": " + last;
}

Json PointWorker::ask(const Json &task, double limit_s) {
    if (process_ < 0) {
        stop();
        start();
    }
    const std::string text = task.dump() + "\n";
    // A task is shorter than what a pipe holds, and the process has read the one before.
    if (write(*tasks_, text.data(), text.size()) != (ssize_t)text.size()) {
        return {{"failed", ending()}};
    }
    std::string line;
    switch (answers_read_.next(*answers_, line, interrupted_, limit_s)) {
    case LineReader::Came::interrupted: stop(); return {{"interrupted", true}};
    case LineReader::Came::late:
        stop();
        return {{"failed", fmt::format("it hangs: no answer after {:g} s", limit_s)}};
    case LineReader::Came::end: return {{"failed", ending()}};
    case LineReader::Came::line: break;
    }
    const Json answer = Json::parse(line, nullptr, false);
    return answer.is_object() ? answer : Json{{"failed", ending()}};  // it ended in the middle of a line
}

}  // namespace tilewright::app
