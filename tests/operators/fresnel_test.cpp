#include "tilewright/fresnel.h"
#include "tilewright/workload.h"
#include "plain/fresnel.h"
#include "tests/operators/rows.h"
#include "tilewright/workload.h"
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <string>

namespace tilewright {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;
using Line = std::vector<C128>;
using enum FresnelMethod;

constexpr double pi = std::numbers::pi;
constexpr double wavelength = 532e-9, pitch = 10e-6;

using plain::unit_phase;

struct Case {
    FresnelMethod method;
    int64_t side;
    double distance;
};

plain::Diffraction diffraction_of(const Case &c) {
    return {c.method, c.side, wavelength, c.distance, pitch};
}

// The frequency of the FFT's output k.
double frequency(int64_t k, int64_t side) {
    return (double)(k < side / 2 ? k : k - side) / ((double)side * pitch);
}

// The definition, of a field of c.side lines one after another.
Line plain_field(const Line &field, const Case &c) {
    Array exact(Type::f64, {c.side, c.side, 2}, 0);
    std::copy(field.begin(), field.end(), plain::numbers(exact));
    diffraction_of(c)(exact);
    const C128 *values = plain::numbers(exact);
    return {values, values + field.size()};
}

// --------------------------------------------------------------------------------------------------------------------- fields

using At = std::function<C128(int64_t x, int64_t y)>;

void fill_field(Array &field, const At &at) {
    C64 *data = field.as<C64>();
    for (int64_t y = 0; y < field.shape()[0]; y++) {
        for (int64_t x = 0; x < field.shape()[1]; x++) {
            data[y * field.strides()[0] + x] = C64(at(x, y));
        }
    }
}

Array field_of(int64_t side, const At &at, int64_t row_bytes = Array::padded) {
    Array field(Type::c64, {side, side}, row_bytes);
    fill_field(field, at);
    return field;
}

At random_values(unsigned seed = 1) {
    auto random = std::make_shared<std::mt19937>(seed);
    return [random](int64_t, int64_t) {
        const double re = (double)(*random)() / 0x1p31 - 1, im = (double)(*random)() / 0x1p31 - 1;
        return C128(re, im);
    };
}

Line line_of(const Array &field) {
    const int64_t n = field.shape()[0];
    Line line;
    for (int64_t y = 0; y < n; y++) {
        const C64 *row = field.as<C64>() + y * field.strides()[0];
        line.insert(line.end(), row, row + n);
    }
    return line;
}

// || field - expected || / || expected ||
double relative_error(const Array &field, const At &expected) {
    const C64 *data = field.as<C64>();
    double off = 0, all = 0;
    for (int64_t y = 0; y < field.shape()[0]; y++) {
        for (int64_t x = 0; x < field.shape()[1]; x++) {
            const C128 should = expected(x, y);
            off += std::norm(C128(data[y * field.strides()[0] + x]) - should);
            all += std::norm(should);
        }
    }
    return std::sqrt(off / all);
}

At values_of(const Line &line, int64_t side) {
    return [&line, side](int64_t x, int64_t y) { return line[(size_t)(y * side + x)]; };
}

// The promise: 2e-6 log2 N.
double most(int64_t side) {
    return 2e-6 * std::log2((double)side);
}

double critical(int64_t side) {
    return (double)side * pitch * pitch / wavelength;
}

Settings settings_of(const Case &c) {
    const char *const names[] = {"auto", "transform", "convolution", "angular_spectrum"};
    return {{"method", names[(size_t)c.method]}, {"wavelength", wavelength}, {"distance", c.distance}, {"pitch", pitch}};
}

FresnelOptions options_of(const Case &c) {
    return {.wavelength = wavelength, .distance = c.distance, .pitch = pitch, .method = c.method};
}

std::string text(const Case &c) {
    return std::get<std::string>(settings_of(c).all().at("method")) + " " + std::to_string(c.side) + " " + std::to_string(c.distance);
}

// ------------------------------------------------------------------------------------------------------------------------ rows

class FresnelRow : public RowTest {
protected:
    static std::vector<int64_t> sides(int64_t longest) {
        std::vector<int64_t> all;
        for (int64_t side = 16; side <= longest; side *= 2) {
            all.push_back(side);
        }
        return all;
    }
    bool is_slow() const {
        return row().schedule == "reference";
    }
    // Passes over lines of 1024 and more, and over parts of lines.
    bool leaves_small_fields() const {
        for (const char *part : {"1024", "2048", "4096", "8192", "_first", "_second", "_last"}) {
            if (row().schedule.find(part) != std::string::npos) {
                return true;
            }
        }
        return false;
    }

    // Takes the field through the row, if that serves it, and holds the result against `expected`.
    void check(const Case &c, const Array &field, const At &expected) {
        Array output;
        if (run({field}, output, settings_of(c))) {
            EXPECT_LE(relative_error(std::as_const(output), expected), most(c.side)) << text(c);
        }
    }

    bool serves(const Case &c) const {
        const Array field(Type::c64, {c.side, c.side});
        return op().serves(row(), {&field, 1}, field, settings_of(c));
    }
};

TEST_P(FresnelRow, AgreesWithThePlainLoop) {
    for (const FresnelMethod method : {transform, convolution, angular_spectrum}) {
        const double times = method == transform ? 1.7 : .6;
        for (const int64_t side : sides(is_slow() ? 128 : 512)) {
            const Case c{method, side, (side == 32 || side == 256 ? -times : times) * critical(side)};
            if (serves(c)) {
                const Array field = field_of(side, random_values());
                const Line expected = plain_field(line_of(field), c);
                check(c, field, values_of(expected, side));
            }
        }
    }
    EXPECT_EQ(served() == 0, leaves_small_fields()) << "it serves none of the sides that it should";
}

// Large fields against f64, line by line: of a product a(x) b(y) the separable methods make A(x) B(y); of a few plane waves
// angular_spectrum makes the same waves, each by its own phase.
TEST_P(FresnelRow, AgreesWithThePlainLoopOnLargeFields) {
    if (is_slow()) {
        GTEST_SKIP() << "too slow for it";
    }
    for (const int64_t side : {1024, 2048, 4096, 8192}) {
        for (const FresnelMethod method : {transform, convolution, angular_spectrum}) {
            const Case c{method, side, (method == transform ? 1.7 : -.6) * critical(side)};
            if (!serves(c) || (side > 2048 && served() > 0)) {  // the largest ones for rows that serve no others, and once
                continue;
            }
            if (method == angular_spectrum) {
                const std::vector<std::pair<int64_t, int64_t>> waves = {{0, 0}, {3, side - 7}, {side / 2, 5}, {side / 3, side - side / 5}, {side - 1, side / 2 - 1}};
                std::vector<Line> x_waves, y_waves;
                for (const auto &[kx, ky] : waves) {
                    x_waves.emplace_back();
                    y_waves.emplace_back();
                    for (int64_t i = 0; i < side; i++) {
                        x_waves.back().push_back(unit_phase((double)(kx * i % side) / (double)side));
                        y_waves.back().push_back(unit_phase((double)(ky * i % side) / (double)side));
                    }
                }
                const auto sum = [&](bool after) {
                    Line factors;
                    for (const auto &[kx, ky] : waves) {
                        factors.push_back(after ? diffraction_of(c).transfer(kx, ky) : 1);
                    }
                    return [&, factors](int64_t x, int64_t y) {
                        C128 all = 0;
                        for (size_t w = 0; w < waves.size(); w++) {
                            all += factors[w] * x_waves[w][(size_t)x] * y_waves[w][(size_t)y];
                        }
                        return all;
                    };
                };
                check(c, field_of(side, sum(false)), sum(true));
                continue;
            }
            Line a((size_t)side), b((size_t)side);
            const At next = random_values();
            for (int64_t i = 0; i < side; i++) {
                a[(size_t)i] = next(0, 0);
                b[(size_t)i] = next(0, 0);
            }
            const Array field = field_of(side, [&](int64_t x, int64_t y) { return a[(size_t)x] * b[(size_t)y]; });
            const plain::Diffraction one = diffraction_of(c);
            const plain::Fft there(side, -1), back(side, 1);
            for (Line *line : {&a, &b}) {
                if (method == transform) {
                    plain::TransformLine{one}(line->data());
                } else {
                    there(line->data());
                    for (int64_t k = 0; k < side; k++) {
                        (*line)[(size_t)k] *= one.transfer(k, 0) / (double)side;
                    }
                    back(line->data());
                }
            }
            const C128 factor = method == transform ? 1.0 / C128(0, wavelength * c.distance) : 1;
            check(c, field, [&](int64_t x, int64_t y) { return factor * a[(size_t)x] * b[(size_t)y]; });
        }
    }
    EXPECT_GT(served() + !leaves_small_fields(), 0);
}

TEST_P(FresnelRow, TakesCropsAndWritesNothingElse) {
    for (const FresnelMethod method : {transform, convolution, angular_spectrum}) {
        for (const int64_t side : {64, 128}) {
            const Case c{method, side, critical(side)};
            if (!serves(c)) {
                continue;
            }
            // What lies around the crop must not reach the result.
            const float nan = std::numeric_limits<float>::quiet_NaN();
            Array whole = field_of(side + 16, [&](int64_t, int64_t) { return C128(nan, nan); });
            Array inside = whole.crop(3, 5, side, side);
            fill_field(inside, random_values());
            Array output_whole = field_of(side + 9, [](int64_t, int64_t) { return C128(77, 78); }, 0);
            Array output = output_whole.crop(2, 7, side, side);
            if (!run({inside}, output, settings_of(c))) {
                continue;
            }
            const Line expected = plain_field(line_of(inside), c);
            EXPECT_LE(relative_error(std::as_const(output), values_of(expected, side)), most(side)) << text(c);
            const C64 *data = std::as_const(output_whole).as<C64>();
            for (int64_t y = 0; y < side + 9; y++) {
                for (int64_t x = 0; x < side + 9; x++) {
                    const bool is_output = y >= 2 && y < 2 + side && x >= 7 && x < 7 + side;
                    ASSERT_TRUE(is_output || data[y * output_whole.strides()[0] + x] == C64(77, 78)) << x << ", " << y << " was written";
                }
            }
        }
    }
}

TEST_P(FresnelRow, GivesTheSameBytesEachTime) {
    for (const FresnelMethod method : {transform, convolution, angular_spectrum}) {
        const Case c{method, 64, critical(64)};
        const Array field = field_of(64, random_values());
        Array first;
        if (!run({field}, first, settings_of(c))) {
            continue;
        }
        for (int time = 0; time < 3; time++) {
            Array again;
            run({field}, again, settings_of(c));
            EXPECT_EQ(difference(again, first, {}), "");
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Rows, FresnelRow, testing::ValuesIn(row_cases(fresnel_operator())), row_case_name);

// -------------------------------------------------------------------------------------------------------------------- physics

// Coordinates of a sample, in metres.
double place(int64_t i, int64_t side, double pitch) {
    return (double)(i - side / 2) * pitch;
}

// A beam of waist w0 at z = 0, at a distance: width, curvature and Gouy phase.
At gaussian_beam(double w0, double z, int64_t side, double pitch) {
    const double range = pi * w0 * w0 / wavelength, w = w0 * std::sqrt(1 + z * z / (range * range));
    const double curvature = z / (z * z + range * range);
    return [=](int64_t i, int64_t j) {
        const double x = place(i, side, pitch), y = place(j, side, pitch), r2 = x * x + y * y;
        return w0 / w * std::exp(-r2 / (w * w)) * std::polar(1.0, pi * r2 * curvature / wavelength - std::atan(z / range));
    };
}

TEST(Fresnel, CarriesAGaussianBeam) {
    const int64_t side = 256;
    const double w0 = 60e-6;
    const Array waist = field_of(side, gaussian_beam(w0, 0, side, pitch));
    for (const auto &[method, z] : std::vector<std::pair<FresnelMethod, double>>{
             {convolution, .04}, {convolution, -.04}, {angular_spectrum, .04}, {transform, .3}, {transform, -.3}}) {
        const Case c{method, side, z};
        const double out_pitch = method == transform ? fresnel_sampling(side, wavelength, z, pitch).transform_pitch : pitch;
        const Array beam = fresnel(waist, options_of(c));
        // The exact field differs from the paraxial beam by about (l / (pi w0))^2.
        const double allowed = method == angular_spectrum ? 1e-4 : 2e-5;
        EXPECT_LE(relative_error(beam, gaussian_beam(w0, z, side, out_pitch)), allowed) << text(c);
    }
}

// A round hole of radius a, each sample being the part of it that is open.
Array aperture(int64_t side, double radius) {
    constexpr int fine = 8;
    return field_of(side, [&](int64_t i, int64_t j) {
        int open = 0;
        for (int v = 0; v < fine; v++) {
            for (int u = 0; u < fine; u++) {
                const double x = place(i, side, pitch) + ((u + .5) / fine - .5) * pitch, y = place(j, side, pitch) + ((v + .5) / fine - .5) * pitch;
                open += x * x + y * y < radius * radius;
            }
        }
        return (double)open / (fine * fine);
    });
}

// On the axis the intensity is 4 sin^2(pi F / 2), F = a^2 / (l z): four times the light without a hole, or none.
TEST(Fresnel, HasLightAndDarkBehindARoundHole) {
    const int64_t side = 512;
    const double radius = .8e-3;
    const Array hole = aperture(side, radius);
    for (const double number : {1.0, 2.0, 2.5, 3.0, 4.0}) {
        const Case c{transform, side, radius * radius / (wavelength * number)};
        const Array light = fresnel(hole, options_of(c));
        const double s = std::sin(pi * number / 2), on_axis = std::norm(C128(light.at<C64>({side / 2, side / 2})));
        EXPECT_NEAR(on_axis, 4 * s * s, .02) << "Fresnel number " << number;
    }
}

TEST(Fresnel, LeavesAPlaneWaveAPlaneWave) {
    const int64_t side = 64, kx = 5, ky = 60;
    for (const FresnelMethod method : {convolution, angular_spectrum}) {
        const Case c{method, side, .7 * critical(side)};
        EXPECT_LE(relative_error(fresnel(field_of(side, [](int64_t, int64_t) { return 1; }), options_of(c)), [](int64_t, int64_t) { return 1; }), most(side));
        // A tilted one keeps its direction, and its phase is that of the longer way.
        const auto wave = [&](int64_t x, int64_t y) { return unit_phase((double)(kx * x + ky * y) / (double)side); };
        const double fx = frequency(kx, side), fy = frequency(ky, side), f = wavelength * wavelength * (fx * fx + fy * fy);
        const double longer = method == convolution ? -f / 2 : std::sqrt(1 - f) - 1;
        const Array there = fresnel(field_of(side, wave), options_of(c));
        EXPECT_LE(relative_error(there, [&](int64_t x, int64_t y) { return wave(x, y) * unit_phase(c.distance / wavelength * longer); }), most(side)) << text(c);
    }
}

double energy(const Array &field, double pitch) {
    double sum = 0;
    for (const C128 &u : line_of(field)) {
        sum += std::norm(u);
    }
    return sum * pitch * pitch;
}

TEST(Fresnel, ConservesEnergyAndGoesBack) {
    const int64_t side = 128;
    const Array field = field_of(side, random_values());
    const Line start = line_of(field);
    for (const FresnelMethod method : {transform, convolution, angular_spectrum}) {
        FresnelOptions options = options_of({method, side, .9 * critical(side)});
        const Array there = fresnel(field, options);
        const double out_pitch = method == transform ? fresnel_sampling(side, wavelength, options.distance, pitch).transform_pitch : pitch;
        EXPECT_NEAR(energy(there, out_pitch) / energy(field, pitch), 1, 1e-5) << (int)method;
        options.distance = -options.distance;
        options.pitch = out_pitch;
        EXPECT_LE(relative_error(fresnel(there, options), values_of(start, side)), 2 * most(side)) << (int)method;
    }
}

TEST(Fresnel, MethodsAgreeWhereTheyShould) {
    const int64_t side = 256;
    const Array beam = field_of(side, gaussian_beam(150e-6, 0, side, pitch));
    const double z = critical(side);
    const Line by_convolution = line_of(fresnel(beam, options_of({convolution, side, z})));
    EXPECT_LE(relative_error(fresnel(beam, options_of({angular_spectrum, side, z})), values_of(by_convolution, side)), 1e-4);
    // At the critical distance `transform` has the same pitch.
    EXPECT_LE(relative_error(fresnel(beam, options_of({transform, side, z})), values_of(by_convolution, side)), 1e-4);
}

TEST(Fresnel, DropsEvanescentWaves) {
    const int64_t side = 32, k = 10;
    const double small = wavelength / 4;  // so that f l = 10 / 32 * 4 = 1.25
    const Array wave = field_of(side, [&](int64_t x, int64_t) { return unit_phase((double)(k * x) / (double)side); });
    const Array there = fresnel(wave, {.wavelength = wavelength, .distance = 1e-6, .pitch = small, .method = angular_spectrum});
    EXPECT_LE(std::sqrt(energy(there, small) / energy(wave, small)), most(side));
}

// ------------------------------------------------------------------------------------------------------- what the operator adds

TEST(Fresnel, PadsAgainstWrapAround) {
    const int64_t side = 64, padded = 128;
    const double z = critical(side);
    const Array field = field_of(side, random_values());
    for (const FresnelMethod method : {convolution, angular_spectrum, transform}) {
        FresnelOptions options = options_of({method, padded, method == transform ? 3 * z : z});
        Array surrounded(Type::c64, {padded, padded});
        Array middle = surrounded.crop(32, 32, side, side);
        const Line values = line_of(field);
        fill_field(middle, values_of(values, side));
        const Line expected = plain_field(line_of(surrounded), {method, padded, options.distance});
        options.pad = true;
        EXPECT_LE(relative_error(fresnel(field, options), [&](int64_t x, int64_t y) { return expected[(size_t)((y + 32) * padded + x + 32)]; }), 2 * most(padded));
    }
    // Light at the right border comes in at the left one, unless there are zeros.
    FresnelOptions options = options_of({convolution, side, z / 4});
    const Array border = field_of(side, [](int64_t x, int64_t) { return x >= 60 ? 1 : 0; });
    const auto left = [&] { return std::norm(C128(fresnel(border, options).at<C64>({32, 1}))); };
    const double wrapped = left();
    options.pad = true;
    EXPECT_GT(wrapped, 20 * left());
}

TEST(Fresnel, TakesAnySideWithPad) {
    for (const int64_t side : {1, 7, 50, 100, 129}) {
        const int64_t padded = side == 129 ? 512 : side == 100 ? 256 : side == 50 ? 128 : 16, before = padded / 2 - side / 2;
        Case c{convolution, padded, critical(padded) / 3};
        const Array field = field_of(side, random_values());
        Line surrounded((size_t)(padded * padded));
        for (int64_t y = 0; y < side; y++) {
            for (int64_t x = 0; x < side; x++) {
                surrounded[(size_t)((y + before) * padded + x + before)] = field.at<C64>({y, x});
            }
        }
        const Line expected = plain_field(surrounded, c);
        FresnelOptions options = options_of(c);
        options.pad = true;
        const Array output = fresnel(field, options);
        ASSERT_EQ(output.shape(), field.shape());
        EXPECT_LE(relative_error(output, [&](int64_t x, int64_t y) { return expected[(size_t)((y + before) * padded + x + before)]; }), 4 * most(padded)) << side;
    }
}

// Runs the operator with settings on top of a distance.
Array run(const std::vector<Array> &inputs, Settings more) {
    Settings settings = settings_of({convolution, 64, critical(64) / 2});
    for (const auto &[name, value] : more.all()) {
        settings.set(name, value);
    }
    Array output;
    fresnel_operator()(inputs, output, settings, {.device = Device{}});
    return output;
}

TEST(Fresnel, TakesAmplitudeAndPhase) {
    const int64_t side = 64;
    const Array bytes = random_array<uint8_t>({side, side}), words = random_array<uint16_t>({side, side}, 2), floats = random_array<float>({side, side}, 3);
    const auto amplitude = [&](const Array &image, int64_t x, int64_t y) {
        return image.type() == Type::u8 ? image.at<uint8_t>({y, x}) / 255.0 : image.type() == Type::u16 ? image.at<uint16_t>({y, x}) / 65535.0 : image.at<float>({y, x});
    };
    for (const Array &image : {bytes, words, floats}) {
        const Line alone = line_of(run({field_of(side, [&](int64_t x, int64_t y) { return amplitude(image, x, y); })}, {}));
        EXPECT_LE(relative_error(run({image}, {}), values_of(alone, side)), 1e-6) << image.describe();
        for (const Array &phase : {bytes, words, floats}) {
            const double unit = phase.type() == Type::f32 ? 1 : 2 * pi;
            const At field = [&](int64_t x, int64_t y) { return std::polar(1.0, unit * amplitude(phase, x, y)) * amplitude(image, x, y); };
            const Line expected = line_of(run({field_of(side, field)}, {}));
            EXPECT_LE(relative_error(run({image, phase}, {}), values_of(expected, side)), 1e-6) << image.describe() << phase.describe();
        }
    }
}

TEST(Fresnel, GivesIntensities) {
    const int64_t side = 64;
    const Array field = field_of(side, random_values());
    const Line u = line_of(run({field}, {}));
    const Array intensity = run({field}, {{"output-type", "f32"}}), bytes = run({field}, {{"output-type", "u8"}}),
                words = run({field}, {{"output-type", "u16"}, {"scale", "auto"}}), fixed = run({field}, {{"output-type", "u8"}, {"scale", "1.5"}}),
                by_number = run({field}, {{"output-type", "u8"}, {"scale", 1.5}});
    ASSERT_EQ(intensity.type(), Type::f32);
    ASSERT_EQ(bytes.type(), Type::u8);
    ASSERT_EQ(words.type(), Type::u16);
    double largest = 0;
    for (const C128 &value : u) {
        largest = std::max(largest, std::norm(value));
    }
    bool cut = false;
    for (int64_t y = 0; y < side; y++) {
        for (int64_t x = 0; x < side; x++) {
            const double i = std::norm(u[(size_t)(y * side + x)]);
            ASSERT_NEAR(intensity.at<float>({y, x}), i, 1e-6 * largest);
            ASSERT_NEAR(bytes.at<uint8_t>({y, x}), 255 * i / largest, .501);
            ASSERT_NEAR(words.at<uint16_t>({y, x}), 65535 * i / largest, .6);
            ASSERT_NEAR(fixed.at<uint8_t>({y, x}), std::min(255.0, 255 * i / 1.5), .501);
            cut = cut || i > 1.5;
        }
    }
    EXPECT_TRUE(cut);
    EXPECT_EQ(difference(by_number, fixed, {}), "");
    // Without light there is nothing to scale by.
    EXPECT_EQ(difference(run({Array(Type::c64, {side, side})}, {{"output-type", "u8"}}), Array(Type::u8, {side, side}), {}), "");
}

TEST(Fresnel, SaysWhichMethodFits) {
    const double z = critical(1024);
    EXPECT_NEAR(z, .19248, 1e-4);
    const FresnelSampling near = fresnel_sampling(1024, wavelength, -.5 * z, pitch), far = fresnel_sampling(1024, wavelength, 2 * z, pitch);
    EXPECT_NEAR(near.critical_distance, z, 1e-12);
    EXPECT_EQ(near.fitting, convolution);
    EXPECT_TRUE(near.aliases(transform));
    EXPECT_FALSE(near.aliases(convolution) || near.aliases(angular_spectrum) || near.aliases(automatic));
    EXPECT_EQ(far.fitting, transform);
    EXPECT_FALSE(far.aliases(transform));
    EXPECT_TRUE(far.aliases(convolution) && far.aliases(angular_spectrum));
    EXPECT_NEAR(far.transform_pitch, 2 * pitch, 1e-12);
    // The phases turn by half a turn from one sample to the next at the border, there and no earlier.
    const double step = .5 / (wavelength * z) * (place(0, 1024, pitch) * place(0, 1024, pitch) - place(1, 1024, pitch) * place(1, 1024, pitch));
    EXPECT_NEAR(step, .5, 1e-3);
}

TEST(Fresnel, TakesTheFittingMethodByItself) {
    const int64_t side = 64;
    const Array field = field_of(side, random_values());
    for (const auto &[method, times] : std::vector<std::pair<FresnelMethod, double>>{{convolution, .9}, {convolution, 0.0}, {transform, 1.1}, {transform, -1.1}}) {
        const double z = times * critical(side);
        const Array expected = fresnel(field, options_of({method, side, z})), output = fresnel(field, options_of({automatic, side, z}));
        EXPECT_EQ(difference(output, expected, {}), "");
    }
}

TEST(Fresnel, RemarksNameMethodAndAliasing) {
    const int64_t side = 64;
    const Array field = field_of(side, random_values());
    const auto remarks = [&](FresnelMethod method, double times) {
        return fresnel_operator().remarks({&field, 1}, settings_of({method, side, times * critical(side)}));
    };
    EXPECT_TRUE(remarks(automatic, 3).warnings.empty());
    EXPECT_EQ(remarks(automatic, 3).facts.front(), std::make_pair(std::string("method"), std::string("transform")));
    ASSERT_EQ(remarks(convolution, 3).warnings.size(), 1u);
    EXPECT_NE(remarks(convolution, 3).warnings[0].find("--method transform"), std::string::npos) << remarks(convolution, 3).warnings[0];
    EXPECT_NE(remarks(convolution, 3).warnings[0].find("1.203 cm"), std::string::npos) << remarks(convolution, 3).warnings[0];
    EXPECT_NE(remarks(transform, .3).warnings.at(0).find("convolution"), std::string::npos);
}

// --------------------------------------------------------------------------------------------------------------------- refusals

void expect_error(const Error &error, Fault fault, const std::string &argument, const std::string &word) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    EXPECT_EQ(error.context().argument, argument) << error.what();
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
}

TEST(Fresnel, RefusesFieldsThatItCannotCarry) {
    const auto refusal = [](const Array &field) { return error_of([&] { run({field}, {}); }); };
    expect_error(refusal(Array(Type::c64, {100, 100})), Fault::input, "field", "--pad");
    expect_error(refusal(Array(Type::c64, {8, 8})), Fault::input, "field", "16 to 8192");
    expect_error(refusal(Array(Type::u8, {16384, 16384})), Fault::input, "field", "16 to 8192");
    expect_error(refusal(Array(Type::c64, {64, 32})), Fault::input, "field", "square");
    expect_error(refusal(Array(Type::u8, {64, 64, 3})), Fault::input, "field", "grey");
    expect_error(refusal(Array(Type::f64, {64, 64})), Fault::input, "field", "f32");
    expect_error(refusal(Array(Type::c64, {64})), Fault::input, "field", "(n, n)");
    expect_error(error_of([] { run({Array(Type::u8, {5000, 5000})}, {{"pad", "yes"}}); }), Fault::input, "field", "4096");
}

TEST(Fresnel, RefusesPhasesThatDoNotFit) {
    const Array amplitude(Type::f32, {64, 64});
    expect_error(error_of([&] { run({amplitude, Array(Type::f32, {64, 32})}, {}); }), Fault::input, "phase", "(64, 64)");
    expect_error(error_of([&] { run({amplitude, Array(Type::f64, {64, 64})}, {}); }), Fault::input, "phase", "f32");
    expect_error(error_of([&] { run({Array(Type::c64, {64, 64}), Array(Type::f32, {64, 64})}, {}); }), Fault::input, "phase", "complex already");
}

TEST(Fresnel, RefusesLengthsOutsideTheirRange) {
    const Array field(Type::c64, {64, 64});
    Array output;
    const Error missing = error_of([&] { fresnel_operator()({&field, 1}, output, {{"wavelength", wavelength}, {"pitch", pitch}}); });
    expect_error(missing, Fault::usage, "distance", "25cm");
    expect_error(error_of([&] { run({field}, {{"wavelength", 0.0}}); }), Fault::usage, "wavelength", "from 1pm to 1m");
    expect_error(error_of([&] { run({field}, {{"wavelength", 532.0}}); }), Fault::usage, "wavelength", "without a unit are metres");
    expect_error(error_of([&] { run({field}, {{"pitch", -1e-5}}); }), Fault::usage, "pitch", "from 1pm to 1m");
    expect_error(error_of([&] { run({field}, {{"distance", 1e10}}); }), Fault::usage, "distance", "1000000km");
    expect_error(error_of([&] { run({field}, {{"distance", std::nan("")}}); }), Fault::usage, "distance", "1000000km");
    expect_error(error_of([&] { run({field}, {{"distance", 0.0}, {"method", "transform"}}); }), Fault::usage, "distance", "take convolution");
    expect_error(error_of([&] { run({field}, {{"method", "guess"}}); }), Fault::usage, "method", "angular_spectrum");
    expect_error(error_of([&] { run({field}, {{"scale", "much"}}); }), Fault::usage, "scale", "auto");
    expect_error(error_of([&] { run({field}, {{"scale", -1.0}}); }), Fault::usage, "scale", "auto");
}

// Where phases are more turns than f64 tells apart, the message has the distance that goes, and that one goes.
TEST(Fresnel, RefusesDistancesWhosePhasesAreLost) {
    const Array field = field_of(64, random_values());
    const double z = critical(64), reach = 0x1p26 / 8;  // 64 / 8 turns at the critical distance
    for (const char *method : {"convolution", "transform"}) {
        run({field}, {{"method", method}, {"distance", .99 * reach * z}});
        expect_error(error_of([&] { run({field}, {{"method", method}, {"distance", 1.01 * reach * z}}); }), Fault::usage, "distance", "100.9 km");
    }
    run({field}, {{"method", "transform"}, {"distance", 1.01 * z / reach}});
    expect_error(error_of([&] { run({field}, {{"method", "transform"}, {"distance", .99 * z / reach}}); }), Fault::usage, "distance", "1.434 nm");
}

}  // namespace
TEST(Fresnel, ANumberThatIsNoValueOfTheEnumIsRefused) {
    const Error error = error_of([] { fresnel(Array(Type::c64, {16, 16}), {.wavelength = 5e-7, .distance = .1, .pitch = 1e-5, .method = (FresnelMethod)7}); });
    EXPECT_EQ(error.fault(), Fault::usage) << error.what();
}

}  // namespace tilewright
