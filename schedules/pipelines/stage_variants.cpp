// The list of the variants that schedule stages of pipelines.
#include "schedules/pipelines/stage_variants.h"
#include <algorithm>
#include <sstream>
#include <vector>

namespace tilewright {

namespace {

void add_transpose(std::vector<StageVariant> &variants) {
    variants.push_back({.op = "transpose",
        .where = cpu,
        .table = "pipeline",
        .schedule = "transpose_blocks",
        .elements = "u8 u16 f16 bf16 f32",
        .large = true,
        .serves =
            [](const StageRequest &request) {
                return request.channels == 1 || (request.channels == 3 && request.element == "u8");
            },
        .least_width = "height",
        .least_height = "width"});
    for (const Backends where : {cpu, gpu}) {
        variants.push_back({.op = "transpose",
            .where = where,
            .table = "pipeline",
            .schedule = "transpose_colours",
            .type = "u8",
            .least_channels = 2});
    }
    variants.push_back({.op = "transpose", .where = cpu, .table = "transpose", .schedule = "tuned_any"});
    // The variants that are tuned for bytes read memory as words. Tiles of bytes take any Func.
    variants.push_back({.op = "transpose",
        .where = gpu,
        .table = "transpose",
        .schedule = "tuned_any",
        .type = "u16",
        .values = "width=128,height=128,across=32,down=8,pad=4",
        .elements = "u8"});
    variants.push_back({.op = "transpose", .where = gpu, .table = "transpose", .schedule = "tuned_any"});
}

// The variants of a fixed radius compute both passes in one kernel. For bytes they read and write words of
// four pixels, and so such a stage cannot make the output of the pipeline itself.
void add_blur_windows(std::vector<StageVariant> &variants) {
    for (const int radius : {4, 9, 12, 20, 30, 40}) {
        const StageVariant window{.op = "gaussian_blur",
            .where = gpu,
            .table = "gaussian_blur",
            .schedule = "tuned_window_" + std::to_string(radius),
            .most_channels = 1,
            .large = true,
            .most_radius = radius};
        StageVariant inside = window, floats = window, bytes = window;
        inside.schedule = "tuned_large_" + std::to_string(radius);
        inside.where = cuda;
        inside.least_width = "columns";
        // Its blocks need more shared memory than all older GPUs have.
        inside.serves = [](const StageRequest &request) {
            return !request.zero_border && request.target.get_cuda_capability_lower_bound() >= 80;
        };
        inside.elements = floats.elements = "f32";
        bytes.elements = "u8";
        if (radius == 9 || radius == 20) {  // the same tiles; a stage takes any width and border by each
            bytes.schedule = "tuned_words_" + std::to_string(radius);
        }
        bytes.serves = [](const StageRequest &request) { return request.exact_floats && !request.last; };
        if (radius >= 20) {
            variants.push_back(inside);
        } else if (radius == 4) {
            floats.schedule = "registers_4";
        }
        variants.push_back(floats);
        if (radius != 12 && radius != 40) {
            variants.push_back(bytes);
        }
    }
}

void add_blur(std::vector<StageVariant> &variants) {
    variants.push_back(
        {.op = "gaussian_blur", .where = cpu, .table = "gaussian_blur", .schedule = "tuned_any"});
    add_blur_windows(variants);
    variants.push_back({.op = "gaussian_blur",
        .where = gpu,
        .table = "pipeline",
        .schedule = "blur_columns",
        .elements = "u8 u16 f16 bf16 f32",
        .large = true,
        .unrolled_weights = true});
    variants.push_back({.op = "gaussian_blur",
        .where = gpu,
        .table = "pipeline",
        .schedule = "blur_pixels",
        .unrolled_weights = true});
}

// The variants that are tuned for GPUs read memory as words, so others take their place there.
void add_sums(std::vector<StageVariant> &variants) {
    for (const char *op : {"column_sum", "row_sum"}) {
        // Sums of bytes by rows, which the operator adds by an instruction of its own, are as those of u16.
        const bool of_rows = op == std::string("row_sum");
        const StageVariant wide{.op = op,
            .where = cpu,
            .table = op,
            .schedule = "tuned_wide",
            .elements = of_rows ? "u16 f16 bf16 f32 f64" : "u8 u16 f16 bf16 f32 f64",
            .large = true,
            .least_width = "lanes"};
        variants.push_back(wide);
        if (of_rows) {
            variants.push_back(wide);
            variants.back().type = "u16";
            variants.back().elements = "u8";
        }
        variants.push_back({.op = op, .where = cpu, .table = op, .schedule = "tuned_any"});
    }
    variants.push_back({.op = "column_sum",
        .where = gpu,
        .table = "pipeline",
        .schedule = "bands_over_blocks",
        .type = "u8"});
    variants.push_back({.op = "row_sum",
        .where = gpu,
        .table = "row_sum",
        .schedule = "tree",
        .type = "u8",
        .values = "lanes=256"});
}

// The type of the table of transposes whose elements are as large.
std::string type_of_transpose(const StageRequest &request) {
    return request.channels > 1             ? "rgb8" :
           request.element == "f64"         ? "u64" :
           request.element.ends_with("f16") ? "u16" :
                                              request.element;
}

std::string type_of(const StageVariant &entry, const StageRequest &request) {
    return !entry.type.empty()     ? entry.type :
           entry.op == "transpose" ? type_of_transpose(request) :
                                     request.element;
}

const ScheduleVariant &variant_of(
    const StageVariant &entry, const std::string &type, const std::string &backend) {
    return find_variant(find_table(entry.table), entry.schedule, type, backend);
}

// Every entry names variants that there are: a mistake ends the build of each pipeline, not of a rare one.
void find_all(const std::vector<StageVariant> &variants) {
    for (const StageVariant &entry : variants) {
        std::istringstream words(entry.elements);
        for (std::string element; words >> element;) {
            for (const std::string &backend : backends(entry.where)) {
                variant_of(entry, type_of(entry, {.op = {}, .target = {}, .element = element}), backend);
            }
        }
    }
}

// For each operator the best variants come first.
const std::vector<StageVariant> &stage_variants() {
    static const std::vector<StageVariant> all = [] {
        std::vector<StageVariant> variants;
        const char *inverted = "u8 u16";
        variants.push_back(
            {.op = "invert", .where = cpu, .table = "invert", .schedule = "tuned", .elements = inverted});
        variants.push_back(
            {.op = "invert", .where = gpu, .table = "invert", .schedule = "tuned_any", .elements = inverted});
        add_transpose(variants);
        add_blur(variants);
        add_sums(variants);
        find_all(variants);
        return variants;
    }();
    return all;
}

bool serves(const StageVariant &entry, const StageRequest &request) {
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

ChosenVariant::ChosenVariant(const StageVariant &entry, const StageRequest &request)
    : entry_(entry), target_(request.target) {
    entry_.type = type_of(entry, request);
}

const ScheduleVariant &ChosenVariant::variant() const {
    return variant_of(entry_, entry_.type, backend_of(target_));
}

bool ChosenVariant::has_tunable(const std::string &name) const {
    const std::vector<Tunable> &tunables = variant().tunables;
    return std::any_of(tunables.begin(), tunables.end(), [&](const Tunable &t) { return t.name == name; });
}

ScheduleContext ChosenVariant::context() const {
    std::vector<Halide::OutputImageParam> unused;
    for (int i = 0; i < 3; i++) {
        unused.push_back(Halide::ImageParam(Halide::UInt(8), 4, Halide::Internal::unique_name("nobodys")));
    }
    return {target_, entry_.type, unused, with_values(variant().tunables, entry_.values), {},
        variant().configured, true};
}

ChosenVariant stage_variant(const StageRequest &request) {
    for (const StageVariant &entry : stage_variants()) {
        if (serves(entry, request)) {
            return {entry, request};
        }
    }
    _halide_user_error << "no variant schedules " << request.op << " for " << request.element
                       << " as a stage on " << backend_of(request.target) << "\n";
    return {stage_variants().front(), request};
}

}  // namespace tilewright
