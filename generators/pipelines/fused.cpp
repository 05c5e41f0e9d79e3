// Fused pipelines: stages are computed tile by tile where they are consumed.
#include "generators/algorithms/element_type.h"
#include "generators/algorithms/sums/sum_types.h"
#include "generators/pipelines/pipeline.h"
#include "generators/pipelines/stages/constant_blur.h"

namespace tilewright {

using AccessPattern = Stage::AccessPattern;

// Stages first ... end - 1, which one kernel computes, tile by tile.
struct Stages::Segment {
    size_t first, end;
    // at most one, as the tiles of a second one would need the image before it whole
    const WindowStage *window = nullptr;
    const SumStage *sum = nullptr;  // the last stage, if it is a sum
    bool transposed = false;        // rows of the result are columns of the tile
};

// The tile that a segment reads, and the function that schedules it at a level; undefined: the segment reads
// the image itself.
struct Stages::Tile {
    Func func;
    std::function<void(LoopLevel)> schedule;
};

namespace {

// A tile of the image as it is. Tiles extend beyond the border, where they repeat the nearest element.
Func clamped(const Flow &flow) {
    const Var x{"x"}, y{"y"};
    Func tile{"tile"};
    const Expr last_x = flow.width * flow.shape.channels - 1, last_y = flow.height - 1;
    tile(x, y) = flow.rows(clamp(x, 0, last_x), clamp(y, 0, last_y));
    return tile;
}

}  // namespace

Flow Stages::compose_fused(Flow flow, const StageTarget &target) {
    const auto by = fused_schedule(target.target);
    for (size_t first = 0; first < stages_.size();) {
        const Segment segment = segment_from(first);
        compose_segment(flow, segment, target.large, by);
        first = segment.end;
    }
    return flow;
}

// As many stages as fit one kernel: up to the next window.
Stages::Segment Stages::segment_from(size_t first) const {
    Segment segment{first, first};
    for (; segment.end < stages_.size(); segment.end++) {
        const Stage *stage = stages_[segment.end].get();
        const auto *window = dynamic_cast<const WindowStage *>(stage);
        if (window && segment.window) {
            break;
        }
        if (window) {
            segment.window = window;
            segment.transposed = false;  // only transposes behind the tile count
        }
        segment.transposed = segment.transposed != (stage->access() == AccessPattern::transpose);
    }
    segment.sum = dynamic_cast<const SumStage *>(stages_[segment.end - 1].get());
    return segment;
}

Stages::Tile Stages::blur_tile(
    Flow &flow, const WindowStage &stage, bool large, const std::shared_ptr<const FusedSchedule> &by) const {
    const auto tile_of = [&](auto blur) {
        return Tile{blur.form->out, [form = blur.form, by](LoopLevel level) { by->blur_tile(*form, level); }};
    };
    if (large && by->reflects_once()) {
        return tile_of(ConstantBlur<GaussianBlurNear>(flow, stage, by->weights_in_table()));
    }
    return tile_of(ConstantBlur<GaussianBlur>(flow, stage, by->weights_in_table()));
}

void Stages::compose_segment(
    Flow &flow, const Segment &segment, bool large, const std::shared_ptr<const FusedSchedule> &by) {
    Tile tile;
    if (!segment.window && (segment.transposed || segment.sum)) {
        const Func image = clamped(flow);
        tile = {image, [image, by](LoopLevel level) { by->image_tile(image, level); }};
        flow.rows = flow.elements = image;
    }
    for (size_t i = segment.first; i < segment.end; i++) {
        const Stage *stage = stages_[i].get();
        if (stage == segment.window) {
            tile = blur_tile(flow, *segment.window, large, by);
            flow.rows = flow.elements = tile.func;
        } else if (stage != segment.sum) {
            flow = stage->define(flow);
        }
    }
    if (segment.sum) {
        compose_sums(flow, segment, tile, by);
    } else {
        compose_image(flow, segment, tile, by);
    }
}

void Stages::compose_sums(
    Flow &flow, const Segment &segment, const Tile &tile, const std::shared_ptr<const FusedSchedule> &by) {
    const bool of_columns = segment.sum->of_columns(),
               along_rows = of_columns == segment.transposed;  // of the tile
    const Shape shape = segment.sum->check(flow.shape);
    const Func rows = segment.sum->numbers(flow);
    const auto value = [&](Expr line, Expr at) { return of_columns ? rows(line, at) : rows(at, line); };
    auto form =
        std::make_shared<BandSum>(value, of_columns ? flow.height : flow.width, by->in_band(along_rows),
            by->partial_sums(), sum_type(flow.shape.element), element_type(shape.element));
    flow = Flow(shape, form->out, flow.width, flow.height);
    schedules_.push_back([form, tile, by, along_rows](bool is_output) {
        if (!is_output) {
            form->out.compute_root();
        }
        tile.schedule(by->sums(*form, along_rows));
    });
}

void Stages::compose_image(
    Flow &flow, const Segment &segment, const Tile &tile, const std::shared_ptr<const FusedSchedule> &by) {
    if (tile.schedule && flow.elements.name() == tile.func.name()) {
        // A Func cannot be computed inside its own loops, so the result of the kernel is another one.
        const Var x{"x"}, y{"y"};
        Func blurred{"blurred"};
        blurred(x, y) = tile.func(x, y);
        flow.rows = flow.elements = blurred;
    }
    schedules_.push_back([out = flow.elements, tile, by, transposed = segment.transposed](bool is_output) {
        if (!is_output) {
            Func(out).compute_root();
        }
        const LoopLevel level = by->image(out, transposed, is_output);
        if (tile.schedule) {
            tile.schedule(level);
            if (transposed) {
                by->transposed_tile(tile.func, level);
            }
        }
    });
}

}  // namespace tilewright
