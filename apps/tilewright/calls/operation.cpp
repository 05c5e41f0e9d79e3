#include "apps/tilewright/calls/operation.h"
#include "apps/tilewright/calls/bands.h"
#include "apps/tilewright/pictures/field_picture.h"
#include "apps/tilewright/verification/expected_result.h"
#include "runtime/dispatch/many_images.h"
#include <chrono>
#include <fmt/format.h>

namespace tilewright::app {

namespace {

// A call that was read and checked, up to the kind of its file.
struct Prepared {
    std::vector<Picture> pictures;
    Fitted fitted;
    Settings settings;
    std::vector<std::unique_ptr<const Request>> requests;  // one per call
    FileKind kind = FileKind::npy;
    std::optional<FieldPicture> field_picture;  // which shows a complex result

    const Picture &first() const {
        return pictures.front();
    }
    Type type() const {
        if (field_picture) {
            return field_picture->type();
        }
        const Request &request = *requests.front();
        return fitted.has_alpha ? type_in_file(first(), request.output_type, request.output_shape) :
                                  request.output_type;
    }
    std::vector<int64_t> shape() const {
        return shape_of_results(requests.front()->output_shape, requests.size());
    }
};

// Reads the requests for a file of that kind, where other settings belong to it.
void parse(const Operation &operation, FileKind kind, Prepared &prepared) {
    const Operator &op = *operation.op;
    const Settings settings =
        op.settings_for(word_for_settings(kind), prepared.fitted.calls.front(), operation.settings);
    prepared.kind = kind;
    if (prepared.requests.empty() || settings.all() != prepared.settings.all()) {
        prepared.settings = settings;
        prepared.requests.clear();
        for (const std::vector<Array> &inputs : prepared.fitted.calls) {
            prepared.requests.push_back(op.parse(inputs, settings));
        }
    }
    const Request &request = *prepared.requests.front();
    prepared.field_picture = FieldPicture::in_file(op, operation.settings, request.output_type,
        request.output_shape, kind, prepared.first().array.type());
}

// Chooses the kind of the file: the output's own, or the first input's where it holds the result, or .npy.
void choose_kind(const Operation &operation, const Output &output, Prepared &prepared) {
    parse(operation, output.kind.value_or(prepared.first().kind), prepared);
    const FileKind kind = kind_for(output, prepared.kind, prepared.type(), prepared.shape());
    if (kind != prepared.kind) {
        parse(operation, kind, prepared);
    }
    check_terminal(output, prepared.kind);
}

Prepared prepared_from(const Operation &operation, const std::vector<std::string> &inputs,
    const Output &output, RowsOfFile *opened) {
    Prepared prepared;
    for (const std::string &input : inputs) {
        prepared.pictures.push_back(
            read_picture(input, operation.options.limits, operation.device.value_or(Device{}), opened));
    }
    const Receiver to = receiver_of(*operation.op, operation.settings);
    prepared.fitted = fitted(to, prepared.pictures, operation.options.fit);
    try {
        choose_kind(operation, output, prepared);
    } catch (const Error &error) {
        throw with_files(error, to, prepared.pictures, operation.options.fit);
    }
    return prepared;
}

// Runs the calls, and compares their results if that was asked for.
Array computed(const Operation &operation, const Prepared &prepared, CallReport &report) {
    const Operator &op = *operation.op;
    const Counters before = counters();
    Array result;
    double check_ms = 0;
    report.device = operation.device ?
                        *operation.device :
                        op.choose_device(*prepared.requests.front(), operation.options.schedule);
    const auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < prepared.requests.size(); i++) {
        const Request &request = *prepared.requests[i];
        Array output;
        op.call(request, output,
            {.device = report.device,
                .schedule = operation.options.schedule,
                .statistics = &report.work.statistics,
                .pinned = report.device.backend == Backend::cuda});
        output.sync();
        if (operation.options.check) {
            const auto checking = std::chrono::steady_clock::now();
            report.work.verified = check_result(op, {request.inputs, prepared.settings, ""}, output,
                report.device, report.work.statistics.variant);
            check_ms += ms_since(checking);
        }
        put_result(std::move(output), result, (int64_t)i, (int64_t)prepared.requests.size());
    }
    report.times.compute_ms = ms_since(start) - check_ms;
    report.work.statistics.counters = counters() - before;
    return result;
}

Array for_file(const Operation &operation, const Prepared &prepared, const Array &result) {
    if (prepared.field_picture) {
        return prepared.field_picture->made_of(result);
    }
    const Array &input = prepared.requests.front()->inputs.front();
    return prepared.fitted.has_alpha ? array_for_file(*operation.op, prepared.first(), input, result) :
                                       result;
}

// What the operator and this program changed, where the operator does not say it itself.
std::vector<std::string> conversions_of(const Operation &operation, const Prepared &prepared) {
    std::vector<std::string> words = prepared.fitted.conversions;
    const Request &request = *prepared.requests.front();
    const std::string padding = words_on_padding(
        *operation.op, operation.settings, request.inputs.front().shape(), request.output_shape);
    if (!padding.empty()) {
        words.push_back(padding);
    }
    if (prepared.field_picture) {
        words.push_back(prepared.field_picture->words());
    }
    return words;
}

// A call on arrays of many images, which stay as they are.
class CallOfImages {
public:
    CallOfImages(const Operation &operation, const std::vector<std::string> &inputs, const Output &output)
        : operation_(operation), op_(*operation.op), layout_(operation.options.layout) {
        const FitOptions &fit = operation.options.fit;
        if (fit.grey || fit.crop || fit.channel >= 0) {
            refuse("goes with no part of a picture; leave --grey, --channel or --crop out");
        }
        for (const std::string &input : inputs) {
            Picture picture =
                read_picture(input, operation.options.limits, operation.device.value_or(Device{}));
            if (is_picture(picture.kind)) {
                refuse(fmt::format(
                    "takes arrays of .npy files, and {} is one picture; leave it out", picture.path));
            }
            inputs_.push_back(std::move(picture.array));
        }
        if (output.kind && is_picture(*output.kind)) {
            refuse(
                fmt::format("its results are arrays, which '{}' cannot hold; name a .npy file", output.path));
        }
        settings_ = op_.settings_for("npy", op_.first_images(inputs_, layout_), operation.settings);
        const auto [type, shape] = op_.output_of(inputs_, settings_, layout_);
        kind = kind_for(output, output.kind.value_or(FileKind::npy), type, shape);
        check_terminal(output, kind);
        remarks = op_.remarks(*op_.parse(op_.first_images(inputs_, layout_), settings_));
    }

    FileKind kind = FileKind::npy;
    Remarks remarks;

    Array computed(CallReport &report) const {
        const std::string &schedule = operation_.options.schedule;
        const auto first = op_.parse(op_.first_images(inputs_, layout_), settings_);
        report.device = operation_.device ? *operation_.device : op_.choose_device(*first, schedule);
        const auto start = std::chrono::steady_clock::now();
        Array output;
        op_(inputs_, output, settings_,
            {.device = report.device,
                .schedule = schedule,
                .statistics = &report.work.statistics,
                .layout = layout_});
        output.sync();
        report.times.compute_ms = ms_since(start);
        const ManyImages images(op_, inputs_, layout_);
        for (int64_t i = 0; operation_.options.check && i < images.count(); i++) {
            report.work.verified = check_result(op_, {images.images(inputs_, i), settings_, ""},
                images.image(output, i), report.device, report.work.statistics.variant);
        }
        return output;
    }

private:
    const Operation &operation_;
    const Operator &op_;
    const std::string &layout_;
    std::vector<Array> inputs_;
    Settings settings_;

    [[noreturn]] void refuse(const std::string &why) const {
        throw Error(Fault::usage, why, {.operation = op_.name(), .argument = "layout", .value = layout_});
    }
};

// Bands are computed as a pipeline of one stage, which multiplies colours by alpha itself.
Receiver for_bands(const Operation &operation) {
    Receiver to = receiver_of(*operation.op, operation.settings);
    to.op = nullptr;
    return to;
}

}  // namespace

CallReport run_on_files(
    const Operation &operation, const std::vector<std::string> &inputs, const Output &output) {
    const Pipeline pipeline = Pipeline().then(operation.op->name(), operation.settings);
    const auto check = [&](RowsOfFile *opened, CallReport &report) -> CheckedCall {
        if (!operation.options.layout.empty()) {
            const auto images = std::make_shared<const CallOfImages>(operation, inputs, output);
            report.work.remarks = images->remarks;
            print_warnings(*operation.op, report.work.remarks);
            return {images->kind, {}, [images](CallReport &report) { return images->computed(report); },
                [](const Array &result) { return result; }};
        }
        const auto prepared =
            std::make_shared<const Prepared>(prepared_from(operation, inputs, output, opened));
        report.conversions = conversions_of(operation, *prepared);
        report.work.remarks = operation.op->remarks(*prepared->requests.front());
        print_warnings(*operation.op, report.work.remarks);
        return {prepared->kind, prepared->first().metadata,
            [&operation, prepared](CallReport &report) { return computed(operation, *prepared, report); },
            [&operation, prepared](const Array &result) { return for_file(operation, *prepared, result); }};
    };
    return call_on_files(
        {pipeline, for_bands(operation), operation.device, operation.options}, inputs, output, check);
}

}  // namespace tilewright::app
