#pragma once
// Timed runs of files: what `bench --json`, `explore --results` and the programs of peers write, in one
// shape.
#include "apps/tilewright/terminal/json.h"
#include <compare>
#include <string>
#include <vector>

namespace tilewright::app {

// With what and where runs were timed. A number is 0 and a text is empty where the file does not say it. Each
// text is one line, whatever the file has in it.
struct RunContext {
    std::string date, tilewright, commit, halide, machine;
    std::string device;       // its word: "cuda:0"
    std::string device_name;  // "NVIDIA H200"
    std::string driver;
    double copy_rate = 0;  // bytes read and written per second by a copy on the device

    auto operator<=>(const RunContext &) const = default;
};

// One variant, or one peer, on one device and one set of data.
struct TimedRun {
    std::string name;  // the variant's full name, or "peer: NAME"
    bool is_peer = false;
    std::string op, schedule, family, type, backend;
    std::string point;     // of a variant that was built with other tunables than its own: "across=8,down=4"
    std::string tunables;  // "across=8, down=4"
    std::string device, data;
    double width = 0, height = 0, channels = 1, bytes = 0, flops = 0;
    double median = 0, p10 = 0, p90 = 0;  // milliseconds of a call in a batch
    bool timed = false, chosen = false, verified = false;
    std::string why_not;  // not timed, not verified, or wrong: the reason
    bool wrong = false, failed = false;
    bool again = false;   // a point of `explore` that was timed once more when the search had ended
    size_t process = 0;   // of the file, which may have the runs of several processes
    size_t sets = 0;      // of buffers, which the calls took in turn; 0 where the file does not say it
    std::string summary;  // the variant's sentence
    std::string kernels;  // registers, threads and shared memory, where they are known
    size_t context = 0;   // of the file
};

struct TimedFile {
    std::string path;
    std::vector<RunContext> contexts;
    std::vector<TimedRun> runs;  // in the order of the file
    int cut_lines = 0;           // of a file of lines: 1 where its last line is cut off
};

// The runs of several files as those of one, each file's by other processes. `path` names all of them.
TimedFile files_as_one(std::vector<TimedFile> files);

// Reads a file of either kind: one JSON object with "runs", or lines of one run each
// (.jsonl). Errors: input, when the file cannot be read (json_text_of()) or is no such file.
TimedFile read_timed_file(const std::string &path);

// The same of a report that is in memory. `path` names it in errors.
TimedFile timed_file(const Json &report, const std::string &path);

}  // namespace tilewright::app
