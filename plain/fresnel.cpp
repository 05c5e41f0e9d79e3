#include "plain/fresnel.h"
#include "plain/elements.h"
#include "tilewright/plain.h"
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <numbers>

namespace tilewright::plain {

Complex Diffraction::transfer(int64_t kx, int64_t ky) const {
    const auto frequency = [&](int64_t k) {
        return (double)(k < (side + 1) / 2 ? k : k - side) / ((double)side * pitch);
    };
    const double fx = frequency(kx), fy = frequency(ky), f = fx * fx + fy * fy;
    if (method == FresnelMethod::convolution) {
        return unit_phase(-wavelength * distance * f / 2);
    }
    // sqrt(1 / l^2 - f) - 1 / l, in a form that does not cancel.
    const double square = 1 / (wavelength * wavelength) - f;
    return square < 0 ? 0 : unit_phase(-distance * f / (std::sqrt(square) + 1 / wavelength));
}

// The positions are x = (i - N/2) p before the transform, and x' = (i - N/2) l |z| / (N p) after it.
TransformLine::TransformLine(const Diffraction &d) : fft_(d.side, d.distance > 0 ? -1 : 1) {
    const double lz = d.wavelength * d.distance, out_pitch = std::abs(lz) / ((double)d.side * d.pitch);
    const int64_t middle = d.side / 2;
    for (int64_t i = 0; i < d.side; i++) {
        const double x = (double)(i - middle) * d.pitch, out_x = (double)(i - middle) * out_pitch;
        before_.push_back(unit_phase(x * x / (2 * lz)));
        after_.push_back(d.pitch * unit_phase(out_x * out_x / (2 * lz)));
    }
}

// The FFT's element 0 is the centre, N/2 without its fraction, of its input and its output.
void TransformLine::operator()(Complex *u) const {
    const size_t n = before_.size(), behind = n - n / 2;
    std::vector<Complex> moved(n);
    for (size_t i = 0; i < n; i++) {
        moved[(i + behind) % n] = u[i] * before_[i];
    }
    fft_(moved.data());
    for (size_t k = 0; k < n; k++) {
        u[k] = after_[k] * moved[(k + behind) % n];
    }
}

void Diffraction::operator()(Array &field) const {
    if (method == FresnelMethod::transform) {
        const TransformLine line(*this);
        for_rows(field, line);
        for_columns(field, line);
        std::for_each_n(
            numbers(field), side * side, [&](Complex &u) { u /= Complex(0, wavelength * distance); });
        return;
    }
    for_rows(field, Fft(side, -1));
    for_columns(field, Fft(side, -1));
    in_parts(side * side, [this, u = numbers(field)](int64_t first, int64_t end) {
        for (int64_t i = first; i < end; i++) {
            u[i] *= transfer(i % side, i / side) / (double)(side * side);
        }
    });
    for_rows(field, Fft(side, 1));
    for_columns(field, Fft(side, 1));
}

namespace {

// The elements of an image of integers as fractions of full scale, those of other images as they are.
std::vector<double> fractions_of(const Array &image) {
    std::vector<double> all = elements_of<double>(image);
    const double top = image.type() == Type::u8 ? 255 : image.type() == Type::u16 ? 65535 : 1;
    std::transform(all.begin(), all.end(), all.begin(), [&](double v) { return v / top; });
    return all;
}

// The field of a call, in the middle of zeros: its first input when that is complex, else made of amplitude
// and phase.
Array field_in_middle(std::span<const Array> inputs, int64_t side) {
    const int64_t n = height(inputs[0]), first = side / 2 - n / 2;
    if (inputs[0].type() == Type::c64) {
        return complex_field(inputs[0], side, side, first, first);
    }
    Array field(Type::f64, {side, side, 2}, 0);
    Complex *to = numbers(field) + first * side + first;
    const std::vector<double> amplitude = fractions_of(inputs[0]);
    std::vector<double> revolutions(amplitude.size());
    if (inputs.size() > 1) {
        const double revolution = inputs[1].type() == Type::f32 ? 2 * std::numbers::pi : 1;
        revolutions = fractions_of(inputs[1]);
        std::transform(revolutions.begin(), revolutions.end(), revolutions.begin(),
            [&](double phase) { return phase / revolution; });
    }
    for (int64_t i = 0; i < n * n; i++) {
        to[i / n * side + i % n] = amplitude[(size_t)i] * unit_phase(revolutions[(size_t)i]);
    }
    return field;
}

Diffraction diffraction_of(const Settings &settings, int64_t side) {
    Diffraction d{FresnelMethod::automatic, side, settings.number("wavelength", 0),
        settings.number("distance", 0), settings.number("pitch", 0)};
    const std::string method = settings.text("method", "auto");
    const double critical = (double)side * d.pitch * d.pitch / d.wavelength;
    d.method = method == "transform"           ? FresnelMethod::transform :
               method == "convolution"         ? FresnelMethod::convolution :
               method == "angular_spectrum"    ? FresnelMethod::angular_spectrum :
               std::abs(d.distance) > critical ? FresnelMethod::transform :
                                                 FresnelMethod::convolution;
    return d;
}

// The side of a field with the zeros of `pad`, of which it has at least so many: the least product of powers
// of two, three and five, of the last two up to the fourth power; or the least power of two, where that has
// at most half as many points more and is from 16 to 8192.
int64_t side_with_zeros(int64_t least) {
    const auto power = (int64_t)std::bit_ceil((uint64_t)least);
    int64_t best = std::max<int64_t>(power, 16384);
    for (const int64_t threes : {1, 3, 9, 27, 81}) {
        for (const int64_t fives : {1, 5, 25, 125, 625}) {
            int64_t side = threes * fives;
            while (side < least) {
                side *= 2;
            }
            best = std::min(best, side);
        }
    }
    const bool has_pass = power >= 16 && power <= 8192;
    return has_pass && 2 * power * power <= 3 * best * best ? power : best;
}

// The intensity that becomes full scale of an output of integers; 0: the largest one.
double white_of(const Settings &settings) {
    const auto at = settings.all().find("scale");
    if (at == settings.all().end()) {
        return 0;
    }
    if (const double *number = std::get_if<double>(&at->second)) {
        return *number;
    }
    double number = 0;
    const std::string text = std::get<std::string>(at->second);
    std::from_chars(text.data(), text.data() + text.size(), number);  // "auto" leaves 0
    return number;
}

}  // namespace

// Outputs of integers are not rounded: their bound has a step for it.
Array fresnel(std::span<const Array> inputs, const Settings &settings, Backend) {
    const int64_t n = height(inputs[0]);
    const bool pad = settings.text("pad", "no") == "yes";
    const int64_t side = pad ? side_with_zeros(2 * n) : n, first = side / 2 - n / 2;
    Array field = field_in_middle(inputs, side);
    diffraction_of(settings, side)(field);
    const std::string output = settings.text("output-type", "c64");
    if (output == "c64" && n == side) {
        return field;
    }
    const Complex *from = numbers(field) + first * side + first;
    if (output == "c64") {
        Array middle(Type::f64, {n, n, 2}, 0);
        for (int64_t y = 0; y < n; y++) {
            std::copy_n(from + y * side, n, numbers(middle) + y * n);
        }
        return middle;
    }
    Array intensity(Type::f64, {n, n}, 0);
    double *to = intensity.as<double>();
    for (int64_t i = 0; i < n * n; i++) {
        to[i] = std::norm(from[i / n * side + i % n]);
    }
    if (output != "f32") {
        const double top = output == "u8" ? 255 : 65535, most = *std::max_element(to, to + n * n),
                     white = white_of(settings);
        const double factor = top / (white > 0 ? white : most > 0 ? most : 1);
        std::transform(to, to + n * n, to, [&](double i) { return std::min(top, i * factor); });
    }
    return intensity;
}

}  // namespace tilewright::plain
