// invert as a stage of a pipeline.
#include "generators/algorithms/invert/invert.h"
#include "generators/pipelines/stages/kinds.h"

namespace tilewright {

namespace {

class InvertStage : public Stage {
public:
    explicit InvertStage(const StageSettings &settings) : Stage("invert") {
        expect_no_settings(settings);
    }
    AccessPattern access() const override {
        return AccessPattern::point;
    }
    Shape check(const Shape &in) const override {
        expect_image(in, {"u8", "u16"}, 4);
        return in;
    }
    Flow define(const Flow &in) const override {
        return flow_of(in, in.shape, Invert(in.rows).out);
    }
    Composed compose(const Flow &in, const StageTarget &target) const override {
        auto form = std::make_shared<Invert>(in.rows);
        return {flow_of(in, in.shape, form->out), variant(in.shape, target).schedule_of(form)};
    }
};

}  // namespace

std::unique_ptr<Stage> invert_stage(const StageSettings &settings) {
    return std::make_unique<InvertStage>(settings);
}

}  // namespace tilewright
