#pragma once
// What the commands of operators and `pipeline` share: options, and what is printed about a call.
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/pictures/fitting.h"
#include "tilewright/device.h"
#include "tilewright/files.h"
#include "tilewright/operator.h"
#include <chrono>

namespace tilewright::app {

// The options that the commands of operators and `pipeline` share.
struct CallOptions {
    std::string device, schedule = "tuned", format, into, layout;
    int64_t memory = 0;  // for bands; 0: not asked
    bool statistics = false, as_json = false, check = false;
    int compression = -1;  // -1: what is fast
    FitOptions fit;
    FileLimits limits;
};

// The compression that is asked for.
inline std::optional<int> compression_of(const CallOptions &options) {
    return options.compression < 0 ? std::nullopt : std::optional(options.compression);
}

// Adds the options that limit what a picture may hold, and returns them.
std::vector<Parameter> add_limits(Command &command, FileLimits &limits);

// Adds the options that choose the part of a picture that an operator gets, and returns them.
std::vector<Parameter> add_fitting(Command &command, FitOptions &fit);

// Errors: usage, for words that exclude each other.
void check_fitting(const FitOptions &fit, const std::string &operation);

// Adds --format and --compression, which is -1 where it is not given.
void add_format(Command &command, std::string &format, int &compression);

// Prints one line per warning to standard error.
void print_warnings(const Operator &op, const Remarks &remarks);

// The parts of a command's time. `compute` ends with the result on the host.
struct CallTimes {
    double read_ms = 0, compute_ms = 0, write_ms = 0;
};

double ms_since(std::chrono::steady_clock::time_point start);

// For --stats, to standard error: where and how long a call ran, what the drivers did for it, and what the
// operator remarks on it. What did not happen has no line of its own.
void print_costs(const Device &device, const Counters &counted, const CallTimes &times);
void print_facts(const Remarks &remarks);

// "3 to the device (12.5 MB)"
std::string copies(uint64_t count, uint64_t size, const char *where);

}  // namespace tilewright::app
