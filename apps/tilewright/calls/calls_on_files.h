#pragma once
// The command line around calls on files, for the commands of operators and `pipeline`: one call, or one call
// with each of many files, and the reports of them.
#include "apps/tilewright/calls/operation.h"
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/pictures/input_and_output.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::app {

// Adds --json.
void add_json(Command &command, bool &as_json);

// What is called: its name, and how many files a call takes besides those of options.
struct Called {
    std::string name;
    int inputs = 1;
};

// The place of the result of one call. `inputs`: all files that the call reads. Errors: usage and input, for
// words that are no files of one call.
Output output_of_one(const Called &called, const CallOptions &options, const std::vector<std::string> &inputs,
    const std::string &output);

// The files of many calls: those that are the first input of a call each, and those that all calls take
// after it.
struct ManyFiles {
    std::vector<std::string> first, further;
};

// Of something that takes several inputs, the last files are further inputs of all calls. Errors: usage, when
// there are too few files, or one that all calls take is standard input.
ManyFiles many_files(const Called &called, const std::vector<std::string> &files);

// Refuses standard input as a file that several calls read. Errors: usage, with the name of the argument.
void check_can_be_read_again(const std::string &file, const Called &called, const std::string &argument);

// Prints what --stats, --json and --check ask for.
class Reports {
public:
    // `device`: where the calls run, if that is known before the first one.
    Reports(const CallOptions &options, std::optional<Device> device)
        : options_(options), device_(device.value_or(Device{})) {}

    void add(CallReport report);
    void finish() const;

private:
    const CallOptions &options_;
    const Device device_;
    std::vector<CallReport> all_;
};

using CallOnFiles = std::function<CallReport(const std::vector<std::string> &inputs, const Output &output)>;

// Calls once per first file, into the folder of --into. `also_read`: further files that every call reads.
// Errors: those of the device, which end the command; those of batch_of and run_batch.
void call_on_many(const Called &called, const CallOptions &options, const ManyFiles &files,
    const std::vector<std::string> &also_read, std::optional<Device> device, const CallOnFiles &call);

}  // namespace tilewright::app
