#pragma once
#include <functional>
#include <string>
#include <sys/types.h>

namespace tilewright {

// Processes of the program itself, for work that Halide must do with its names as they are at the start.

// Starts one that ends with the code of `work`. What it prints goes to the file `said`.
pid_t start_child(const std::string &said, const std::function<int()> &work);

// Waits for one of them, or for any (-1), and says which it was and whether it ended with 0.
struct Ended {
    pid_t pid;
    bool well;
    std::string how;  // "with code 1", "by signal 11"
};
Ended wait_for_child(pid_t pid = -1);

// What `work` returns in a process of its own; nothing where that does not end well. What it prints is lost.
std::string answer_of_child(const std::function<std::string()> &work);

// Whether a processor is free for one more process: fewer than there are processors want one now.
bool processor_is_free();

}  // namespace tilewright
