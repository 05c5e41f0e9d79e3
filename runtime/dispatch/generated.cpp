// Libraries that a program generated at build time, and pipelines made of them as operators.
#include "tilewright/generated.h"
#include "generators/algorithms/sums/most_terms.h"
#include "runtime/dispatch/operator_of.h"
#include "runtime/dispatch/steps/launch.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/inside.h"
#include <fmt/format.h>
#include <utility>

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

constexpr const char *form_name = "generated";

struct GeneratedRequest : Request {};

class GeneratedForm final : public FormOf<GeneratedRequest> {
public:
    using FormOf::FormOf;

protected:
    void bind(Launch &launch, const Variant &variant, const GeneratedRequest &request,
        Array &output) const override {
        const Array &image = request.inputs[0];
        const bool as_rows = variant.metadata()->arguments[1].dimensions == 2;
        launch.in("image", image, rows_of(image))
            .out("output", output, as_rows ? rows_of(output) : tilewright::image(output));
    }
};

constexpr GeneratedForm generated_form(form_name);

// Those that (h, w, c) has; (h, w) has none.
std::vector<int64_t> channels_of(const GeneratedPipeline &made) {
    return made.channels == 1 ? std::vector<int64_t>{} : std::vector{made.channels};
}

class GeneratedOperator final : public OperatorOf<GeneratedRequest> {
public:
    explicit GeneratedOperator(GeneratedPipeline &&made)
        : OperatorOf({.name = made.name,
                         .summary = made.stages,
                         .inputs = {{.types = {made.input},
                             .axes = made.channels == 1 ? Axes::image : Axes::image_or_channels,
                             .channels = channels_of(made)}},
                         .makes = made.is_vector ? Makes::vector : Makes::image},
              made.libraries, {&generated_form}),
          made_(std::move(made)) {}

private:
    // Sums of integers are u32, or f32 made of these.
    GeneratedRequest read(std::span<const Array> inputs, const Settings &) const override {
        const Array &image = inputs[0];
        if (made_.channels > 1 && image.dimensions() == 2) {
            refuse(Fault::input, fmt::format("takes {} (h, w, {})", name_of(made_.input), made_.channels),
                "image", image.describe());
        }
        GeneratedRequest request;
        request.type = made_.type;
        request.output_type = made_.output;
        request.output_shape = image.shape();
        if (made_.transposed) {
            std::swap(request.output_shape[0], request.output_shape[1]);
        }
        if (made_.is_vector) {
            const int64_t extent = request.output_shape[0];
            if ((made_.input == Type::u8 || made_.input == Type::u16) &&
                extent > most_terms((int64_t)size_of(made_.input))) {
                refuse(Fault::input,
                    fmt::format("sums of {} {} numbers can pass 2^32 - 1; call its operators, whose sums can "
                                "be u64, f64 and f32",
                        extent, name_of(made_.input)),
                    "image", image.describe());
            }
            request.output_shape = {request.output_shape[1]};
        }
        return request;
    }

    // Its libraries take an image as a whole.
    int64_t most_rows(const GeneratedRequest &request) const override {
        return request.inputs[0].shape()[0];
    }

    const GeneratedPipeline made_;
};

}  // namespace

Variant generated_variant(const std::string &name, const std::string &schedule, const std::string &type,
    Backend backend, int (*entry)(void **), const halide_filter_metadata_t *(*metadata)(),
    Variant::Needs needs, std::vector<Variant::Condition> conditions) {
    Variant variant = {};
    variant.needs = needs;
    variant.conditions = std::move(conditions);
    variant.op = variant.origin = name;
    variant.form = form_name;
    variant.schedule = schedule;
    variant.family = "tuned";
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

std::unique_ptr<const Operator> generated_operator(GeneratedPipeline pipeline) {
    return std::make_unique<GeneratedOperator>(std::move(pipeline));
}

}  // namespace tilewright
