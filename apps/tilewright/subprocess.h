#pragma once
#include <string>
#include <vector>

// Other programs, for what is not ours to know: generators, ptxas.
namespace tilewright::app {

struct Finished {
    int code = 0;  // the exit code; 128 + the signal that ended it
    std::string out, err;
};

// Runs a program, with nothing to read, and waits for it. Errors: failed, when it cannot be started.
Finished run_program(const std::string &program, const std::vector<std::string> &arguments);

// A folder of its own, which goes away with it.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder &) = delete;

    std::string file(const std::string &name) const {
        return path_ + "/" + name;
    }

private:
    std::string path_;
};

}  // namespace tilewright::app
