#include "tilewright/fresnel.h"
#include "runtime/operators/fresnel/images.h"
#include "runtime/operators/fresnel/libraries.h"
#include "runtime/operators/fresnel/optics.h"
#include "runtime/dispatch/option_text.h"
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace tilewright {

const std::vector<Row> &fresnel_rows();

namespace {

constexpr int64_t least_side = 16, most_side = 8192;
constexpr double most_turns = 0x1p26;  // f64 then still holds a phase to 1e-8 turns

const auto &method_names = *new std::vector<std::string>{"auto", "transform", "convolution", "angular_spectrum"};  // never destroyed (inside.h)

std::string name_of(FresnelMethod method) {
    return word_of((size_t)method, method_names);
}

// A length as a reader writes it: "19.2 cm".
std::string length(double metres) {
    const double far = std::abs(metres);
    for (const auto &[unit, name] : {std::pair{1e3, "km"}, {1.0, "m"}, {1e-2, "cm"}, {1e-3, "mm"}, {1e-6, "um"}, {1e-9, "nm"}}) {
        if (far >= unit) {
            return fmt::format("{:.4g} {}", metres / unit, name);
        }
    }
    return fmt::format("{:.4g} pm", metres / 1e-12);
}

// What the inputs and settings ask for, checked.
struct Request {
    int64_t side;  // of the inputs and the output
    Propagation propagation;
    FresnelSampling sampling;
    Type output;
    std::optional<double> white;
};

class Fresnel : public Operator {
public:
    std::string name() const override {
        return "fresnel";
    }
    std::string summary() const override {
        return "light after a distance: Fresnel diffraction of a field, or of an amplitude and a phase";
    }
    const std::vector<Row> &rows() const override {
        return fresnel_rows();
    }

    std::vector<Option> options() const override {
        std::vector<Option> all(7);
        all[0] = {"wavelength", "Wavelength of the light, 1pm to 1m", true, "", {}, "m", "532nm"};
        all[1] = {"distance", "How far it goes, up to 1000000km; negative: back towards the source", true, "", {}, "m", "25cm"};
        all[2] = {"pitch", "Distance of the samples, 1pm to 1m", true, "", {}, "m", "10um"};
        all[3] = {"method", "How it is computed; auto takes what fits the distance", false, "auto", method_names};
        all[4] = {"output-type", "What comes out: the field (c64), its intensity (f32), or an image of that (default: the image for .png, "
                                 "else the field)", false, "", {"c64", "f32", "u8", "u16"}};
        all[5] = {"scale", "Intensity that is full scale of an image: auto (the largest one) or a number", false, "auto", {}};
        all[6] = {"pad", "Surround the field with zeros, to twice its side or more; any side goes then", false, "", {"yes", "no"}};
        all[6].is_flag = true;
        return all;
    }
    std::optional<Option> optional_input() const override {
        return Option{"phase", "Phase of an amplitude, of the same shape: f32 in radians, or an image whose full scale is 2 pi", false, "", {}};
    }

    std::string type_of(std::span<const Array> inputs, const Settings &settings) const override {
        request(inputs, settings);
        return "c64";
    }

    std::pair<Type, std::vector<int64_t>> output_of(std::span<const Array> inputs, const Settings &settings) const override {
        const Request r = request(inputs, settings);
        return {r.output, {r.side, r.side}};
    }

    Settings settings_for(const std::string &kind, std::span<const Array> inputs, const Settings &settings) const override {
        Settings complete = settings;
        if (!settings.has("output-type") && kind == "png") {
            complete.set("output-type", inputs[0].type() == Type::u16 ? "u16" : "u8");
        }
        return complete;
    }

    Remarks remarks(std::span<const Array> inputs, const Settings &settings) const override {
        const Request r = request(inputs, settings);
        const FresnelSampling &s = r.sampling;
        const FresnelMethod method = r.propagation.method;
        const bool transforms = method == FresnelMethod::transform;
        const std::string fits = s.fitting == FresnelMethod::transform ? "transform" : "convolution or angular_spectrum";
        const std::string far = fmt::format("the critical distance N p^2 / wavelength is {}, the distance {}", length(s.critical_distance), length(s.distance));
        Remarks remarks;
        remarks.facts = {{"method", name_of(method)},
                         {"sampling", fmt::format("{}: {} fits{}", far, fits, s.aliases(method) ? ", and this method aliases" : "")},
                         {"pitch", fmt::format("{} in, {} out", length(r.propagation.pitch), length(transforms ? s.transform_pitch : r.propagation.pitch))},
                         {"samples", fmt::format("{0} x {0}, transformed as {1} x {1}", r.side, r.propagation.side)}};
        if (s.aliases(method)) {
            remarks.warnings.push_back(fmt::format("{} aliases: {}; take --method {}", name_of(method), far, fits));
        }
        return remarks;
    }

    bool serves(const Row &row, std::span<const Array> inputs, const Array &, const Settings &settings) const override {
        return serves_propagation(row, request(inputs, settings).propagation);
    }

    void run(const Row &row, Device device, std::span<const Array> inputs, Array &output, const Settings &settings) const override {
        const Request r = request(inputs, settings);
        const int64_t side = r.propagation.side;
        const bool in_place = inputs[0].type() == Type::c64 && r.side == side;
        const Array field = in_place ? inputs[0] : field_of(inputs, side);
        if (r.output == Type::c64 && r.side == side) {
            return propagate(row, device, r.propagation, field, output);
        }
        Array result(Type::c64, {side, side});
        propagate(row, device, r.propagation, field, result);
        write_middle(result, output, r.white);
    }

    // Of a field as a whole: 2e-6 log2 N, relative, in the L2 norm.
    Array bound(std::span<const Array> inputs, const Settings &settings) const override {
        const Request r = request(inputs, settings);
        const double relative = 2e-6 * std::log2((double)r.propagation.side);
        if (r.output == Type::c64) {
            Array bound(Type::f64, {1});
            *bound.as<double>() = relative;
            return bound;
        }
        return bound_of_intensity(r, inputs, settings, relative);
    }

    std::vector<Sample> samples(const std::string &type) const override;
    Sample benchmark_sample(const std::string &type, int64_t w, int64_t h, const Settings &settings) const override;
    std::pair<int64_t, int64_t> benchmark_size() const override {
        return {2048, 2048};
    }

    std::vector<Settings> benchmark_settings(const std::string &) const override {
        return {{{"method", "transform"}}, {{"method", "convolution"}}, {{"method", "angular_spectrum"}}};
    }

    // 5 N^2 log2 N^2 for each transform, as is usual.
    Work work(std::span<const Array> inputs, const Array &output, const Settings &settings) const override {
        Work work = Operator::work(inputs, output, settings);
        const Propagation p = request(inputs, settings).propagation;
        const double points = (double)(p.side * p.side);
        work.flops = (p.method == FresnelMethod::transform ? 1 : 2) * 5 * points * std::log2(points) + 6 * points;
        return work;
    }

private:
    Array bound_of_intensity(const Request &r, std::span<const Array> inputs, const Settings &settings, double relative) const;
    Request request(std::span<const Array> inputs, const Settings &settings) const;
    void check_inputs(std::span<const Array> inputs) const;
    int64_t side_of(const Array &input, bool pad) const;
    double length_of(const Settings &settings, const std::string &name, double least, double most, const std::string &range) const;
    void check_turns(const Propagation &propagation) const;
    std::optional<double> white_of(const Settings &settings) const;
};

void Fresnel::check_inputs(std::span<const Array> inputs) const {
    const Array &field = inputs[0];
    const bool amplitude = field.type() == Type::u8 || field.type() == Type::u16 || field.type() == Type::f32;
    if (field.dimensions() == 3) {
        refuse(Fault::input, "takes a grey image or a field of shape (n, n); make colours grey first, and leave alpha out", "field", field.describe());
    }
    if (field.dimensions() != 2 || (!amplitude && field.type() != Type::c64)) {
        refuse(Fault::input, "takes a field (n, n) of c64, or an amplitude (n, n) of u8, u16 or f32", "field", field.describe());
    }
    if (field.shape()[0] != field.shape()[1]) {
        refuse(Fault::input, "takes a square field; crop or enlarge it to as many rows as columns", "field", field.describe());
    }
    if (inputs.size() < 2) {
        return;
    }
    const Array &phase = inputs[1];
    if (!amplitude) {
        refuse(Fault::input, "belongs to an amplitude, and the field is complex already", "phase", phase.describe());
    }
    if (phase.shape() != field.shape() || (phase.type() != Type::f32 && phase.type() != Type::u8 && phase.type() != Type::u16)) {
        refuse(Fault::input, fmt::format("must be f32 (radians), u8 or u16 (full scale is 2 pi), of the amplitude's shape, ({0}, {0})", field.shape()[0]),
               "phase", phase.describe());
    }
}

int64_t Fresnel::side_of(const Array &input, bool pad) const {
    const int64_t n = input.shape()[0];
    if (pad) {
        const int64_t side = std::max(least_side, (int64_t)std::bit_ceil((uint64_t)(2 * n)));
        if (side > most_side) {
            refuse(Fault::input, fmt::format("with zeros around it (--pad) it has {} samples a side, and at most {} go; crop it to {}", side, most_side, most_side / 2),
                   "field", input.describe());
        }
        return side;
    }
    if (n < least_side || n > most_side || !std::has_single_bit((uint64_t)n)) {
        refuse(Fault::input, fmt::format("its side must be a power of two from {} to {}; --pad surrounds it with zeros, and takes any side up to {}",
                                         least_side, most_side, most_side / 2), "field", input.describe());
    }
    return n;
}

double Fresnel::length_of(const Settings &settings, const std::string &name, double least, double most, const std::string &range) const {
    if (!settings.has(name)) {
        refuse(Fault::usage, fmt::format("is needed: {}", range), name, "");
    }
    const double value = settings.number(name, 0);
    if (!(value >= least && value <= most)) {
        refuse(Fault::usage, fmt::format("takes {}; lengths without a unit are metres", range), name, fmt::format("{} m", value));
    }
    return value;
}

void Fresnel::check_turns(const Propagation &propagation) const {
    const double far = std::abs(propagation.distance);
    if (propagation.method == FresnelMethod::transform && far == 0) {
        refuse(Fault::usage, "cannot be 0 for method transform; take convolution", "distance", "0 m");
    }
    if (propagation.most_turns() <= most_turns) {
        return;
    }
    // The phases are proportional to the distance, but for the first one of `transform`, which falls with it.
    Propagation at_critical = propagation;
    at_critical.distance = (double)propagation.side * propagation.pitch * propagation.pitch / propagation.wavelength;
    const double reach = most_turns / at_critical.most_turns();
    std::string range = "up to " + length(reach * at_critical.distance);
    if (propagation.method == FresnelMethod::transform) {
        range = "from " + length(at_critical.distance / reach) + " to " + length(reach * at_critical.distance);
    }
    refuse(Fault::usage, fmt::format("takes {} either way with this wavelength, pitch and method: beyond, phases are more than 2^26 turns", range), "distance",
           length(propagation.distance));
}

std::optional<double> Fresnel::white_of(const Settings &settings) const {
    double white = 0;
    const auto at = settings.all().find("scale");
    if (at == settings.all().end()) {
        return {};
    }
    if (const double *number = std::get_if<double>(&at->second)) {
        white = *number;
    } else {
        const std::string text = std::get<std::string>(at->second);
        if (text == "auto") {
            return {};
        }
        const auto [stopped, fault] = std::from_chars(text.data(), text.data() + text.size(), white);
        if (fault != std::errc() || stopped != text.data() + text.size()) {
            refuse(Fault::usage, "takes auto, or the intensity that is full scale", "scale", text);
        }
    }
    if (!(white >= 1e-30 && white <= 1e30)) {
        refuse(Fault::usage, "takes auto, or an intensity from 1e-30 to 1e30", "scale", fmt::format("{}", white));
    }
    return white;
}

Request Fresnel::request(std::span<const Array> inputs, const Settings &settings) const {
    check_inputs(inputs);
    Request r;
    r.side = inputs[0].shape()[0];
    Propagation &p = r.propagation;
    p.wavelength = length_of(settings, "wavelength", 1e-12, 1, "a length from 1pm to 1m, for example 532nm");
    p.distance = length_of(settings, "distance", -1e9, 1e9, "a length from -1000000km to 1000000km, for example 25cm");
    p.pitch = length_of(settings, "pitch", 1e-12, 1, "a length from 1pm to 1m, for example 10um");
    p.side = side_of(inputs[0], settings.text("pad", "no") == "yes");
    r.sampling = fresnel_sampling(p.side, p.wavelength, p.distance, p.pitch);
    const std::string method = settings.text("method", "auto");
    p.method = (FresnelMethod)(std::find(method_names.begin(), method_names.end(), method) - method_names.begin());
    if (p.method == FresnelMethod::automatic) {
        p.method = r.sampling.fitting;
    }
    check_turns(p);
    const std::string output = settings.text("output-type", "c64");
    r.output = output == "c64" ? Type::c64 : output == "f32" ? Type::f32 : output == "u8" ? Type::u8 : Type::u16;
    r.white = white_of(settings);
    return r;
}

// 2 |u| e + e^2, with u from the CPU, and e the error of an element: the relative error spreads over all of them, but may gather in one as
// that of a whole line does. Images scale that, add the error of the largest intensity where that is their scale, and round.
Array Fresnel::bound_of_intensity(const Request &r, std::span<const Array> inputs, const Settings &settings, double relative) const {
    const int64_t n = r.side;
    Settings of_field = settings;
    of_field.set("output-type", "f32");
    Array intensity;
    (*this)(inputs, intensity, of_field, {.device = Device{}});
    const float *value = std::as_const(intensity).as<float>();
    double sum = 0, most = 0;
    for (int64_t y = 0; y < n; y++) {
        for (int64_t x = 0; x < n; x++) {
            const double i = value[y * intensity.strides()[0] + x];
            sum += i;
            most = std::max(most, i);
        }
    }
    const double e = relative * std::sqrt(sum / (double)(n * n) * (double)r.propagation.side);
    const double white = r.white.value_or(most), top = r.output == Type::u8 ? 255 : 65535;
    const double off = r.white ? 0 : (2 * std::sqrt(most) * e + e * e) / white;
    Array bound(Type::f64, {n, n}, 0);
    double *out = bound.as<double>();
    for (int64_t y = 0; y < n; y++) {
        for (int64_t x = 0; x < n; x++) {
            const double i = value[y * intensity.strides()[0] + x], here = 2 * std::sqrt(i) * e + e * e;
            out[y * n + x] = r.output == Type::f32 ? here : 1 + top * (here / white + std::min(1.0, i / white) * off);
        }
    }
    return bound;
}

// Random fields, real and imaginary parts in [-1, 1).
Array random_field(int64_t side) {
    Array field(Type::c64, {side, side});
    auto *data = field.as<std::complex<float>>();
    uint64_t state = 88172645463325252ull;
    auto next = [&] {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return (float)((double)(state >> 11) * 0x1p-52 - 1);
    };
    for (int64_t y = 0; y < side; y++) {
        for (int64_t x = 0; x < side; x++) {
            data[y * field.strides()[0] + x] = {next(), next()};
        }
    }
    return field;
}

// Green light on a sensor's pixels, at a distance that the method samples well.
Settings settings_of(const std::string &method, int64_t side, double critical) {
    constexpr double wavelength = 532e-9, pitch = 10e-6;
    return {{"method", method}, {"wavelength", wavelength}, {"pitch", pitch}, {"distance", critical * (double)side * pitch * pitch / wavelength}};
}

std::vector<Sample> Fresnel::samples(const std::string &) const {
    std::vector<Sample> all;
    auto add = [&](const std::string &method, const Array &field, double critical, const std::string &what) {
        all.push_back({{field}, settings_of(method, std::bit_ceil((uint64_t)field.shape()[0]), critical), method + " " + what});
        return std::ref(all.back().settings);
    };
    for (const std::string method : {"transform", "convolution", "angular_spectrum"}) {
        const double critical = method == "transform" ? 1.7 : .6;  // times the critical distance
        for (int64_t side = least_side; side <= (method == "angular_spectrum" ? 1024 : 2048); side *= 2) {
            add(method, random_field(side), side % 3 == 1 ? critical : -critical, fmt::format("{}", side));
        }
        add(method, random_field(300).crop(5, 3, 256, 256), critical, "256 cropped");
        add(method, random_field(256).clone(0), -critical, "256 dense");
        Settings &padded = add(method, random_field(100), critical, "100 padded, u8");
        padded.set("pad", "yes");
        padded.set("output-type", "u8");
    }
    // For the passes over long lines, which serve no shorter ones; both methods see the same field.
    const Array longest = random_field(most_side);
    for (const int64_t side : {most_side / 2, most_side}) {
        add("transform", longest.crop(0, 0, side, side), 1.7, fmt::format("{}", side));
        add("convolution", longest.crop(0, 0, side, side), .6, fmt::format("{}", side));
    }
    return all;
}

Sample Fresnel::benchmark_sample(const std::string &, int64_t w, int64_t, const Settings &settings) const {
    const int64_t side = std::clamp((int64_t)std::bit_floor((uint64_t)w), least_side, most_side);
    const std::string method = settings.text("method", "convolution");
    Settings complete = settings_of(method, side, method == "transform" ? 2 : .5);
    for (const auto &[name, value] : settings.all()) {
        complete.set(name, value);
    }
    return {{random_field(side)}, complete, fmt::format("{} {}", method, side)};
}

}  // namespace

const Operator &fresnel_operator() {
    static const auto &op = *new Fresnel;  // never destroyed (inside.h)
    return op;
}

void fresnel(const Array &field, Array &output, const FresnelOptions &options, const Call &call) {
    const Settings settings = {{"wavelength", options.wavelength}, {"distance", options.distance}, {"pitch", options.pitch},
                               {"method", name_of(options.method)}, {"pad", options.pad ? "yes" : "no"}};
    fresnel_operator()({&field, 1}, output, settings, call);
}

Array fresnel(const Array &field, const FresnelOptions &options, const Call &call) {
    Array output;
    fresnel(field, output, options, call);
    return output;
}

}  // namespace tilewright
