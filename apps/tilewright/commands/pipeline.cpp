// `pipeline`: operators one after another, with data that stays on the device between them.
#include "tilewright/pipeline.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/support/call.h"
#include "apps/tilewright/support/command_line.h"
#include "apps/tilewright/support/endpoints.h"
#include "apps/tilewright/support/environment.h"
#include "apps/tilewright/support/picture.h"
#include "apps/tilewright/support/reference.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/streams.h"
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <tuple>

namespace tilewright::app {

namespace {

struct Request {
    std::string stages;
    std::vector<std::string> files;  // the inputs, then the output
    std::string device, schedule = "tuned", format;
    bool statistics = false, check = false;
    FileLimits limits;
};

void check_files(
    const Pipeline &pipeline, const std::vector<std::string> &inputs, const std::string &output) {
    std::vector<std::string> read = inputs;
    for (const Pipeline::Stage &stage : pipeline.stages()) {
        read.insert(read.end(), stage.files.begin(), stage.files.end());
    }
    check_ends(read, output, "pipeline");
}

// What a call will make.
struct Checked {
    Type type;
    std::vector<int64_t> shape;
    std::vector<Remarks> remarks;  // one per stage
};

// Errors: those of the pipeline, with the names of the files.
Checked check(const Pipeline &pipeline, const std::vector<Picture> &pictures,
    const std::vector<Array> &inputs, const Pipeline::Call &call) {
    Checked checked;
    try {
        std::tie(checked.type, checked.shape) = pipeline.output_of(inputs, call);
        const std::vector<Pipeline::Step> steps = pipeline.check(inputs, call);
        for (size_t i = 0; i < steps.size(); i++) {
            checked.remarks.push_back(pipeline.stages()[i].op->remarks(steps[i].inputs, steps[i].settings));
        }
    } catch (const Error &error) {
        if (error.fault() != Fault::input) {
            throw;
        }
        std::vector<std::string> files;
        for (const Picture &picture : pictures) {
            files.push_back(picture.describe());
        }
        throw Error(Fault::input, fmt::format("{} ({})", error.what(), fmt::join(files, ", ")));
    }
    return checked;
}

// Compares the result of each stage with its definition. Returns, per stage, what it was compared with.
std::vector<std::string> check_stages(const Pipeline &pipeline, const std::vector<Pipeline::Step> &steps,
    const std::vector<Statistics> &ran, Device device) {
    std::vector<std::string> against;
    for (size_t i = 0; i < steps.size(); i++) {
        try {
            against.push_back(check_result(*pipeline.stages()[i].op, {steps[i].inputs, steps[i].settings, ""},
                steps[i].output, device, ran[i].row));
        } catch (const Error &error) {
            throw Error(error.fault(), error.what(), {.operation = fmt::format("stage {}", i + 1)});
        }
    }
    return against;
}

void print_stages(const std::vector<Statistics> &stages, const std::vector<Remarks> &remarks) {
    for (size_t i = 0; i < stages.size(); i++) {
        const Counters &c = stages[i].counters;
        print_error(fmt::format("{:<11} {}, {:.3f} ms, {} kernel{}, copies {}, {}\n",
            fmt::format("stage {}", i + 1), stages[i].row, stages[i].total_ms, c.kernels,
            c.kernels == 1 ? "" : "s", copies(c.copies_to_device, c.bytes_to_device, "device"),
            copies(c.copies_to_host, c.bytes_to_host, "host")));
        print_facts(remarks[i]);
    }
}

// Everything that can be refused is refused before the first stage computes.
void run(const Request &request) {
    const std::vector<std::string> files(request.files.begin(), request.files.end() - 1);
    const std::string &output_file = request.files.back();
    const Output output_end = output_of(output_file, format_of(request.format));
    const Device device = device_of(request.device);
    const Pipeline pipeline(request.stages, request.limits);
    check_files(pipeline, files, output_file);
    const auto start = std::chrono::steady_clock::now();

    std::vector<Picture> pictures;
    std::vector<Array> inputs;
    for (const std::string &file : files) {
        pictures.push_back(read_picture(file, request.limits, device));
        inputs.push_back(pictures.back().array);
    }
    const double read_ms = ms_since(start);
    // Without a kind of its own, the output is a file as the first input, or .npy.
    FileKind kind = output_end.kind.value_or(pictures.front().kind);
    std::vector<Statistics> statistics;
    std::vector<Pipeline::Step> steps;
    const Pipeline::Call call{.device = device,
        .schedule = request.schedule,
        .alpha = pictures.front().has_alpha,
        .kind_of_file = word_for_settings(kind),
        .statistics = request.statistics || request.check ? &statistics : nullptr,
        .steps = request.check ? &steps : nullptr};
    const Checked checked = check(pipeline, pictures, inputs, call);
    kind = kind_for(output_end, kind, checked.type, checked.shape);
    check_terminal(output_end, kind);
    for (size_t i = 0; i < checked.remarks.size(); i++) {
        print_warnings(*pipeline.stages()[i].op, checked.remarks[i]);
    }

    const Counters before = counters();
    const auto computing = std::chrono::steady_clock::now();
    // Page-locked memory is copied faster, as that of the inputs is.
    Array output = device.backend == Backend::cuda ? Array::pinned(checked.type, checked.shape) : Array();
    pipeline(inputs, output, call);
    output.sync();
    const double compute_ms = ms_since(computing);
    const Counters counted = counters() - before;

    std::vector<std::string> verified;
    if (request.check) {
        verified = check_stages(pipeline, steps, statistics, device);
    }
    const auto writing = std::chrono::steady_clock::now();
    write_array(output_end.path, kind, output, pictures.front().metadata);
    const double write_ms = ms_since(writing);
    if (request.statistics) {
        print_stages(statistics, checked.remarks);
        print_costs(device, counted, {read_ms, compute_ms, write_ms});
    }
    for (size_t i = 0; i < verified.size(); i++) {
        print_error(fmt::format("verified    stage {} against {}\n", i + 1, verified[i]));
    }
}

}  // namespace

void add_pipeline(CommandLine &line) {
    Command command =
        line.add("pipeline", "Runs operators one after another; what is between them stays on the device");
    const auto request = std::make_shared<Request>();
    command.add("stages", request->stages, "Operators with their options, and a bar between two of them")
        .required();
    command
        .add("files", request->files,
            "The inputs, pictures or .npy, and the file to write; -: standard input or output")
        .required()
        .words(2, "FILE FILE ... REQUIRED");
    add_device_and_threads(command, request->device);
    add_format(command, request->format);
    command.add("--schedule", request->schedule, "The schedule of the stages that name none").show_default();
    command.add_flag("--stats", request->statistics, "Print what each stage did and cost to standard error");
    command.add_flag("--check", request->check,
        "Hold each stage against its definition, as plain loops, before the result is written (slow)");
    add_limits(command, request->limits);
    command.footer(
        "A stage is an operator and its options as name=value; schedule=NAME is the schedule of that stage. "
        "An operator with further\n"
        "inputs takes the files that its stage names, or else further files of the command line, in the "
        "order of the stages.\n"
        "Types, shapes and options of all stages are checked before anything is computed.\n"
        "Examples:\n"
        "  tilewright pipeline \"gaussian_blur sigma=2 | transpose | column_sum\" grey.png sums.npy --stats\n"
        "  tilewright pipeline \"transpose | invert schedule=reference\" photo.png turned.png --device cpu\n"
        "  tilewright pipeline \"transpose | matmul b.npy\" a.npy product.npy --check\n");
    command.run([request] { run(*request); });
}

}  // namespace tilewright::app
