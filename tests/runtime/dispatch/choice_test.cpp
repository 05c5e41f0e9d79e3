// Which variant `tuned` takes, by a file of measured times of this machine's CPU that the test makes.
#include "runtime/dispatch/image_operator.h"
#include "runtime/measured/measured.h"
#include "tests/support/errors.h"
#include "tests/support/files.h"
#include "tests/support/operators.h"
#include "tilewright/generated.h"
#include <HalideRuntime.h>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tilewright {
namespace {

// The forms of variants that do not serve all data, or have an error of their own.
struct EvenForm final : ImageForm {
    using ImageForm::ImageForm;
    bool serves(const Variant &, const ImageRequest &request, const Array &) const override {
        return request.inputs[0].shape()[1] % 2 == 0;
    }
};
struct NewForm final : ImageForm {
    using ImageForm::ImageForm;
    bool serves(const Variant &, const ImageRequest &request, const Array &) const override {
        return request.inputs[0].shape()[1] >= 5000;
    }
};
struct HalfForm final : ImageForm {
    using ImageForm::ImageForm;
    bool equals_tuned(const Variant &) const override {
        return false;
    }
};
constexpr ImageForm plain("plain");
constexpr EvenForm even("even");
constexpr NewForm from_5000("new");
constexpr HalfForm half("half");

int no_work(void **) {
    return 0;
}

const std::vector<const Form *> all_forms = {&plain, &even, &from_5000, &half};

// An operator with variants of the family `tuned` and others. `tuned_new` has no times.
const Operator &chosen_operator(const std::string &name) {
    static auto &made =
        *new std::map<std::string, std::pair<std::vector<Variant>, std::unique_ptr<Operator>>>;
    auto &[variants, op] = made[name];
    if (!op) {
        for (const auto &[family, schedule, form] :
            {std::tuple<const char *, const char *, const Form *>("reference", "reference", &plain),
                {"half", "half", &half}, {"step", "step", &plain}, {"tuned", "tuned_new", &from_5000},
                {"tuned", "tuned_even", &even}, {"tuned", "tuned_small", &plain},
                {"tuned", "tuned_narrow", &plain}, {"tuned", "tuned_any", &plain}}) {
            variants.push_back(generated_variant(name, schedule, "u8", Backend::cpu, no_work, nullptr));
            variants.back().family = family;
            variants.back().form = form->name;
            if (variants.back().schedule == "tuned_narrow") {
                variants.back().conditions = {{"width", 0, 100, false}};
            }
        }
        op = std::make_unique<ImageOperator>(name, "a test's", variants, all_forms);
    }
    return *op;
}

// Makes the file before any test asks for the device. `step` is no variant of the family, and the fastest one
// of large images; `reference` and `half` would be faster still.
struct OwnFile {
    const TestFolder folder;

    OwnFile() {
        setenv("TILEWRIGHT_MEASURED", folder.path().c_str(), 1);
        const DeviceInfo &info = devices(Backend::cpu).front();
        const std::string text = fmt::format(
            R"({{"version": 1, "device": {{"backend": "cpu", "vendor": "{0}", "name": "{1}", "driver": "",
            "units": 1, "is_gpu": false}}, "origin": {{"date": "2026-11-22"}}, "copies":
            {{"bytes_to_device_per_ms": 0, "bytes_to_host_per_ms": 0, "copy_ms": 0}},
            "times": [{{"operator": "measured", "type": "u8",
            "calls": [[64, 64, 1], [640, 640, 1], [4096, 4096, 1]],
            "variants": {{"reference": {{"ms": [0.0001, 0.001, 0.01]}},
            "half": {{"ms": [0.0001, 0.001, 0.01]}},
            "step": {{"ms": [0.009, 0.09, 1]}}, "tuned_even": {{"ms": [0.005, 0.05, 2]}},
            "tuned_small": {{"ms": [0.002, 0.2, 10]}}, "tuned_narrow": {{"ms": [0.003, null, null]}},
            "tuned_any": {{"ms": [0.0051, 0.0501, 2]}}}}}},
            {{"operator": "measured_beyond", "type": "u8",
            "calls": [[64, 64, 1], [640, 640, 1], [4096, 4096, 1]],
            "variants": {{"tuned_even": {{"ms": [0.005, 0.05, 2]}}, "tuned_small": {{"ms": [0.002, 0.2, 10]}},
            "tuned_narrow": {{"ms": [0.0022, 0.01, null]}},
            "tuned_any": {{"ms": [0.0051, 0.0501, 1]}}}}}}]}})",
            vendor_of(info), info.name);
        write_bytes(folder.file(measured_file_name("cpu", vendor_of(info), info.name)), bytes_of(text));
    }
} own_file;

std::string choice(
    int64_t h, int64_t w, const std::string &name = "measured", const std::string &schedule = "tuned") {
    const Array image(Type::u8, {h, w});
    return chosen_operator(name)
        .choose({&image, 1}, Array(Type::u8, {h, w}), {}, schedule, Device{})
        .schedule;
}

TEST(Choice, TheLeastPredictedTimeIsTaken) {
    EXPECT_EQ(choice(64, 64), "tuned_small");
    EXPECT_EQ(choice(60, 70), "tuned_small");
    EXPECT_EQ(choice(640, 640), "tuned_even");
    EXPECT_EQ(choice(4096, 4096), "step") << "a documented step that is the fastest";
}

TEST(Choice, AVariantThatDoesNotServeIsNeverTaken) {
    for (int64_t w = 600; w < 700; w++) {
        EXPECT_NE(choice(640, w), w % 2 == 0 ? "tuned_any" : "tuned_even") << w;
    }
}

TEST(Choice, OfVariantsThatAreEquallyFastTheFirstOfTheTableIsTaken) {
    EXPECT_EQ(choice(640, 640), "tuned_even") << "within 5 % of tuned_any";
    EXPECT_EQ(choice(640, 641), "tuned_any");
}

// Its time at 64 x 64 says nothing of calls for which it is not meant; a time at such a call does, and there
// replaces the condition.
TEST(Choice, AVariantIsTakenBeyondWhatItIsMeantForOnlyByTimes) {
    EXPECT_EQ(choice(640, 640), "tuned_even");
    EXPECT_EQ(choice(640, 640, "measured_beyond"), "tuned_narrow");
    EXPECT_EQ(choice(4096, 4096, "measured_beyond"), "tuned_any") << "far from 640 x 640";
    EXPECT_EQ(choice(30, 61, "unmeasured"), "tuned_small");
    EXPECT_EQ(choice(30, 640, "unmeasured", "tuned_narrow"), "tuned_narrow") << "it serves all data";
}

TEST(Choice, WhereAVariantOfTheFamilyWithoutTimesServesTheTableDecides) {
    EXPECT_EQ(choice(4096, 5000), "tuned_new");
    EXPECT_EQ(choice(4096, 4999), "step");
}

TEST(Choice, FarFromAllMeasuredSizesTheTableDecides) {
    EXPECT_EQ(choice(20000, 64), "tuned_even");
    EXPECT_EQ(choice(300, 64), "tuned_small") << "near 64 x 64";
}

// A variant that a project adds goes before the library's own, which were measured.
TEST(Choice, AnAddedVariantOfTheFamilyGoesFirst) {
    const Operator &op = chosen_operator("measured");
    static std::vector<Variant> variants = op.variants();
    variants.insert(
        variants.begin(), generated_variant("measured", "tuned", "u8", Backend::cpu, no_work, nullptr));
    variants.front().origin = "added";
    variants.front().form = plain.name;
    static const ImageOperator with_added("measured", "a test's", variants, all_forms);
    const Array image(Type::u8, {64, 64});
    EXPECT_EQ(
        with_added.choose({&image, 1}, Array(Type::u8, {64, 64}), {}, "tuned", Device{}).origin, "added");
}

TEST(Choice, AnEmptyListOfVariantsIsRefused) {
    const std::vector<Variant> none;
    const Array image(Type::u8, {64, 64});
    Array output;
    for (const std::optional<Device> device : {std::optional<Device>(), std::optional(Device{})}) {
        const Error error = error_of([&] {
            chosen_operator("measured")({&image, 1}, output, {}, {.device = device, .variants = &none});
        });
        EXPECT_EQ(error.fault(), Fault::usage);
        EXPECT_STREQ(error.what(), "measured: schedule = tuned: there are no variants to choose from; fill "
                                   "the call's list of variants, "
                                   "or link the operator's libraries");
    }
}

TEST(Choice, AVariantOfAnotherOperatorIsRefused) {
    std::vector<Variant> others = chosen_operator("measured").variants();
    others.back().op = "other";
    const Array image(Type::u8, {64, 64});
    const Error error = error_of([&] {
        const Array output(Type::u8, {64, 64});
        chosen_operator("measured").choose({&image, 1}, output, {}, "tuned", Device{}, &others);
    });
    EXPECT_EQ(error.fault(), Fault::usage);
    EXPECT_EQ(error.what(),
        "measured: variants = " + others.back().name() + ": it is a variant of another operator");
}

TEST(Choice, WithoutTimesTheTableDecides) {
    EXPECT_EQ(choice(64, 64, "unmeasured"), "tuned_even");
    EXPECT_EQ(choice(64, 65, "unmeasured"), "tuned_small");
}

TEST(Choice, OtherSchedulesAreTakenAsTheyAreNamed) {
    for (const char *schedule : {"reference", "half", "step", "tuned_any", "tuned_even"}) {
        EXPECT_EQ(choice(4096, 4096, "measured", schedule), schedule);
    }
}

TEST(Choice, TheTimesAreThoseOfTheVariantsThatMayBeTaken) {
    const Array image(Type::u8, {640, 640});
    const Operator &op = chosen_operator("measured");
    const auto times = op.predicted_times(*op.parse({&image, 1}, {}), Device{});
    ASSERT_EQ(times.size(), 4u);
    EXPECT_EQ(times[0].variant->schedule, "tuned_even");
    EXPECT_NEAR(times[0].ms, .05, .001);
    EXPECT_TRUE(times[0].from.starts_with(own_file.folder.path())) << times[0].from;
    EXPECT_EQ(times[3].variant->schedule, "tuned_small");
}

// Every operator of this build, with the times that came with it: the variant that is chosen serves the data,
// at sizes of every kind of alignment.
TEST(Choice, ServesTheDataForEveryOperatorAndSize) {
    for (const Operator *op : operators()) {
        for (const Variant *variant : op->variants("tuned", Backend::cpu)) {
            for (const auto &[w, h] :
                {std::pair{1, 1}, {7, 300}, {300, 7}, {64, 64}, {333, 257}, {640, 480}}) {
                const auto side = [&](int at_least) { return op->name() == "fft2d" ? 64 : at_least; };
                const Sample sample = small_sample(*op, variant->type, side(w), side(h));
                const auto request = op->parse(sample.inputs, sample.settings);
                const Array output(request->output_type, request->output_shape);
                const Variant &chosen = op->choose(*request, output, "tuned", Device{});
                EXPECT_TRUE(op->serves(chosen, *request, output)) << chosen.name() << " " << sample.what;
                EXPECT_TRUE(chosen.belongs_to("tuned") || op->may_stand_for_tuned(chosen)) << chosen.name();
            }
        }
    }
}

// Many products at once have more rows and columns, and the same depth.
TEST(Choice, OfProductsAtOnceIsThatOfALargerOne) {
    const Operator *matmul = built_operator("matmul");
    if (!matmul) {
        GTEST_SKIP() << "not run here: matmul was not built";
    }
    const auto choice = [&](int64_t m, int64_t k, int64_t n, int64_t images) {
        const std::vector<Array> inputs = {Array(Type::f32, {m, k}), Array(Type::f32, {k, n})};
        const std::unique_ptr<Request> request(const_cast<Request *>(matmul->parse(inputs, {}).release()));
        request->images = images;  // as the dispatch does
        return matmul->choose(*request, Array(Type::f32, {m, n}), "tuned", Device{}).schedule;
    };
    for (const int64_t k : {20, 40, 100, 200, 300}) {
        for (const auto &[m, n] : {std::pair<int64_t, int64_t>{20, 120}, {20, 32}, {32, 40}, {100, 40}}) {
            EXPECT_EQ(choice(m, k, n, 16), choice(4 * m, k, 4 * n, 1)) << m << " x " << k << " x " << n;
        }
    }
}

TEST(Choice, OfADeviceIsTheCpuWhereThereIsNoGpu) {
    const Array image(Type::u8, {64, 64});
    const Operator &op = chosen_operator("measured");
    EXPECT_EQ(op.choose_device(*op.parse({&image, 1}, {}), "step"), best_device());
}

}  // namespace
}  // namespace tilewright
