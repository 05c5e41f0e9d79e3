// fft2d: every variant against the plain definition, within the error bound; properties of the transform
// (linear, energy kept, there and back); and what the front pads and refuses.
#include "tilewright/fft2d.h"
#include "runtime/devices/memory/host_memory.h"
#include "tests/operators/variants.h"
#include "tilewright/plain.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace tilewright {
namespace {

using Number = std::complex<double>;

// A field in f64, rows of any length.
struct Field {
    int64_t h, w;
    std::vector<Number> values;

    Number &at(int64_t y, int64_t x) {
        return values[(size_t)(y * w + x)];
    }
    const Number &at(int64_t y, int64_t x) const {
        return values[(size_t)(y * w + x)];
    }
};

Field read(const Array &array) {
    const int64_t h = array.shape()[0], w = array.shape()[1];
    Field field{h, w, std::vector<Number>((size_t)(h * w))};
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < w; x++) {
            const int64_t at = y * array.strides()[0] + x;
            field.at(y, x) = array.type() == Type::c64 ? Number(array.as<std::complex<float>>()[at]) :
                                                         Number(array.as<float>()[at]);
        }
    }
    return field;
}

Settings direction_of(Direction direction) {
    return {{"direction", std::string(direction == Direction::forward ? "forward" : "inverse")}};
}

Field transformed(const Array &field, Direction direction) {
    const Array exact = *plain_result(fft2d_operator(), {&field, 1}, direction_of(direction));
    const auto *values = reinterpret_cast<const Number *>(exact.as<double>());
    return {exact.shape()[0], exact.shape()[1], {values, values + exact.size() / 2}};
}

// What is off, relative to the norm.
double relative_error(const Array &output, const Field &expected) {
    const Field actual = read(output);
    double off = 0, all = 0;
    for (size_t i = 0; i < expected.values.size(); i++) {
        off += std::norm(actual.values[i] - expected.values[i]);
        all += std::norm(expected.values[i]);
    }
    return std::sqrt(off / all);
}

double allowed(int64_t h, int64_t w) {
    return 2e-6 * std::log2((double)std::max({h, w, int64_t(2)}));
}

Array random_field(int64_t h, int64_t w, unsigned seed = 1) {
    Array field(Type::c64, {h, w});
    std::mt19937 random(seed);
    fill<std::complex<float>>(field, [&] {
        const float re = (float)((double)random() / 0x1p31 - 1), im = (float)((double)random() / 0x1p31 - 1);
        return std::complex<float>(re, im);
    });
    return field;
}

class Fft2dVariant : public VariantTest {
protected:
    void expect_right(const Array &field, Direction direction, const std::string &what) {
        Array output;
        if (run({field}, output, direction_of(direction))) {
            const int64_t h = field.shape()[0], w = field.shape()[1];
            const double error = relative_error(output, transformed(field, direction));
            EXPECT_LT(error, allowed(h, w)) << what << " " << w << " x " << h;
        }
    }
};

// Every power of two as rows and as columns, so that every variant of the table takes part; both directions.
TEST_P(Fft2dVariant, IsTheTransformWithinTheBound) {
    const std::pair<int64_t, int64_t> sizes[] = {{16, 16}, {32, 16}, {32, 64}, {64, 32}, {128, 256},
        {256, 128}, {256, 16}, {512, 256}, {512, 16}, {256, 512}, {1024, 16}, {1024, 64}, {16, 1024},
        {2048, 64}, {2048, 32}, {2048, 16}, {16, 2048}, {4096, 16}, {4096, 32}, {4096, 64}, {16, 4096},
        {8192, 16}, {8192, 32}, {16, 8192}};
    for (const auto &[h, w] : sizes) {
        expect_right(random_field(h, w), Direction::forward, "forward");
        expect_right(random_field(h, w, 2), Direction::inverse, "inverse");
    }
    // Without passes, on a CPU without AVX2, the others serve these sides too.
    if (variant().backend != Backend::cpu || cpu_has_avx2()) {
        EXPECT_EQ(served() == 0, variant().schedule.starts_with("fused_mixed")) << "which serves other sides";
    }
}

// Small sides, prime sides and sides of each radix; sides of lines in two parts, and of both kinds of axes.
TEST_P(Fft2dVariant, TakesSidesOfEveryKind) {
    for (int64_t n = 1; n <= 40; n++) {
        expect_right(random_field(n, 41 - n), n % 2 ? Direction::forward : Direction::inverse, "small");
    }
    const std::pair<int64_t, int64_t> sizes[] = {{2 * 3 * 5 * 7, 11 * 13}, {169, 121}, {343, 125}, {128, 100},
        {100, 128}, {211, 64}, {48, 1920}, {1080, 10}, {15, 1009}, {1009, 15}, {3000, 7}, {7, 3000},
        {2, 4099}, {4099, 3}, {6000, 5}, {5, 6000}, {16384, 2}, {2, 16384}, {8191, 2}, {2, 8209}};
    // Sums of a prime number of terms take the reference long.
    const int64_t longest = variant().schedule == "reference" ? 1000 : 16384;
    for (const auto &[h, w] : sizes) {
        if (std::max(h, w) <= longest) {
            expect_right(random_field(h, w), Direction::forward, "forward");
            expect_right(random_field(h, w, 2), Direction::inverse, "inverse");
        }
    }
}

// A crop of a larger array as input, and as output: nothing beside it is written.
TEST_P(Fft2dVariant, TakesCropsAndWritesNothingElse) {
    for (const auto &[h, w] :
        std::vector<std::pair<int64_t, int64_t>>{{16, 16}, {32, 16}, {64, 32}, {16, 1024}, {1024, 16},
            {1024, 64}, {128, 256}, {256, 128}, {256, 16}, {32, 64}, {512, 16}, {512, 32}, {16, 512},
            {2048, 16}, {2048, 64}, {16, 2048}, {4096, 16}, {4096, 32}, {4096, 64}, {16, 4096}, {8192, 16},
            {8192, 32}, {16, 8192}, {7, 30}, {50, 17}, {1009, 9}, {9, 1009}, {3000, 5}, {5, 6000}}) {
        const std::complex<float> mark(77, -77);
        const Array whole_in = random_field(h + 5, w + 9, 3);
        const Array field = whole_in.crop(2, 3, h, w);
        Array whole(Type::c64, {h + 4, w + 7});
        fill<std::complex<float>>(whole, [&] { return mark; });
        Array output = whole.crop(1, 5, h, w);
        if (!run({field}, output, direction_of(Direction::forward))) {
            continue;
        }
        EXPECT_LT(relative_error(output, transformed(field, Direction::forward)), allowed(h, w))
            << w << " x " << h;
        const auto *data = std::as_const(whole).as<std::complex<float>>();
        for (int64_t y = 0; y < h + 4; y++) {
            for (int64_t x = 0; x < w + 7; x++) {
                const bool inside = y >= 1 && y < 1 + h && x >= 5 && x < 5 + w;
                ASSERT_TRUE(inside || data[y * whole.strides()[0] + x] == mark)
                    << "row " << y << ", column " << x << " was written";
            }
        }
    }
    EXPECT_GT(served(), 0);
}

TEST_P(Fft2dVariant, GivesTheSameBytesEachTime) {
    for (const auto &[h, w] : std::vector<std::pair<int64_t, int64_t>>{
             {16, 16}, {256, 128}, {1024, 16}, {4096, 32}, {16, 8192}, {1000, 60}, {37, 4099}}) {
        const Array field = random_field(h, w);
        Array first;
        for (int turn = 0; turn < 3; turn++) {
            Array again;
            if (!run({field}, again, direction_of(Direction::forward))) {
                break;
            }
            if (turn == 0) {
                first = again;
            }
            EXPECT_EQ(difference(again, first, {}), "");
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Variants, Fft2dVariant, testing::ValuesIn(variant_cases(fft2d_operator())), variant_case_name);

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
                    const double revolutions =
                        (double)(u * (i % w)) / (double)w + (double)(v * (i / w)) / (double)h;
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
        const auto call = [&] { fft2d(field, output, Direction::forward, false, {.device = found->device}); };
        call();
        const driver::HostMemory::Block block = memory.take(bytes + 64);  // as a storage takes it
        std::fill_n(block.begin, bytes, std::byte{0xA5});
        memory.give_back(block.begin);
        const uint64_t reuses = memory.use().reuses;
        call();
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
    for (const Array &wrong : {random_array<uint8_t>({16, 16}), random_array<double>({16, 16}),
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
