#pragma once
// Fields of light for the tests of `fresnel`: how they are made, what the definition makes of them, and how
// far two are apart.
#include "plain/fresnel.h"
#include "tests/support/arrays.h"
#include "tilewright/fresnel.h"
#include "tilewright/workload.h"
#include <complex>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

namespace tilewright {

using C64 = std::complex<float>;
using C128 = std::complex<double>;
using Line = std::vector<C128>;
using enum FresnelMethod;

constexpr double pi = std::numbers::pi;
constexpr double wavelength = 532e-9, pitch = 10e-6;

using plain::unit_phase;

// A field of side x side samples, and how it is to be propagated.
struct Case {
    FresnelMethod method;
    int64_t side;
    double distance;
};

// The case as the plain definition takes it, and as the operator takes it: by names and by C++.
plain::Diffraction diffraction_of(const Case &c);
Settings settings_of(const Case &c);
FresnelOptions options_of(const Case &c);
std::string describe(const Case &c);

// The coordinate of sample i, in metres.
double coordinate(int64_t i, int64_t side, double pitch);

// The frequency of the FFT's output k.
double frequency(int64_t k, int64_t side);

// The definition, of a field of c.side lines one after another.
Line plain_field(const Line &field, const Case &c);

// The values of a field: each from its place.
using Values = std::function<C128(int64_t x, int64_t y)>;

void fill_field(Array &field, const Values &at);
Array field_of(int64_t side, const Values &at, int64_t row_bytes = Array::padded);
Values random_values(unsigned seed = 1);  // new ones at each call

// An array's values, row after row, and such a line as values.
Line line_of(const Array &field);
Values values_of(const Line &line, int64_t side);

// || field - expected || / || expected ||
double relative_error(const Array &field, const Values &expected);

// The relative error that fresnel.h promises: 2e-6 log2 N.
double allowed_error(int64_t side);

// The distance at which `transform` keeps the pitch.
double critical_distance(int64_t side);

// Runs the operator with settings beside those of a distance.
Array run(const std::vector<Array> &inputs, Settings more);

}  // namespace tilewright
