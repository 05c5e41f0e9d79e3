#pragma once
// The data that `show` and `explain` are asked about: files, or the sample that the operator is timed with.
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/command_line/operator_options.h"
#include "apps/tilewright/pictures/fitting.h"
#include "tilewright/files.h"
#include "tilewright/operator.h"
#include <memory>
#include <string>
#include <vector>

namespace tilewright::app {

// The options of the command line about it.
struct DataOptions {
    std::vector<std::string> files;
    std::string type, size;
    OperatorOptions of_operators;
    FitOptions fit;
    FileLimits limits;
};

// Adds files, --type, --size, the part of a picture and the options of all operators to a command. `options`
// outlives it.
void add_data(Command &command, DataOptions &options);

// Errors: usage, where there are words that go with files only.
void check_sample(const DataOptions &options);

// Arguments of a call, read and checked.
struct CallData {
    std::vector<Array> inputs;
    Settings settings;
    std::string what;  // "u8 4097x2049 sigma 3", "photo.png, u8 (480, 640, 3)"
    std::unique_ptr<const Request> request;
    // Of files: what was done to them so that the operator takes them, and how many calls the operator's
    // command makes of them (one per channel of some pictures), of which this is the first.
    std::vector<std::string> conversions = {};
    size_t calls = 1;
};

// The arguments that the words mean. Without files, type or size: the sample, its first type, its own size.
// Errors: usage, input.
CallData call_data(const Operator &op, const DataOptions &options);

}  // namespace tilewright::app
