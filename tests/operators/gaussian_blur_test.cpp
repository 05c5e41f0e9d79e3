// The blur against its definition as plain loops. Long because its options are tested in the same program.
#include "plain/gaussian_blur.h"
#include "tests/operators/blurs.h"
#include "tests/operators/variants.h"
#include "tilewright/gaussian_blur.h"
#include "tilewright/launches.h"
#include "tilewright/plain.h"
#include "tilewright/workload.h"
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <tuple>

namespace tilewright {

namespace {

const std::vector<std::pair<Border, const char *>> borders = {{Border::reflect, "reflect"},
    {Border::mirror, "mirror"}, {Border::nearest, "nearest"}, {Border::zero, "zero"}};

using plain::exact_blur;
using plain::integer_blur;

struct Case {
    std::vector<int64_t> shape;
    double sigma;
    Border border = Border::reflect;
    bool crop = false;

    std::string str() const {
        return words_of(shape) + "sigma " + std::to_string(sigma) + " " + borders[(size_t)border].second +
               (crop ? " crop" : "");
    }
    Settings settings() const {
        return {{"sigma", sigma}, {"border", std::string(borders[(size_t)border].second)}};
    }
};

template<typename T>
using Expected = std::vector<std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>>;

Type type_of_pixels(const Variant &variant) {
    return *std::ranges::find_if(all_types, [&](Type type) { return variant.type == name_of(type); });
}

class GaussianBlurVariant : public VariantTest {
protected:
    Type pixel_type() const {
        return type_of_pixels(variant());
    }

    // One case on this variant, if the variant serves it; integers byte for byte, f32 within the documented
    // bound.
    template<typename T>
    void check(const Case &c) {
        SCOPED_TRACE(c.str());
        if (takes_too_long(c)) {
            return;
        }
        // Rows share their cases: the images and what is expected of them are kept.
        static std::map<std::string, Array> images;
        auto known_image = images.find(c.str());
        if (known_image == images.end()) {
            known_image = images.insert({c.str(), blur_image<T>(c.shape, c.crop)}).first;
        }
        const Array &image = known_image->second;
        Array output(image.type(), image.shape());
        if (c.crop) {  // the output lies in a larger array too
            std::vector<int64_t> larger = c.shape;
            larger[0] += 3;
            larger[1] += 2;
            output = Array(image.type(), larger).crop(1, 1, c.shape[0], c.shape[1]);
        }
        if (!run({image}, output, c.settings())) {
            return;
        }
        static std::map<std::string, Expected<T>> known;
        auto at = known.find(c.str());
        if (at == known.end()) {
            if constexpr (std::is_floating_point_v<T>) {
                at = known.insert({c.str(), exact_blur(image, c.sigma, c.border)}).first;
            } else {
                at = known.insert({c.str(), integer_blur(image, c.sigma, c.border)}).first;
            }
        }
        const Expected<T> &values = at->second;
        if constexpr (std::is_floating_point_v<T>) {
            const double top = largest<float>(image), radius = std::floor(4 * c.sigma + .5);
            double allowed = 2 * (2 * radius + 3) * std::ldexp(1., -24) * top;
            if (variant().form == "gaussian_blur_half") {
                allowed += std::ldexp(top, -11) + std::ldexp(1., -25);
            }
            if (variant().form == "gaussian_blur_exp") {  // the weights of both passes
                allowed += std::ldexp(64 * top, -24);
            }
            EXPECT_EQ(first_difference<T>(output, values, allowed), "");
        } else {
            EXPECT_EQ(first_difference<T>(output, values, 0), "");
        }
    }

    // The same of the other types, which fewer variants have: by the plain loop and the operator's bound.
    void check_in_plain_bounds(const Case &c) {
        SCOPED_TRACE(c.str());
        // An image and an output in larger arrays: rows begin anywhere.
        std::vector<int64_t> larger = c.shape;
        larger[0] += 3;
        larger[1] += 2;
        Array image = random_array(pixel_type(), c.crop ? larger : c.shape, 7),
              output(image.type(), image.shape());
        if (c.crop) {
            image = image.crop(1, 1, c.shape[0], c.shape[1]);
            output = output.crop(2, 1, c.shape[0], c.shape[1]);
        }
        if (!run({image}, output, c.settings())) {
            return;
        }
        static std::map<std::string, std::pair<Array, Array>> known;
        auto &[expected, bound] = known[variant().type + c.str()];
        if (expected.empty()) {
            expected = *plain_result(op(), {&image, 1}, c.settings());
            bound = workload_of(op()).bound({&image, 1}, c.settings());
        }
        EXPECT_EQ(difference(output, expected, bound), "");
    }

    // The variant `direct` adds (2 radius + 1)^2 products per pixel. Where a CPU poses as an OpenCL device,
    // 10^8 of them take half a second.
    bool takes_too_long(const Case &c) const {
        const double side = 2 * std::floor(4 * c.sigma + .5) + 1;
        double products = side * side;
        for (const int64_t extent : c.shape) {
            products *= (double)extent;
        }
        return variant().schedule == "direct" && runs_threads_in_turn() && products > 5e7;
    }

    void check(const Case &c) {
        if (variant().type == "u8") {
            check<uint8_t>(c);
        } else if (variant().type == "u16") {
            check<uint16_t>(c);
        } else if (variant().type == "f32") {
            check<float>(c);
        } else {
            check_in_plain_bounds(c);
        }
    }
};

TEST_P(GaussianBlurVariant, SizesBordersAndChannels) {
    const int64_t sizes[] = {1, 2, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 101, 127, 128, 129, 257};
    const double sigmas[] = {1, .5, 2.25, 3, 1.7, .8};
    int turn = 0;
    for (int64_t h : {1, 3, 16, 33, 64, 67}) {
        for (int64_t w : sizes) {
            check({{h, w}, sigmas[turn % 6], borders[(size_t)turn % 4].first, turn % 3 == 2});
            turn++;
        }
    }
    for (int64_t c : {1, 2, 3, 4}) {
        for (const auto &[border, name] : borders) {
            check({{37, 61, c}, 1, border, c == 3});
            check({{29, 59, c}, .8, border, c == 1});
            check({{64, 128, c}, 2.25, border});
            // Several tiles of the variants for colours, and a last one of few columns. Others blur channels
            // one after another, which takes a CPU that poses as an OpenCL device long.
            const bool is_for_colours = variant().schedule.find("colours") != std::string::npos;
            if (c > 1 && (is_for_colours || !runs_threads_in_turn() || border == borders[0].first)) {
                check({{45, 263, c}, 1, border});
                check({{50, 487, c}, 3, border});
                check({{61, 250, c}, 10, border, c == 4});
            }
        }
    }
    // variants that an autoscheduler made take only images above their tiles
    if (!runs_threads_in_turn() || served() == 0) {
        check({{600, 1030}, 1, Border::mirror});
    }
    // variants for the windows of one of these alone
    for (const double sigma : {6., 8., 10., 16., 26.}) {
        if (served() == 0) {
            check({{110, 520}, sigma, Border::reflect});
        }
    }
    EXPECT_GT(served(), 0) << "the variant serves none of the sizes";
}

TEST_P(GaussianBlurVariant, RadiusBeyondTheImage) {
    for (const auto &[border, name] : borders) {
        check({{5, 3}, 4, border});
        check({{1, 1}, 2, border});
        check({{40, 2, 3}, 7.5, border});
        check({{9, 11}, 20, border});
    }
}

TEST_P(GaussianBlurVariant, EverySigma) {
    for (double sigma : {.05, .2, .4, .5, .75, 1.2, 2., 4., 5.5, 7.5, 10., 20.}) {
        check({{110, 520}, sigma, Border::reflect});
        check({runs_threads_in_turn() ? std::vector<int64_t>{190, 270} : std::vector<int64_t>{256, 512},
            sigma, Border::zero});
        for (int64_t c : {2, 3, 4}) {
            check({{45, 71, c}, sigma, Border::mirror});
        }
    }
    check({{50, 130}, 31, Border::mirror});  // beyond the sigmas of the small integer weights
}

TEST_P(GaussianBlurVariant, LargeWideTall) {
    if (variant().schedule == "reference" || variant().schedule == "direct") {
        GTEST_SKIP() << "this variant is not made for large images";
    }
    check({{runs_threads_in_turn() ? 129 : 2049, 4097}, 1, Border::reflect});
    check({{3, 100003}, 1, Border::nearest});
    check({{100003, 3}, 1, Border::mirror});
    check({{runs_threads_in_turn() ? 5 : 50, 100004}, 2.25, Border::reflect});
}

TEST_P(GaussianBlurVariant, SameBytesEachTime) {
    for (int64_t c : {1, 2, 3, 4}) {
        const Array image = random_array(pixel_type(), {97, 256, c});
        for (const double sigma : {1., .8}) {
            check_repeats({image}, {{"sigma", sigma}});
        }
    }
    if (!served()) {
        GTEST_SKIP() << "not a size of this variant";
    }
}

INSTANTIATE_TEST_SUITE_P(Variants, GaussianBlurVariant,
    testing::ValuesIn(variant_cases(gaussian_blur_operator())), variant_case_name);

Call on_cpu() {
    return {.device = Device{}};
}

// Integers are within 1 of the exact blur rounded, on noise and on black and white, the hardest of images.
TEST(GaussianBlur, IntegersAreWithinOneOfTheExactBlur) {
    for (double sigma : {.2, .5, 1., 2.25, 3., 7.5, 10., 30., 40.}) {
        Array bytes(Type::u8, {61, 67}), words(Type::u16, {61, 67});
        std::mt19937 random(3);
        fill<uint8_t>(bytes, [&] { return random() & 1 ? 255 : 0; });
        fill<uint16_t>(words, [&] { return random() & 1 ? 65535 : 0; });
        std::vector<double> exact = exact_blur(bytes, sigma, Border::reflect);
        std::transform(
            exact.begin(), exact.end(), exact.begin(), [](double v) { return std::floor(v + .5); });
        EXPECT_EQ(
            first_difference<uint8_t>(gaussian_blur(bytes, sigma, Border::reflect, on_cpu()), exact, 1), "")
            << sigma;
        exact = exact_blur(words, sigma, Border::reflect);
        std::transform(
            exact.begin(), exact.end(), exact.begin(), [](double v) { return std::floor(v + .5); });
        EXPECT_EQ(
            first_difference<uint16_t>(gaussian_blur(words, sigma, Border::reflect, on_cpu()), exact, 1), "")
            << sigma;
    }
}

TEST(GaussianBlur, ConstantImagesStay) {
    for (double sigma : {.3, 1., 10., 50.}) {
        Array bytes(Type::u8, {33, 47}), words(Type::u16, {33, 47});
        fill<uint8_t>(bytes, [] { return 255; });
        fill<uint16_t>(words, [] { return 65535; });
        EXPECT_EQ(difference(gaussian_blur(bytes, sigma, Border::mirror, on_cpu()), bytes, {}), "") << sigma;
        EXPECT_EQ(difference(gaussian_blur(words, sigma, Border::nearest, on_cpu()), words, {}), "") << sigma;
    }
}

// The square of the smallest ones is 0.
TEST(GaussianBlur, ASigmaWithoutNeighboursLeavesTheImage) {
    const Array floats = random_array<float>({23, 61}), doubles = random_array<double>({23, 61}),
                bytes = random_array<uint8_t>({23, 61}), words = random_array<uint16_t>({23, 61});
    for (const double sigma : {5e-324, 1e-310, 1e-170, 1e-100, 1e-3, .12}) {
        for (const Array &image : {floats, doubles, bytes, words}) {
            EXPECT_EQ(difference(gaussian_blur(image, sigma, Border::reflect, on_cpu()), image, {}), "")
                << "sigma " << sigma << ", " << image.describe();
        }
    }
}

// Each finite number of the type, also those that are denormal, becomes a float and itself again. Denormal
// numbers of bf16 are denormal floats, which a GPU takes for 0.
template<typename T>
void expect_the_same_numbers(Type type, Device device) {
    Array image(type, {256, 256});
    for (int i = 0; i < 65536; i++) {
        T &number = image.as<T>()[i / 256 * image.strides()[0] + i % 256];
        number.bits = (uint16_t)i;
        number = std::isfinite((float)number) ? number : T(0.f);
    }
    const Array blurred = gaussian_blur(image, .12, Border::mirror, {.device = device});
    for (int64_t y = 0; y < 256; y++) {
        for (int64_t x = 0; x < 256; x++) {
            const float before = image.at<T>({y, x}), after = blurred.at<T>({y, x});
            const bool may_be_0 = device.backend != Backend::cpu && std::abs(before) < 0x1p-126f;
            ASSERT_TRUE(after == before || (may_be_0 && after == 0))
                << device.str() << ": " << before << " became " << after;
        }
    }
}

TEST(GaussianBlur, NumbersOf16BitsAreConvertedExactly) {
    for (const Device device : usable_devices()) {
        expect_the_same_numbers<Float16>(Type::f16, device);
        expect_the_same_numbers<BFloat16>(Type::bf16, device);
    }
}

TEST(GaussianBlur, NaNReachesItsRadiusAndNoFurther) {
    Array image(Type::f32, {64, 300});
    image.as<float>()[30 * image.strides()[0] + 150] = std::numeric_limits<float>::quiet_NaN();
    const Array out = gaussian_blur(image, 1, Border::reflect, on_cpu());
    for (int64_t y = 0; y < 64; y++) {
        for (int64_t x = 0; x < 300; x++) {
            EXPECT_EQ(std::isnan(out.at<float>({y, x})), std::abs(y - 30) <= 4 && std::abs(x - 150) <= 4)
                << y << " " << x;
        }
    }
}

// On Intel's OpenCL for CPUs the device's own exp() makes a blur that is off by 3.5e-4 of the largest number.
TEST(GaussianBlur, BuiltInsOfTheDeviceHaveTheErrorOfTheDevice) {
    const Operator &op = gaussian_blur_operator();
    Array image(Type::f32, {20, 20});
    image.as<float>()[0] = 8;
    const auto bound = [&](const std::string &schedule) {
        const std::vector<const Variant *> variants = op.variants(schedule, Backend::opencl);
        return variants.empty() ?
                   0. :
                   workload_of(op)
                       .bound_of(*variants[0], {&image, 1}, {{"sigma", 1.}, {"border", "reflect"}})
                       .at<double>({0, 0});
    };
    if (bound("exp") == 0) {
        GTEST_SKIP() << "not run here: no OpenCL variants were built";
    }
    EXPECT_LT(bound("exp"), 1e-5 * 8);
    for (const char *own : {"native", "relaxed"}) {
        EXPECT_GT(bound(own), 3.5e-4 * 8) << own;
        EXPECT_LT(bound(own), .01 * 8) << own;
    }
}

TEST(GaussianBlur, CallersMemoryOfAnyStride) {
    std::vector<uint8_t> memory(40 * 333 + 7);
    std::mt19937 random(5);
    for (uint8_t &byte : memory) {
        byte = (uint8_t)random();
    }
    const Array image = Array::view(Type::u8, memory.data() + 3, {39, 101, 3}, {333, 3, 1});
    const Array out = gaussian_blur(image, 2, Border::reflect, on_cpu());
    EXPECT_EQ(first_difference<uint8_t>(out, integer_blur(image, 2, Border::reflect), 0), "");
}

// Another sigma down columns, other radii, and borders that are made on the host: on every device.
TEST(GaussianBlur, OptionsOfItsPasses) {
    const GaussianBlurOptions cases[] = {{.sigma_y = 3, .sigma_x = 1},
        {.sigma_y = .3, .sigma_x = 7, .border = Border::nearest},
        {.sigma_y = 2, .sigma_x = 2.5, .border = Border::zero, .truncate = 2},
        {.sigma_y = 2, .sigma_x = 2, .border = Border::mirror, .truncate = 1.3},
        {.sigma_y = 1, .sigma_x = 1, .border = Border::wrap},
        {.sigma_y = 4, .sigma_x = 12, .border = Border::wrap},
        {.sigma_y = 5, .sigma_x = 1, .border = Border::constant, .truncate = 3, .value = 200},
        {.sigma_y = 1, .sigma_x = 1, .truncate = 0}};
    for (const Device device : usable_devices()) {
        for (const std::vector<int64_t> &shape :
            {std::vector<int64_t>{1, 1}, {37, 53}, {5, 130}, {31, 40, 3}}) {
            const bool compiles_for_seconds =
                device.backend == Backend::opencl && !device_info(device).is_gpu;
            if (compiles_for_seconds && shape != std::vector<int64_t>{37, 53}) {
                continue;
            }
            const Array bytes = random_array<uint8_t>(shape), words = random_array<uint16_t>(shape),
                        floats = random_array<float>(shape);
            for (const GaussianBlurOptions &how : cases) {
                SCOPED_TRACE(device.str() + " " + words_of(shape) + std::to_string(how.sigma_y) + " " +
                             std::to_string(how.sigma_x));
                const Call call{.device = device};
                EXPECT_EQ(
                    first_difference<uint8_t>(gaussian_blur(bytes, how, call), integer_blur(bytes, how), 0),
                    "");
                if (compiles_for_seconds) {
                    continue;
                }
                EXPECT_EQ(
                    first_difference<uint16_t>(gaussian_blur(words, how, call), integer_blur(words, how), 0),
                    "");
                const double radius = std::floor(how.truncate * std::max(how.sigma_y, how.sigma_x) + .5),
                             top = std::max(1., how.border == Border::constant ? how.value : 0);
                EXPECT_EQ(first_difference<float>(gaussian_blur(floats, how, call), exact_blur(floats, how),
                              2 * (2 * radius + 3) * std::ldexp(top, -24)),
                    "");
            }
        }
    }
}

// A window much longer than the image is folded: it has few taps then, and nothing is continued by its
// radius.
TEST(GaussianBlur, WindowsMuchLongerThanTheImage) {
    for (const std::vector<int64_t> &shape : {std::vector<int64_t>{1, 1}, {1, 40}, {9, 1, 2}, {12, 7}}) {
        const Array bytes = random_array<uint8_t>(shape), words = random_array<uint16_t>(shape),
                    floats = random_array<float>(shape);
        for (const Border border : {Border::reflect, Border::mirror, Border::nearest, Border::zero,
                 Border::wrap, Border::constant}) {
            for (const double sigma : {15., 41.5, 300.}) {
                const GaussianBlurOptions how{.sigma_y = sigma, .sigma_x = sigma / 2, .border = border};
                SCOPED_TRACE(words_of(shape) + std::to_string(sigma) + " " + std::to_string((int)border));
                EXPECT_EQ(first_difference<uint8_t>(
                              gaussian_blur(bytes, how, on_cpu()), integer_blur(bytes, how), 0),
                    "");
                EXPECT_EQ(first_difference<uint16_t>(
                              gaussian_blur(words, how, on_cpu()), integer_blur(words, how), 0),
                    "");
                EXPECT_EQ(first_difference<float>(gaussian_blur(floats, how, on_cpu()),
                              exact_blur(floats, how), 2 * (8 * sigma + 3) * 0x1p-24),
                    "");
            }
        }
    }
    // without folding, 4 GiB would be blurred
    const Array image = random_array<uint8_t>({48, 64});
    for (const Border border : {Border::wrap, Border::constant}) {
        const GaussianBlurOptions how{.sigma_y = 8191.9, .sigma_x = 8191.9, .border = border};
        EXPECT_EQ(
            first_difference<uint8_t>(gaussian_blur(image, how, on_cpu()), integer_blur(image, how), 0), "");
    }
}

// What a blur runs on the CPU, which must be one library.
std::map<std::string, int64_t> arguments_of_blur(
    const Array &image, Array &output, double sigma, Border border) {
    LaunchRecording recording;
    gaussian_blur(image, output, sigma, border, on_cpu());
    const std::vector<LibraryRun> runs = recording.take();
    EXPECT_EQ(runs.size(), 1U);
    return {runs.front().arguments.begin(), runs.front().arguments.end()};
}

// The window of one pass may be folded alone: a narrow image is not continued by the radius. A column is
// blurred as a row, so that vectors are full of its pixels; of the border `zero` it stays a column.
TEST(GaussianBlur, NarrowImagesAreNotBlurredBesideThemselves) {
    for (const Border border : {Border::reflect, Border::mirror, Border::nearest, Border::zero}) {
        for (const int64_t row_bytes : {int64_t(0), int64_t(64)}) {
            for (const std::vector<int64_t> &shape : {std::vector<int64_t>{300, 1}, {300, 1, 3}, {300, 3}}) {
                SCOPED_TRACE(words_of(shape) + std::to_string(row_bytes) + " " + std::to_string((int)border));
                const bool is_row = shape[1] == 1 && border != Border::zero;
                const auto blurred = [&](const Array &image) {
                    Array output(image.type(), shape, row_bytes);
                    auto numbers = arguments_of_blur(image, output, 20, border);
                    EXPECT_EQ(numbers["image.extent.1"], is_row ? 1 : 300);
                    EXPECT_LE(numbers[is_row ? "weights_y.extent.0" : "weights.extent.0"], 7);
                    return output;
                };
                const Array bytes = random_array<uint8_t>(shape).clone(row_bytes),
                            floats = random_array<float>(shape).clone(row_bytes);
                const GaussianBlurOptions how{.sigma_y = 20, .sigma_x = 20, .border = border};
                EXPECT_EQ(first_difference<uint8_t>(blurred(bytes), integer_blur(bytes, how), 0), "");
                EXPECT_EQ(first_difference<float>(
                              blurred(floats), exact_blur(floats, how), 2 * (2 * 80 + 3) * 0x1p-24),
                    "");
            }
        }
    }
}

// A variant serves the border `wrap` where it serves the image continued by the radius, and then it runs.
TEST(GaussianBlur, AContinuedImageIsBlurredByTheVariantThatWasAskedFor) {
    const Operator &op = gaussian_blur_operator();
    int more = 0, fewer = 0, ran = 0;
    for (const Variant &variant : op.variants()) {
        if (!variant.autoscheduler.empty()) {
            continue;
        }
        const Type type = type_of_pixels(variant);
        for (const auto &[h, w, sigma] : {std::tuple{6, 8, 2}, {20, 24, 1}, {16300, 90, 15}, {90, 90, 9}}) {
            SCOPED_TRACE(variant.name() + " " + std::to_string(h));
            const Array image(type, {h, w}), continued(type, {h + 8 * sigma, w + 8 * sigma});
            Array output(type, {h, w});
            const auto serves = [&](const Array &array, const char *border) {
                return op.serves(
                    variant, {&array, 1}, array, {{"sigma", (double)sigma}, {"border", std::string(border)}});
            };
            const bool is_served = serves(image, "wrap"), without = serves(image, "reflect");
            EXPECT_EQ(is_served, serves(continued, "reflect"));
            more += is_served && !without;
            fewer += without && !is_served;
            if (is_served && variant.backend == Backend::cpu && h < 100) {
                EXPECT_EQ(op.run(variant, Device{}, {&image, 1}, output,
                              {{"sigma", (double)sigma}, {"border", std::string("wrap")}}),
                    std::vector<const Variant *>{&variant});
                ran++;
            }
        }
    }
    EXPECT_GT(ran, 0);
    if (!op.variants("tuned", Backend::opencl).empty()) {
        EXPECT_GT(more, 0);
        EXPECT_GT(fewer, 0);
    }
}

// A second call sends none of them again.
TEST(GaussianBlur, ADeviceKeepsTheWeightsOfTwoSigmas) {
    bool ran = false;
    for (const Device device : usable_devices()) {
        if (device.backend == Backend::cpu) {
            continue;
        }
        const Array image = random_array<uint8_t>({37, 53});
        Array output(Type::u8, {37, 53});
        const GaussianBlurOptions how{.sigma_y = 3, .sigma_x = 1};
        gaussian_blur(image, output, how, {.device = device});
        const Counters before = counters();
        gaussian_blur(image, output, how, {.device = device});
        EXPECT_EQ((counters() - before).bytes_to_device, 0u) << device.str();
        ran = true;
    }
    if (!ran) {
        GTEST_SKIP() << "not run here: no device but the CPU";
    }
}

template<typename Call>
void expect_refused(Fault fault, const std::string &argument, Call call) {
    const Error error = error_of(call);
    EXPECT_EQ(error.fault(), fault) << error.what();
    EXPECT_EQ(error.context().operation, "gaussian_blur");
    EXPECT_EQ(error.context().argument, argument) << error.what();
}

TEST(GaussianBlur, WhatItRefuses) {
    const Array image(Type::u8, {8, 8});
    for (double sigma : {0., -1., std::nan(""), (double)INFINITY, 8192., 1e300}) {
        expect_refused(
            Fault::usage, "sigma", [&] { gaussian_blur(image, sigma, Border::reflect, on_cpu()); });
    }
    expect_error(
        Fault::usage, "sgma = 2: no such option (did you mean 'sigma'?); it takes sigma, border", [&] {
            Array out;
            (void)gaussian_blur_operator().prepare({&image, 1}, out, {{"sgma", 2.0}}, on_cpu());
        });
    expect_refused(Fault::input, "image",
        [&] { gaussian_blur(Array(Type::i32, {8, 8}), 1, Border::reflect, on_cpu()); });
    expect_refused(
        Fault::input, "image", [&] { gaussian_blur(Array(Type::u8, {8}), 1, Border::reflect, on_cpu()); });
    expect_refused(Fault::input, "image",
        [&] { gaussian_blur(Array(Type::u8, {8, 8, 5}), 1, Border::reflect, on_cpu()); });
    expect_refused(Fault::usage, "border", [&] {
        Array out;
        gaussian_blur_operator()(std::span(&image, 1), out, {{"border", std::string("round")}}, on_cpu());
    });
    for (const double value : {-1., 256., .5}) {
        expect_refused(Fault::usage, "value",
            [&] { gaussian_blur(image, {.border = Border::constant, .value = value}, on_cpu()); });
    }
    expect_refused(Fault::usage, "value", [&] { gaussian_blur(image, {.value = 30}, on_cpu()); });
    const Array large = Array::uninitialized(Type::u8, {16001, 16001});
    for (const Border border : {Border::constant, Border::wrap}) {
        const Error error = error_of(
            [&] { gaussian_blur(large, {.sigma_y = 8000, .sigma_x = 8000, .border = border}, on_cpu()); });
        EXPECT_EQ(error.context().value, large.describe());
        EXPECT_NE(
            std::string(error.what()).find("continued by 32000 rows and 32000 columns"), std::string::npos)
            << error.what();
    }
    expect_refused(Fault::usage, "truncate", [&] { gaussian_blur(image, {.truncate = -1}, on_cpu()); });
    expect_refused(
        Fault::usage, "truncate", [&] { gaussian_blur(image, {.sigma_y = 1000, .truncate = 33}, on_cpu()); });
    expect_refused(Fault::usage, "sigma-y", [&] { gaussian_blur(image, {.sigma_y = 0}, on_cpu()); });
    expect_refused(Fault::usage, "output", [&] {
        Array same = image;
        gaussian_blur(image, same, 1, Border::reflect, on_cpu());
    });
    expect_refused(Fault::input, "output", [&] {
        Array small(Type::u8, {7, 8});
        gaussian_blur(image, small, 1, Border::reflect, on_cpu());
    });
}

// Colour under full transparency must not show; what is opaque must stay as it is.
TEST(GaussianBlur, PremultipliedAlpha) {
    Array image(Type::u8, {16, 32, 4});
    for (int64_t y = 0; y < 16; y++) {
        for (int64_t x = 0; x < 32; x++) {
            uint8_t *pixel = image.as<uint8_t>() + y * image.strides()[0] + x * 4;
            const bool opaque = x < 16;
            pixel[0] = opaque ? 200 : 0;
            pixel[1] = opaque ? 0 : 255;
            pixel[2] = 10;
            pixel[3] = opaque ? 255 : 0;
        }
    }
    const Array blurred =
        unpremultiply(gaussian_blur(premultiply(image), 2, Border::reflect, on_cpu()), Type::u8);
    for (int64_t x = 0; x < 20; x++) {
        EXPECT_EQ(blurred.at<uint8_t>({8, x, 0}), 200) << x;
        EXPECT_EQ(blurred.at<uint8_t>({8, x, 1}), 0) << x;
    }
    EXPECT_EQ(blurred.at<uint8_t>({8, 0, 3}), 255);
    EXPECT_EQ(blurred.at<uint8_t>({8, 31, 3}), 0);

    // u8 and u16 come back unharmed wherever something is to be seen.
    const Array bytes = random_array<uint8_t>({9, 21, 2});
    const Array back = unpremultiply(premultiply(bytes), Type::u8);
    for (int64_t y = 0; y < 9; y++) {
        for (int64_t x = 0; x < 21; x++) {
            EXPECT_EQ(back.at<uint8_t>({y, x, 1}), bytes.at<uint8_t>({y, x, 1}));
            if (bytes.at<uint8_t>({y, x, 1}) > 0) {
                EXPECT_EQ(back.at<uint8_t>({y, x, 0}), bytes.at<uint8_t>({y, x, 0}));
            }
        }
    }
    EXPECT_THROW(premultiply(Array(Type::u8, {4, 4, 3})), Error);
    EXPECT_THROW(unpremultiply(Array(Type::u8, {4, 4, 4}), Type::u8), Error);
}

}  // namespace

TEST(GaussianBlur, ANumberThatIsNoValueOfTheEnumIsRefused) {
    const Error error = error_of([] { gaussian_blur(Array(Type::u8, {4, 4}), 1, (Border)7); });
    EXPECT_EQ(error.fault(), Fault::usage) << error.what();
}

}  // namespace tilewright
