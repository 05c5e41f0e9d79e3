#pragma once
// Finds and runs other programs: generators, linkers and ptxas.
#include <string>
#include <vector>

namespace tilewright::app {

struct Finished {
    int code = 0;  // the exit code; 128 + the signal that ended it
    std::string out, err;
};

// The path of a program in one of the absolute folders of PATH, or of `more` (with colons between them).
// Empty where there is none.
std::string program_in_path(const std::string &name, const std::string &more = "");

// Runs a program with `input` as its standard input, and waits for it. It leaves no files, and it ends when
// this program ends, by whatever signal. The name /dev/stdin stands for its input. Errors: failed, when it
// cannot be started.
Finished run_program(
    const std::string &program, const std::vector<std::string> &arguments, const std::string &input = "");

// All that is in a file that a program made; empty where there is none.
std::string text_of_file(const std::string &path);

}  // namespace tilewright::app
