// `report`: files of timed runs as one page.
#include "apps/laboratory/commands/laboratory.h"
#include "apps/laboratory/report/page.h"
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/pictures/input_and_output.h"
#include <memory>

namespace tilewright::app {

namespace {

struct ReportOptions {
    std::vector<std::string> files;
    std::string output;
    bool small = false;
};

void report(const ReportOptions &options) {
    check_written(options.files, {{"--output", options.output}}, "report");
    std::vector<TimedFile> files;
    for (const std::string &path : options.files) {
        files.push_back(read_timed_file(path));
    }
    write_report(options.output, files, options.small);
}

}  // namespace

void add_report(CommandLine &line) {
    Command command = line.add("report", "Shows files of times as one HTML page with plots");
    const auto options = std::make_shared<ReportOptions>();
    command
        .add("file", options->files,
            "JSON of `bench --json`, results of `explore`, JSON of the programs of peers")
        .required();
    command.add("--output", options->output, "The page to write").required().value_name("FILE.html");
    command.add_flag("--small", options->small,
        "Leave out the plotting library (.9 MB), which the page then loads from plots.js beside it");
    command.footer(
        "The page needs no network. Where two files have a time for the same variant, device and data, "
        "the later one counts.\n"
        "Examples:\n"
        "  tilewright report times.json --output times.html\n"
        "  tilewright report cuda.json opencl.json points.jsonl --output h200.html\n");
    command.run([options] { report(*options); });
}

}  // namespace tilewright::app
