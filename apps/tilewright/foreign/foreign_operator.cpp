// Makes an operator of a generator: variants, arguments from metadata, shapes from Halide's bounds query.
#include "apps/tilewright/foreign/foreign_operator.h"
#include "apps/tilewright/built_variants/built_variant.h"
#include "apps/tilewright/foreign/foreign_arguments.h"
#include "apps/tilewright/foreign/foreign_workload.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/devices/calls/halide_calls.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

constexpr FormOf<ForeignRequest> foreign_form("foreign");

int index_of(const ForeignGenerator::Parameter &parameter) {
    const auto at = std::find(parameter.values.begin(), parameter.values.end(), parameter.own);
    return (int)(at - parameter.values.begin());
}

// A variant without a library. Parameters become tunables whose numbers count the parameters' values.
Variant variant_of(const std::string &op, const ForeignGenerator &generator, const std::string &type,
    Backend backend, const std::string &schedule, const std::string &family,
    const std::string &autoscheduler) {
    Variant variant{};
    variant.op = op;
    variant.origin = op;
    variant.schedule = schedule;
    variant.family = family;
    variant.type = type;
    variant.backend = backend;
    variant.form = foreign_form.name;
    variant.autoscheduler = autoscheduler;
    variant.summary = !autoscheduler.empty() ? "the schedule that " + autoscheduler + " makes" :
                      family == "reference"  ? "the results that others are compared with" :
                                               "the generator's own schedule";
    for (const ForeignGenerator::Parameter &parameter : generator.parameters_of(variant)) {
        variant.tunables.push_back(
            {parameter.name, index_of(parameter), 0, (int)parameter.values.size() - 1});
        name_values(op, parameter.name, parameter.values);
    }
    return variant;
}

std::vector<Variant> variants_of(
    const std::string &op, const ForeignGenerator &generator, const std::string &type) {
    std::vector<Variant> all;
    for (const Backend backend : {Backend::cpu, Backend::cuda, Backend::opencl}) {
        all.push_back(variant_of(op, generator, type, backend, "own", "tuned", ""));
        for (const std::string &name : generator.autoschedulers(backend)) {
            all.push_back(variant_of(op, generator, type, backend, in_small_letters(name), "auto", name));
        }
    }
    all.push_back(variant_of(op, generator, type, Backend::cpu, "reference", "reference", ""));
    return all;
}

// The function of --against, which takes its arguments as Halide's NAME_argv does.
int (*plain_function(const ForeignWords &words))(void **) {
    const size_t colon = words.against.rfind(':');
    const std::string file = words.against.substr(0, colon),
                      name = colon == std::string::npos ? words.name : words.against.substr(colon + 1);
    const auto refuse = [&](const std::string &why) {
        throw Error(Fault::usage, why, {.argument = "--against", .value = words.against});
    };
    const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
    void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        refuse("the library cannot be loaded: " + one_line(dlerror()));
    }
    for (const std::string &symbol : {name + "_argv", name}) {
        if (void *const function = dlsym(library, symbol.c_str())) {
            return reinterpret_cast<int (*)(void **)>(function);
        }
    }
    refuse(fmt::format("the library has neither {0}_argv nor {0}: write `extern \"C\" int {0}(void "
                       "**arguments)`, or FILE.so:FUNCTION",
        name));
    return nullptr;
}

// Errors: usage, where two libraries do not take the same arguments.
void check_same_arguments(
    const halide_filter_metadata_t &one, const halide_filter_metadata_t &other, const std::string &name) {
    bool same = one.num_arguments == other.num_arguments;
    for (int i = 0; same && i < one.num_arguments; i++) {
        const halide_filter_argument_t &a = one.arguments[i], &b = other.arguments[i];
        same = std::string(a.name) == b.name && a.kind == b.kind && a.type == b.type &&
               a.dimensions == b.dimensions;
    }
    if (!same) {
        throw Error(Fault::usage, "it takes other arguments than the generator that is held against it",
            {.argument = "--reference", .value = name});
    }
}

}  // namespace

ForeignOperator::ForeignOperator(
    const std::string &name, const ForeignGenerator &generator, const Variant &base)
    : OperatorOf(description_of(name, *base.metadata(), generator.words().settings),
          variants_of(name, generator, type_name(only_output(*base.metadata()).type)), {&foreign_form}),
      generator_(generator), base_(base) {}

const halide_filter_argument_t &ForeignOperator::output() const {
    return only_output(metadata());
}

double ForeignOperator::tolerance() const {
    const halide_type_t type = output().type;
    if (type.code != halide_type_float && type.code != halide_type_bfloat) {
        return 0;
    }
    const double given = generator_.words().tolerance;
    return given > 0 ? given : type.bits == 64 ? 1e-12 : type.bits == 32 ? 1e-5 : 1e-2;
}

const Variant &ForeignOperator::load(const Variant &variant) const {
    Loaded &at = loaded_[variant.name()];
    if (at.variant) {
        return *at.variant;
    }
    if (at.failure) {
        std::rethrow_exception(at.failure);
    }
    try {
        Variant with_library = variant;
        if (variant.family == "reference" && !generator_.words().against.empty()) {
            with_library.entry = plain_function(generator_.words());
            with_library.metadata = base_.metadata;
        } else {
            const std::unique_ptr<const Variant> built = built_variant(variant, tunables_of(variant));
            with_library.entry = built->entry;
            with_library.metadata = built->metadata;
            check_same_arguments(metadata(), *built->metadata(), generator_.words().reference);
        }
        at.variant = std::make_unique<const Variant>(std::move(with_library));
    } catch (const Error &) {
        at.failure = std::current_exception();
        throw;
    }
    return *at.variant;
}

const Variant &ForeignOperator::loaded(const Variant &variant) const {
    const std::lock_guard lock(mutex_);
    if (!variant.entry) {
        return load(variant);
    }
    return variant;  // NOLINT(bugprone-return-const-ref-from-parameter): it lives as long as the operator
}

std::vector<uint64_t> ForeignOperator::scalars(const Settings &settings) const {
    std::vector<uint64_t> all;
    for (int i = 0; i < metadata().num_arguments; i++) {
        const halide_filter_argument_t &argument = metadata().arguments[i];
        if (argument.kind == halide_argument_kind_input_scalar) {
            all.push_back(bytes_of(argument.type, settings.number(argument.name)));
        }
    }
    return all;
}

std::shared_ptr<const BufferShapes> ForeignOperator::shapes(
    const std::vector<int64_t> &extents, const std::vector<uint64_t> &scalars) const {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const BufferShapes> &known = shapes_[{extents, scalars}];
    if (known) {
        return known;
    }
    const auto count = (size_t)metadata().num_arguments;
    std::vector<uint64_t> numbers = scalars;
    std::vector<halide_buffer_t> buffers(count);
    std::vector<std::vector<halide_dimension_t>> dims(count);
    std::vector<void *> pointers;
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        const halide_filter_argument_t &argument = metadata().arguments[i];
        if (argument.kind == halide_argument_kind_input_scalar) {
            pointers.push_back(&numbers[next++]);
            continue;
        }
        dims[i].resize((size_t)argument.dimensions);
        if (argument.kind == halide_argument_kind_output_buffer) {
            int64_t stride = 1;
            for (size_t d = 0; d < dims[i].size(); d++) {
                dims[i][d] = halide_dimension_t(0, (int32_t)extents[d], (int32_t)stride);
                stride *= extents[d];
            }
        }
        buffers[i].type = argument.type;
        buffers[i].dimensions = argument.dimensions;
        buffers[i].dim = dims[i].data();
        pointers.push_back(&buffers[i]);
    }
    // Buffers without memory ask for their shapes, which the library writes into them.
    driver::Current current(Device{});
    prepare_halide();
    if (const int code = base_.entry(pointers.data()); code != 0) {
        throw_halide_error(code, name().c_str(), base_.schedule.c_str(), Device{});
    }
    BufferShapes found;
    for (size_t i = 0; i < count; i++) {
        std::vector<View::Dim> shape;
        for (const halide_dimension_t &dim : dims[i]) {
            shape.push_back({std::max(dim.extent, 1), dim.stride, dim.min});
        }
        const auto kind = metadata().arguments[i].kind;
        if (kind == halide_argument_kind_output_buffer) {
            found.output = std::move(shape);
        } else if (kind == halide_argument_kind_input_buffer) {
            found.inputs.push_back(std::move(shape));
        }
    }
    known = std::make_shared<const BufferShapes>(std::move(found));
    return known;
}

ForeignRequest ForeignOperator::read(std::span<const Array> inputs, const Settings &settings) const {
    ForeignRequest request;
    request.scalars = scalars(settings);
    request.shapes =
        shapes(extents_of(settings.text(output_size), (size_t)output().dimensions), request.scalars);
    for (size_t i = 0; i < inputs.size(); i++) {
        const std::vector<int64_t> wanted = shape_of(request.shapes->inputs[i]);
        bool is_large_enough = inputs[i].shape().size() == wanted.size();
        for (size_t d = 0; is_large_enough && d < wanted.size(); d++) {
            is_large_enough = inputs[i].shape()[d] >= wanted[d];
        }
        if (!is_large_enough) {
            refuse(Fault::input,
                fmt::format("for an output of {} the generator reads ({}) of it", settings.text(output_size),
                    fmt::join(wanted, ", ")),
                this->inputs()[i].name, inputs[i].describe());
        }
    }
    request.type = type_name(output().type);
    request.output_type = array_type(output());
    request.output_shape = shape_of(request.shapes->output);
    return request;
}

bool ForeignOperator::form_serves(
    const Variant &variant, const ForeignRequest &request, const Array &output) const {
    try {
        static_cast<void>(loaded(variant));
    } catch (const Error &) {
        return true;  // the call says why there is no library
    }
    Array same_memory = output;
    return plan(variant, {variant.backend, 0}, request, same_memory).fits();
}

tilewright::Plan ForeignOperator::plan(
    const Variant &variant, Device device, const ForeignRequest &request, Array &output) const {
    tilewright::Plan plan;
    const Variant &library = loaded(variant);
    Launch &launch = plan.launch(library, device);
    size_t input = 0, scalar = 0;
    for (int i = 0; i < metadata().num_arguments; i++) {
        const halide_filter_argument_t &argument = metadata().arguments[i];
        if (argument.kind == halide_argument_kind_input_scalar) {
            launch.value_of_type(argument.name, argument.type, request.scalars[scalar++]);
        } else if (argument.kind == halide_argument_kind_output_buffer) {
            launch.out(argument.name, output, view_of(output, argument.type, request.shapes->output));
        } else {
            const Array &array = request.inputs[input];
            launch.in(argument.name, array, view_of(array, argument.type, request.shapes->inputs[input]));
            input++;
        }
    }
    return plan;
}

Settings ForeignOperator::completed(Settings settings) const {
    for (const Option &option : options()) {
        if (!option.is_number || settings.has(option.name)) {
            continue;
        }
        if (option.value.empty()) {
            throw Error(Fault::usage,
                fmt::format("the library takes this number, and declares no value of it: --set {}=VALUE",
                    option.name),
                {.operation = name(), .argument = option.name});
        }
        settings.set(option.name, std::stod(option.value));
    }
    return settings;
}

Sample ForeignOperator::sample(const Settings &settings) const {
    const std::string size = settings.text(output_size);
    Sample sample{{}, settings, fmt::format("{} {}", type_name(output().type), size)};
    const auto wanted = shapes(extents_of(size, (size_t)output().dimensions), scalars(completed(settings)));
    size_t next = 0;
    for (int i = 0; i < metadata().num_arguments; i++) {
        const halide_filter_argument_t &argument = metadata().arguments[i];
        if (argument.kind == halide_argument_kind_input_buffer) {
            sample.inputs.push_back(random_input(argument, shape_of(wanted->inputs[next]), next));
            next++;
        }
    }
    return sample;
}

std::vector<Array> ForeignOperator::arranged(const std::vector<Array> &pictures, Settings &settings) const {
    const std::vector<uint64_t> numbers = scalars(completed(settings));
    // The output is as large as the first input at most, and smaller by what the library reads beside it.
    std::vector<int64_t> extents = picture_extents(pictures.front(), (size_t)output().dimensions);
    const std::vector<int64_t> given = extents;
    for (int i = 0; i < 2; i++) {
        const auto wanted = shapes(extents, numbers);
        const std::vector<View::Dim> &first = wanted->inputs.front();
        for (size_t d = 0; d < std::min(extents.size(), first.size()); d++) {
            extents[d] = std::max<int64_t>(1, extents[d] + std::min<int64_t>(0, given[d] - first[d].extent));
        }
    }
    const auto wanted = shapes(extents, numbers);
    std::vector<Array> arrays;
    for (size_t i = 0; i < pictures.size(); i++) {
        arrays.push_back(in_order_of(wanted->inputs[i], pictures[i]));
    }
    settings.set(output_size, fmt::format("{}", fmt::join(extents, "x")));
    return arrays;
}

namespace {

std::map<std::string, const ForeignOperator *> &made_operators() {
    return immortal([] { return std::map<std::string, const ForeignOperator *>(); });
}

}  // namespace

const ForeignOperator &foreign_operator(const ForeignWords &words) {
    const ForeignOperator *&known = made_operators()[json(words).dump()];
    if (!known) {
        // Like the operators of the registry, it is there until the program ends.
        const auto &generator = *new ForeignGenerator(words);
        std::string name = words.name;
        for (const Operator *op : operators()) {
            name = op->name() == name ? name + ".generator" : name;
        }
        keep_foreign_generator(name, generator);
        Variant base = variant_of(name, generator, "any", Backend::cpu, "own", "tuned", "");
        const std::unique_ptr<const Variant> built = built_variant(base, tunables_of(base));
        base.entry = built->entry;
        base.metadata = built->metadata;
        known = new ForeignOperator(name, generator, base);
        add_workload(name, [](const Operator &op) {
            return std::make_unique<ForeignWorkload>(static_cast<const ForeignOperator &>(op));
        });
        if (!words.reference.empty()) {  // refuses one that takes other arguments
            known->loaded(known->variants().back());
        }
    }
    return *known;
}

}  // namespace tilewright::app
