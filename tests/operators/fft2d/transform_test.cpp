// fft2d: properties of the transform (linear, energy kept, there and back), and what the front pads and
// refuses.
#include "runtime/devices/memory/host_memory.h"
#include "tests/operators/fft2d/fields.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace tilewright {
namespace {

// -------------------------------------------- what a transform must do, of the best variant of the CPU

Array on_cpu(const Array &field, Direction direction = Direction::forward, bool pad = false) {
    return fft2d(field, direction, pad, {.device = Device{}});
}

TEST(Fft2d, AnImpulseBecomesAPlaneWave) {
    Array field(Type::c64, {64, 128});
    field.as<std::complex<float>>()[5 * field.strides()[0] + 3] = {2, 0};
    Field wave{64, 128, std::vector<Number>(64 * 128)};
    for (int64_t v = 0; v < 64; v++) {
        for (int64_t u = 0; u < 128; u++) {
            wave.at(v, u) = std::polar(2.0, -2 * M_PI * (3.0 * (double)u / 128 + 5.0 * (double)v / 64));
        }
    }
    EXPECT_LT(relative_error(on_cpu(field), wave), 1e-6);
}

TEST(Fft2d, APlaneWaveBecomesOneBin) {
    Array field(Type::c64, {32, 512});
    for (int64_t y = 0; y < 32; y++) {
        for (int64_t x = 0; x < 512; x++) {
            field.as<std::complex<float>>()[y * field.strides()[0] + x] = std::complex<float>(
                std::polar(1.0, 2 * M_PI * (100.0 * (double)x / 512 - 7.0 * (double)y / 32)));
        }
    }
    const Field spectrum = read(on_cpu(field));
    for (int64_t v = 0; v < 32; v++) {
        for (int64_t u = 0; u < 512; u++) {
            const double expected = u == 100 && v == 32 - 7 ? 32 * 512 : 0;
            ASSERT_LT(std::abs(spectrum.at(v, u) - expected), 0.02) << u << ", " << v;
        }
    }
}

TEST(Fft2d, IsLinear) {
    const Array a = random_field(128, 64, 1), b = random_field(128, 64, 2);
    Array sum(Type::c64, {128, 64});
    const std::complex<float> factor(0.5f, -2);
    for (int64_t y = 0; y < 128; y++) {
        for (int64_t x = 0; x < 64; x++) {
            const int64_t at = y * sum.strides()[0] + x;
            sum.as<std::complex<float>>()[at] =
                a.as<std::complex<float>>()[at] + factor * b.as<std::complex<float>>()[at];
        }
    }
    Field expected = read(on_cpu(a));
    const Field of_b = read(on_cpu(b));
    for (size_t i = 0; i < expected.values.size(); i++) {
        expected.values[i] += Number(factor) * of_b.values[i];
    }
    EXPECT_LT(relative_error(on_cpu(sum), expected), 1e-6);
}

TEST(Fft2d, ThereAndBackIsTheStart) {
    for (const auto &[h, w] : std::vector<std::pair<int64_t, int64_t>>{
             {16, 16}, {512, 512}, {8192, 16}, {32, 8192}, {1, 1}, {1009, 2000}, {1080, 1920}}) {
        const Array field = random_field(h, w);
        EXPECT_LT(relative_error(on_cpu(on_cpu(field), Direction::inverse), read(field)), allowed(h, w))
            << w << " x " << h;
    }
}

TEST(Fft2d, NaNReachesEveryElement) {
    Array field = random_field(64, 32);
    field.as<std::complex<float>>()[9 * field.strides()[0] + 4] = {
        std::numeric_limits<float>::quiet_NaN(), 0};
    for (const Number &value : read(on_cpu(field)).values) {
        ASSERT_TRUE(std::isnan(value.real()) && std::isnan(value.imag()));
    }
}

// Of both precisions, forward and back, with an even and with an odd width.
TEST(Fft2d, HalvesAreTheColumnsOfTheWholeSpectrumAndComeBack) {
    for (const Type type : {Type::f32, Type::f64}) {
        const Type of_spectrum = type == Type::f32 ? Type::c64 : Type::c128;
        for (const auto &[h, w] : std::vector<std::pair<int64_t, int64_t>>{{33, 64}, {12, 75}, {1, 1}}) {
            const Array values = random_array(type, {h, w});
            const Call call{.device = Device{}};
            const Array spectrum = rfft2d(values, call),
                        whole = fft2d(values, Direction::forward, false, call),
                        back = irfft2d(spectrum, w, call);
            ASSERT_EQ(spectrum.type(), of_spectrum);
            ASSERT_EQ(spectrum.shape(), (std::vector<int64_t>{h, w / 2 + 1}));
            EXPECT_LT(relative_error(spectrum, read(whole.crop(0, 0, h, w / 2 + 1))),
                2 * allowed(h, w, of_spectrum));
            ASSERT_EQ(back.describe(), values.describe());
            EXPECT_LT(relative_error(back, read(values)), 2 * allowed(h, w, of_spectrum));
            EXPECT_EQ(irfft2d(spectrum, 0, call).shape()[1], w == 1 ? 1 : 2 * (w / 2));
        }
    }
}

TEST(Fft2d, NaNOfOneValueReachesEveryElementOfAHalf) {
    Array values = random_array<float>({16, 32});
    values.as<float>()[5 * values.strides()[0] + 7] = std::numeric_limits<float>::quiet_NaN();
    for (const Number &value : read(rfft2d(values, {.device = Device{}})).values) {
        ASSERT_TRUE(std::isnan(value.real()) && std::isnan(value.imag()));
    }
    Array spectrum = random_field(16, 17);
    spectrum.as<std::complex<float>>()[3] = {std::numeric_limits<float>::infinity(), 0};
    for (const Number &value : read(irfft2d(spectrum, 0, {.device = Device{}})).values) {
        ASSERT_FALSE(std::isfinite(value.real()));
    }
}

TEST(Fft2d, RefusesHalvesThatAreNone) {
    const Array values = random_array<float>({16, 16}), spectrum = random_field(16, 9);
    const auto fault = [](const Array &field, const Settings &settings, const std::string &argument) {
        const Error error = error_of([&] {
            Array output;
            fft2d_operator()({&field, 1}, output, settings, {.device = Device{}});
        });
        EXPECT_EQ(error.context().argument, argument) << error.what();
        return error.fault();
    };
    const std::string yes = "yes", inverse = "inverse";
    EXPECT_EQ(fault(spectrum, {{"half", yes}}, "field"), Fault::input);
    EXPECT_EQ(fault(values, {{"half", yes}, {"direction", inverse}}, "field"), Fault::input);
    EXPECT_EQ(fault(values, {{"half", yes}, {"pad", yes}}, "pad"), Fault::usage);
    EXPECT_EQ(fault(values, {{"half", yes}, {"width", 16.0}}, "width"), Fault::usage);
    EXPECT_EQ(fault(values, {{"width", 16.0}}, "width"), Fault::usage);
    for (const double width : {1.0, 15.0, 18.0, 16384.0}) {
        EXPECT_EQ(fault(spectrum, {{"half", yes}, {"direction", inverse}, {"width", width}}, "width"),
            Fault::input);
    }
    EXPECT_EQ(fault(random_field(1, 8194), {{"half", yes}, {"direction", inverse}}, "width"), Fault::input);
}

TEST(Fft2d, TakesRealFields) {
    for (const auto &[h, w] : std::vector<std::pair<int64_t, int64_t>>{{64, 128}, {23, 90}}) {
        const Array field = random_array<float>({h, w});
        EXPECT_LT(relative_error(on_cpu(field), transformed(field, Direction::forward)), allowed(h, w));
    }
}

// The plain definition against the sum that defines the transform.
TEST(Fft2d, ItsPlainDefinitionIsTheSum) {
    for (const auto &[h, w] : std::vector<std::pair<int64_t, int64_t>>{{1, 12}, {17, 6}, {9, 35}}) {
        const Array field = random_field(h, w);
        const Field in = read(field), out = transformed(field, Direction::forward);
        for (int64_t v = 0; v < h; v++) {
            for (int64_t u = 0; u < w; u++) {
                Number sum = 0;
                for (int64_t i = 0; i < h * w; i++) {
                    const int64_t y = i / w, x = i % w;
                    const double revolutions = (double)(u * x) / (double)w + (double)(v * y) / (double)h;
                    sum += in.values[(size_t)i] * std::polar(1.0, -2 * M_PI * revolutions);
                }
                ASSERT_LT(std::abs(sum - out.at(v, u)), 1e-10) << u << ", " << v;
            }
        }
    }
}

TEST(Fft2d, PadsToTheNextPowerOfTwo) {
    const Array field = random_field(100, 9);
    Array zeros(Type::c64, {128, 16});
    for (int64_t y = 0; y < 100; y++) {
        for (int64_t x = 0; x < 9; x++) {
            zeros.as<std::complex<float>>()[y * zeros.strides()[0] + x] =
                field.at<std::complex<float>>({y, x});
        }
    }
    const Array output = on_cpu(field, Direction::forward, true);
    ASSERT_EQ(output.shape(), (std::vector<int64_t>{128, 16}));
    EXPECT_LT(relative_error(output, transformed(zeros, Direction::forward)), allowed(128, 16));
    EXPECT_EQ(
        difference(on_cpu(random_field(64, 32), Direction::forward, true), on_cpu(random_field(64, 32)), {}),
        "");
}

// Columns of 8192 points are transformed in two passes, on a GPU with a field between them whose host memory
// nobody reads. It is not cleared, which would take longer than the transform: a kept block of its size, the
// next one to be used again, has the same bytes afterwards.
TEST(Fft2d, LeavesTheHostMemoryOfAFieldBetweenPassesAlone) {
    driver::HostMemory &memory = driver::host_memory();
    const Array field = random_field(8192, 32);
    const size_t bytes = (size_t)field.size() * sizeof(std::complex<float>);
    Array output(Type::c64, {8192, 32});
    bool ran = false;
    std::string why_not;
    for (const Backend backend : {Backend::cuda, Backend::opencl}) {
        const auto found = usable_device(backend, why_not);
        if (!found) {
            continue;
        }
        ran = true;
        // Of calls that are like each other, the plan would keep the field.
        const auto call = [&](Direction direction) {
            fft2d(field, output, direction, false, {.device = found->device});
        };
        call(Direction::forward);
        const driver::HostMemory::Block block = memory.take(bytes + 64);  // as a storage takes it
        std::fill_n(block.begin, bytes, std::byte{0xA5});
        memory.give_back(block.begin);
        const uint64_t reuses = memory.use().reuses;
        call(Direction::inverse);
        EXPECT_GT(memory.use().reuses, reuses) << "there is no field between the passes";
        const driver::HostMemory::Block after = memory.take(bytes + 64);
        EXPECT_EQ(after.begin, block.begin);
        EXPECT_TRUE(std::all_of(
            after.begin, after.begin + bytes, [](std::byte byte) { return byte == std::byte{0xA5}; }));
        memory.give_back(after.begin);
    }
    if (!ran) {
        GTEST_SKIP() << "not run here: " << why_not;
    }
}

// Also where no pass of the first variant of the family takes part: both sides have a large prime factor.
TEST(Fft2d, TunedTransformsEverySideOnEveryDevice) {
    const Operator &op = fft2d_operator();
    std::set<std::pair<Backend, std::string>> built;
    for (const Variant &variant : op.variants()) {
        built.emplace(variant.backend, variant.type);
    }
    for (const auto &[backend, type] : built) {
        for (const int64_t side : {1, 16, 34, 57, 100, 323, 1009, 1150, 2040, 3067, 4099}) {
            const Array field = Array::uninitialized(type == "c128" ? Type::c128 : Type::c64, {side, side});
            const auto request = op.parse({&field, 1}, {});
            const Array output = Array::uninitialized(request->output_type, request->output_shape);
            EXPECT_TRUE(std::ranges::any_of(op.variants(),
                [&](const Variant &variant) {
                    return variant.belongs_to("tuned") && variant.backend == backend &&
                           variant.type == type && op.serves(variant, *request, output);
                }))
                << type << " " << side << " on " << name_of(backend);
        }
    }
}

TEST(Fft2d, RefusesSidesThatAreTooLong) {
    for (const bool pad : {false, true}) {
        const Error large = error_of([&] { on_cpu(random_field(1, 16385), Direction::forward, pad); });
        EXPECT_EQ(large.fault(), Fault::input);
        for (const char *words : {"fft2d", "width is 16385", "16384", "parts"}) {
            EXPECT_NE(std::string(large.what()).find(words), std::string::npos) << large.what();
        }
    }
}

TEST(Fft2d, RefusesWhatIsNoField) {
    for (const Array &wrong : {random_array<uint8_t>({16, 16}), random_array<int32_t>({16, 16}),
             random_array<float>({16}), random_array<float>({16, 16, 3}), Array()}) {
        const Error error = error_of([&] { on_cpu(wrong); });
        EXPECT_EQ(error.fault(), Fault::input);
        EXPECT_EQ(error.context().argument, wrong.empty() ? "input" : "field");
    }
    const Array field = random_field(16, 16);
    EXPECT_EQ(error_of([&] {
        Array output(Type::c64, {16, 32});
        fft2d(field, output, Direction::forward, false, {.device = Device{}});
    })
                  .context()
                  .argument,
        "output");
    EXPECT_EQ(error_of([&] {
        Array output = field;
        fft2d(field, output, Direction::forward, false, {.device = Device{}});
    }).fault(),
        Fault::usage);
}

// `bench` asks copies of variants, one after another in the same place.
TEST(Fft2d, CopiesOfRowsServeWhatTheRowsServe) {
    const Operator &op = fft2d_operator();
    const Array field = random_field(64, 256), output(Type::c64, {64, 256});
    std::optional<Variant> copy;
    for (const Variant &variant : op.variants()) {
        if (variant.autoscheduler.empty()) {
            copy.emplace(variant);
            EXPECT_EQ(op.serves(*copy, {&field, 1}, output, {}), op.serves(variant, {&field, 1}, output, {}))
                << variant.name();
        }
    }
}

// Of CUDA, whose kernels load and store whole numbers at once: fields and results in memory of another
// library that begin in the middle of a number.
TEST(Fft2d, WrappedFieldsMayBeginBetweenNumbers) {
    std::string why_not;
    const auto cuda = usable_device(Backend::cuda, why_not);
    if (!cuda || fft2d_operator().variants("tuned", Backend::cuda).empty()) {
        GTEST_SKIP() << "not run here: " << why_not;
    }
    constexpr int64_t h = 64, w = 1024;
    for (const Type type : {Type::c64, Type::c128}) {
        const auto on_device = [&](unsigned seed) {
            return fft2d(
                random_field(h + 1, w, seed, type), Direction::forward, false, {.device = cuda->device});
        };
        const Array source = on_device(1), target = on_device(2);
        const auto between_numbers = [&](const Array &owner) {
            return Array::wrap(type, cuda->device, owner.device_memory() + size_of(type) / 2, {h, w},
                {owner.strides()[0], 1});
        };
        const Array input = between_numbers(source);
        Array output = between_numbers(target);
        const Array same = input.clone();
        fft2d(input, output, Direction::forward, false, {.device = cuda->device});
        EXPECT_LT(relative_error(output, transformed(same, Direction::forward)), allowed(h, w, type))
            << name_of(type);
    }
}

// The bound of all of an output together.
TEST(Fft2d, ItsBoundIsOneOfTheNorm) {
    const Array field = random_field(64, 32);
    const Array bound = workload_of(fft2d_operator()).bound({&field, 1}, {});
    ASSERT_EQ(bound.size(), 1);
    EXPECT_DOUBLE_EQ(*bound.as<double>(), 6 * 2e-6);
    Array off = field.clone();
    EXPECT_EQ(difference(off, field, bound), "");
    off.as<std::complex<float>>()[40] += 0.001f;  // of a norm of 37
    EXPECT_NE(difference(off, field, bound), "");
    off.as<std::complex<float>>()[40] = field.as<std::complex<float>>()[40] + 1e-4f;
    EXPECT_EQ(difference(off, field, bound), "");
    off.as<std::complex<float>>()[40] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(difference(off, field, bound), "");
}

}  // namespace
TEST(Fft2d, ANumberThatIsNoValueOfTheEnumIsRefused) {
    const Error error = error_of([] { fft2d(Array(Type::c64, {16, 16}), (Direction)7); });
    EXPECT_EQ(error.fault(), Fault::usage) << error.what();
}

}  // namespace tilewright
