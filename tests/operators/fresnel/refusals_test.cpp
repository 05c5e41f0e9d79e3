// What `fresnel` refuses.
#include "tests/operators/fresnel/fields.h"
#include "tests/support/errors.h"
#include <cmath>

namespace tilewright {
namespace {

void expect_refusal(const Error &error, Fault fault, const std::string &argument, const std::string &word) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    EXPECT_EQ(error.context().argument, argument) << error.what();
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
}

TEST(Fresnel, RefusesFieldsThatItCannotCarry) {
    const auto refusal = [](const Array &field) { return error_of([&] { run({field}, {}); }); };
    expect_refusal(refusal(Array(Type::u8, {16385, 16385})), Fault::input, "field", "1 to 16384");
    expect_refusal(refusal(Array(Type::c64, {64, 32})), Fault::input, "field", "square");
    expect_refusal(refusal(Array(Type::u8, {64, 64, 3})), Fault::input, "field", "grey");
    expect_refusal(refusal(Array(Type::f64, {64, 64})), Fault::input, "field", "f32");
    expect_refusal(refusal(Array(Type::c64, {64})), Fault::input, "field", "(n, n)");
    // Zeros make 8192 samples 16384.
    Settings padded = settings_of({convolution, 8192, critical_distance(8192) / 2});
    padded.set("pad", "yes");
    const auto output_of = [&](int64_t side) {
        const Array field = Array::uninitialized(Type::u8, {side, side});
        return fresnel_operator().output_of({&field, 1}, padded);
    };
    EXPECT_EQ(output_of(8192).second, (std::vector<int64_t>{8192, 8192}));
    expect_refusal(error_of([&] { output_of(8193); }), Fault::input, "field", "at most 8192");
}

TEST(Fresnel, RefusesPhasesThatDoNotFit) {
    const Array amplitude(Type::f32, {64, 64});
    expect_refusal(error_of([&] { run({amplitude, Array(Type::f32, {64, 32})}, {}); }), Fault::input, "phase",
        "(64, 64)");
    expect_refusal(
        error_of([&] { run({amplitude, Array(Type::f64, {64, 64})}, {}); }), Fault::input, "phase", "f32");
    expect_refusal(error_of([&] { run({Array(Type::c64, {64, 64}), Array(Type::f32, {64, 64})}, {}); }),
        Fault::input, "phase", "complex already");
}

TEST(Fresnel, RefusesLengthsOutsideTheirRange) {
    const Array field(Type::c64, {64, 64});
    Array output;
    const Error missing = error_of(
        [&] { fresnel_operator()({&field, 1}, output, {{"wavelength", wavelength}, {"pitch", pitch}}); });
    expect_refusal(missing, Fault::usage, "distance", "25cm");
    expect_refusal(
        error_of([&] { run({field}, {{"wavelength", 0.0}}); }), Fault::usage, "wavelength", "from 1pm to 1m");
    expect_refusal(error_of([&] { run({field}, {{"wavelength", 532.0}}); }), Fault::usage, "wavelength",
        "without a unit are metres");
    expect_refusal(
        error_of([&] { run({field}, {{"pitch", -1e-5}}); }), Fault::usage, "pitch", "from 1pm to 1m");
    expect_refusal(
        error_of([&] { run({field}, {{"distance", 1e10}}); }), Fault::usage, "distance", "1000000km");
    expect_refusal(
        error_of([&] { run({field}, {{"distance", std::nan("")}}); }), Fault::usage, "distance", "1000000km");
    expect_refusal(error_of([&] { run({field}, {{"distance", 0.0}, {"method", "transform"}}); }),
        Fault::usage, "distance", "take convolution");
    expect_refusal(
        error_of([&] { run({field}, {{"method", "guess"}}); }), Fault::usage, "method", "angular_spectrum");
    expect_refusal(error_of([&] { run({field}, {{"scale", "much"}}); }), Fault::usage, "scale", "auto");
    expect_refusal(error_of([&] { run({field}, {{"scale", -1.0}}); }), Fault::usage, "scale", "auto");
}

// Where phases are more turns than f64 tells apart, the message has the distance that goes, and that one
// goes.
TEST(Fresnel, RefusesDistancesWhosePhasesAreLost) {
    const Array field = field_of(64, random_values());
    const double z = critical_distance(64), reach = 0x1p26 / 8;  // 64 / 8 turns at the critical distance
    for (const char *method : {"convolution", "transform"}) {
        run({field}, {{"method", method}, {"distance", .99 * reach * z}});
        expect_refusal(error_of([&] { run({field}, {{"method", method}, {"distance", 1.01 * reach * z}}); }),
            Fault::usage, "distance", "100.9 km");
    }
    run({field}, {{"method", "transform"}, {"distance", 1.01 * z / reach}});
    expect_refusal(error_of([&] { run({field}, {{"method", "transform"}, {"distance", .99 * z / reach}}); }),
        Fault::usage, "distance", "1.434 nm");
}

TEST(Fresnel, NoSamplingIsSaidOfNumbersThatAreNoLengths) {
    const auto refusal = [](int64_t side, double wavelength, double distance, double pitch) {
        return error_of([&] { fresnel_sampling(side, wavelength, distance, pitch); });
    };
    expect_refusal(refusal(0, 0, 0, 0), Fault::usage, "side", "fresnel_sampling: side = 0: takes");
    expect_refusal(refusal(-1, wavelength, 1, pitch), Fault::usage, "side", "from 1 on");
    expect_refusal(refusal(64, 0, 1, pitch), Fault::usage, "wavelength", "takes metres above 0");
    expect_refusal(refusal(64, wavelength, std::nan(""), pitch), Fault::usage, "distance", "takes metres");
    expect_refusal(refusal(64, wavelength, 1, -pitch), Fault::usage, "pitch", "takes metres above 0");
    expect_refusal(refusal(64, wavelength, 1, INFINITY), Fault::usage, "pitch", "takes metres above 0");
    EXPECT_EQ(fresnel_sampling(64, wavelength, 0, pitch).fitting, convolution);
}

TEST(Fresnel, ANumberThatIsNoValueOfTheEnumIsRefused) {
    const Error error = error_of([] {
        fresnel(Array(Type::c64, {16, 16}),
            {.wavelength = 5e-7, .distance = .1, .pitch = 1e-5, .method = (FresnelMethod)7});
    });
    EXPECT_EQ(error.fault(), Fault::usage) << error.what();
}

}  // namespace
}  // namespace tilewright
