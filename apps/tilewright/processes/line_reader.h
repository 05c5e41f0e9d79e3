#pragma once
// Lines that another process writes.
#include <atomic>
#include <limits>
#include <string>

namespace tilewright::app {

class LineReader {
public:
    enum class Came { line, end, late, interrupted };

    // Reads the next line of a file, without its end, from a pipe for example. `interrupted` is looked at
    // every 50 ms; `late` is after `limit_s` seconds without a whole line. What is behind the last line end
    // is a line too, unless it is empty.
    Came next(int file, std::string &line, const std::atomic<bool> &interrupted,
        double limit_s = std::numeric_limits<double>::infinity());

    // Forgets what was read of the next line.
    void clear() {
        read_.clear();
    }

private:
    std::string read_;  // of the next lines
};

}  // namespace tilewright::app
