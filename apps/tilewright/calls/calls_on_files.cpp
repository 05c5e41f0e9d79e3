#include "apps/tilewright/calls/calls_on_files.h"
#include "apps/tilewright/calls/batch.h"
#include "apps/tilewright/calls/call_report.h"
#include "apps/tilewright/terminal/json.h"
#include "apps/tilewright/terminal/progress.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "apps/tilewright/timing/threads.h"
#include "runtime/devices/calls/hooks.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace tilewright::app {

void add_json(Command &command, bool &as_json) {
    command.add_flag("--json", as_json, "Print what --stats prints as JSON to standard output instead");
}

Output output_of_one(const Called &called, const CallOptions &options, const std::vector<std::string> &inputs,
    const std::string &output) {
    for (const std::string &input : inputs) {
        std::error_code unknown;  // what cannot be looked at is refused where it is read
        if (called.inputs == 1 && input != "-" && std::filesystem::is_directory(input, unknown)) {
            throw Error(Fault::input,
                fmt::format(
                    "cannot read '{}': it is a directory; name a file in it, or take --into FOLDER for "
                    "the results of all its files",
                    input));
        }
    }
    check_ends(inputs, output, called.name);
    Output place = output_of(output, format_of(options.format));
    place.compression = compression_of(options);
    if (place.is_standard() && options.as_json) {
        throw Error(Fault::usage, "standard output has the result; name a file as the output",
            {.operation = called.name, .argument = "--json"});
    }
    return place;
}

ManyFiles many_files(const Called &called, const std::vector<std::string> &files) {
    const size_t further = (size_t)called.inputs - 1;
    if (files.size() <= further) {
        throw Error(Fault::usage,
            fmt::format("it takes {} inputs, and {} file{} named; see `tilewright {} --help`", called.inputs,
                files.size(), files.size() == 1 ? " is" : "s are", called.name),
            {.operation = called.name, .argument = "files"});
    }
    const auto middle = files.end() - (ptrdiff_t)further;
    ManyFiles many = {{files.begin(), middle}, {middle, files.end()}};
    for (size_t i = 0; i < many.further.size(); i++) {
        check_can_be_read_again(many.further[i], called, fmt::format("input{}", i + 2));
    }
    return many;
}

void check_can_be_read_again(const std::string &file, const Called &called, const std::string &argument) {
    if (path_of_input(file) == "/dev/stdin") {
        throw Error(Fault::usage, "standard input can be read once; name a file",
            {.operation = called.name, .argument = argument, .value = "-"});
    }
}

void Reports::add(CallReport report) {
    Progress::hide();
    if (options_.as_json) {
        all_.push_back(std::move(report));
        return;
    }
    if (options_.statistics) {
        print_report(report, !options_.into.empty());
    }
    print_verified(report);
}

void Reports::finish() const {
    if (options_.as_json) {
        print(json(all_, device_));
    }
}

// Each holds an image and its result: a GiB of the machine's memory per file is room for many of them.
static size_t files_at_a_time() {
    const auto memory = (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGE_SIZE);
    return (size_t)std::clamp<int64_t>(memory >> 30, 1, 64);
}

void call_on_many(const Called &called, const CallOptions &options, const ManyFiles &files,
    const std::vector<std::string> &also_read, std::optional<Device> device, const CallOnFiles &call) {
    const std::optional<FileKind> format = format_of(options.format);
    if (device) {
        // An error of the device, which each file would meet, ends the command.
        driver::open(*device);
    }
    std::vector<std::string> not_written = files.further;
    not_written.insert(not_written.end(), also_read.begin(), also_read.end());
    const std::vector<BatchItem> items =
        batch_of(files.first, not_written, options.into, format, called.name);
    Reports reports(options, device);
    // What the drivers did is counted for all threads together, so a report is of a file that runs alone.
    const bool has_reports = options.statistics || options.as_json || options.check;
    const size_t workers = has_reports ? 1 : std::min(files_at_a_time(), (size_t)threads());
    try {
        run_batch(items, called.name, workers, [&](const BatchItem &item) {
            const Output output = {.path = item.output,
                .kind = format,
                .is_named_by_kind = true,
                .compression = compression_of(options)};
            std::vector<std::string> inputs = {item.input};
            inputs.insert(inputs.end(), files.further.begin(), files.further.end());
            reports.add(call(inputs, output));
        });
    } catch (const Error &) {
        reports.finish();
        throw;
    }
    reports.finish();
}

}  // namespace tilewright::app
