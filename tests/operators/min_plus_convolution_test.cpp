// min_plus_convolution: every variant against the plain loop, byte for byte; when bounds save work; and the
// front: lengths, accumulation, and what it refuses.
#include "tilewright/min_plus_convolution.h"
#include "runtime/devices/memory/host_memory.h"
#include "runtime/operators/min_plus_convolution/workload_data.h"
#include "tests/operators/variants.h"
#include "tilewright/plain.h"
#include "tilewright/statistics.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>
#include <regex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tilewright {
namespace {

// The first entry that has other bytes, as a sentence.
template<typename T>
std::string wrong(const Array &c, const std::vector<T> &expected) {
    if (c.size() != (int64_t)expected.size()) {
        return c.describe();
    }
    const T *data = c.as<T>();
    for (size_t k = 0; k < expected.size(); k++) {
        // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the same bytes are wanted
        if (memcmp(&data[k], &expected[k], sizeof(T)) != 0) {
            return "c[" + std::to_string(k) + "] is " + std::to_string(data[k]) + " for " +
                   std::to_string(expected[k]);
        }
    }
    return "";
}

class MinPlusVariant : public VariantTest {
protected:
    Type type() const {
        return variant().type == "f64" ? Type::f64 : variant().type == "f32" ? Type::f32 : Type::i32;
    }
    bool is_slow() const {
        return variant().schedule == "reference" || !variant().autoscheduler.empty() ||
               variant().schedule == "direct" || variant().schedule == "shared" ||
               variant().schedule == "branchless";
    }

    void check(const Array &a, const Array &b, const std::string &what, std::optional<int64_t> length = {},
        const Array &accumulated = {}) {
        std::vector<Array> inputs = {a, b};
        if (!accumulated.empty()) {
            inputs.push_back(accumulated);
        }
        Settings settings;
        if (length) {
            settings.set("length", (double)*length);
        }
        Array c;
        if (!run(inputs, c, settings)) {
            return;
        }
        const std::string text = what + ": " + a.describe() + ", " + b.describe();
        EXPECT_EQ(difference(c, *plain_result(op(), inputs, settings, variant().backend), {}), "") << text;
    }

    Array vector(int64_t n, const std::string &kind, unsigned seed) const {
        return min_plus_vector(type(), n, kind, seed);
    }
};

const char *const kinds[] = {"uniform", "gaussian", "walk", "sorted", "falling", "convex", "few", "absent",
    "nothing", "zeros", "denormals", "huge"};

// Strips are of 24 to 192 outputs, tiles of 128 to 2048, runs of 4 to 32, blocks of 8 and words of 256.
TEST_P(MinPlusVariant, AgreesWithThePlainLoop) {
    for (const auto &[n, m] : std::vector<std::pair<int, int>>{{1, 1}, {1, 2}, {2, 1}, {1, 300}, {300, 1},
             {7, 9}, {31, 33}, {95, 97}, {127, 128}, {129, 127}, {16, 500}, {17, 500}, {255, 257}, {256, 256},
             {511, 2}, {512, 512}, {513, 511}, {31, 300}, {32, 97}, {33, 1000}, {65, 640}, {191, 193},
             {200, 20}, {1009, 1013}, {1, 4099}, {4099, 3}}) {
        check(vector(n, "uniform", 1), vector(m, "uniform", 2), "uniform");
    }
    EXPECT_GT(served(), 0);
}

TEST_P(MinPlusVariant, AgreesOnAnyData) {
    for (const char *kind : kinds) {
        check(vector(1237, kind, 1), vector(1061, kind, 2), kind);
        check(vector(1237, kind, 1), vector(13, kind, 2), kind);
    }
    check(vector(700, "absent", 1), vector(900, "walk", 2), "absent and walk");
    check(vector(900, "nothing", 1), vector(700, "walk", 2), "nothing and walk");
    EXPECT_GT(served(), 0);
}

TEST_P(MinPlusVariant, AgreesOnLongVectors) {
    if (is_slow()) {
        GTEST_SKIP() << "a slow row, which shorter vectors test";
    }
    check(vector(10007, "uniform", 1), vector(3001, "uniform", 2), "uniform");
    check(vector(3001, "walk", 1), vector(10007, "walk", 2), "walk");
    check(vector(8192, "few", 1), vector(8191, "few", 2), "few", 8192);
    check(vector(6000, "sorted", 1), vector(6000, "sorted", 2), "sorted", 6000);
    check(vector(4500, "absent", 1), vector(4600, "absent", 2), "absent");
    check(vector(5, "gaussian", 1), vector(70001, "gaussian", 2), "gaussian");
    check(vector(70001, "gaussian", 1), vector(40, "gaussian", 2), "gaussian");
    if (type() == Type::f64) {  // equal sums in some tiles, of which the sample of `bounded` has none
        Array a = vector(4096, "uniform", 1), b = vector(4096, "uniform", 2);
        std::fill_n(a.as<double>(), 1500, 2.);
        std::fill_n(b.as<double>(), 1500, 2.);
        check(a, b, "equal sums, then others", 4096);
    }
    EXPECT_GT(served(), 0);
}

// So long that there are several blocks of threads over the words and the segments of the pruned form.
// Compared with the CPU, whose variant the tests above compare with the plain loop.
TEST_P(MinPlusVariant, AgreesOnVeryLongVectors) {
    if (variant().form != "min_plus_convolution_pruned" && variant().form != "min_plus_convolution_plan") {
        GTEST_SKIP() << "another variant";
    }
    for (const char *kind : {"walk", "absent"}) {
        const Array a = vector(140000, kind, 1), b = vector(150000, kind, 2);
        Array c;
        EXPECT_TRUE(run({a, b}, c, {{"length", 140001.}}));
        EXPECT_EQ(difference(c, min_plus_convolution(a, b, 140001, {.device = Device{}}), {}), "") << kind;
    }
}

// The first entries only, from one to all; what lies beyond is not written.
TEST_P(MinPlusVariant, MakesTheFirstEntries) {
    const Array a = vector(600, "gaussian", 1), b = vector(901, "gaussian", 2);
    for (int length : {1, 2, 255, 256, 600, 601, 900, 1027, 1499, 1500}) {
        check(a, b, "length " + std::to_string(length), length);
    }
    EXPECT_GT(served(), 0);
    std::vector<double> memory(400, 77);
    if (type() == Type::f64) {
        Array c = Array::view(Type::f64, memory.data() + 7, {300});
        const Array short_one = vector(16, "gaussian", 3);
        for (const Array &first : {a, short_one}) {
            if (run({first, b}, c, {{"length", 300.}})) {
                c.sync();
                EXPECT_EQ(memory[6], 77);
                EXPECT_EQ(memory[307], 77);
                EXPECT_EQ(
                    difference(c, *plain_result(op(), std::array{first, b}, {{"length", 300.}}), {}), "");
            }
        }
    }
}

// Of n + m entries the last one has no sum: it is absent, or keeps its value, and -0 counts as 0.
TEST_P(MinPlusVariant, TakesOneEntryWithoutASum) {
    for (const auto &[n, m] : std::vector<std::pair<int, int>>{{1, 1}, {16, 500}, {700, 1}, {1500, 1300}}) {
        const Array a = vector(n, "gaussian", 1), b = vector(m, "gaussian", 2);
        check(a, b, "without a sum", n + m);
        check(a, b, "without a sum, accumulated", n + m, vector(n + m, "gaussian", 3));
        check(a, b, "without a sum, accumulated zeros", n + m, vector(n + m, "zeros", 3));
    }
    if (type() == Type::i32) {
        Array large(Type::i32, {5});
        std::fill(large.as<int32_t>(), large.as<int32_t>() + 5, std::numeric_limits<int32_t>::max() - 1);
        check(vector(2, "gaussian", 1), vector(3, "gaussian", 2), "large", 5, large);
    }
    EXPECT_GT(served(), 0);
}

TEST_P(MinPlusVariant, Accumulates) {
    for (const auto &[n, m, length] : std::vector<std::tuple<int, int, int>>{
             {1, 1, 1}, {40, 1, 40}, {700, 500, 1199}, {1500, 1400, 1111}}) {
        const Array a = vector(n, "gaussian", 1), b = vector(m, "gaussian", 2);
        check(a, b, "accumulated", length, vector(length, "gaussian", 3));
        check(a, b, "accumulated, absent", length, vector(length, "absent", 3));
        check(vector(n, "nothing", 1), b, "accumulated zeros", length, vector(length, "zeros", 3));
    }
    EXPECT_GT(served(), 0);
}

// The published kernel reads one element past the end of a, and begins at a[1]. The variants must do neither,
// for a and for b.
TEST_P(MinPlusVariant, IsRightAtBothEnds) {
    // The least sum of each entry is with the first and last element of one or the other; past the ends lies
    // what would win.
    const double low = -1000, lower = -1e6;
    for (const auto &[n, at_a, at_b] : std::vector<std::tuple<int, int, int>>{
             {333, 0, 0}, {333, 332, 0}, {333, 0, 332}, {333, 332, 332}, {13, 0, 12}, {13, 12, 0}}) {
        const auto inside = [&, n = n](std::vector<char> &memory, int at, auto zero) {
            using T = decltype(zero);
            memory.assign((n + 2) * sizeof(T), 0);
            T *data = reinterpret_cast<T *>(memory.data());
            std::fill(data, data + n + 2, (T)lower);
            std::fill(data + 1, data + n + 1, (T)0);
            data[1 + at] = (T)low;
            return Array::view(type(), data + 1, {n});
        };
        std::vector<char> a_memory, b_memory;
        const auto both = [&, at_a = at_a, at_b = at_b](auto zero) {
            check(inside(a_memory, at_a, zero), inside(b_memory, at_b, zero), "ends");
        };
        type() == Type::f64 ? both(0.) : type() == Type::f32 ? both(0.f) : both(0);
    }
    EXPECT_GT(served(), 0);
}

TEST_P(MinPlusVariant, GivesTheSameBytesEachTime) {
    if (!check_repeats({vector(1700, "few", 1), vector(1500, "few", 2)})) {
        GTEST_SKIP() << "leaves this size to another variant";
    }
}

// Where a first pass shows that nearly all blocks are needed, `pruned` goes on with the dense form, which has
// fewer kernels.
TEST_P(MinPlusVariant, PrunesWhereItPays) {
    if (variant().schedule != "pruned" || variant().backend == Backend::cpu) {
        GTEST_SKIP() << "another variant";
    }
    const auto kernels = [&](const char *kind) {
        Array c;
        const uint64_t before = counters().kernels;
        run({vector(6000, kind, 1), vector(6000, kind, 2)}, c, {{"length", 6000.}});
        return counters().kernels - before;
    };
    EXPECT_LT(kernels("sorted"), kernels("walk"));
}

// The row and the libraries that ran on the CPU for two vectors of a kind: "pruned: pruned_always pruned".
std::string ran(int64_t length, const char *kind, const char *schedule) {
    const Array a = min_plus_vector(Type::f64, length, kind, 1),
                b = min_plus_vector(Type::f64, length, kind, 2);
    Statistics of;
    const Array c =
        min_plus_convolution(a, b, length, {.device = Device{}, .schedule = schedule, .statistics = &of});
    const Array all = min_plus_convolution(a, b, length, {.device = Device{}, .schedule = "tuned_any"});
    EXPECT_EQ(difference(c, all, {}), "") << kind;
    const std::string names = of.variant + ": " + fmt::format("{}", fmt::join(of.libraries, " "));
    return std::regex_replace(names, std::regex("min_plus_convolution/|/f64/cpu"), "");
}

// On a CPU `pruned` goes on with the sieve, or with all pairs, and says so; it is `tuned` from 1e9 pairs on.
TEST(MinPlusConvolution, SiftsWhereItPays) {
    EXPECT_EQ(ran(12000, "walk", "pruned"), "pruned: pruned_always pruned");
    EXPECT_EQ(ran(12000, "sorted", "pruned"), "pruned: pruned_always tuned_any");
    EXPECT_EQ(ran(12000, "sorted", "pruned_always"), "pruned_always: pruned_always pruned");
    EXPECT_EQ(ran(45000, "walk", "tuned"), "pruned: pruned_always pruned");
    EXPECT_EQ(ran(45000, "sorted", "tuned"), "pruned: pruned_always tuned_any");
    EXPECT_EQ(ran(44000, "walk", "tuned"), "tuned_any: tuned_any");
}

INSTANTIATE_TEST_SUITE_P(Variants, MinPlusVariant,
    testing::ValuesIn(variant_cases(min_plus_convolution_operator())), variant_case_name);

Array vector_of(const std::vector<double> &values) {
    Array vector(Type::f64, {(int64_t)values.size()});
    std::copy(values.begin(), values.end(), vector.as<double>());
    return vector;
}

Array integers_of(const std::vector<int32_t> &values) {
    Array vector(Type::i32, {(int64_t)values.size()});
    std::copy(values.begin(), values.end(), vector.as<int32_t>());
    return vector;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(MinPlusConvolution, NeedsNoMemoryBesidesItsVectorsOnTheCpu) {
    for (const Type type : {Type::f64, Type::f32, Type::i32}) {
        const Array a = min_plus_vector(type, 17000, "uniform", 1),
                    b = min_plus_vector(type, 20000, "uniform", 2);
        Array c(type, {36999});
        driver::host_memory().restart_peak();
        const size_t before = driver::host_memory().use().taken;
        min_plus_convolution(a, b, c, {}, {.device = Device{}});
        EXPECT_EQ(driver::host_memory().use().peak, before) << a.describe();
    }
}

// By hand: both ends of both vectors take part.
TEST(MinPlusConvolution, IsWhatItSays) {
    EXPECT_EQ(wrong<double>(
                  min_plus_convolution(vector_of({1, 5, 2}), vector_of({10, 3, 30, 4})), {11, 4, 8, 5, 9, 6}),
        "");
    EXPECT_EQ(wrong<double>(min_plus_convolution(vector_of({0, infinity}), vector_of({infinity, 7})),
                  {infinity, 7, infinity}),
        "");
    EXPECT_EQ(wrong<double>(min_plus_convolution(vector_of({-0.}), vector_of({-0.})), {0.}), "");
    EXPECT_EQ(wrong<int32_t>(min_plus_convolution(
                                 integers_of({1 << 28, -(1 << 28)}), integers_of({1 << 28, 0, -(1 << 28)})),
                  {1 << 29, 0, -(1 << 28), -(1 << 29)}),
        "");
}

TEST(MinPlusConvolution, AccumulatesInCalls) {
    const Array a = vector_of({0, 1}), b = vector_of({5, 2, 9});
    Array c;
    min_plus_convolution(a, b, vector_of({-0., 7, 1, -infinity}), c);
    EXPECT_EQ(wrong<double>(c, {0, 2, 1, -infinity}), "");
    Array all;
    min_plus_convolution(a, b, c, all);
    EXPECT_EQ(difference(all, c, {}), "");
    Array two;
    min_plus_convolution(a, b, vector_of({1, 1}), two, 2);
    EXPECT_EQ(wrong<double>(two, {1, 1}), "");
}

// The distance transform of a row: dilation by a parabola.
TEST(MinPlusConvolution, MakesADistanceTransform) {
    const int n = 101;
    std::vector<double> seeds(n, infinity), parabola;
    for (int at : {3, 40, 41, 90}) {
        seeds[at] = 0;
    }
    for (int j = -(n - 1); j < n; j++) {
        parabola.push_back(j * j);
    }
    const Array c = min_plus_convolution(vector_of(seeds), vector_of(parabola), 2 * n - 1);
    for (int x = 0; x < n; x++) {
        double nearest = infinity;
        for (int at : {3, 40, 41, 90}) {
            nearest = std::min(nearest, (double)(x - at) * (x - at));
        }
        EXPECT_EQ(c.at<double>({x + n - 1}), nearest) << x;
    }
}

TEST(MinPlusConvolution, NamesTheValueThatItRefuses) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Array good = vector_of({1, 2, 3});
    const auto refused = [&](const Array &a, const Array &b) {
        return error_of([&] { min_plus_convolution(a, b); });
    };
    EXPECT_EQ(refused(vector_of({1, 2, nan, 4}), good).context().argument, "a[2]");
    EXPECT_EQ(refused(good, vector_of({nan, 4})).context().argument, "b[0]");
    EXPECT_EQ(refused(good, vector_of({1, -infinity})).context().argument, "b[1]");
    EXPECT_EQ(refused(good, vector_of({1, -infinity})).context().value, "-inf");
    EXPECT_EQ(refused(good, vector_of({1, -infinity})).fault(), Fault::input);
    const Array small = integers_of({1, 2});
    EXPECT_EQ(refused(small, integers_of({0, (1 << 28) + 1})).context().argument, "b[1]");
    EXPECT_EQ(refused(small, integers_of({0, (1 << 28) + 1})).context().value, "268435457");
    EXPECT_EQ(refused(integers_of({std::numeric_limits<int32_t>::min()}), small).context().argument, "a[0]");
    Array c;
    EXPECT_EQ(error_of([&] { min_plus_convolution(good, good, vector_of({1, 2, 3, 4, nan}), c); })
                  .context()
                  .argument,
        "accumulate[4]");
    EXPECT_TRUE(c.empty());
}

TEST(MinPlusConvolution, NamesTheRangeOfTheLength) {
    const Array a = vector_of({1, 2, 3}), b = vector_of({1, 2});
    for (int length : {0, -1, 6}) {
        const Error error = error_of([&] { min_plus_convolution(a, b, length); });
        EXPECT_EQ(error.fault(), Fault::usage);
        EXPECT_NE(std::string(error.what()).find("1 to 5"), std::string::npos) << error.what();
    }
    const Array inputs[] = {a, b};
    Array c;
    EXPECT_EQ(error_of([&] { min_plus_convolution_operator()(inputs, c, {{"length", 2.5}}); }).fault(),
        Fault::usage);
    EXPECT_EQ(
        error_of([&] { min_plus_convolution_operator()(inputs, c, {{"length", std::nan("")}}); }).fault(),
        Fault::usage);
    EXPECT_EQ(min_plus_convolution(a, b, 4).size(), 4);
    EXPECT_EQ(wrong<double>(min_plus_convolution(a, b, 5), {2, 3, 4, 5, infinity}), "");
}

TEST(MinPlusConvolution, RefusesOtherArrays) {
    const Array a = vector_of({1, 2, 3});
    Array c;
    EXPECT_EQ(error_of([&] { min_plus_convolution(random_array<uint8_t>({4}), a); }).context().argument, "a");
    EXPECT_EQ(
        error_of([&] { min_plus_convolution(a, random_array<double>({4, 4})); }).context().argument, "b");
    EXPECT_EQ(error_of([&] { min_plus_convolution(a, random_array<float>({4})); }).fault(), Fault::input);
    EXPECT_EQ(error_of([&] { min_plus_convolution(a, a, a, c); }).context().argument, "accumulate");
    EXPECT_EQ(error_of([&] { min_plus_convolution(a, a, random_array<float>({5}), c); }).context().argument,
        "accumulate");
    c = Array(Type::f64, {4});
    EXPECT_EQ(error_of([&] { min_plus_convolution(a, a, c); }).context().argument, "output");
    c = a;
    EXPECT_EQ(error_of([&] { min_plus_convolution(a, a, c, 3); }).fault(), Fault::usage);
}

// Vectors that a library does not see the end of are no reason to fail.
TEST(MinPlusConvolution, TakesOneVectorTwice) {
    const Array a = min_plus_vector(Type::f64, 2000, "gaussian", 1);
    EXPECT_EQ(difference(min_plus_convolution(a, a),
                  *plain_result(min_plus_convolution_operator(), std::array{a, a}, {}), {}),
        "");
}

}  // namespace
}  // namespace tilewright
