#pragma once
#include <string>
#include <vector>

// Other programs, for what is not ours to know: generators, ptxas.
namespace tilewright::app {

struct Finished {
    int code = 0;  // the exit code; 128 + the signal that ended it
    std::string out, err;
};

// Runs a program, with `input` as its standard input, and waits for it. It leaves no files, and it ends when this program does,
// by whatever signal. /dev/stdin is a name for its input. Errors: failed, when it cannot be started.
Finished run_program(const std::string &program, const std::vector<std::string> &arguments, const std::string &input = "");

}  // namespace tilewright::app
