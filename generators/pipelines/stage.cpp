// What all kinds of stages share, and the list of the operators that are stages.
#include "generators/pipelines/stage.h"
#include "generators/pipelines/stages/kinds.h"
#include <algorithm>

namespace tilewright {

std::string Shape::str() const {
    const std::string kind = vector ? " vector" : " image";
    return element + kind + (channels > 1 ? " of " + std::to_string(channels) + " channels" : "");
}

Flow flow_of(const Flow &in, Shape shape, Halide::Func rows, bool transposed) {
    return {std::move(shape), rows, transposed ? in.height : in.width, transposed ? in.width : in.height};
}

StageRequest Stage::request(const Shape &in, const StageTarget &target) const {
    return {.op = op_,
        .target = target.target,
        .element = in.element,
        .channels = in.channels,
        .large = target.large,
        .last = target.last};
}

ChosenVariant Stage::variant(const Shape &in, const StageTarget &target) const {
    return stage_variant(request(in, target));
}

Sizes Stage::sizes(const Shape &in, const StageTarget &target) const {
    const ChosenVariant chosen = variant(in, {target.target, true, target.last});
    const StageVariant &entry = chosen.entry();
    Sizes sizes;
    if (!entry.least_width.empty()) {
        sizes.least_width = chosen.tunable(entry.least_width);
    }
    if (!entry.least_height.empty()) {
        sizes.least_height = chosen.tunable(entry.least_height);
    }
    return sizes;
}

Flow Stage::define(const Flow &) const {
    throw std::logic_error(text + " is neither a point nor a transpose");
}

void Stage::expect_no_settings(const StageSettings &settings) const {
    if (!settings.empty()) {
        throw StageRefusal("there is no option '" + settings.begin()->first + "'; " + op_ + " takes none");
    }
}

void Stage::expect_image(const Shape &in, std::initializer_list<const char *> elements, int most_channels) {
    const bool known = std::find(elements.begin(), elements.end(), in.element) != elements.end();
    if (in.vector || !known || in.channels > most_channels) {
        std::string takes;
        for (const char *element : elements) {
            takes += (takes.empty() ? "" : " or ") + std::string(element);
        }
        throw StageRefusal("takes a " + takes + " image" + (most_channels == 1 ? " of one channel" : "") +
                           ", and gets a " + in.str());
    }
}

std::unique_ptr<Stage> make_stage(const std::string &op, const StageSettings &settings) {
    static const std::map<std::string, std::unique_ptr<Stage> (*)(const StageSettings &)> kinds = {
        {"invert", invert_stage},
        {"transpose", transpose_stage},
        {"gaussian_blur", gaussian_blur_stage},
        {"column_sum", column_sum_stage},
        {"row_sum", row_sum_stage},
    };
    if (const auto kind = kinds.find(op); kind != kinds.end()) {
        return kind->second(settings);
    }
    const std::string known = "invert, gaussian_blur, transpose, column_sum and row_sum";
    for (const char *other : {"matmul", "min_plus_convolution", "fft2d", "fresnel", "recursive_gaussian"}) {
        if (op == other) {
            throw StageRefusal("it cannot be composed at build time (" + known +
                               " can); `tilewright pipeline` runs it between other operators");
        }
    }
    throw StageRefusal("there is no such operator; a pipeline is made of " + known);
}

}  // namespace tilewright
