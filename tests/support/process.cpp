// Programs that a test runs.
#include "tests/support/process.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace tilewright {

namespace {

// As execvpe() takes words.
std::vector<char *> pointers(Words &words) {
    std::vector<char *> all;
    for (std::string &word : words) {
        all.push_back(word.data());
    }
    all.push_back(nullptr);
    return all;
}

// The given variables, and those of this process that are not given.
Words environment_of(const RunAs &as) {
    Words variables = as.environment;
    for (char **variable = environ; *variable; variable++) {
        const std::string text = *variable, name = text.substr(0, text.find('=') + 1);
        if (std::none_of(as.environment.begin(), as.environment.end(),
                [&](const std::string &given) { return given.starts_with(name); })) {
            variables.push_back(text);
        }
    }
    return variables;
}

std::string contents(int file) {
    std::string text;
    char buffer[65536];
    for (ssize_t n = 0; (n = pread(file, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;) {
        text.append(buffer, static_cast<size_t>(n));
    }
    return text;
}

}  // namespace

Process::Process(const std::string &program, const Words &arguments, const RunAs &as) {
    Words words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    Words variables = environment_of(as);
    const std::vector<char *> argv = pointers(words), envp = pointers(variables);
    err_ = memfd_create("err", MFD_CLOEXEC);
    out_ = as.out.empty() ? memfd_create("out", MFD_CLOEXEC) :
                            open(as.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    EXPECT_TRUE(err_ >= 0 && out_ >= 0) << "no file for what " << program << " writes";
    id_ = fork();
    if (id_ != 0) {
        EXPECT_GT(id_, 0) << program << ": " << strerror(errno);
        if (!as.out.empty()) {
            close(out_);
            out_ = -1;
        }
        return;
    }
    for (int number = 1; number < SIGRTMIN; number++) {
        signal(number, SIG_DFL);
    }
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    dup2(out_, 1);
    dup2(err_, 2);
    if (!as.folder.empty() && chdir(as.folder.c_str()) != 0) {
        _exit(127);
    }
    if (as.prepare) {
        as.prepare();
    }
    execvpe(program.c_str(), argv.data(), envp.data());
    _exit(127);
}

Process::~Process() {
    if (id_ > 0) {
        kill(id_, SIGKILL);
        waitpid(id_, nullptr, 0);
    }
    for (const int file : {out_, err_}) {
        if (file >= 0) {
            close(file);
        }
    }
}

Ran Process::wait() {
    int status = 0;
    EXPECT_EQ(waitpid(id_, &status, 0), id_);
    id_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), out_ < 0 ? "" : contents(out_),
        contents(err_)};
}

}  // namespace tilewright
