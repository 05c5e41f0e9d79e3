// What is the same for all operators: their tables, and which variant a call takes.
#include "tilewright/operator.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/dispatch/choice/choice.h"
#include "runtime/dispatch/choice/kernel_needs.h"
#include "runtime/dispatch/form.h"
#include "runtime/dispatch/kept_calls.h"
#include "runtime/dispatch/options/option_text.h"
#include "runtime/dispatch/options/settings.h"
#include "runtime/dispatch/padding.h"
#include "runtime/dispatch/steps/plan.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/inside.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace tilewright {

Operator::~Operator() = default;

// The form of a variant. One that is not among `forms` is an std::logic_error.
static const Form &form_called(const Variant &variant, const std::vector<const Form *> &forms) {
    const auto known =
        std::ranges::find_if(forms, [&](const Form *form) { return form->name == variant.form; });
    if (known == forms.end()) {
        throw std::logic_error(variant.name() + ": the operator's front has no form " + variant.form);
    }
    return **known;
}

// The variants, each with what the front knows of its form.
static std::vector<Variant> with_forms(
    const std::vector<Variant> &variants, const std::vector<const Form *> &forms) {
    std::vector<Variant> resolved = variants;
    for (Variant &variant : resolved) {
        variant.known_form = &form_called(variant, forms);
    }
    return resolved;
}

Operator::Operator(
    Description description, const std::vector<Variant> &variants, std::vector<const Form *> forms)
    : description_(std::move(description)), variants_(with_forms(variants, forms)), forms_(std::move(forms)),
      choices_(std::make_unique<VariantChoices>()), kept_(std::make_unique<KeptCalls>()) {
    for (const Variant &variant : variants) {
        Variant::Needs &most = most_needs_[(size_t)variant.backend];
        most.threads = std::max(most.threads, variant.needs.threads);
        most.shared_bytes = std::max(most.shared_bytes, variant.needs.shared_bytes);
        most.capability = std::max(most.capability, variant.needs.capability);
        most.ptx = std::max(most.ptx, variant.needs.ptx);
        most.fp64 |= variant.needs.fp64;
        most.images |= variant.needs.images;
        most.half |= variant.needs.half;
    }
}

const Form &Operator::form(const Variant &variant) const {
    // Those of a library of the caller's own are not of the operator's table.
    return variant.known_form ? *variant.known_form : form_called(variant, forms_);
}

bool Operator::is_meant_for(const Variant &variant, const Measures &measures) const {
    return std::ranges::all_of(variant.conditions,
        [&](const Variant::Condition &condition) { return holds(variant, condition, measures); });
}

double Operator::measure(std::string_view name, const Variant &variant, const Measures &measures) const {
    if (name == measure_of_padding) {
        return 1;
    }
    const auto at = std::ranges::find(description_.measures, name);
    const auto number = (size_t)(at - description_.measures.begin());
    if (number >= measures.count) {
        throw std::logic_error(fmt::format("{}: calls have no measure '{}'", variant.name(), name));
    }
    return measures.numbers[number];
}

bool Operator::holds(
    const Variant &variant, const Variant::Condition &condition, const Measures &measures) const {
    const double number = measure(condition.measure, variant, measures);
    return number >= condition.least && number <= condition.most;
}

bool Operator::may_serve(const Variant &variant, const Request &request) const {
    if (std::ranges::none_of(variant.conditions, &Variant::Condition::is_needed)) {
        return true;
    }
    const Measures measured = measures(request);
    return std::ranges::all_of(variant.conditions, [&](const Variant::Condition &condition) {
        return !condition.is_needed || holds(variant, condition, measured);
    });
}

std::optional<int64_t> Operator::halo(const Settings &settings, double error) const try {
    Settings completed;
    return halo_of(checked_settings(name(), options(), settings, completed), error);
} catch (...) {
    leave_with_error([&] { return name(); });
}

void Operator::refuse(
    Fault fault, const std::string &message, const std::string &argument, const std::string &value) const {
    throw Error(fault, message, {.operation = name(), .argument = argument, .value = value});
}

void Operator::check_schedule(const std::string &schedule) const {
    const auto is_named = [&](const Variant &variant) { return variant.belongs_to(schedule); };
    if (std::none_of(variants().begin(), variants().end(), is_named)) {
        refuse(Fault::usage, no_such_schedule(schedule, variants(), name()), "schedule", schedule);
    }
}

std::vector<const Variant *> Operator::variants(const std::string &schedule, Backend backend) const {
    std::vector<const Variant *> found;
    for (const Variant &variant : variants()) {
        if (variant.backend == backend && variant.belongs_to(schedule)) {
            found.push_back(&variant);
        }
    }
    return found;
}

std::unique_ptr<Request> Operator::read_checked(
    std::span<const Array> inputs, const Settings &settings) const {
    const Inside inside;
    check_number(inputs.size());
    Settings completed;
    const Settings &all = checked_settings(name(), options(), settings, completed);
    check_declared(inputs, all);
    std::unique_ptr<Request> request = read_request(inputs, all);
    request->inputs.assign(inputs.begin(), inputs.end());
    if (&all == &completed) {
        request->settings = std::move(completed);
    } else {
        request->settings = all;
    }
    const int64_t most = most_rows(*request);
    if (request->inputs[0].shape()[0] > most) {
        request->parts = parts_of(*request, most);
    }
    return request;
}

bool Operator::serves(const Variant &variant, const Request &request, const Array &output) const {
    if (request.parts) {
        return serves_parts(variant, request);
    }
    if (variant.type != request.type || !may_serve(variant, request) ||
        !form_serves(variant, request, output)) {
        return false;
    }
    if (variant.autoscheduler.empty()) {
        return true;
    }
    // What a plug-in's schedule takes, the library itself knows best.
    Array same_memory = output;
    return plan(variant, {variant.backend, 0}, request, same_memory).fits();
}

std::string Operator::why_not_on(
    const Variant &variant, Device device, const Request &request, const Array &output) const {
    if (device.backend == Backend::cpu) {
        return "";  // only variants themselves have needs there, which were looked at
    }
    const DeviceInfo &info = limits_of(device);
    // Plans are asked only where it matters: on devices that cannot run all variants.
    if (!tilewright::why_not_on(most_needs_[(size_t)device.backend], info).empty()) {
        Array same_memory = output;
        for (const Variant *other : plan(variant, device, request, same_memory).variants()) {
            if (other->backend != device.backend) {
                continue;
            }
            if (std::string why_not = tilewright::why_not_on(*other, info); !why_not.empty()) {
                return why_not;
            }
        }
    }
    return "";
}

const Variant &Operator::choose(const Request &request, const Array &output, const std::string &schedule,
    Device device, const std::vector<Variant> *variants) const {
    const std::vector<Variant> &all = variants ? *variants : this->variants();
    if (variants) {
        for (const Variant &variant : all) {
            if (variant.op != name()) {  // its form would read another operator's request
                refuse(Fault::usage, "it is a variant of another operator", "variants", variant.name());
            }
        }
    }
    driver::Current current(device);  // a library that is asked what it takes loads its kernels there
    const bool is_tuned = !variants && schedule == "tuned";
    const Variant *variant = is_tuned ? tuned_variant(request, output, device).variant :
                                        named_variant(request, output, schedule, device, all);
    if (!variant) {
        refuse_choice(request, output, schedule, device, all);
    }
    return *variant;
}

const Variant *Operator::named_variant(const Request &request, const Array &output,
    const std::string &schedule, Device device, const std::vector<Variant> &variants) const {
    const Measures measures = this->measures(request);
    const Variant *other = nullptr;  // the first one that serves the request and is not meant for it
    for (const Variant &variant : variants) {
        if (variant.backend != device.backend || variant.type != request.type ||
            !variant.belongs_to(schedule)) {
            continue;
        }
        const bool is_meant = variant.schedule == schedule || is_meant_for(variant, measures);
        if ((is_meant || !other) && is_usable(variant, device, request, output)) {
            if (is_meant) {
                return &variant;
            }
            other = &variant;
        }
    }
    return other;
}

// `is_linked`: whether the program has libraries of the device's backend for this operator.
static std::string no_variant_for(Device device, const std::set<std::string> &backends, bool is_linked) {
    const std::string only =
        fmt::format("it has no variant for {}, only for {}", device.str(), fmt::join(backends, " and "));
    return is_linked ? only + "; `tilewright devices` says what can be used here" :
                       only + fmt::format(": its libraries for {} were not built, or this program is not "
                                          "linked with them",
                                  name_of(device.backend));
}

// `types`: those that the schedule has there. `elsewhere`: another backend where it has this one, if any.
static std::string not_of_type(const std::string &type, Device device, const std::set<std::string> &types,
    const std::string &elsewhere) {
    return fmt::format("on {} it serves {}, not {}; take {}", device.str(), fmt::join(types, ", "), type,
        elsewhere.empty() ? "--schedule tuned" : "--device " + elsewhere);
}

// Looks over the variants a second time, so that a call that finds one collects nothing for this message.
void Operator::refuse_choice(const Request &request, const Array &output, const std::string &schedule,
    Device device, const std::vector<Variant> &variants) const {
    const DeviceInfo &limits = limits_of(device);
    std::set<std::string> types, backends;
    std::string elsewhere, lacking;    // why the last variant that serves the request cannot run there
    const Variant *fitting = nullptr;  // the last variant of the type there
    for (const Variant &variant : variants) {
        if (!variant.belongs_to(schedule)) {
            continue;
        }
        backends.insert(name_of(variant.backend));
        if (variant.backend != device.backend) {
            elsewhere = variant.type == request.type ? name_of(variant.backend) : elsewhere;
            continue;
        }
        types.insert(variant.type);
        if (variant.type != request.type) {
            continue;
        }
        fitting = &variant;
        const std::string why_not = tilewright::why_not_on(variant, limits);
        // What a plug-in's schedule takes, its library is asked on the device, which must be able to run it.
        const bool can_be_asked = variant.autoscheduler.empty() || why_not.empty();
        if (!can_be_asked || serves(variant, request, output)) {
            lacking = why_not.empty() ? why_not_on(variant, device, request, output) : why_not;
        }
    }
    if (backends.empty()) {
        refuse(Fault::usage, no_such_schedule(schedule, variants, name()), "schedule", schedule);
    }
    if (!lacking.empty()) {
        refuse(Fault::device, lacking, "schedule", schedule);
    }
    if (fitting && schedule == "tuned") {
        refuse(Fault::input,
            fmt::format(
                "it has no variant for this size on {}; take --device cpu, or work on parts of the image",
                device.str()),
            "schedule", schedule);
    }
    if (fitting) {
        const bool is_alone = fitting->schedule == schedule && !fitting->summary.empty();
        refuse(Fault::input,
            fmt::format("it does not serve this size, alignment or these options on {}; take --schedule {}{}",
                device.str(),
                named_variant(request, output, fitting->family, device, variants) ? fitting->family : "tuned",
                is_alone ? fmt::format(" ({}: {})", schedule, fitting->summary) : ""),
            "schedule", schedule);
    }
    const bool is_linked = &variants != &variants_ ||
                           std::ranges::any_of(variants_,
                               [&](const Variant &variant) { return variant.backend == device.backend; });
    refuse(Fault::device,
        types.empty() ? no_variant_for(device, backends, is_linked) :
                        not_of_type(request.type, device, types, schedule == "tuned" ? elsewhere : ""),
        "schedule", schedule);
}

std::vector<const Variant *> Operator::run(
    const Variant &variant, Device device, const Request &request, Array &output) const {
    return plan(variant, device, request, output).run();
}

}  // namespace tilewright
