#pragma once
// The variants that schedule operators as stages of a pipeline. The list in stage_variants.cpp is the only
// place that decides which variant serves a stage: a stage asks for a variant, and makes the form that this
// variant schedules.
#include "schedules/schedule.h"
#include <climits>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace tilewright {

// "cpu", "cuda" or "opencl": the backend that a target belongs to, as the tables name it.
std::string backend_of(const Halide::Target &target);

// What a variant is asked for: the stage and its image.
struct StageRequest {
    std::string op;
    Halide::Target target;
    std::string element;  // of the image that comes in: "u8", "u16", "f16", "bf16", "f32" or "f64"
    int channels = 1;
    bool large = false;         // the pipeline is for images of the sizes that the variants ask for
    bool last = false;          // the result of the stage may be the output of the pipeline itself
    int radius = 0;             // of a window
    bool zero_border = false;   // positions outside the image count as 0
    bool exact_floats = false;  // the sums of a window over u8 are exact in floats
};

// A variant of a table, and the stages that it serves. A variant is composable if its form takes a Func and
// its schedule needs no buffer of known alignment. A schedule function serves every type that its form
// serves, so the variant may be one for another type.
struct StageVariant {
    std::string op = {};  // of the stage
    Backends where = cpu;
    std::string table = {}, schedule = {}, type = {};  // the variant; an empty type is the type of the image
    std::string values = {};                           // other values of its tunables ("width=128,pad=4")
    std::string elements = "u8 u16 f16 bf16 f32 f64";
    int least_channels = 1, most_channels = 4;
    bool large = false;  // the variant serves only pipelines for large images
    int most_radius = INT_MAX;
    bool (*serves)(const StageRequest &) = nullptr;   // further conditions
    std::string least_width = {}, least_height = {};  // the tunables that the image's sides must not be below
    bool unrolled_weights = false;  // the weights of a window are constants of unrolled loops, not a table
};

// The variant that was found for a request.
class ChosenVariant {
public:
    ChosenVariant(const StageVariant &entry, const StageRequest &request);

    const std::string &form() const {
        return variant().form;
    }
    int tunable(const std::string &name) const {
        return context()[name];
    }
    bool has_tunable(const std::string &name) const;
    // What the variant says of its form; see generators/algorithms/configuration.h.
    template<typename Configuration>
    Configuration configuration() const {
        return variant().template configuration<Configuration>();
    }
    const StageVariant &entry() const {
        return entry_;
    }
    const Halide::Target &target() const {
        return target_;
    }
    // What the schedule is called with. Its buffers belong to nothing: what a schedule promises about
    // alignment has no effect.
    ScheduleContext context() const;

    // The schedule of a form, to be called when the whole pipeline is composed.
    template<typename Form>
    std::function<void()> schedule_of(std::shared_ptr<Form> form) const {
        if (variant().form != Form::name) {
            throw std::logic_error(entry_.table + "/" + entry_.schedule + " schedules " + variant().form +
                                   ", not " + Form::name);
        }
        return [form, chosen = *this] {
            ScheduleContext context = chosen.context();
            chosen.variant().apply(form.get(), context);
        };
    }

private:
    StageVariant entry_;
    Halide::Target target_;

    const ScheduleVariant &variant() const;
};

// The first variant of the list that serves the request; that there is none is a build error.
ChosenVariant stage_variant(const StageRequest &request);

}  // namespace tilewright
