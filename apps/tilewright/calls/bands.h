#pragma once
// Calls on images that are larger than memory: bands of rows go from file to file.
#include "apps/tilewright/calls/operation.h"
#include "tilewright/bands.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::app {

// Adds --memory.
void add_memory(Command &command, std::string &memory);

// The bytes that a word of --memory means: "200M", "2G", "65536"; 0 for an empty one. Errors: usage.
int64_t bytes_of_memory(const std::string &word);

// A call that may work by bands.
struct BandedCall {
    const Pipeline &pipeline;
    Receiver to;
    std::optional<Device> device;
    std::string schedule;
    FitOptions fit;
    FileLimits limits;
    int64_t memory = 0;  // 0: not asked
    bool check = false;
    bool is_pipeline = false;  // which the report has stages of
};

// What became of it.
struct BandedRun {
    std::optional<CallReport> report;    // nothing: it is a call on the whole image, which has to be made
    std::unique_ptr<RowsOfFile> opened;  // then: the input, where it was opened to look at its shape
};

// Makes the call by bands, where --memory asks for that or the image is larger than a quarter of the memory
// or than a library addresses. Errors: those of process() and of the files; usage, for what needs the whole
// image and more memory than the limit.
BandedRun run_by_bands(const BandedCall &call, const std::vector<std::string> &inputs, const Output &output);

}  // namespace tilewright::app
