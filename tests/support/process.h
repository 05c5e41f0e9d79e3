#pragma once
// Programs that a test runs, and parts of a test that run in a process of their own.
#include <functional>
#include <string>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tilewright {

using Words = std::vector<std::string>;

// What a program left: its exit code, or minus the number of the signal that ended it, and what it wrote.
struct Ran {
    int code = -1;
    std::string out, err;
};

// How a program is run, where it is not as every other.
struct RunAs {
    Words environment = {};   // NAME=VALUE, beside the variables of this process
    std::string folder = {};  // the working folder; empty: this process's
    std::string out = {};     // a file for standard output, which is then not read; empty: Ran::out
    std::function<void()> prepare = nullptr;  // called in the new process, before the program
};

// A program that was started. It has /dev/null as standard input, every signal as a new session has it, and
// writes no core file.
class Process {
public:
    Process(const std::string &program, const Words &arguments, const RunAs &as = {});
    Process(const Process &) = delete;
    Process &operator=(const Process &) = delete;
    ~Process();  // ends the program where it was not waited for

    pid_t id() const {
        return id_;
    }

    // Waits for its end; to be called once.
    Ran wait();

private:
    pid_t id_ = -1;
    int out_ = -1, err_ = -1;  // what it writes, in memory
};

inline Ran run_program(const std::string &program, const Words &arguments, const RunAs &as = {}) {
    return Process(program, arguments, as).wait();
}

// A machine with neither a GPU nor OpenCL, as far as the drivers can tell.
inline const Words bare_machine = {"CUDA_VISIBLE_DEVICES=-1", "OCL_ICD_VENDORS=/nonexistent"};

// Runs `action` in a process of its own, which ends with 0 where the action does not end it before. Returns
// the status, as waitpid() has it.
template<typename Action>
int in_child(const Action &action) {
    const pid_t child = fork();
    if (child == 0) {
        action();
        _exit(0);
    }
    int status = -1;
    return waitpid(child, &status, 0) == child ? status : -1;
}

}  // namespace tilewright
