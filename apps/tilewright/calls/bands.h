#pragma once
// Calls on images that are larger than memory: bands of rows go from file to file.
#include "apps/tilewright/calls/operation.h"
#include "tilewright/bands.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::app {

// Adds --memory, whose words are as "200M", "2G" and "65536".
void add_memory(Command &command, int64_t &memory);

// A call of an operator or a pipeline on files.
struct FileCall {
    const Pipeline &pipeline;
    Receiver to;
    std::optional<Device> device;
    const CallOptions &options;
    bool is_pipeline = false;  // which the report has stages of
};

// A call on whole images that was read and checked.
struct CheckedCall {
    FileKind kind;                                       // of the file that is written
    PngMetadata metadata;                                // of the first input
    std::function<Array(CallReport &report)> compute;    // adds to the report what it did
    std::function<Array(const Array &result)> for_file;  // what is written for the result
};

// Makes the call by bands, where --memory asks for that or the image is larger than a quarter of the memory
// or than a library addresses. Else it is made on the whole image: `check` reads the files, of which the one
// input may be open already, and refuses everything that can be refused before it computes. Errors: those of
// process() and of the files; usage, for what needs the whole image and more memory than the limit.
CallReport call_on_files(const FileCall &call, const std::vector<std::string> &inputs, const Output &output,
    const std::function<CheckedCall(RowsOfFile *opened, CallReport &report)> &check);

}  // namespace tilewright::app
