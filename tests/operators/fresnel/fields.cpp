// Fields of light for the tests of `fresnel`.
#include "tests/operators/fresnel/fields.h"
#include <cmath>
#include <memory>
#include <random>

namespace tilewright {

plain::Diffraction diffraction_of(const Case &c) {
    return {c.method, c.side, wavelength, c.distance, pitch};
}

double coordinate(int64_t i, int64_t side, double pitch) {
    const int64_t middle = side / 2;
    return (double)(i - middle) * pitch;
}

double frequency(int64_t k, int64_t side) {
    return (double)(k < (side + 1) / 2 ? k : k - side) / ((double)side * pitch);
}

Line plain_field(const Line &field, const Case &c) {
    Array exact(Type::f64, {c.side, c.side, 2}, 0);
    std::copy(field.begin(), field.end(), plain::numbers(exact));
    diffraction_of(c)(exact);
    const C128 *values = plain::numbers(exact);
    return {values, values + field.size()};
}

void fill_field(Array &field, const Values &at) {
    C64 *data = field.as<C64>();
    for (int64_t y = 0; y < field.shape()[0]; y++) {
        for (int64_t x = 0; x < field.shape()[1]; x++) {
            data[y * field.strides()[0] + x] = C64(at(x, y));
        }
    }
}

Array field_of(int64_t side, const Values &at, int64_t row_bytes) {
    Array field(Type::c64, {side, side}, row_bytes);
    fill_field(field, at);
    return field;
}

Values random_values(unsigned seed) {
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

double relative_error(const Array &field, const Values &expected) {
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

Values values_of(const Line &line, int64_t side) {
    return [&line, side](int64_t x, int64_t y) { return line[(size_t)(y * side + x)]; };
}

double allowed_error(int64_t side) {
    return 2e-6 * std::max(1.0, std::log2((double)side));
}

double critical_distance(int64_t side) {
    return (double)side * pitch * pitch / wavelength;
}

Settings settings_of(const Case &c) {
    const char *const names[] = {"auto", "transform", "convolution", "angular_spectrum"};
    return {{"method", names[(size_t)c.method]}, {"wavelength", wavelength}, {"distance", c.distance},
        {"pitch", pitch}};
}

FresnelOptions options_of(const Case &c) {
    return {.wavelength = wavelength, .distance = c.distance, .pitch = pitch, .method = c.method};
}

std::string describe(const Case &c) {
    return std::get<std::string>(settings_of(c).all().at("method")) + " " + std::to_string(c.side) + " " +
           std::to_string(c.distance);
}

Array run(const std::vector<Array> &inputs, Settings more) {
    Settings settings = settings_of({convolution, 64, critical_distance(64) / 2});
    for (const auto &[name, value] : more.all()) {
        settings.set(name, value);
    }
    Array output;
    fresnel_operator()(inputs, output, settings, {.device = Device{}});
    return output;
}

}  // namespace tilewright
