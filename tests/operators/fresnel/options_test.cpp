// What `fresnel` adds to its methods: padding, amplitude and phase, intensities, and the choice of a method.
#include "tests/operators/fresnel/fields.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(Fresnel, PadsAgainstWrapAround) {
    const int64_t side = 64, padded = 128;
    const double z = critical_distance(side);
    const Array field = field_of(side, random_values());
    for (const FresnelMethod method : {convolution, angular_spectrum, transform}) {
        FresnelOptions options = options_of({method, padded, method == transform ? 3 * z : z});
        Array surrounded(Type::c64, {padded, padded});
        Array middle = surrounded.crop(32, 32, side, side);
        const Line values = line_of(field);
        fill_field(middle, values_of(values, side));
        const Line expected = plain_field(line_of(surrounded), {method, padded, options.distance});
        options.pad = true;
        EXPECT_LE(relative_error(fresnel(field, options),
                      [&](int64_t x, int64_t y) { return expected[(size_t)((y + 32) * padded + x + 32)]; }),
            2 * allowed_error(padded));
    }
    // Light at the right border comes in at the left one, unless there are zeros.
    FresnelOptions options = options_of({convolution, side, z / 4});
    const Array border = field_of(side, [](int64_t x, int64_t) { return x >= 60 ? 1 : 0; });
    const auto left = [&] { return std::norm(C128(fresnel(border, options).at<C64>({32, 1}))); };
    const double wrapped = left();
    options.pad = true;
    EXPECT_GT(wrapped, 20 * left());
}

// The side and that with zeros: powers of two, where these have at most 1.5 times the points of others.
TEST(Fresnel, TakesAnySideWithPad) {
    const std::pair<int64_t, int64_t> sides[] = {
        {1, 2}, {3, 6}, {7, 16}, {50, 100}, {67, 135}, {110, 256}, {129, 270}, {151, 320}};
    for (const auto &[side, padded] : sides) {
        const int64_t before = padded / 2 - side / 2;
        Case c{convolution, padded, critical_distance(padded) / 3};
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
        EXPECT_LE(
            relative_error(output,
                [&](int64_t x, int64_t y) { return expected[(size_t)((y + before) * padded + x + before)]; }),
            4 * allowed_error(padded))
            << side;
    }
}

TEST(Fresnel, TakesAmplitudeAndPhase) {
    const int64_t side = 64;
    const Array bytes = random_array<uint8_t>({side, side}), words = random_array<uint16_t>({side, side}, 2),
                floats = random_array<float>({side, side}, 3);
    const auto amplitude = [&](const Array &image, int64_t x, int64_t y) {
        return image.type() == Type::u8  ? image.at<uint8_t>({y, x}) / 255.0 :
               image.type() == Type::u16 ? image.at<uint16_t>({y, x}) / 65535.0 :
                                           image.at<float>({y, x});
    };
    for (const Array &image : {bytes, words, floats}) {
        const Line alone =
            line_of(run({field_of(side, [&](int64_t x, int64_t y) { return amplitude(image, x, y); })}, {}));
        EXPECT_LE(relative_error(run({image}, {}), values_of(alone, side)), 1e-6) << image.describe();
        for (const Array &phase : {bytes, words, floats}) {
            const double unit = phase.type() == Type::f32 ? 1 : 2 * pi;
            const Values field = [&](int64_t x, int64_t y) {
                return std::polar(1.0, unit * amplitude(phase, x, y)) * amplitude(image, x, y);
            };
            const Line expected = line_of(run({field_of(side, field)}, {}));
            EXPECT_LE(relative_error(run({image, phase}, {}), values_of(expected, side)), 1e-6)
                << image.describe() << phase.describe();
        }
    }
}

TEST(Fresnel, GivesIntensities) {
    const int64_t side = 64;
    const Array field = field_of(side, random_values());
    const Line u = line_of(run({field}, {}));
    const Array intensity = run({field}, {{"output-type", "f32"}}),
                bytes = run({field}, {{"output-type", "u8"}}),
                words = run({field}, {{"output-type", "u16"}, {"scale", "auto"}}),
                fixed = run({field}, {{"output-type", "u8"}, {"scale", "1.5"}}),
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
    EXPECT_EQ(difference(run({Array(Type::c64, {side, side})}, {{"output-type", "u8"}}),
                  Array(Type::u8, {side, side}), {}),
        "");
}

TEST(Fresnel, SaysWhichMethodFits) {
    const double z = critical_distance(1024);
    EXPECT_NEAR(z, .19248, 1e-4);
    const FresnelSampling near = fresnel_sampling(1024, wavelength, -.5 * z, pitch),
                          far = fresnel_sampling(1024, wavelength, 2 * z, pitch);
    EXPECT_NEAR(near.critical_distance, z, 1e-12);
    EXPECT_EQ(near.fitting, convolution);
    EXPECT_TRUE(near.aliases(transform));
    EXPECT_FALSE(near.aliases(convolution) || near.aliases(angular_spectrum) || near.aliases(automatic));
    EXPECT_EQ(far.fitting, transform);
    EXPECT_FALSE(far.aliases(transform));
    EXPECT_TRUE(far.aliases(convolution) && far.aliases(angular_spectrum));
    EXPECT_NEAR(far.transform_pitch, 2 * pitch, 1e-12);
    // The phases turn by half a turn from one sample to the next at the border, there and no earlier.
    const double step = .5 / (wavelength * z) *
                        (coordinate(0, 1024, pitch) * coordinate(0, 1024, pitch) -
                            coordinate(1, 1024, pitch) * coordinate(1, 1024, pitch));
    EXPECT_NEAR(step, .5, 1e-3);
}

TEST(Fresnel, TakesTheFittingMethodByItself) {
    const int64_t side = 64;
    const Array field = field_of(side, random_values());
    for (const auto &[method, times] : std::vector<std::pair<FresnelMethod, double>>{
             {convolution, .9}, {convolution, 0.0}, {transform, 1.1}, {transform, -1.1}}) {
        const double z = times * critical_distance(side);
        const Array expected = fresnel(field, options_of({method, side, z})),
                    output = fresnel(field, options_of({automatic, side, z}));
        EXPECT_EQ(difference(output, expected, {}), "");
    }
}

TEST(Fresnel, RemarksNameMethodAndAliasing) {
    const int64_t side = 64;
    const Array field = field_of(side, random_values());
    const auto remarks = [&](FresnelMethod method, double times) {
        return fresnel_operator().remarks(
            {&field, 1}, settings_of({method, side, times * critical_distance(side)}));
    };
    EXPECT_TRUE(remarks(automatic, 3).warnings.empty());
    EXPECT_EQ(
        remarks(automatic, 3).facts.front(), std::make_pair(std::string("method"), std::string("transform")));
    ASSERT_EQ(remarks(convolution, 3).warnings.size(), 1u);
    EXPECT_NE(remarks(convolution, 3).warnings[0].find("--method transform"), std::string::npos)
        << remarks(convolution, 3).warnings[0];
    EXPECT_NE(remarks(convolution, 3).warnings[0].find("1.203 cm"), std::string::npos)
        << remarks(convolution, 3).warnings[0];
    EXPECT_NE(remarks(transform, .3).warnings.at(0).find("convolution"), std::string::npos);
}

}  // namespace
}  // namespace tilewright
