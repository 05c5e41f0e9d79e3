// Calls of libraries and pipelines that a program generated at build time.
#include "tilewright/generated.h"
#include "generators/algorithms/sums/most_terms.h"
#include "runtime/devices/best_device.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/dispatch/choice/kernel_needs.h"
#include "runtime/dispatch/steps/launch.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/inside.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

namespace {

// The array as an argument of a library sees it.
View view_for(
    const Array &array, const halide_filter_argument_t &argument, const Variant &variant, Device device) {
    const bool as_rows = argument.dimensions == 2 && array.dimensions() == 3;
    const halide_type_t type = halide_type(array.type());
    if (array.empty() || argument.kind == halide_argument_kind_input_scalar || type != argument.type ||
        (argument.dimensions != array.dimensions() && !as_rows)) {
        throw Error(Fault::input,
            fmt::format(
                "the library takes {} dimensions of another type or number here", argument.dimensions),
            {.operation = variant.op,
                .argument = argument.name,
                .value = array.empty() ? "" : array.describe(),
                .schedule = variant.schedule,
                .device = device.str()});
    }
    return as_rows ? rows_of(array) : image(array);
}

// Its sums of integers are u32, or f32 made of these. `extent`: how many numbers each one is of.
void check_sums(const GeneratedPipeline &pipeline, const Array &input, int64_t extent) {
    if (input.type() == Type::f32 || extent <= most_terms((int64_t)size_of(input.type()))) {
        return;
    }
    throw Error(Fault::input,
        fmt::format("sums of {} {} numbers can pass 2^32 - 1; call its operators, whose sums can be u64, f64 "
                    "and f32",
            extent, name_of(input.type())),
        {.operation = pipeline.name, .argument = "input", .value = input.describe()});
}

// The device of the environment, or the best one that the pipeline was made for.
Device device_for(const GeneratedPipeline &pipeline) {
    if (const std::optional<Device> asked = device_of_environment()) {
        return *asked;
    }
    std::vector<const Variant *> variants;
    for (const GeneratedPipeline::Library &library : pipeline.libraries) {
        variants.push_back(&library.variant);
    }
    if (const std::optional<Device> best = best_device_for(variants)) {
        return *best;
    }
    throw Error(
        Fault::device, "it was made for none of the devices of this machine", {.operation = pipeline.name});
}

}  // namespace

Variant generated_variant(const std::string &name, const std::string &schedule, const std::string &type,
    Backend backend, int (*entry)(void **), const halide_filter_metadata_t *(*metadata)(),
    Variant::Needs needs) {
    Variant variant = {};
    variant.needs = needs;
    variant.op = variant.origin = variant.form = name;
    variant.schedule = variant.family = schedule;
    variant.type = type;
    variant.backend = backend;
    variant.entry = entry;
    variant.metadata = metadata;
    return variant;
}

void run_generated(const Variant &variant, Device device, std::span<const Array> inputs, Array &output) try {
    const Inside inside;
    const halide_filter_metadata_t *metadata = variant.metadata();
    if ((int)inputs.size() + 1 != metadata->num_arguments) {
        throw Error(Fault::input,
            fmt::format("the library takes {} arrays, not {}", metadata->num_arguments, inputs.size() + 1),
            {.operation = variant.op});
    }
    Launch launch(variant, device);
    for (size_t i = 0; i < inputs.size(); i++) {
        launch.in(metadata->arguments[i].name, inputs[i],
            view_for(inputs[i], metadata->arguments[i], variant, device));
    }
    const halide_filter_argument_t &last = metadata->arguments[inputs.size()];
    launch.out(last.name, output, view_for(output, last, variant, device)).run();
} catch (...) {
    leave_with_error([&] { return variant.op; });
}

void run_generated(
    const GeneratedPipeline &pipeline, const Array &input, Array &output, std::optional<Device> asked) try {
    const Inside inside;
    const int64_t channels = input.dimensions() == 3 ? input.shape()[2] : 1;
    if (input.empty() || input.type() != pipeline.input || input.dimensions() < 2 ||
        channels != pipeline.channels) {
        const std::string shape =
            pipeline.channels == 1 ? "(h, w)" : fmt::format("(h, w, {})", pipeline.channels);
        throw Error(Fault::input, fmt::format("takes {} {}", name_of(pipeline.input), shape),
            {.operation = pipeline.name,
                .argument = "input",
                .value = input.empty() ? "an empty array" : input.describe()});
    }
    std::vector<int64_t> shape = input.shape();
    if (pipeline.transposed) {
        std::swap(shape[0], shape[1]);
    }
    if (pipeline.is_vector) {
        check_sums(pipeline, input, shape[0]);
        shape = {shape[1]};
    }
    Array result = output.empty() ? Array::uninitialized(pipeline.output, shape) : output;
    if (result.type() != pipeline.output || result.shape() != shape) {
        throw Error(Fault::input,
            fmt::format("must be {} ({})", name_of(pipeline.output), fmt::join(shape, ", ")),
            {.operation = pipeline.name, .argument = "output", .value = output.describe()});
    }
    if (!output.empty() && output.overlaps(input)) {
        throw Error(Fault::usage, "it shares memory with the input; give it memory of its own",
            {.operation = pipeline.name, .argument = "output", .value = output.describe()});
    }
    const Device device = asked ? *asked : device_for(pipeline);
    driver::open(device);
    std::vector<std::string> backends;
    const int64_t h = input.shape()[0], w = input.shape()[1];
    for (const GeneratedPipeline::Library &library : pipeline.libraries) {
        const std::string word = name_of(library.variant.backend);
        if (std::find(backends.begin(), backends.end(), word) == backends.end()) {
            backends.push_back(word);
        }
        if (library.variant.backend == device.backend && w >= library.least_width &&
            w <= library.most_width && h >= library.least_height && h <= library.most_height) {
            run_generated(library.variant, device, std::span(&input, 1), result);
            output = result;
            return;
        }
    }
    throw Error(Fault::device,
        fmt::format("it was made for {}; give its TARGETS another one, or take another device",
            fmt::join(backends, ", ")),
        {.operation = pipeline.name, .device = device.str()});
} catch (...) {
    leave_with_error([&] { return pipeline.name; });
}

}  // namespace tilewright
