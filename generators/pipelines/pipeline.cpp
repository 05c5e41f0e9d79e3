// The text of a pipeline, its checks, and pipelines whose stages are computed by themselves.
#include "generators/pipelines/pipeline.h"
#include <algorithm>
#include <sstream>

namespace tilewright {

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
        refuse(number, text,
            "there is nothing; write an operator and its options (\"gaussian_blur sigma=2\") between bars");
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
    std::string plain = type;  // "rgb8" is "u8x3", and "rgba16" is "u16x4"
    if (type.starts_with("rgb")) {
        const bool has_alpha = type.starts_with("rgba");
        plain = "u" + type.substr(has_alpha ? 4 : 3) + (has_alpha ? "x4" : "x3");
    }
    for (const std::string element : {"u8", "u16", "f16", "bf16", "f32", "f64"}) {
        for (const int channels : {1, 2, 3, 4}) {
            if (plain == element + (channels > 1 ? "x" + std::to_string(channels) : "")) {
                return {element, channels};
            }
        }
    }
    throw PipelineError(
        "a pipeline takes no images of type '" + type +
        "'; it takes u8, u16, f16, bf16, f32 and f64, with x2, x3 or x4 for channels (f32x3), "
        "and rgb8, rgb16, rgba8 and rgba16");
}

Stages::Stages(const std::string &text, const std::string &type, Schedule schedule)
    : text_(trimmed(text)), schedule_(schedule), shapes_{shape_of_type(type)} {
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
        if (schedule == Schedule::fused) {
            check_for_fusing(i);
        }
    }
}

void Stages::check_for_fusing(size_t i) const {
    if (shapes_[i].element == "f64") {
        refuse(i + 1, stages_[i]->text, "tiles of f64 do not fit in shared memory. Use staged");
    }
    const int widest_halo = 80;  // in elements; a tile with its halo must fit in shared memory
    const auto *window = dynamic_cast<const WindowStage *>(stages_[i].get());
    if (window && window->radius() * shapes_[i].channels > widest_halo) {
        refuse(i + 1, stages_[i]->text,
            "its window is too large for tiles; fused takes sigma up to 20, a third of it for three "
            "channels. Use staged");
    }
    if (stages_[i]->access() == Stage::AccessPattern::transpose && shapes_[i].channels > 1) {
        refuse(i + 1, stages_[i]->text,
            "fused transposes images of one channel, and gets a " + shapes_[i].str() + ". Use staged");
    }
}

Stages::~Stages() = default;

bool Stages::transposed() const {
    bool transposed = false;
    for (const auto &stage : stages_) {
        transposed = transposed != (stage->access() == Stage::AccessPattern::transpose);
        if (const auto *sum = dynamic_cast<const SumStage *>(stage.get())) {
            transposed = transposed != !sum->of_columns();
        }
    }
    return transposed;
}

int Stages::dimensions() const {
    const bool planes = output().channels > 1 && stages_.back()->access() == Stage::AccessPattern::transpose;
    return output().vector ? 1 : planes ? 3 : 2;
}

Sizes Stages::sizes(const StageTarget &target) const {
    const auto fused = fused_schedule(target.target);
    Sizes all;
    bool transposed = false;
    for (size_t i = 0; i < stages_.size(); i++) {
        Sizes sizes = schedule_ == Schedule::staged ? stages_[i]->sizes(shapes_[i], target) : Sizes{};
        const auto *window = dynamic_cast<const WindowStage *>(stages_[i].get());
        if (schedule_ == Schedule::fused && window && fused->reflects_once()) {
            sizes.least_width = sizes.least_height = window->radius() + 1;
        }
        if (transposed) {
            std::swap(sizes.least_width, sizes.least_height);
            std::swap(sizes.most_width, sizes.most_height);
        }
        all = {std::max(all.least_width, sizes.least_width), std::max(all.least_height, sizes.least_height),
            std::min(all.most_width, sizes.most_width), std::min(all.most_height, sizes.most_height)};
        transposed = transposed != (stages_[i]->access() == Stage::AccessPattern::transpose);
    }
    return all;
}

Flow Stages::compose(Func rows, Expr width, Expr height, const Halide::Target &target, bool large) {
    schedules_.clear();
    const Flow flow(input(), rows, std::move(width), std::move(height));
    const StageTarget stage_target{target, large, false};
    return schedule_ == Schedule::staged ? compose_staged(flow, stage_target) :
                                           compose_fused(flow, stage_target);
}

Flow Stages::compose_staged(Flow flow, const StageTarget &target) {
    for (const auto &stage : stages_) {
        Stage::Composed composed =
            stage->compose(flow, {target.target, target.large, stage == stages_.back()});
        flow = composed.flow;
        schedules_.push_back([out = flow.elements, schedule = composed.schedule](bool is_output) {
            if (!is_output) {
                Func(out).compute_root();
            }
            schedule();
        });
    }
    return flow;
}

void Stages::schedule(bool last_is_output) {
    for (size_t i = 0; i < schedules_.size(); i++) {
        schedules_[i](last_is_output && i + 1 == schedules_.size());
    }
    schedules_.clear();
}

}  // namespace tilewright
