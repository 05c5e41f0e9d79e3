#pragma once
// The plan of a pipeline's call: what each stage gets and gives, and what is done to alpha between stages.
// Not installed.
#include "runtime/arrays/copy.h"
#include "runtime/devices/calls/watch.h"
#include "runtime/dispatch/arrays_of_call.h"
#include "runtime/dispatch/pipelines/pipeline_alpha.h"
#include "runtime/dispatch/steps/plan.h"
#include "tilewright/pipeline.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <utility>

namespace tilewright {

inline Error output_error(
    const Array &output, Type type, const std::vector<int64_t> &shape, const std::string &op) {
    return {Fault::input, fmt::format("the output must be {} ({})", name_of(type), fmt::join(shape, ", ")),
        {.operation = op, .argument = "output", .value = output.describe()}};
}

// Arrays that are between stages while no call is, and the device that they were last used on.
struct Pipeline::Kept {
    std::mutex mutex;
    std::vector<std::pair<Device, Array>> arrays;

    std::vector<Array> take(Device device) {
        std::vector<Array> taken;
        const std::lock_guard lock(mutex);
        std::erase_if(arrays, [&](const auto &kept) {
            const bool is_here = kept.first == device;
            if (is_here) {
                taken.push_back(kept.second);
            }
            return is_here;
        });
        return taken;
    }

    void give(Device device, const std::vector<Array> &free) {
        const std::lock_guard lock(mutex);
        for (const Array &array : free) {
            arrays.emplace_back(device, array);
        }
    }
};

// The plan of a call: the request, the variant and the arrays of each stage. Making it computes nothing.
class Pipeline::Plan {
public:
    // `free`: arrays for use between stages. Errors: those of the call, naming the stage.
    Plan(const Pipeline &pipeline, std::span<const Array> inputs, const Array &output, const Call &call,
        Device device, std::vector<Array> free)
        : pipeline_(pipeline), call_(call), device_(device), input_(inputs[0]), free_(std::move(free)),
          further_(inputs.subspan(1)) {
        current_.array = inputs[0];
        current_.has_alpha = call.alpha && channels_of(inputs[0].shape()) > 1;
        const size_t count = pipeline.stages_.size();
        for (size_t i = 0; i < count; i++) {
            const std::string got = fmt::format("; it gets {} from {}", current_.array.describe(),
                i == 0 ? "the input" : fmt::format("stage {}", i));
            try {
                add_stage(pipeline.stages_[i], i + 1 == count, output);
            } catch (const Error &error) {
                refuse(i, error.fault(), error.what() + (error.fault() == Fault::input ? got : ""));
            }
        }
        result_ = current_.array;
        if (!current_.is_straight()) {
            last_change_ = current_.make_straight();
            result_ = output.empty() ? current_.array : output;
            if (result_.type() != current_.array.type() || result_.shape() != current_.array.shape()) {
                refuse(count - 1, Fault::input,
                    fmt::format("the output must be {} ({}), not {}",
                        tilewright::name_of(current_.array.type()), fmt::join(current_.array.shape(), ", "),
                        output.describe()));
            }
        }
    }

    std::vector<Step> &steps() {
        return steps_;
    }
    const Array &result() const {  // has values after run()
        return result_;
    }
    Device device() const {
        return device_;
    }
    // What the stages are predicted to take; 0 where one of them was not measured.
    double predicted_ms() const {
        double sum = 0;
        for (size_t i = 0; i < steps_.size(); i++) {
            const std::vector<PredictedTime> times =
                pipeline_.stages_[i].op->predicted_times(*steps_[i].request, device_);
            if (times.empty()) {
                return 0;
            }
            const auto own = std::find_if(times.begin(), times.end(),
                [&](const PredictedTime &time) { return time.variant == steps_[i].variant; });
            sum += own == times.end() ? times.front().ms : own->ms;
        }
        return sum;
    }

    void run() {
        Array current = input_, before = input_;  // the arrays of the next stage and of the one before
        for (size_t i = 0; i < steps_.size(); i++) {
            try {
                const Watch::Part part(i, steps_.size());
                run_stage(i, current, before);
            } catch (const Error &error) {
                refuse(i, error.fault(), error.what());
            }
            before = steps_[i].inputs.front();
            current = steps_[i].output;
        }
        if (!last_change_.is_none()) {
            copy(last_change_.apply(current, before), result_);
        }
    }

    // The arrays between the stages, each one once.
    std::vector<Array> between() const {
        std::vector<Array> all;
        for (size_t i = 0; i + 1 < steps_.size(); i++) {
            const Array &array = steps_[i].output;
            if (std::none_of(all.begin(), all.end(),
                    [&](const Array &other) { return other.storage() == array.storage(); })) {
                all.push_back(array);
            }
        }
        return all;
    }

    // Whether libraries() does all that a call does: nothing is done to alpha, and no stage may be refused
    // for values.
    bool can_run_again() const {
        return last_change_.is_none() && std::ranges::all_of(changes_, &AlphaChange::is_none) &&
               std::ranges::none_of(
                   pipeline_.stages_, [](const Stage &stage) { return stage.op->looks_at_elements(); });
    }

    // The plans of the stages, one behind the other.
    tilewright::Plan libraries() {
        tilewright::Plan all;
        for (size_t i = 0; i < steps_.size(); i++) {
            const Step &step = steps_[i];
            all.append(
                pipeline_.stages_[i].op->plan(*step.variant, device_, *step.request, steps_[i].output));
        }
        return all;
    }

private:
    [[noreturn]] void refuse(size_t stage, Fault fault, const std::string &message) const {
        throw Error(fault, message, {.operation = pipeline_.name_of_stage(stage)});
    }

    void add_stage(const Stage &stage, bool is_last, const Array &output) {
        changes_.push_back(current_.change_for(*stage.op));
        Step &step = steps_.emplace_back();
        step.inputs = {current_.array};
        step.inputs.insert(step.inputs.end(), further_.begin(), further_.begin() + stage.from_call);
        further_ = further_.subspan((size_t)stage.from_call);
        step.inputs.insert(step.inputs.end(), stage.arrays.begin(), stage.arrays.end());
        step.settings = settings_of(stage, step, is_last);
        step.request = stage.op->parse(step.inputs, step.settings);
        const Request &request = *step.request;

        const std::vector<int64_t> &shape = request.output_shape;
        const bool keeps_alpha = current_.has_alpha && shape.size() == 3 &&
                                 channels_of(shape) == channels_of(current_.array.shape());
        current_.has_alpha = keeps_alpha;
        current_.is_alpha_computed = keeps_alpha && stage.op->treats_alpha_as_colour();
        if (!keeps_alpha) {
            current_.premultiplied_by = nullptr;
        }
        const bool is_result = is_last && current_.is_straight();
        step.output =
            is_result ? result_of(step, output, stage.op->name()) : take(request.output_type, shape);
        step.variant = &stage.op->choose(request, step.output, schedule_of(stage), device_);

        if (current_.is_between && !call_.steps) {
            free_.push_back(current_.array);
        }
        current_.array = step.output;
        current_.is_between = !is_result;
    }

    // Those of the last stage may depend on the file that the result is for.
    Settings settings_of(const Stage &stage, const Step &step, bool is_last) const {
        return is_last && !call_.kind_of_file.empty() ?
                   stage.op->settings_for(call_.kind_of_file, step.inputs, stage.settings) :
                   stage.settings;
    }

    // Where the last stage writes: the caller's array, or a new one.
    Array result_of(const Step &step, const Array &output, const std::string &op) const {
        const Request &request = *step.request;
        if (output.empty()) {
            const bool is_pinned = call_.pinned && device_.backend == Backend::cuda;
            const auto make = is_pinned ? Array::pinned : Array::uninitialized;
            return make(request.output_type, request.output_shape, Array::padded);
        }
        if (output.type() != request.output_type || output.shape() != request.output_shape) {
            throw output_error(output, request.output_type, request.output_shape, op);
        }
        refuse_shared_memory(output, step.inputs, op);
        return output;
    }

    // An array between stages.
    Array take(Type type, const std::vector<int64_t> &shape) {
        const auto at = std::find_if(free_.begin(), free_.end(),
            [&](const Array &a) { return a.type() == type && a.shape() == shape; });
        if (at == free_.end()) {
            return Array::uninitialized(type, shape);
        }
        const Array array = *at;
        free_.erase(at);
        return array;
    }

    const std::string &schedule_of(const Stage &stage) const {
        return stage.schedule.empty() ? call_.schedule : stage.schedule;
    }

    void run_stage(size_t i, const Array &current, const Array &before) {
        const Stage &stage = pipeline_.stages_[i];
        Step &step = steps_[i];
        if (!changes_[i].is_none()) {
            // Where the changed image is in memory is known only now.
            step.inputs.front() = changes_[i].apply(current, before);
            step.request = stage.op->parse(step.inputs, step.settings);
            step.variant = &stage.op->choose(*step.request, step.output, schedule_of(stage), device_);
        }
        Statistics statistics;
        stage.op->execute(
            *step.variant, device_, *step.request, step.output, call_.statistics ? &statistics : nullptr);
        if (call_.statistics) {
            call_.statistics->push_back(statistics);
        }
    }

    const Pipeline &pipeline_;
    const Call call_;
    const Device device_;
    const Array input_;
    std::vector<Step> steps_;           // one per stage
    std::vector<AlphaChange> changes_;  // in front of each stage
    AlphaChange last_change_;           // in front of the result
    Array result_;

    // While the plan is made:
    PipelineArray current_;
    std::vector<Array> free_;         // for the next stages
    std::span<const Array> further_;  // inputs of the call that no stage has taken
};

}  // namespace tilewright
