// `pipeline`: operators one after another, with data that stays on the device between them.
#include "tilewright/pipeline.h"
#include "apps/tilewright/calls/bands.h"
#include "apps/tilewright/calls/call_options.h"
#include "apps/tilewright/calls/calls_on_files.h"
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/command_line/environment.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/pictures/field_picture.h"
#include "apps/tilewright/pictures/fitting.h"
#include "apps/tilewright/pictures/picture.h"
#include "apps/tilewright/verification/expected_result.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace tilewright::app {

namespace {

struct PipelineCall {
    std::string stages;
    std::vector<std::string> files;  // the inputs, then the output; with --into, inputs alone
    CallOptions call;
};

// What all calls of one command share.
struct Work {
    const Pipeline &pipeline;
    const CallOptions &options;
    std::optional<Device> device;  // unset: the pipeline chooses one for each call
};

// One run of the pipeline, and what it fills.
struct PipelineRun {
    std::vector<Array> inputs;
    std::vector<Statistics> statistics;
    std::vector<Pipeline::Step> steps;  // with --check
    std::optional<CheckedPipeline> prepared;
};

// A call that was read and checked.
struct Prepared {
    std::vector<Picture> pictures;
    std::vector<std::unique_ptr<PipelineRun>> runs;  // one, or one per channel of the first picture
    std::vector<std::string> conversions;
    FileKind kind = FileKind::npy;
    std::optional<FieldPicture> field_picture;  // which shows a complex result

    const CheckedPipeline &first() const {
        return *runs.front()->prepared;
    }
    Type type_in_file() const {
        return field_picture ? field_picture->type() : first().result().type();
    }
    std::vector<int64_t> shape_in_file() const {
        return shape_of_results(first().result().shape(), runs.size());
    }
};

std::vector<std::string> files_of_stages(const Pipeline &pipeline) {
    std::vector<std::string> files;
    for (const Pipeline::Stage &stage : pipeline.stages()) {
        files.insert(files.end(), stage.files.begin(), stage.files.end());
    }
    return files;
}

// The first picture and what the other stages take.
std::vector<Array> inputs_of(const Array &first, const std::vector<Picture> &pictures) {
    std::vector<Array> inputs = {first};
    for (size_t i = 1; i < pictures.size(); i++) {
        inputs.push_back(pictures[i].array);
    }
    return inputs;
}

bool pads(const Pipeline::Stage &stage) {
    return stage.settings.text("pad", "no") == "yes";
}

// A stage between real values and half of their spectrum, which has another width.
bool is_half(const Pipeline::Stage &stage) {
    return stage.settings.text("half", "no") == "yes";
}

// Of what is taken, that which the next stage takes too, as far as it gets the type and the sides that the
// first stage gets.
void narrow(Input &input, const Input &next, bool keeps_type) {
    if (keeps_type && input.types.empty()) {
        input.types = next.types;
    } else if (keeps_type) {
        std::erase_if(input.types, [&](Type type) { return !next.takes(type); });
    }
    if (next.axes == Axes::image) {
        input.axes = Axes::image;
    }
    Sides &sides = input.sides;
    sides.least = std::max(sides.least, next.sides.least);
    sides.most = std::min(sides.most, next.sides.most);
    sides.are_equal |= next.sides.are_equal;
}

// The whole pipeline decides what is taken of the first picture, as an operator does: a later stage may be
// the one that takes no colours. The further inputs are taken as they are.
Receiver receiver_of(const Pipeline &pipeline) {
    Receiver to = {.name = "pipeline", .inputs = {{.types = {}}}, .pads = pads(pipeline.stages().front())};
    bool keeps_type = true, keeps_sides = true;
    for (const Pipeline::Stage &stage : pipeline.stages()) {
        Input next = stage.op->inputs().front();
        if (pads(stage)) {
            next.sides = next.sides.padded();
        }
        if (keeps_sides) {
            narrow(to.inputs.front(), next, keeps_type);
        }
        const Makes makes = stage.op->makes();
        keeps_type = keeps_type && makes == Makes::image;
        keeps_sides = keeps_sides && makes <= Makes::field && !pads(stage) && !is_half(stage);
        to.makes = std::max(to.makes, makes);
    }
    return to;
}

// Errors: those of the pipeline, with the names of the files.
Prepared prepared_from(
    const Work &work, const std::vector<std::string> &files, const Output &output, RowsOfFile *opened) {
    Prepared prepared;
    for (const std::string &file : files) {
        prepared.pictures.push_back(
            read_picture(file, work.options.limits, work.device ? *work.device : default_device(), opened));
    }
    const Picture &first = prepared.pictures.front();
    // Without a kind of its own, the output is a file as the first input, or .npy.
    const FileKind kind = output.kind.value_or(first.kind);
    Pipeline::Call call = {.device = work.device,
        .schedule = work.options.schedule,
        .alpha = first.has_alpha,
        .kind_of_file = word_for_settings(kind),
        .pinned = true};
    const Receiver to = receiver_of(work.pipeline);
    Fitted fitted = app::fitted(to, {first}, work.options.fit);
    for (const std::vector<Array> &arrays : fitted.calls) {
        PipelineRun &run = *prepared.runs.emplace_back(std::make_unique<PipelineRun>());
        run.inputs = inputs_of(arrays.front(), prepared.pictures);
        call.statistics = &run.statistics;
        call.steps = work.options.check ? &run.steps : nullptr;
        try {
            run.prepared.emplace(work.pipeline.checked(run.inputs, call));
        } catch (const Error &error) {
            throw with_files(error, to, prepared.pictures, work.options.fit);
        }
        call.device = run.prepared->device();
    }
    prepared.conversions = std::move(fitted.conversions);
    const Array &result = prepared.first().result();
    const Pipeline::Stage &last = work.pipeline.stages().back();
    prepared.field_picture = FieldPicture::in_file(
        *last.op, last.settings, result.type(), result.shape(), kind, first.array.type());
    prepared.kind = kind_for(output, kind, prepared.type_in_file(), prepared.shape_in_file());
    check_terminal(output, prepared.kind);
    return prepared;
}

// One report per stage, with its remarks, and what the stages and this program changed. Warnings are printed.
void add_remarks(const Work &work, const Prepared &prepared, CallReport &report) {
    report.conversions = prepared.conversions;
    const std::vector<Pipeline::Step> &steps = prepared.first().steps();
    for (size_t i = 0; i < steps.size(); i++) {
        const Operator &op = *work.pipeline.stages()[i].op;
        report.stages.emplace_back().remarks = op.remarks(*steps[i].request);
        print_warnings(op, report.stages.back().remarks);
        const std::string padding = words_on_padding(
            op, work.pipeline.stages()[i].settings, steps[i].inputs.front().shape(), steps[i].output.shape());
        if (!padding.empty()) {
            report.conversions.push_back(fmt::format("stage {}: {}", i + 1, padding));
        }
    }
    if (prepared.field_picture) {
        report.conversions.push_back(prepared.field_picture->words());
    }
}

// Compares the result of each stage with its definition.
void check_stages(
    const Work &work, Device device, const std::vector<Pipeline::Step> &steps, CallReport &report) {
    for (size_t i = 0; i < steps.size(); i++) {
        WorkReport &stage = report.stages[i];
        try {
            stage.verified = check_result(*work.pipeline.stages()[i].op,
                {steps[i].inputs, steps[i].settings, ""}, steps[i].output, device, stage.statistics.variant);
        } catch (const Error &error) {
            throw Error(error.fault(), error.what(), {.operation = fmt::format("stage {}", i + 1)});
        }
    }
}

// What the stages did is added to the report.
Array computed_once(const Work &work, PipelineRun &run, CallReport &report, double &check_ms) {
    Array output = run.prepared->run();
    output.sync();
    for (size_t i = 0; i < run.statistics.size(); i++) {
        Statistics &one = run.statistics[i], &all = report.stages[i].statistics;
        one.counters += all.counters;
        one.total_ms += all.total_ms;
        all = one;
    }
    const auto checking = std::chrono::steady_clock::now();
    check_stages(work, report.device, run.steps, report);
    check_ms += ms_since(checking);
    return output;
}

Array computed(const Work &work, const Prepared &prepared, CallReport &report) {
    const Counters before = counters();
    const auto start = std::chrono::steady_clock::now();
    double check_ms = 0;
    Array result;
    for (size_t i = 0; i < prepared.runs.size(); i++) {
        put_result(computed_once(work, *prepared.runs[i], report, check_ms), result, (int64_t)i,
            (int64_t)prepared.runs.size());
    }
    report.times.compute_ms = ms_since(start) - check_ms;
    report.work.statistics.counters = counters() - before;
    return result;
}

CallReport run_on_files(const Work &work, const std::vector<std::string> &files, const Output &output) {
    const auto check = [&](RowsOfFile *opened, CallReport &report) -> CheckedCall {
        const auto prepared = std::make_shared<const Prepared>(prepared_from(work, files, output, opened));
        report.device = prepared->first().device();
        add_remarks(work, *prepared, report);
        return {prepared->kind, prepared->pictures.front().metadata,
            [&work, prepared](CallReport &report) { return computed(work, *prepared, report); },
            [prepared](const Array &result) {
                return prepared->field_picture ? prepared->field_picture->made_of(result) : result;
            }};
    };
    return call_on_files(
        {work.pipeline, receiver_of(work.pipeline), work.device, work.options, true}, files, output, check);
}

void run_once(const Work &work, const Called &called, const std::vector<std::string> &files) {
    if (files.size() < 2) {
        throw Error(Fault::usage,
            "an input and the file to write are required, or --into FOLDER for the results; see `tilewright "
            "pipeline --help`",
            {.operation = called.name, .argument = "files"});
    }
    const std::vector<std::string> inputs(files.begin(), files.end() - 1);
    std::vector<std::string> read = inputs;
    for (const std::string &file : files_of_stages(work.pipeline)) {
        read.push_back(file);
    }
    const Output output = output_of_one(called, work.options, read, files.back());
    Reports reports(work.options, work.device);
    reports.add(run_on_files(work, inputs, output));
    reports.finish();
}

void run(const PipelineCall &request) {
    const CallOptions &options = request.call;
    check_fitting(options.fit, "pipeline");
    const std::optional<Device> device = asked_device(options.device);
    const Pipeline pipeline(request.stages, options.limits);
    const Work work = {pipeline, options, device};
    const Called called = {"pipeline", pipeline.inputs()};
    if (options.into.empty()) {
        run_once(work, called, request.files);
        return;
    }
    call_on_many(called, options, many_files(called, request.files), files_of_stages(pipeline), device,
        [&](const std::vector<std::string> &files, const Output &output) {
            return run_on_files(work, files, output);
        });
}

const char *const footer_of_pipeline =
    "A stage is an operator and its options as name=value; schedule=NAME is the schedule of that stage. "
    "An operator with further\n"
    "inputs takes the files that its stage names, or else further files of the command line, in the "
    "order of the stages.\n"
    "A picture that some stage does not take as it is becomes, before the first stage, what all of them "
    "take: grey values, or one\n"
    "channel at a time where the result is a vector; the result has a column per channel then.\n"
    "A picture of a spectrum (fft2d as the last stage) shows log(1 + magnitude), frequency 0 in the middle; "
    "of an inverse transform, the real part.\n"
    "With --into, each file is the first input of a call; further inputs, the last files, are those of all "
    "calls.\n"
    "Types, shapes and options of all stages are checked before anything is computed.\n"
    "Examples:\n"
    "  tilewright pipeline \"gaussian_blur sigma=2 | transpose | column_sum\" photo.png sums.npy --stats\n"
    "  tilewright pipeline \"gaussian_blur sigma=2 | transpose\" photo.png scan.png --into results --grey\n"
    "  tilewright pipeline \"transpose | invert schedule=reference\" photo.png turned.png --device cpu\n"
    "  tilewright pipeline \"transpose | matmul b.npy\" a.npy product.npy --check\n";

}  // namespace

void add_pipeline(CommandLine &line) {
    Command command =
        line.add("pipeline", "Runs operators one after another; what is between them stays on the device");
    const auto request = std::make_shared<PipelineCall>();
    CallOptions &call = request->call;
    command.add("stages", request->stages, "Operators with their options, and a bar between two of them")
        .required();
    command
        .add("files", request->files,
            "The inputs, pictures or .npy, and the file to write; -: standard input or output; with --into: "
            "inputs alone")
        .required()
        .words(1, "FILE FILE ... REQUIRED");
    command
        .add("--into", call.into,
            "The folder for the results of all files that are named; an input may be a folder too")
        .value_name("FOLDER");
    add_device_and_threads(command, call.device);
    add_format(command, call.format, call.compression);
    add_memory(command, call.memory);
    command.add("--schedule", call.schedule, "The schedule of the stages that name none").show_default();
    command.add_flag("--stats", call.statistics, "Print what each stage did and cost to standard error");
    add_json(command, call.as_json);
    command.add_flag("--check", call.check,
        "Hold each stage against its definition, as plain loops, before the result is written (slow)");
    add_fitting(command, call.fit);
    add_limits(command, call.limits);
    command.footer(footer_of_pipeline);
    command.run([request] { run(*request); });
}

}  // namespace tilewright::app
