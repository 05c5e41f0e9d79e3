#include "generators/pipelines/pipeline.h"
#include "generators/pipelines/blur_of_flow.h"
#include "generators/row_generator.h"
#include "schedules/pipeline.h"
#include <algorithm>
#include <sstream>

namespace tilewright {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::LoopLevel;
using Halide::Var;

namespace {

std::string trimmed(const std::string &text) {
    const size_t first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

[[noreturn]] void refuse(size_t stage, const std::string &text, const std::string &why) {
    throw PipelineError("stage " + std::to_string(stage) + " '" + text + "': " + why);
}

std::unique_ptr<Stage> stage_of(size_t number, const std::string &text) {
    std::istringstream words(text);
    std::string op;
    words >> op;
    if (op.empty()) {
        refuse(number, text, "there is nothing; write an operator and its options (\"gaussian_blur sigma=2\") between bars");
    }
    StageSettings settings;
    for (std::string word; words >> word;) {
        const size_t equals = word.find_first_of("=:");
        if (equals == std::string::npos || equals == 0) {
            refuse(number, text, "'" + word + "' is no setting; write name=value");
        }
        if (!settings.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
            refuse(number, text, "'" + word.substr(0, equals) + "' is set twice");
        }
    }
    try {
        auto stage = make_stage(op, settings);
        stage->text = text;
        return stage;
    } catch (const StageRefusal &why) {
        refuse(number, text, why.what());
    }
}

}  // namespace

Shape shape_of_type(const std::string &type) {
    for (const char *element : {"u8", "u16", "f32"}) {
        if (type == element) {
            return {type};
        }
    }
    if (type == "rgb8") {
        return {"u8", 3};
    }
    throw PipelineError("a pipeline takes no images of type '" + type + "'; it takes u8, u16, f32 or rgb8");
}

Stages::Stages(const std::string &text, const std::string &type, Schedule schedule) : text_(trimmed(text)), schedule_(schedule), shapes_{shape_of_type(type)} {
    bool more = true;
    for (size_t from = 0; more;) {
        const size_t bar = text.find('|', from);
        more = bar != std::string::npos;
        const std::string words = trimmed(text.substr(from, bar - from));
        stages_.push_back(stage_of(stages_.size() + 1, words));
        from = bar + 1;
    }
    for (size_t i = 0; i < stages_.size(); i++) {
        try {
            shapes_.push_back(stages_[i]->check(shapes_.back()));
        } catch (const StageRefusal &why) {
            refuse(i + 1, stages_[i]->text, why.what());
        }
        const auto *window = dynamic_cast<const WindowStage *>(stages_[i].get());
        if (schedule == Schedule::fused && window && window->radius() * shapes_[i].channels > 80) {
            refuse(i + 1, stages_[i]->text, "its window is too large for tiles; fused takes sigma up to 20, a third of it for three channels. Use staged");
        }
        if (schedule == Schedule::fused && stages_[i]->nature() == Stage::Nature::turn && shapes_[i].channels > 1) {
            refuse(i + 1, stages_[i]->text, "fused transposes images of one channel, and gets a " + shapes_[i].str() + ". Use staged");
        }
    }
}

Stages::~Stages() = default;

bool Stages::turned() const {
    bool turned = false;
    for (const auto &stage : stages_) {
        turned = turned != (stage->nature() == Stage::Nature::turn);
        if (const auto *sum = dynamic_cast<const SumStage *>(stage.get())) {
            turned = turned != !sum->of_columns();
        }
    }
    return turned;
}

int Stages::dimensions() const {
    return output().vector ? 1 : output().channels > 1 && stages_.back()->nature() == Stage::Nature::turn ? 3 : 2;
}

Sizes Stages::sizes(const Place &place) const {
    Sizes all;
    bool turned = false;
    for (size_t i = 0; i < stages_.size(); i++) {
        Sizes sizes = stages_[i]->sizes(shapes_[i], place);
        if (const auto *window = dynamic_cast<const WindowStage *>(stages_[i].get()); schedule_ == Schedule::fused) {
            sizes = window && place.on_gpu() ? Sizes{window->radius() + 1, window->radius() + 1} : Sizes{};
        }
        if (turned) {
            std::swap(sizes.least_width, sizes.least_height);
            std::swap(sizes.most_width, sizes.most_height);
        }
        all = {std::max(all.least_width, sizes.least_width), std::max(all.least_height, sizes.least_height),
               std::min(all.most_width, sizes.most_width), std::min(all.most_height, sizes.most_height)};
        turned = turned != (stages_[i]->nature() == Stage::Nature::turn);
    }
    return all;
}

Flow Stages::compose(Func rows, Expr width, Expr height, const Halide::Target &target, bool large) {
    schedules_.clear();
    const Flow flow(input(), rows, std::move(width), std::move(height));
    const Place place{target, large, false};
    return schedule_ == Schedule::staged ? compose_staged(flow, place) : compose_fused(flow, place);
}

Flow Stages::compose_staged(Flow flow, const Place &place) {
    for (const auto &stage : stages_) {
        Stage::Made made = stage->make(flow, {place.target, place.large, stage == stages_.back()});
        flow = made.flow;
        schedules_.push_back([out = flow.made, schedule = made.schedule](bool is_output) {
            if (!is_output) {
                Func(out).compute_root();
            }
            schedule();
        });
    }
    return flow;
}

Flow Stages::compose_fused(Flow flow, const Place &place) {
    for (size_t i = 0; i < stages_.size();) {
        i = compose_segment(flow, i, place);
    }
    return flow;
}

// Composes and schedules as many stages as go into one tile: up to the next window, whose tiles need the image before it whole. Gives
// the first stage that is left.
size_t Stages::compose_segment(Flow &flow, size_t first, const Place &place) {
    using Nature = Stage::Nature;
    size_t end = first, window = stages_.size();
    for (; end < stages_.size() && !(window < stages_.size() && stages_[end]->nature() == Nature::window); end++) {
        window = stages_[end]->nature() == Nature::window ? end : window;
    }
    const bool has_window = window < stages_.size(), has_sum = stages_[end - 1]->nature() == Nature::sum;
    bool turned = false;
    for (size_t i = has_window ? window + 1 : first; i < end; i++) {
        turned = turned != (stages_[i]->nature() == Nature::turn);
    }

    // What tiles are made of: a blur, or the image before it as it is.
    Func tile;
    std::function<void(LoopLevel)> make_tile;
    const bool gpu = place.on_gpu();
    if (!has_window && (turned || has_sum)) {
        const Var x{"x"}, y{"y"};
        tile = Func("tile");
        const Expr last_x = flow.width * flow.shape.channels - 1, last_y = flow.height - 1;
        tile(x, y) = flow.rows(clamp(x, 0, last_x), clamp(y, 0, last_y));  // tiles reach over the border
        flow.rows = flow.made = tile;
        make_tile = [=](LoopLevel level) { gpu ? copy_on_gpu(tile, level) : copy_on_cpu(tile, level, place.target); };
    }
    const SumStage *sum = nullptr;
    for (size_t i = first; i < end; i++) {
        const Stage &stage = *stages_[i];
        if (i == window) {
            const auto &blur = static_cast<const WindowStage &>(stage);
            auto take = [&](auto made, auto schedule) {
                tile = made.form->out;
                make_tile = [form = made.form, schedule](LoopLevel level) { schedule(*form, level); };
            };
            const auto on_gpu = [](auto &form, LoopLevel level) { blur_on_gpu(form, level); };
            const auto on_cpu = [target = place.target](auto &form, LoopLevel level) { blur_on_cpu(form, level, target); };
            if (gpu && place.large) {
                take(BlurOfFlow<GaussianBlurNear>(flow, blur, false), on_gpu);
            } else if (gpu) {
                take(BlurOfFlow<GaussianBlur>(flow, blur, false), on_gpu);
            } else if (flow.shape.element == "u8" && blur.weights().bytes.fits_f32()) {
                take(BlurOfFlow<GaussianBlurFloats>(flow, blur, true), on_cpu);
            } else {
                take(BlurOfFlow<GaussianBlur>(flow, blur, true), on_cpu);
            }
            flow.rows = flow.made = tile;
        } else if (stage.nature() == Nature::sum) {
            sum = static_cast<const SumStage *>(&stage);
        } else {
            flow = stage.define(flow);
        }
    }

    if (sum) {
        const bool of_columns = sum->of_columns(), along_rows = of_columns == turned;  // of the tile
        const Halide::Type element = element_type(flow.shape.element), type = element.is_float() ? element : Halide::UInt(32);
        const Shape shape = sum->check(flow.shape);
        auto value = [&](Expr line, Expr at) { return of_columns ? flow.rows(line, at) : flow.rows(at, line); };
        auto form = std::make_shared<BandSum>(value, of_columns ? flow.height : flow.width, fused_tile(gpu).in_band(along_rows, gpu), gpu ? 8 : 1, type,
                                              element_type(shape.element));
        flow = Flow(shape, form->out, flow.width, flow.height);
        schedules_.push_back([=, target = place.target](bool is_output) {
            if (!is_output) {
                form->out.compute_root();
            }
            make_tile(gpu ? sums_on_gpu(*form, along_rows) : sums_on_cpu(*form, along_rows, target));
        });
        return end;
    }
    if (tile.defined() && flow.made.name() == tile.name()) {  // a tile is not its own consumer
        const Var x{"x"}, y{"y"};
        Func blurred{"blurred"};
        blurred(x, y) = tile(x, y);
        flow.rows = flow.made = blurred;
    }
    schedules_.push_back([=, out = flow.made, target = place.target](bool is_output) {
        if (!is_output) {
            Func(out).compute_root();
        }
        const LoopLevel level = gpu ? image_on_gpu(out, turned, is_output) : image_on_cpu(out, turned, is_output, target);
        if (make_tile) {
            make_tile(level);
            if (turned && !gpu) {
                turned_on_cpu(tile, level);
            }
        }
    });
    return end;
}

void Stages::schedule(bool last_is_output) {
    for (size_t i = 0; i < schedules_.size(); i++) {
        schedules_[i](last_is_output && i + 1 == schedules_.size());
    }
    schedules_.clear();
}

}  // namespace tilewright
