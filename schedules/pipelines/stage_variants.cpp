// The list of the rows that schedule stages of pipelines.
#include "schedules/pipelines/stage_variants.h"
#include <algorithm>
#include <sstream>
#include <vector>

namespace tilewright {

namespace {

void add_transpose(std::vector<StageRow> &rows) {
    rows.push_back({.op = "transpose",
        .where = cpu,
        .table = "pipeline",
        .schedule = "transpose_blocks",
        .large = true,
        .least_width = "height",
        .least_height = "width"});
    rows.push_back({.op = "transpose", .where = cpu, .table = "transpose", .schedule = "tuned_any"});
    rows.push_back({.op = "transpose",
        .where = gpu,
        .table = "pipeline",
        .schedule = "transpose_colours",
        .type = "u8",
        .least_channels = 2});
    // The rows that are tuned for bytes read memory as words. Tiles of bytes take any Func.
    rows.push_back({.op = "transpose",
        .where = gpu,
        .table = "transpose",
        .schedule = "tuned_any",
        .type = "u16",
        .values = "width=128,height=128,across=32,down=8,pad=4",
        .elements = "u8"});
    rows.push_back({.op = "transpose", .where = gpu, .table = "transpose", .schedule = "tuned_any"});
}

// The rows of a fixed radius compute both passes in one kernel. For bytes they read and write words of four
// pixels, and so such a stage cannot make the output of the pipeline itself.
void add_blur_windows(std::vector<StageRow> &rows) {
    for (const int radius : {4, 9, 12, 20, 30, 40}) {
        const StageRow window{.op = "gaussian_blur",
            .where = gpu,
            .table = "gaussian_blur",
            .schedule = "tuned_window_" + std::to_string(radius),
            .most_channels = 1,
            .large = true,
            .most_radius = radius};
        StageRow inside = window, floats = window, bytes = window;
        inside.schedule = "tuned_large_" + std::to_string(radius);
        inside.serves = [](const StageRequest &request) { return !request.zero_border; };
        inside.elements = floats.elements = "f32";
        bytes.elements = "u8";
        bytes.serves = [](const StageRequest &request) { return request.exact_floats && !request.last; };
        if (radius > 4) {
            rows.push_back(inside);
        }
        rows.insert(rows.end(), {floats, bytes});
    }
}

void add_blur(std::vector<StageRow> &rows) {
    rows.push_back({.op = "gaussian_blur", .where = cpu, .table = "gaussian_blur", .schedule = "tuned_any"});
    add_blur_windows(rows);
    rows.push_back({.op = "gaussian_blur",
        .where = gpu,
        .table = "gaussian_blur",
        .schedule = "tuned_near",
        .large = true,
        .unrolled_weights = true});
    rows.push_back({.op = "gaussian_blur",
        .where = gpu,
        .table = "gaussian_blur",
        .schedule = "tuned_any",
        .unrolled_weights = true});
}

// The rows that are tuned for GPUs read memory as words, so others take their place there.
void add_sums(std::vector<StageRow> &rows) {
    for (const char *op : {"column_sum", "row_sum"}) {
        rows.push_back({.op = op,
            .where = cpu,
            .table = op,
            .schedule = "tuned_wide",
            .large = true,
            .least_width = "lanes"});
        rows.push_back({.op = op, .where = cpu, .table = op, .schedule = "tuned_any"});
    }
    rows.push_back({.op = "column_sum",
        .where = gpu,
        .table = "pipeline",
        .schedule = "bands_over_blocks",
        .type = "u8"});
    rows.push_back({.op = "row_sum",
        .where = gpu,
        .table = "row_sum",
        .schedule = "tree",
        .type = "u8",
        .values = "lanes=256"});
}

// For each operator the best rows come first.
const std::vector<StageRow> &stage_rows() {
    static const std::vector<StageRow> all = [] {
        std::vector<StageRow> rows;
        rows.push_back({.op = "invert", .where = cpu, .table = "invert", .schedule = "tuned"});
        rows.push_back({.op = "invert", .where = gpu, .table = "invert", .schedule = "tuned_any"});
        add_transpose(rows);
        add_blur(rows);
        add_sums(rows);
        return rows;
    }();
    return all;
}

bool serves(const StageRow &entry, const StageRequest &request) {
    const std::vector<std::string> places = backends(entry.where);
    std::istringstream words(entry.elements);
    bool takes_element = false;
    for (std::string element; words >> element;) {
        takes_element = takes_element || element == request.element;
    }
    return entry.op == request.op &&
           std::find(places.begin(), places.end(), backend_of(request.target)) != places.end() &&
           takes_element && request.channels >= entry.least_channels &&
           request.channels <= entry.most_channels && (request.large || !entry.large) &&
           request.radius <= entry.most_radius && (!entry.serves || entry.serves(request));
}

}  // namespace

std::string backend_of(const Halide::Target &target) {
    return target.has_feature(Halide::Target::CUDA)   ? "cuda" :
           target.has_feature(Halide::Target::OpenCL) ? "opencl" :
                                                        "cpu";
}

ChosenRow::ChosenRow(const StageRow &entry, const StageRequest &request)
    : entry_(entry), target_(request.target) {
    if (entry_.type.empty()) {
        entry_.type = request.channels > 1 && entry_.op == "transpose" ? "rgb8" : request.element;
    }
}

const ScheduleRow &ChosenRow::row() const {
    return find_row(find_table(entry_.table), entry_.schedule, entry_.type, backend_of(target_));
}

bool ChosenRow::has_tunable(const std::string &name) const {
    const std::vector<Tunable> &tunables = row().tunables;
    return std::any_of(tunables.begin(), tunables.end(), [&](const Tunable &t) { return t.name == name; });
}

ScheduleContext ChosenRow::context() const {
    std::vector<Halide::OutputImageParam> unused;
    for (int i = 0; i < 3; i++) {
        unused.push_back(Halide::ImageParam(Halide::UInt(8), 4, Halide::Internal::unique_name("nobodys")));
    }
    return {
        target_, entry_.type, unused, with_values(row().tunables, entry_.values), {}, row().configured, true};
}

ChosenRow stage_row(const StageRequest &request) {
    for (const StageRow &entry : stage_rows()) {
        if (serves(entry, request)) {
            return {entry, request};
        }
    }
    _halide_user_error << "no row schedules " << request.op << " for " << request.element << " as a stage on "
                       << backend_of(request.target) << "\n";
    return {stage_rows().front(), request};
}

}  // namespace tilewright
