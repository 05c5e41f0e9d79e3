#include "apps/tilewright/calls/bands.h"
#include "apps/tilewright/pictures/picture.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/terminal/progress.h"
#include "runtime/arrays/copy.h"
#include "runtime/dispatch/steps/views.h"
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <unistd.h>
#include <utility>

namespace tilewright::app {

namespace {

double bytes_of(Type type, const std::vector<int64_t> &shape) {
    double bytes = (double)size_of(type);
    for (const int64_t extent : shape) {
        bytes *= (double)extent;
    }
    return bytes;
}

std::vector<int64_t> with_rows(std::vector<int64_t> shape, int64_t rows) {
    shape[0] = rows;
    return shape;
}

int64_t bytes_of_memory(const std::string &word) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const std::string unit(end, word.data() + word.size());
    const int shift = unit.empty()               ? 0 :
                      unit == "K" || unit == "k" ? 10 :
                      unit == "M"                ? 20 :
                      unit == "G"                ? 30 :
                                                   -1;
    if (error != std::errc() || shift < 0 || number < 1 ||
        number > std::numeric_limits<int64_t>::max() >> shift) {
        throw Error(
            Fault::usage, "takes a number of bytes, as 200M or 2G", {.argument = "--memory", .value = word});
    }
    return number << shift;
}

// The rows of a file as the operator takes them: grey values, one channel, another type.
class FittedRows final : public RowSource {
public:
    // `index`: which of the calls gets them.
    FittedRows(RowsOfFile &file, const FileCall &call, size_t index)
        : file_(file), call_(call), index_(index) {
        const Fitted row = fitted_of(Array(file.type(), with_rows(file.shape(), 1)));
        calls_ = row.calls.size();
        has_alpha_ = row.has_alpha;
        conversions_ = row.conversions;
        type_ = row.calls[index].front().type();
        shape_ = with_rows(row.calls[index].front().shape(), file.shape()[0]);
    }

    Type type() const override {
        return type_;
    }
    std::vector<int64_t> shape() const override {
        return shape_;
    }
    void read(Array &rows) override {
        if (conversions_.empty() && shape_ == file_.shape()) {
            file_.read(rows);
            return;
        }
        Array stored = Array::uninitialized(file_.type(), with_rows(file_.shape(), rows.shape()[0]));
        file_.read(stored);
        copy(fitted_of(std::move(stored)).calls[index_].front(), rows);
    }

    size_t calls() const {
        return calls_;
    }
    bool has_alpha() const {
        return has_alpha_;
    }
    const std::vector<std::string> &conversions() const {
        return conversions_;
    }

private:
    Fitted fitted_of(Array rows) const {
        return fitted(call_.to,
            {{.path = "the image",
                .kind = file_.about().kind,
                .array = std::move(rows),
                .metadata = {},
                .has_alpha = file_.about().has_alpha}},
            call_.options.fit);
    }

    RowsOfFile &file_;
    const FileCall &call_;
    const size_t index_;
    size_t calls_ = 1;
    bool has_alpha_ = false;
    std::vector<std::string> conversions_;
    Type type_ = Type::u8;
    std::vector<int64_t> shape_;
};

// Keeps a vector of sums.
class ArraySink final : public RowSink {
public:
    void begin(Type type, const std::vector<int64_t> &shape) override {
        array = Array(type, shape, 0);
    }
    void write(const Array &part) override {
        std::memcpy(static_cast<std::byte *>(array.data()) + done_, part.data(),
            (size_t)part.size() * size_of(part.type()));
        done_ += (size_t)part.size() * size_of(part.type());
    }
    void finish() override {}

    Array array;

private:
    size_t done_ = 0;
};

// A larger image is taken in bands without being asked: a quarter of the memory, and no more than a library
// addresses.
int64_t largest_whole() {
    return std::min((int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGE_SIZE) / 4, most_bytes);
}

// The most memory for the image.
int64_t memory_of(const FileCall &call) {
    return call.options.memory > 0 ? call.options.memory : largest_whole();
}

// With bands the number of pixels bounds no memory. The user's own limit stays.
FileLimits without_pixels(FileLimits limits) {
    if (limits.png.pixels == PngLimits().pixels) {
        limits.png.pixels = std::numeric_limits<int64_t>::max();
    }
    return limits;
}

// Standard input has one place to read on from, whatever it is.
bool can_be_read_again(const std::string &path) {
    std::error_code unknown;
    return path != "/dev/stdin" && std::filesystem::is_regular_file(path, unknown);
}

// Whether a file of few bytes may hold so large an image: deflate makes at most 1032 bytes of one.
bool may_be_large(const std::string &path) {
    std::error_code unknown;
    const uintmax_t bytes = std::filesystem::file_size(path, unknown);
    return !unknown && std::filesystem::is_regular_file(path, unknown) &&
           bytes > (uintmax_t)PngLimits().pixels / 1100;
}

// Whether the image is too large to be taken as a whole without being asked.
bool is_large(const RowsOfFile &rows) {
    const std::vector<int64_t> shape = rows.shape();
    const bool has_many_pixels = is_picture(rows.about().kind) && shape[0] > PngLimits().pixels / shape[1];
    return rows.about().orientation == 1 &&
           (has_many_pixels || bytes_of(rows.type(), shape) > (double)largest_whole());
}

// The file, if its image may be so large.
std::unique_ptr<RowsOfFile> large_file(const FileCall &call, const std::string &path) {
    if (call.options.check || !may_be_large(path)) {
        return nullptr;
    }
    try {
        return rows_of_file(path, without_pixels(call.options.limits), largest_whole());
    } catch (const Error &) {
        return nullptr;  // the reader of whole files says it
    }
}

// The same, for a call on the whole image. An array over the limit is refused where it is opened again.
std::unique_ptr<RowsOfFile> as_whole(std::unique_ptr<RowsOfFile> file, const FileCall &call) {
    const bool is_within =
        file && (is_picture(file->about().kind) ||
                    bytes_of(file->type(), file->shape()) <= (double)call.options.limits.npy.bytes);
    return is_within ? std::move(file) : nullptr;
}

[[noreturn]] void refuse(const FileCall &call, const std::string &why) {
    throw Error(Fault::usage, why, {.operation = call.to.name, .argument = "--memory"});
}

BandOptions options_of(const FileCall &call, const FittedRows &rows, FileKind kind, const Output &output,
    Progress &progress, size_t index) {
    const double bytes = bytes_of(rows.type(), rows.shape());
    const auto start = std::chrono::steady_clock::now();
    const auto show = [&progress, bytes, start, index, count = rows.calls()](double done) {
        const double rate = bytes * done / (ms_since(start) / 1e3);
        progress.show(
            (size_t)(100 * ((double)index + done) / (double)count), fmt::format("%, {}/s", app::bytes(rate)));
        return true;
    };
    const std::filesystem::path folder = std::filesystem::path(output.path).parent_path();
    return {.memory = memory_of(call),
        .call = {.device = call.device,
            .schedule = call.options.schedule,
            .alpha = rows.has_alpha(),
            .kind_of_file = word_for_settings(kind),
            .progress = show},
        .scratch = output.is_standard() ? "" :
                   folder.empty()       ? "." :
                                          folder.string()};
}

void add_statistics(const FileCall &call, const std::vector<Statistics> &statistics, CallReport &report) {
    for (size_t i = 0; i < statistics.size() && call.is_pipeline; i++) {
        report.stages.push_back({.statistics = statistics[i], .remarks = {}, .verified = {}});
    }
    if (!statistics.empty() && !call.is_pipeline) {
        report.work.statistics = statistics.front();
    }
}

std::unique_ptr<RowsOfFile> open_rows(const FileCall &call, const std::string &path) {
    return rows_of_file(path_of_input(path), without_pixels(call.options.limits), memory_of(call));
}

// What a file says of its pixels, as it is true of the pipeline's result: an operator that makes columns of
// rows exchanges x and y of the density too.
PngMetadata metadata_of_result(PngMetadata metadata, const Pipeline &pipeline) {
    for (const Pipeline::Stage &stage : pipeline.stages()) {
        if (stage.op->bands() == Bands::columns && metadata.density) {
            std::swap(metadata.density->x, metadata.density->y);
        }
    }
    return metadata;
}

// The files of a call.
struct Ends {
    const std::vector<std::string> &inputs;
    const Output &output;
    std::string written;
    FileKind kind;
};

// Several calls, one per channel, read the file again.
CallReport run(const FileCall &call, const Ends &ends, std::unique_ptr<RowsOfFile> file, bool makes_vector) {
    CallReport report;
    report.inputs = ends.inputs;
    std::optional<FittedRows> rows(std::in_place, *file, call, 0);
    report.conversions = rows->conversions();
    report.output = ends.output.is_standard() ? "-" : ends.written;
    const PngMetadata metadata = metadata_of_result(file->about().metadata, call.pipeline);
    const Counters before = counters();
    const auto start = std::chrono::steady_clock::now();
    Progress progress(call.to.name, 100);
    Array sums;
    std::vector<Statistics> statistics;
    BandsDone done;
    const auto count = rows->calls();
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            rows.reset();
            file = open_rows(call, ends.inputs.front());
            rows.emplace(*file, call, i);
        }
        BandOptions options = options_of(call, *rows, ends.kind, ends.output, progress, i);
        options.call.statistics = &statistics;
        if (makes_vector) {
            ArraySink sink;
            done = process(*rows, sink, call.pipeline, options);
            put_result(std::move(sink.array), sums, (int64_t)i, (int64_t)count);
        } else {
            done = process(*rows, *rows_to_file(ends.written, ends.kind, metadata, ends.output.compression),
                call.pipeline, options);
        }
    }
    if (makes_vector) {
        write_array(ends.written, ends.kind, sums, metadata, ends.output.compression);
    }
    report.device = done.device;
    add_statistics(call, statistics, report);
    report.work.statistics.counters = counters() - before;
    report.work.remarks.facts.emplace_back("bands",
        fmt::format("{}, of {} rows; reading and writing are part of compute", done.bands, done.rows));
    report.times.compute_ms = ms_since(start);
    return report;
}

// What became of a call.
struct BandedRun {
    std::optional<CallReport> report;    // nothing: it is a call on the whole image, which has to be made
    std::unique_ptr<RowsOfFile> opened;  // then: the input, where it was opened to look at its shape
};

BandedRun run_by_bands(const FileCall &call, const std::vector<std::string> &inputs, const Output &output) {
    const std::string path = path_of_input(inputs.front());
    if (!call.options.layout.empty() && call.options.memory > 0) {
        refuse(call, "bands are of one image; leave it out with --layout");
    }
    if (!call.options.layout.empty() || (call.options.memory == 0 && inputs.size() != 1)) {
        return {};
    }
    std::unique_ptr<RowsOfFile> file =
        call.options.memory > 0 && inputs.size() == 1 ? open_rows(call, path) : large_file(call, path);
    if (call.options.memory > 0 && (call.options.check || inputs.size() != 1)) {
        refuse(call, call.options.check ? "--check compares whole images; leave one of the two out" :
                                          "a call with several files takes them as a whole; leave it out");
    }
    if (!file || (call.options.memory == 0 && !is_large(*file))) {
        return {{}, as_whole(std::move(file), call)};
    }
    std::optional<FittedRows> rows(std::in_place, *file, call, 0);
    const BandsNeeded needed =
        bands_needed(rows->type(), rows->shape(), call.pipeline, {.alpha = rows->has_alpha()});
    // Each channel reads the file again.
    const bool is_read_once = rows->calls() > 1 && !can_be_read_again(path);
    const double whole_memory =
        needed.whole_memory + (rows->calls() > 1 ? bytes_of(file->type(), file->shape()) : 0);
    const std::string why_not = file->about().orientation != 1 ? "it is turned upright first" :
                                call.options.fit.crop          ? "--crop is of the whole image" :
                                is_read_once ? "a pipe and standard input are read once for all channels" :
                                               needed.why_not;
    if (!why_not.empty()) {
        if (call.options.memory == 0 || whole_memory <= (double)call.options.memory) {
            return {{}, as_whole(std::move(file), call)};
        }
        refuse(call, fmt::format("{}, which takes {}; leave the limit out, or raise it", why_not,
                         bytes(whole_memory)));
    }
    if (const std::string refused = needed.why_not_within(memory_of(call)); !refused.empty()) {
        refuse(call, refused);
    }
    const FileKind kind = kind_for(output, output.kind.value_or(file->about().kind), needed.type,
        shape_of_results(needed.shape, rows->calls()));
    check_terminal(output, kind);
    return {
        run(call, {inputs, output, path_for(output, kind), kind}, std::move(file), needed.shape.size() == 1),
        nullptr};
}

}  // namespace

void add_memory(Command &command, int64_t &memory) {
    command
        .add(
            "--memory", [&memory](const std::string &word) { memory = bytes_of_memory(word); },
            "The most memory for the image, as 200M or 2G: it is read, computed and written in bands of "
            "rows. Without it so are images that are larger than a quarter of the memory, or than 2047 MiB")
        .value_name("BYTES");
}

CallReport call_on_files(const FileCall &call, const std::vector<std::string> &inputs, const Output &output,
    const std::function<CheckedCall(RowsOfFile *opened, CallReport &report)> &check) {
    BandedRun banded = run_by_bands(call, inputs, output);
    if (banded.report) {
        return std::move(*banded.report);
    }
    CallReport report;
    report.inputs = inputs;
    const auto start = std::chrono::steady_clock::now();
    const CheckedCall checked = check(banded.opened.get(), report);
    report.times.read_ms = ms_since(start);
    const std::string path = path_for(output, checked.kind);
    const Array result = checked.compute(report);
    const auto writing = std::chrono::steady_clock::now();
    report.output = output.is_standard() ? "-" : path;
    write_array(path, checked.kind, checked.for_file(result),
        metadata_of_result(checked.metadata, call.pipeline), output.compression);
    report.times.write_ms = ms_since(writing);
    return report;
}

}  // namespace tilewright::app
