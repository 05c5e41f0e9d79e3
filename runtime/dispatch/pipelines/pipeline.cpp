// Pipelines: their calls. What each stage gets and gives is planned in pipeline_plan.h.
#include "tilewright/pipeline.h"
#include "runtime/devices/best_device.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/calls/watch.h"
#include "runtime/dispatch/arrays_of_call.h"
#include "runtime/dispatch/choice/choice.h"
#include "runtime/dispatch/pipelines/pipeline_plan.h"
#include "runtime/dispatch/pipelines/pipeline_text.h"
#include "runtime/dispatch/prepared.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/inside.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewright {

Pipeline::Pipeline(std::string_view text, const FileLimits &limits) try
    : stages_(read_stages(text, limits)), kept_(std::make_shared<Kept>()) {
} catch (...) {
    leave_with_error([] { return "pipeline"; });
}

Pipeline::Pipeline() : kept_(std::make_shared<Kept>()) {}

Pipeline Pipeline::with_stage(std::string_view op, const std::vector<StageArgument> &given) const try {
    Pipeline longer;
    longer.stages_ = stages_;
    longer.stages_.push_back(made_stage(std::string(op), given, stages_.size()));
    return longer;
} catch (...) {
    leave_with_error([] { return "pipeline"; });
}

int Pipeline::inputs() const {
    int count = 1;
    for (const Stage &stage : stages_) {
        count += stage.from_call;
    }
    return count;
}

std::string Pipeline::name_of_stage(size_t i) const {
    return stage_name(i, stages_.size(), stages_[i].text);
}

void Pipeline::check_inputs(std::span<const Array> inputs, const Array &output) const {
    if (stages_.empty()) {
        throw Error(Fault::usage, "it has no stages; write Pipeline().gaussian_blur(2).transpose()",
            {.operation = "pipeline"});
    }
    if ((int)inputs.size() != this->inputs()) {
        throw Error(Fault::usage,
            fmt::format("it takes {} input{}: the array that flows, and the further inputs that no stage "
                        "names a file for",
                this->inputs(), this->inputs() == 1 ? "" : "s"),
            {.operation = "pipeline", .argument = "inputs", .value = std::to_string(inputs.size())});
    }
    for (const Array &input : inputs) {
        if (input.empty()) {
            throw Error(Fault::input, "an input is empty", {.operation = "pipeline", .argument = "input"});
        }
        refuse_shared_memory(output, {&input, 1}, "pipeline");
    }
}

std::unique_ptr<Pipeline::Plan> Pipeline::plan_on(Device device, std::span<const Array> inputs,
    const Array &output, const Call &call, bool computes) const {
    driver::open(device);
    return std::make_unique<Plan>(*this, inputs, output, call, device,
        computes && !call.steps ? kept_->take(device) : std::vector<Array>());
}

std::unique_ptr<Pipeline::Plan> Pipeline::plan(
    std::span<const Array> inputs, const Array &output, const Call &call, bool computes) const {
    check_inputs(inputs, output);
    if (const auto device = call.device ? call.device : device_of_environment()) {
        return plan_on(*device, inputs, output, call, computes);
    }
    // Only a plan knows the types of all stages. So the backends where each stage has variants of any type
    // are asked, and the first device on which the call can be planned is taken.
    const auto has_variants = [&](Backend backend) {
        return std::all_of(stages_.begin(), stages_.end(), [&](const Stage &stage) {
            return !stage.op->variants(stage.schedule.empty() ? call.schedule : stage.schedule, backend)
                        .empty();
        });
    };
    std::unique_ptr<Plan> plan;
    std::optional<Error> refused;
    if (may_spare_drivers() && has_variants(Backend::cpu)) {
        try {
            plan = plan_on(Device{}, inputs, output, call, computes);
            if (spares_drivers(plan->predicted_ms())) {
                return plan;
            }
        } catch (const Error &) {  // NOLINT(bugprone-empty-catch): whoever refuses the call below says why
        }
        plan = nullptr;
    }
    const auto has_plan = [&](const DeviceInfo &info) {
        try {
            plan = plan_on(info.device, inputs, output, call, computes);
        } catch (const Error &error) {
            if (error.fault() != Fault::device) {
                throw;
            }
            refused = refused ? refused : error;
        }
        return plan != nullptr;
    };
    if (best_device(has_variants, has_plan)) {
        return plan;
    }
    if (refused) {
        throw Error(*refused);
    }
    return plan_on(best_device(), inputs, output, call, computes);  // which says what is lacking
}

std::vector<Pipeline::Step> Pipeline::check(std::span<const Array> inputs, const Call &call) const try {
    const Inside inside;
    return std::move(plan(inputs, {}, call, false)->steps());
} catch (...) {
    leave_with_error([] { return "pipeline"; });
}

std::pair<Type, std::vector<int64_t>> Pipeline::output_of(
    std::span<const Array> inputs, const Call &call) const try {
    const Inside inside;
    const Array result = plan(inputs, {}, call, false)->result();
    return {result.type(), result.shape()};
} catch (...) {
    leave_with_error([] { return "pipeline"; });
}

Device Pipeline::choose_device(std::span<const Array> inputs, const Call &call) const try {
    const Inside inside;
    return plan(inputs, {}, call, false)->device();
} catch (...) {
    leave_with_error([] { return "pipeline"; });
}

void Pipeline::operator()(std::span<const Array> inputs, Array &output, const Call &call) const try {
    const Inside inside;
    output = run(*plan(inputs, output, call, true), call);
} catch (...) {
    leave_with_error([] { return "pipeline"; });
}

Array Pipeline::run(Plan &plan, const Call &call) const {
    if (call.statistics) {
        call.statistics->clear();
    }
    Watch watch(call.progress, "");  // the name of the stage is in front of the error
    plan.run();
    watch.finish();
    if (call.steps) {
        *call.steps = std::move(plan.steps());
    } else {
        kept_->give(plan.device(), plan.between());  // what this call had no use for is dropped
    }
    return plan.result();
}

CheckedPipeline Pipeline::checked(std::span<const Array> inputs, const Call &call) const try {
    const Inside inside;
    return {*this, plan(inputs, {}, call, true), call};
} catch (...) {
    leave_with_error([] { return "pipeline"; });
}

// On arrays between stages of its own, because other calls of the pipeline must not write there.
Prepared Pipeline::prepare(std::span<const Array> inputs, Array &output, const Call &call) const try {
    const Inside inside;
    Call how = call;
    how.steps = nullptr;
    const std::unique_ptr<Plan> plan = this->plan(inputs, output, how, false);
    if (how.statistics) {
        how.statistics->clear();
    }
    Watch watch(call.progress, "");
    plan->run();
    watch.finish();
    output = plan->result();
    how.device = plan->device();
    how.statistics = nullptr;
    how.progress = nullptr;
    auto state = std::make_unique<Prepared::State>();
    state->name = "pipeline";
    state->device = plan->device();
    state->pinned = call.pinned && plan->device().backend == Backend::cuda;
    state->arguments.assign(inputs.begin(), inputs.end());
    state->arguments.push_back(output);
    for (size_t i = 1; i <= inputs.size(); i++) {
        state->input_names.push_back(i == 1 ? "input" : fmt::format("input {}", i));
    }
    state->check_inputs = [*this, how](std::span<const Array> others) { check(others, how); };
    state->call = [*this, how](
                      std::span<const Array> others, Array &result) { (*this)(others, result, how); };
    if (plan->can_run_again()) {
        state->take(plan->libraries());
    }
    return Prepared(std::move(state));
} catch (...) {
    leave_with_error([] { return "pipeline"; });
}

CheckedPipeline::CheckedPipeline(
    const Pipeline &pipeline, std::unique_ptr<Pipeline::Plan> plan, PipelineCall call)
    : pipeline_(pipeline), plan_(std::move(plan)), call_(std::move(call)) {}
CheckedPipeline::CheckedPipeline(CheckedPipeline &&) noexcept = default;
CheckedPipeline::~CheckedPipeline() = default;

Device CheckedPipeline::device() const {
    return plan_->device();
}

const std::vector<PipelineStep> &CheckedPipeline::steps() const {
    return plan_->steps();
}

const Array &CheckedPipeline::result() const {
    return plan_->result();
}

Array CheckedPipeline::run() try {
    const Inside inside;
    return pipeline_.run(*plan_, call_);
} catch (...) {
    leave_with_error([] { return "pipeline"; });
}

}  // namespace tilewright
