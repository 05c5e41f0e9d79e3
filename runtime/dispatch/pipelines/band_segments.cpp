#include "runtime/dispatch/pipelines/band_segments.h"
#include "runtime/dispatch/parts.h"
#include "tilewright/error.h"
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace tilewright {

namespace {

using Shape = std::vector<int64_t>;

double row_bytes(Type type, const Shape &shape) {
    return (double)pitch_in_bytes(type, shape);
}

// Type and shape of what a stage makes of a whole image.
std::unique_ptr<const Request> request_of(const PipelineStage &stage, Type type, const Shape &shape) {
    const Array image = without_memory(type, shape);
    return stage.op->parse({&image, 1}, stage.settings);
}

Pipeline with_stage(const Pipeline &pipeline, const PipelineStage &stage, Settings settings) {
    if (!stage.schedule.empty()) {
        settings.set("schedule", stage.schedule);
    }
    return pipeline.then(stage.op->name(), settings);
}

bool is_of_one_image(const PipelineStage &stage, const BandSegment &segment) {
    return stage.from_call == 0 && stage.arrays.empty() && segment.result_shape.size() != 1;
}

// Adds a stage to the segment, and says why it cannot be there.
std::string add_stage(BandSegment &segment, const PipelineStage &stage) {
    const Operator &op = *stage.op;
    const std::unique_ptr<const Request> request =
        request_of(stage, segment.result_type, segment.result_shape);
    segment.bands = op.bands();
    if (op.bands() == Bands::halo) {
        const std::optional<int64_t> halo = op.halo(stage.settings);
        if (!halo || request->output_shape != segment.shape) {
            return op.name() + " needs the whole image for each of its pixels";
        }
        segment.halo += *halo;
        segment.local = with_stage(segment.local, stage, stage.settings);
    } else {
        Settings settings = stage.settings;
        const bool is_integer = segment.result_type == Type::u8 || segment.result_type == Type::u16;
        if (op.bands() == Bands::sums && is_integer) {
            settings.set("output-type", name_of(Type::u64));  // which the sums of all bands are added in
        }
        segment.last = with_stage(segment.last, stage, settings);
    }
    segment.result_type = request->output_type;
    segment.result_shape = request->output_shape;
    return "";
}

// The same, behind a segment of such bands.
std::string why_not_behind(Bands before, BandSegment &segment, const PipelineStage &stage) {
    const std::string &name = stage.op->name();
    return segment.result_shape.size() == 1               ? name + " gets a vector" :
           !is_of_one_image(stage, segment)               ? name + " takes more than one array" :
           before == Bands::rows || before == Bands::sums ? name + " gets sums of the whole image" :
                                                            add_stage(segment, stage);
}

// Of transposed bands a row has n pixels, of whole 64 bytes.
int64_t least_rows(const BandSegment &segment) {
    const int64_t wanted = segment.bands == Bands::columns ? 64 : 1;
    return std::min(wanted, segment.shape[0]);
}

// The bytes for bands of n rows, and for three results that are computed, wait and are written. Stages keep
// what is between them, with colours times alpha of twice the size. On a GPU the host and the device take no
// more than these each.
double memory_of(const BandSegment &segment, int64_t n, const BandsAtATime &at_a_time) {
    // Each channel is summed by itself, from a copy of it.
    const bool sums_colours =
        segment.shape.size() == 3 && (segment.bands == Bands::rows || segment.bands == Bands::sums);
    const double in = row_bytes(segment.type, segment.shape) *
                      (double)std::min(segment.shape[0], n + 2 * segment.halo),
                 own = (segment.local.stages().empty() ? 0 : in * (segment.has_alpha ? 6 : 3)) +
                       (sums_colours ? in : 0),
                 row = segment.bands == Bands::halo ? row_bytes(segment.result_type, segment.result_shape) :
                       segment.bands == Bands::columns ? row_bytes(segment.type, segment.shape) :
                       sums_colours                    ? row_bytes(Type::u64, segment.result_shape) :
                                                         8.;
    const double sums = segment.bands == Bands::sums ?
                            32. * (double)(segment.shape[1] * (sums_colours ? segment.shape[2] : 1)) :
                            0;
    return at_a_time.read * in + at_a_time.computed * own + 3 * row * (double)n + sums +
           row_bytes(segment.type, segment.shape) * 2. * (double)segment.halo;
}

}  // namespace

BandSegments segments_of(Type type, const Shape &shape, const Pipeline &pipeline, bool has_alpha) {
    if (shape.size() != 2 && shape.size() != 3) {
        throw Error(Fault::input, "takes one image, (h, w) or (h, w, c); give it each image by itself",
            {.operation = "process",
                .argument = "shape",
                .value = fmt::format("({})", fmt::join(shape, ", "))});
    }
    BandSegments segments;
    const auto begin = [&](Type from_type, const Shape &from_shape) {
        segments.all.push_back({.has_alpha = has_alpha,
            .type = from_type,
            .result_type = from_type,
            .shape = from_shape,
            .result_shape = from_shape});
    };
    const auto add_bytes = [&] {
        const BandSegment &last = segments.all.back();
        segments.bytes += row_bytes(last.result_type, last.result_shape) * (double)last.result_shape[0];
    };
    begin(type, shape);
    add_bytes();
    const auto &stages = pipeline.stages();
    auto stage = stages.begin();
    int mixing = 0;
    for (; stage != stages.end(); stage++) {
        const Bands before = segments.all.back().bands;
        if (before != Bands::halo) {
            begin(segments.all.back().result_type, segments.all.back().result_shape);
        }
        BandSegment &segment = segments.all.back();
        const bool is_first = segment.local.stages().empty();
        segments.why_not = why_not_behind(before, segment, *stage);
        if (!segments.why_not.empty()) {
            break;
        }
        mixing += is_first && !segment.local.stages().empty() ? 1 : 0;
        add_bytes();
    }
    // Stages from one that takes no bands on get the whole image: only what they make of it counts.
    for (; stage != stages.end(); stage++) {
        BandSegment &segment = segments.all.back();
        if (!is_of_one_image(*stage, segment)) {
            return segments;
        }
        const auto request = request_of(*stage, segment.result_type, segment.result_shape);
        segment.result_type = request->output_type;
        segment.result_shape = request->output_shape;
        add_bytes();
    }
    if (has_alpha && mixing > 1) {
        segments.why_not = "its stages before and after a transpose keep colours multiplied by alpha";
    }
    return segments;
}

double least_memory(const BandSegment &segment, const BandsAtATime &at_a_time) {
    return memory_of(segment, least_rows(segment), at_a_time);
}

double least_memory(const BandSegments &segments) {
    double least = 0;
    for (const BandSegment &segment : segments.all) {
        least = std::max(least, least_memory(segment));
    }
    return least;
}

int64_t rows_of_band(const BandSegment &segment, double memory, const BandsAtATime &at_a_time) {
    const int64_t h = segment.shape[0], least = least_rows(segment);
    const auto enough = (int64_t)(at_a_time.worth / row_bytes(segment.type, segment.shape));
    int64_t low = least, high = std::clamp(std::max(enough, 8 * segment.halo), least, h);
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (memory_of(segment, middle, at_a_time) <= memory) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

Array band_without_elements(const BandSegment &segment, int64_t rows) {
    Shape shape = segment.shape;
    shape[0] = rows;
    return without_memory(segment.type, shape);
}

}  // namespace tilewright
