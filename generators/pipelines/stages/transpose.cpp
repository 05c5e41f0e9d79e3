// transpose as a stage of a pipeline.
#include "generators/algorithms/transpose/transpose.h"
#include "generators/algorithms/transpose/blocks.h"
#include "generators/pipelines/stages/kinds.h"

namespace tilewright {

namespace {

// Rows of interleaved colours as (x, y, c), and back.
Func planes(const Flow &in) {
    const Var x{"x"}, y{"y"}, c{"c"};
    Func planes{"planes"};
    planes(x, y, c) = in.rows(in.shape.channels * x + c, y);
    return planes;
}

Func rows_of_planes(Func planes, int channels) {
    const Var x{"x"}, y{"y"};
    Func rows{"rows"};
    rows(x, y) = planes(x / channels, y, x % channels);
    return rows;
}

class TransposeStage : public Stage {
public:
    explicit TransposeStage(const StageSettings &settings) : Stage("transpose") {
        expect_no_settings(settings);
    }
    AccessPattern access() const override {
        return AccessPattern::transpose;
    }
    Shape check(const Shape &in) const override {
        expect_image(in, all_elements, 4);
        return in;
    }
    Flow define(const Flow &in) const override {
        return transposed(in, Transpose(image_of(in)).out);
    }
    Composed compose(const Flow &in, const StageTarget &target) const override {
        const ChosenVariant chosen = variant(in.shape, target);
        if (chosen.form() == TransposeBlocks::name) {
            const ScheduleContext s = chosen.context();
            const BlockShape shape{s["width"], s["height"], s["across"], s["down"], 1, false};  // no promises
            return composed(
                in, chosen, std::make_shared<TransposeBlocks>(in.rows, in.height, in.width, 0, shape));
        }
        if (chosen.form() == TransposeColours::name) {
            return composed(in, chosen, std::make_shared<TransposeColours>(image_of(in), in.shape.channels));
        }
        return composed(in, chosen, std::make_shared<Transpose>(image_of(in)));
    }

private:
    static Func image_of(const Flow &in) {
        return in.shape.channels > 1 ? planes(in) : in.rows;
    }
    static Flow transposed(const Flow &in, Func out) {
        const int channels = in.shape.channels;
        Flow flow = flow_of(in, in.shape, channels > 1 ? rows_of_planes(out, channels) : out, true);
        flow.elements = out;
        return flow;
    }
    template<typename Form>
    static Composed composed(const Flow &in, const ChosenVariant &chosen, std::shared_ptr<Form> form) {
        return {transposed(in, form->out), chosen.schedule_of(form)};
    }
};

}  // namespace

std::unique_ptr<Stage> transpose_stage(const StageSettings &settings) {
    return std::make_unique<TransposeStage>(settings);
}

}  // namespace tilewright
