#pragma once
// Runs other programs: generators and ptxas.
#include <string>
#include <vector>

namespace tilewright::app {

struct Finished {
    int code = 0;  // the exit code; 128 + the signal that ended it
    std::string out, err;
};

// Runs a program with `input` as its standard input, and waits for it. It leaves no files, and it ends when
// this program ends, by whatever signal. The name /dev/stdin stands for its input. Errors: failed, when it
// cannot be started.
Finished run_program(
    const std::string &program, const std::vector<std::string> &arguments, const std::string &input = "");

}  // namespace tilewright::app
