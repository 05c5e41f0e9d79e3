// The front of fresnel: what it takes, what it says of a call, and its plan.
#include "tilewright/fresnel.h"
#include "runtime/dispatch/options/option_text.h"
#include "runtime/operators/fft_tables.h"
#include "runtime/operators/fresnel/images.h"
#include "runtime/operators/fresnel/libraries.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace tilewright {

const std::vector<Variant> &fresnel_variants();

namespace {

constexpr double most_revolutions = 0x1p26;  // f64 then still has a phase to 1e-8 revolutions

constexpr Sides sides_of_field = {.most = longest_fft, .are_equal = true, .padded_by = 2};

// Whether lines of n points take one transform or two short ones on every backend.
bool has_small_factors(int64_t n) {
    for (const auto &[factor, most] : {std::pair{2, 14}, {3, 4}, {5, 4}}) {
        for (int i = 0; i < most && n % factor == 0; i++) {
            n /= factor;
        }
    }
    return n == 1;
}

// The side that zeros enlarge a side n to: of those from 2 n on, the one whose transforms take the least
// time. The result depends on it, so that it is the same on all devices. Zeros and their copies take as long
// per point for every side. Powers of two that have passes of their own take .3 to 1 of the time per point
// that transforms of other sides whose prime factors are 2, 3 and 5 take: together about two thirds. Sides
// with larger factors take several times as long.
int64_t padded_side(int64_t n) {
    const int64_t least = sides_of_field.padded_by * n, power = (int64_t)std::bit_ceil((uint64_t)least);
    int64_t side = least;
    while (!has_small_factors(side)) {
        side++;
    }
    return has_pass(power) && 2 * power * power <= 3 * side * side ? power : side;
}

// In the order of FresnelMethod.
const std::vector<std::string> &method_names() {
    return immortal(
        [] { return std::vector<std::string>{"auto", "transform", "convolution", "angular_spectrum"}; });
}

std::string name_of(FresnelMethod method) {
    return word_of((size_t)method, method_names());
}

FresnelMethod method_of(const std::string &name) {
    return (FresnelMethod)(std::find(method_names().begin(), method_names().end(), name) -
                           method_names().begin());
}

std::vector<Option> options_of_fresnel() {
    return {{.name = "wavelength",
                .help = "Wavelength of the light",
                .is_number = true,
                .unit = "m",
                .example = "532nm",
                .least = 1e-12,
                .most = 1,
                .is_needed = true},
        {.name = "distance",
            .help = "How far the light travels; negative: back towards the source",
            .is_number = true,
            .unit = "m",
            .example = "25cm",
            .least = -1e9,
            .most = 1e9,
            .is_needed = true},
        {.name = "pitch",
            .help = "Distance of the samples",
            .is_number = true,
            .unit = "m",
            .example = "10um",
            .least = 1e-12,
            .most = 1,
            .is_needed = true},
        {.name = "method",
            .help = "How it is computed; auto takes what fits the distance",
            .value = "auto",
            .choices = method_names()},
        {.name = "output-type",
            .help = "What comes out: the field (c64), its intensity (f32), or an image of that (default: "
                    "the image for .png, else the field)",
            .choices = {"c64", "f32", "u8", "u16"}},
        {.name = "scale",
            .help = "Intensity that is full scale of an image: auto (the largest one) or a number",
            .value = "auto"},
        {.name = "pad",
            .help =
                "Surround the field with zeros, to a side from twice its own on that is fast to transform",
            .choices = {"yes", "no"},
            .is_flag = true}};
}

class Fresnel : public FieldOperator<FresnelRequest> {
public:
    Fresnel()
        : FieldOperator({.name = "fresnel",
                            .summary = "light after a distance: Fresnel diffraction of a field, or of an "
                                       "amplitude and a phase",
                            .inputs = {{.name = "field",
                                .help = "A field of c64, or an amplitude of u8, u16 or f32",
                                .types = {Type::c64, Type::f32, Type::u8, Type::u16},
                                .axes = Axes::image,
                                .sides = sides_of_field}},
                            .makes = Makes::field,
                            .options = options_of_fresnel(),
                            .optional_input = Input{.name = "phase",
                                .help = "Phase of an amplitude, of the same shape: f32 in radians, "
                                        "or an image whose full scale "
                                        "is 2 pi",
                                .types = {Type::f32, Type::u8, Type::u16},
                                .axes = Axes::image}},
              fresnel_variants(), fresnel_forms()) {}

    Settings settings_for(
        const std::string &kind, std::span<const Array> inputs, const Settings &settings) const override {
        Settings complete = settings;
        if (!settings.has("output-type") && kind == "png") {
            complete.set("output-type", inputs[0].type() == Type::u16 ? "u16" : "u8");
        }
        return complete;
    }

protected:
    FresnelRequest read(std::span<const Array> inputs, const Settings &settings) const override;
    Remarks remarks(const FresnelRequest &request) const override;

    // The side and the number of transforms.
    Measures measures(const FresnelRequest &request) const override {
        return {(double)request.propagation.side,
            request.propagation.method == FresnelMethod::transform ? 1. : 2.};
    }

    Plan plan(
        const Variant &variant, Device device, const FresnelRequest &request, Array &output) const override {
        if (request.output_type == Type::c64 && !request.pads()) {
            return FieldOperator::plan(variant, device, request, output);
        }
        Array result = Array::uninitialized(Type::c64, {request.height, request.width});
        Plan plan = FieldOperator::plan(variant, device, request, result);
        plan.host([result, output, full_scale = request.full_scale]() mutable {
            write_middle(result, output, full_scale);
        });
        return plan;
    }

private:
    void check_phase(const Array &field, const Array &phase) const;
    void check_distance(const Propagation &propagation) const;
    std::optional<double> full_scale_of(const Settings &settings) const;
};

void Fresnel::check_phase(const Array &field, const Array &phase) const {
    if (field.type() == Type::c64) {
        refuse(Fault::input, "belongs to an amplitude, and the field is complex already", "phase",
            phase.describe());
    }
    if (phase.shape() != field.shape()) {
        refuse(Fault::input, fmt::format("must have the amplitude's shape, ({0}, {0})", field.shape()[0]),
            "phase", phase.describe());
    }
}

void Fresnel::check_distance(const Propagation &propagation) const {
    if (propagation.method == FresnelMethod::transform && propagation.distance == 0) {
        refuse(Fault::usage, "cannot be 0 for method transform; take convolution", "distance", "0 m");
    }
    if (propagation.most_revolutions() <= most_revolutions) {
        return;
    }
    // The phases are proportional to the distance, but for the first one of `transform`, which is
    // proportional to its inverse.
    Propagation at_critical = propagation;
    at_critical.distance =
        (double)propagation.side * propagation.pitch * propagation.pitch / propagation.wavelength;
    const double reach = most_revolutions / at_critical.most_revolutions();
    std::string range = "up to " + length_text(reach * at_critical.distance);
    if (propagation.method == FresnelMethod::transform) {
        range = "from " + length_text(at_critical.distance / reach) + " to " +
                length_text(reach * at_critical.distance);
    }
    refuse(Fault::usage,
        fmt::format("takes {} either way with this wavelength, pitch and method: beyond, phases are more "
                    "than 2^26 turns",
            range),
        "distance", length_text(propagation.distance));
}

std::optional<double> Fresnel::full_scale_of(const Settings &settings) const {
    const std::variant<double, std::string> &given = settings.all().at("scale");
    double scale = 0;
    if (const double *number = std::get_if<double>(&given)) {
        scale = *number;
    } else {
        const std::string &text = std::get<std::string>(given);
        if (text == "auto") {
            return {};
        }
        const auto [stopped, fault] = std::from_chars(text.data(), text.data() + text.size(), scale);
        if (fault != std::errc() || stopped != text.data() + text.size()) {
            refuse(Fault::usage, "takes auto, or the intensity that is full scale", "scale", text);
        }
    }
    if (!(scale >= 1e-30 && scale <= 1e30)) {
        refuse(Fault::usage, "takes auto, or an intensity from 1e-30 to 1e30", "scale",
            fmt::format("{}", scale));
    }
    return scale;
}

FresnelRequest Fresnel::read(std::span<const Array> inputs, const Settings &settings) const {
    if (inputs.size() == 2) {
        check_phase(inputs[0], inputs[1]);
    }
    FresnelRequest request;
    request.side = inputs[0].shape()[0];
    Propagation &p = request.propagation;
    p.wavelength = settings.number("wavelength");
    p.distance = settings.number("distance");
    p.pitch = settings.number("pitch");
    const bool pads = settings.text("pad", "no") == "yes";
    p.side = pads ? padded_side(request.side) : request.side;
    request.height = request.width = p.side;
    request.in_the_middle = true;
    request.sampling = fresnel_sampling(p.side, p.wavelength, p.distance, p.pitch);
    p.method = method_of(settings.text("method"));
    if (p.method == FresnelMethod::automatic) {
        p.method = request.sampling.fitting;
    }
    check_distance(p);
    const std::string output = settings.text("output-type", "c64");
    request.type = "c64";
    request.output_type = output == "c64" ? Type::c64 :
                          output == "f32" ? Type::f32 :
                          output == "u8"  ? Type::u8 :
                                            Type::u16;
    request.output_shape = {request.side, request.side};
    request.full_scale = full_scale_of(settings);
    return request;
}

Remarks Fresnel::remarks(const FresnelRequest &request) const {
    const FresnelSampling &s = request.sampling;
    const Propagation &p = request.propagation;
    const bool aliases = s.aliases(p.method), transforms = p.method == FresnelMethod::transform;
    const std::string fits =
        s.fitting == FresnelMethod::transform ? "transform" : "convolution or angular_spectrum";
    const std::string far = fmt::format("the critical distance N p^2 / wavelength is {}, the distance {}",
        length_text(s.critical_distance), length_text(s.distance));
    Remarks remarks;
    remarks.facts = {{"method", name_of(p.method)},
        {"sampling", fmt::format("{}: {} fits{}", far, fits, aliases ? ", and this method aliases" : "")},
        {"pitch", fmt::format("{} in, {} out", length_text(p.pitch),
                      length_text(transforms ? s.transform_pitch : p.pitch))},
        {"samples", fmt::format("{0} x {0}, transformed as {1} x {1}", request.side, p.side)}};
    if (aliases) {
        remarks.warnings.push_back(
            fmt::format("{} aliases: {}; take --method {}", name_of(p.method), far, fits));
    }
    return remarks;
}

}  // namespace

const Operator &fresnel_operator() {
    return immortal([] { return Fresnel(); });
}

void fresnel(const Array &field, Array &output, const FresnelOptions &options, const Call &call) {
    const Settings settings = {{"wavelength", options.wavelength}, {"distance", options.distance},
        {"pitch", options.pitch}, {"method", name_of(options.method)}, {"pad", options.pad ? "yes" : "no"}};
    fresnel_operator()({&field, 1}, output, settings, call);
}

Array fresnel(const Array &field, const FresnelOptions &options, const Call &call) {
    Array output;
    fresnel(field, output, options, call);
    return output;
}

}  // namespace tilewright
