#pragma once
// A results file: what was measured, one JSON object per line, appended as it comes (docs/JSON.md).
#include "apps/tilewright/terminal/json.h"
#include "runtime/process/descriptor.h"
#include <string>
#include <vector>

namespace tilewright::app {

// A results file that this process alone writes to, until the object ends.
class ResultsFile {
public:
    // Opens the file, or makes it. `goes_on`: the same command goes on from its results, so that an error
    // says so. Errors: usage, where it is no regular file; failed, where it cannot be opened, and where
    // another process writes to it; input, where it is no results file, or one of another version.
    explicit ResultsFile(const std::string &path, bool goes_on = false);
    ~ResultsFile();
    ResultsFile(const ResultsFile &) = delete;
    ResultsFile &operator=(const ResultsFile &) = delete;

    // The lines that it had.
    const std::vector<Json> &lines() const {
        return lines_;
    }

    // What is worth saying of the file that was found: a last line that was cut off, and left out. Or empty.
    const std::string &note() const {
        return note_;
    }

    // Adds a line, which is in the file when this returns. Errors: failed, where it cannot be written: the
    // file is then as it was before.
    void append(const Json &line);

private:
    void read();
    void take_line(const std::string &text, size_t number);
    void cut_to(size_t bytes);
    void mend(const std::string &text, size_t number);
    [[noreturn]] void refuse(const std::string &message) const;

    const std::string path_;
    const bool goes_on_;
    bool made_ = false;  // the file was not there; it is removed again where nothing is written to it
    Descriptor file_;
    size_t size_ = 0;
    std::vector<Json> lines_;
    std::string note_;
};

}  // namespace tilewright::app
