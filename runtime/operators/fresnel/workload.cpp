// The workload of fresnel: random fields at distances that each method samples well, and the error that a
// propagation may have.
#include "tilewright/workload.h"
#include "runtime/operators/fft_tables.h"
#include "runtime/operators/fresnel/request.h"
#include "runtime/workloads/random.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace tilewright {

namespace {

Array random_field(int64_t side) {
    return random_array(Type::c64, {side, side});
}

// Green light on a sensor's pixels; the distance in units of the critical one.
Settings settings_of(const std::string &method, int64_t side, double critical) {
    constexpr double wavelength = 532e-9, pitch = 10e-6;
    return {{"method", method}, {"wavelength", wavelength}, {"pitch", pitch},
        {"distance", critical * (double)side * pitch * pitch / wavelength}};
}

// Intensities of n x n samples: their mean and the largest one.
struct Intensities {
    Array array;
    double mean = 0, largest = 0;

    explicit Intensities(Array of) : array(std::move(of)), values_(std::as_const(array).as<float>()) {
        const int64_t n = array.shape()[0];
        double sum = 0;
        for (int64_t y = 0; y < n; y++) {
            for (int64_t x = 0; x < n; x++) {
                sum += at(y, x);
                largest = std::max(largest, at(y, x));
            }
        }
        mean = sum / (double)(n * n);
    }

    double at(int64_t y, int64_t x) const {
        return values_[y * array.strides()[0] + x];
    }

private:
    const float *values_;
};

class FresnelWorkload : public Workload {
public:
    using Workload::Workload;

    // Of a field as a whole: 2e-6 log2 N, at least 2e-6, relative, in the L2 norm.
    Array bound(std::span<const Array> inputs, const Settings &settings) const override {
        const auto parsed = op_.parse(inputs, settings);
        const auto &request = static_cast<const FresnelRequest &>(*parsed);
        const double relative = 2e-6 * std::max(1.0, std::log2((double)request.propagation.side));
        if (request.output_type == Type::c64) {
            Array bound(Type::f64, {1});
            *bound.as<double>() = relative;
            return bound;
        }
        Settings of_intensity = settings;
        of_intensity.set("output-type", "f32");
        Array intensity;
        op_(inputs, intensity, of_intensity, {.device = Device{}});
        return bound_of_intensity(request, Intensities(intensity), relative);
    }

    std::vector<Sample> samples(const std::string &) const override;
    Sample benchmark_sample(const std::string &, DataSize size, const Settings &settings) const override;
    std::vector<DataSize> sizes_to_measure() const override {
        return {{64, 64}, {256, 256}, {1024, 1024}, {4096, 4096}};
    }
    DataSize benchmark_size() const override {
        return {2048, 2048};
    }
    std::vector<Settings> benchmark_settings(const std::string &) const override {
        return {{{"method", "transform"}}, {{"method", "convolution"}}, {{"method", "angular_spectrum"}}};
    }

    // 5 N^2 log2 N^2 for each transform, as is usual.
    Work work(std::span<const Array> inputs, const Array &output, const Settings &settings) const override {
        Work work = Workload::work(inputs, output, settings);
        const auto parsed = op_.parse(inputs, settings);
        const Propagation &p = static_cast<const FresnelRequest &>(*parsed).propagation;
        const double points = (double)(p.side * p.side);
        work.flops =
            (p.method == FresnelMethod::transform ? 1 : 2) * 5 * points * std::log2(points) + 6 * points;
        return work;
    }

private:
    static Array bound_of_intensity(
        const FresnelRequest &request, const Intensities &intensities, double relative);
};

// 2 |u| e + e^2, with u from the CPU, and e the error of an element: the relative error spreads over all of
// them, but may gather in one as that of a whole line does. Images scale that, add the error of the largest
// intensity where that is their scale, and round.
Array FresnelWorkload::bound_of_intensity(
    const FresnelRequest &request, const Intensities &intensities, double relative) {
    const int64_t n = request.side;
    const double e = relative * std::sqrt(intensities.mean * (double)request.propagation.side);
    const auto error_of = [e](double intensity) { return 2 * std::sqrt(intensity) * e + e * e; };
    const double full_scale = request.full_scale.value_or(intensities.largest),
                 top = request.output_type == Type::u8 ? 255 : 65535;
    const double error_of_scale = request.full_scale ? 0 : error_of(intensities.largest) / full_scale;
    Array bound(Type::f64, {n, n}, 0);
    double *out = bound.as<double>();
    for (int64_t y = 0; y < n; y++) {
        for (int64_t x = 0; x < n; x++) {
            const double i = intensities.at(y, x),
                         scaled = error_of(i) / full_scale + std::min(1.0, i / full_scale) * error_of_scale;
            out[y * n + x] = request.output_type == Type::f32 ? error_of(i) : 1 + top * scaled;
        }
    }
    return bound;
}

std::vector<Sample> FresnelWorkload::samples(const std::string &) const {
    std::vector<Sample> all;
    const auto add = [&](const std::string &method, const Array &field, double critical,
                         const std::string &what) {
        all.push_back({{field}, settings_of(method, field.shape()[0], critical), method + " " + what});
        return std::ref(all.back().settings);
    };
    for (const std::string method : {"transform", "convolution", "angular_spectrum"}) {
        const double critical = method == "transform" ? 1.7 : .6;
        for (int64_t side = shortest_pass; side <= 2048; side *= 2) {
            add(method, random_field(side), side % 3 == 1 ? critical : -critical, fmt::format("{}", side));
        }
        for (const int64_t side : {1, 2, 15, 17, 45, 67, 250, 1600}) {
            add(method, random_field(side), side % 2 == 1 ? critical : -critical, fmt::format("{}", side));
        }
        add(method, random_field(300).crop(5, 3, 256, 256), critical, "256 cropped");
        add(method, random_field(256).clone(0), -critical, "256 dense");
        Settings &padded = add(method, random_field(100), critical, "100 padded, u8");
        padded.set("pad", "yes");
        padded.set("output-type", "u8");
    }
    // For the passes over long lines and of sides that are no powers of two, which serve no other ones; all
    // methods see the same field.
    const Array longest = random_field(longest_pass);
    std::set<int64_t> sides = {longest_pass / 2, longest_pass};
    for (const Variant &variant : op_.variants()) {
        if (variant.form == "fft_pass" && !has_pass(variant.configuration<FftPassShape>().length())) {
            sides.insert(variant.configuration<FftPassShape>().length());
        }
    }
    for (const int64_t side : sides) {
        add("transform", longest.crop(0, 0, side, side), 1.7, fmt::format("{}", side));
        add("convolution", longest.crop(0, 0, side, side), .6, fmt::format("{}", side));
    }
    add("angular_spectrum", longest, .6, fmt::format("{}", longest_pass));
    return all;
}

Sample FresnelWorkload::benchmark_sample(const std::string &, DataSize size, const Settings &settings) const {
    const int64_t side = fresnel_operator().inputs().front().sides.up_to(size.width);
    const std::string method = settings.text("method", "convolution");
    Settings complete = settings_of(method, side, method == "transform" ? 2 : .5);
    for (const auto &[name, value] : settings.all()) {
        complete.set(name, value);
    }
    return {{random_field(side)}, complete, fmt::format("{} {}", method, side)};
}

}  // namespace

std::unique_ptr<Workload> fresnel_workload(const Operator &op) {
    return std::make_unique<FresnelWorkload>(op);
}

}  // namespace tilewright
