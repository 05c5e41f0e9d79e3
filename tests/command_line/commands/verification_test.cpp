// What `verify` and `--check` find, of operators that are made wrong on purpose.
#include "apps/tilewright/verification/verification.h"
#include "apps/laboratory/benchmark/benchmark_report.h"
#include "apps/laboratory/results/result_of_run.h"
#include "apps/tilewright/pictures/fitting.h"
#include "apps/tilewright/timing/measure.h"
#include "runtime/arrays/storage.h"
#include "runtime/dispatch/operator_of.h"
#include "tests/support/errors.h"
#include "tilewright/plain.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace tilewright::app {
namespace {

Variant variant_of(const std::string &op, const std::string &schedule) {
    return {.op = op,
        .origin = op,
        .schedule = schedule,
        .family = schedule,
        .type = "f32",
        .backend = Backend::cpu,
        .needs_vnni = false,
        .form = "neighbours",
        .configured = {},
        .tunables = {},
        .register_caps = {},
        .opencl_options = {},
        .autoscheduler = {},
        .summary = {},
        .needs = {},
        .entry = nullptr,
        .metadata = nullptr};
}

Array image_of(std::vector<int64_t> shape) {
    Array image(Type::f32, std::move(shape), 0);
    float *data = image.as<float>();
    for (int64_t i = 0; i < image.size(); i++) {
        data[i] = (float)(i * 37 % 101);
    }
    return image;
}

// Each pixel becomes its right neighbour; the last one of a row stays. `width` is how many pixels a row of
// memory has, each of `channels`.
void take_right_neighbours(const float *in, float *out, int64_t h, int64_t width, int64_t channels) {
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < width; x++) {
            for (int64_t k = 0; k < channels; k++) {
                out[(y * width + x) * channels + k] =
                    in[(y * width + std::min(x + 1, width - 1)) * channels + k];
            }
        }
    }
}

Array right_neighbours(std::span<const Array> inputs, const Settings &, Backend) {
    const Array &image = inputs[0];
    const int64_t channels = image.dimensions() == 3 ? image.shape()[2] : 1;
    Array output(Type::f32, image.shape(), 0);
    take_right_neighbours(
        image.as<float>(), output.as<float>(), image.shape()[0], image.shape()[1], channels);
    return output;
}

struct NeighboursRequest : Request {};
constexpr FormOf<NeighboursRequest> right_form("neighbours");

// An operator whose front makes a mistake: it hands an image over as rows of elements, whatever its channels,
// and so does its reference.
class Neighbours : public OperatorOf<NeighboursRequest> {
public:
    explicit Neighbours(std::string name)
        : OperatorOf({.name = name, .summary = "the right neighbours"},
              {variant_of(name, "reference"), variant_of(name, "tuned")}, {&right_form}) {}

    const Variant &variant(const std::string &schedule) const {
        return *std::ranges::find(variants(), schedule, &Variant::schedule);
    }

    // What a test changes.
    std::vector<std::vector<int64_t>> shapes = {{5, 7}, {16, 16}};
    int64_t narrowest = 1;               // of `tuned`
    double allowed = 0;                  // the bound; 0: class E
    std::function<void(Array &)> spoil;  // of the outputs of `tuned`
    mutable int runs = 0;

    tilewright::Plan plan(
        const Variant &variant, Device, const NeighboursRequest &request, Array &output) const override {
        tilewright::Plan plan;
        plan.host([this, &variant, image = request.inputs[0], output]() mutable {
            compute(variant, image, output);
        });
        return plan;
    }

protected:
    NeighboursRequest read(std::span<const Array> inputs, const Settings &) const override {
        NeighboursRequest request;
        request.type = "f32";
        request.output_type = Type::f32;
        request.output_shape = inputs[0].shape();
        return request;
    }
    bool form_serves(const Variant &variant, const NeighboursRequest &request, const Array &) const override {
        return variant.schedule != "tuned" || request.inputs[0].shape()[1] >= narrowest;
    }

private:
    void compute(const Variant &variant, const Array &input, Array &output) const {
        const Array image = input.clone(0);
        Array dense(Type::f32, image.shape(), 0);
        take_right_neighbours(
            image.as<float>(), dense.as<float>(), image.shape()[0], image.size() / image.shape()[0], 1);
        runs++;
        if (spoil && variant.schedule == "tuned") {
            spoil(dense);
        }
        const int64_t n = dense.size() / dense.shape()[0];
        for (int64_t y = 0; y < dense.shape()[0]; y++) {
            std::copy_n(
                std::as_const(dense).as<float>() + y * n, n, output.as<float>() + y * output.strides()[0]);
        }
    }
};

class NeighboursWorkload : public Workload {
public:
    using Workload::Workload;

    Array bound(std::span<const Array> inputs, const Settings &) const override {
        if (neighbours().allowed == 0) {
            return {};
        }
        Array bound(Type::f64, inputs[0].shape(), 0);
        std::fill_n(bound.as<double>(), bound.size(), neighbours().allowed);
        return bound;
    }
    std::vector<Sample> samples(const std::string &) const override {
        std::vector<Sample> all;
        for (const auto &shape : neighbours().shapes) {
            all.push_back({{image_of(shape)}, {}, image_of(shape).describe()});
        }
        return all;
    }
    Sample benchmark_sample(const std::string &, DataSize size, const Settings &) const override {
        return {{image_of({size.height, size.width})}, {}, ""};
    }

private:
    const Neighbours &neighbours() const {
        return static_cast<const Neighbours &>(op_);
    }
};

[[maybe_unused]] const bool added = [] {
    for (const char *name : {"neighbours", "unknown_neighbours"}) {
        add_workload(name, [](const Operator &op) { return std::make_unique<NeighboursWorkload>(op); });
    }
    return true;
}();

// With its definition, and one without.
Neighbours defined() {
    add_plain_definition("neighbours", right_neighbours);
    return Neighbours("neighbours");
}
Neighbours undefined() {
    return Neighbours("unknown_neighbours");
}

constexpr int repeat = 10;

Result verified(const Neighbours &op, const std::string &schedule) {
    return Verification(op, "f32", repeat).run(op.variant(schedule), Device{});
}

// The middle part of an image is advice where the sides do not fit, and none where the image is too large.
TEST(Fitting, ACropIsAdvisedWhereItKeepsAPartWorthHaving) {
    const auto said_of = [](int64_t width) {
        Picture picture;
        picture.path = "a.npy";
        picture.array = Array(Type::u8, {1, width});
        const Receiver narrow = {.name = "narrow", .inputs = {{.sides = {.most = 10000}}}};
        return std::string(with_files({Fault::input, "work on parts of it"}, narrow, {picture}).what());
    };
    EXPECT_NE(said_of(20000).find("--crop takes its middle 10000 x 1"), std::string::npos) << said_of(20000);
    EXPECT_EQ(said_of(1 << 20).find("--crop"), std::string::npos) << said_of(1 << 20);
}

TEST(Verification, HoldsVariantsAndTheReferenceAgainstThePlainDefinition) {
    const Neighbours op = defined();
    for (const char *schedule : {"reference", "tuned"}) {
        const Result result = verified(op, schedule);
        EXPECT_EQ(result.verdict, Verdict::ok) << result.why;
        EXPECT_EQ(result.against, "plain definition");
        EXPECT_EQ(result.samples, 2u);
        EXPECT_EQ(result.runs, 2u + repeat - 1);
    }
}

// The mistake of a front is in its reference variant too: only a definition of its own shows it.
TEST(Verification, FindsTheMistakeOfAFront) {
    Neighbours op = defined();
    op.shapes = {{5, 7}, {6, 8, 3}};
    for (const char *schedule : {"reference", "tuned"}) {
        const Result result = verified(op, schedule);
        EXPECT_EQ(result.verdict, Verdict::wrong);
        EXPECT_NE(result.why.find("(6, 8, 3)"), std::string::npos) << result.why;
    }
    Neighbours other = undefined();
    other.shapes = op.shapes;
    EXPECT_EQ(verified(other, "tuned").verdict, Verdict::ok);
}

TEST(Verification, CheckFindsTheMistakeOfAFront) {
    const Neighbours op = defined(), other = undefined();
    const auto check = [](const Neighbours &of, std::vector<int64_t> shape) {
        const Sample sample{{image_of(std::move(shape))}, {}, ""};
        Array output(Type::f32, sample.inputs[0].shape());
        of.run(of.variant("tuned"), Device{}, sample.inputs, output, {});
        return check_result(of, sample, output, Device{}, of.variant("tuned").name());
    };
    EXPECT_EQ(check(op, {9, 11}), "the plain definition");
    const Error error = error_of([&] { check(op, {9, 11, 3}); });
    EXPECT_EQ(error.fault(), Fault::mismatch);
    EXPECT_NE(std::string(error.what()).find("nothing was written"), std::string::npos) << error.what();
    EXPECT_EQ(check(other, {9, 11, 3}), "its reference variant; no plain definition is registered");
}

TEST(Verification, ReferenceAloneIsHeldAgainstNothing) {
    const Neighbours op = undefined();
    EXPECT_EQ(verified(op, "reference").verdict, Verdict::unheld);
    const Result tuned = verified(op, "tuned");
    EXPECT_EQ(tuned.verdict, Verdict::ok);
    EXPECT_EQ(tuned.against, "reference variant");
}

// Within the bound each time, but not the same bytes: threads that race.
TEST(Verification, FindsARunThatGivesOtherBytes) {
    Neighbours op = defined();
    op.allowed = 1;
    int calls = 0;
    op.spoil = [&](Array &output) { output.as<float>()[3] += ++calls == 7 ? .25f : 0; };
    const Result result = verified(op, "tuned");
    EXPECT_EQ(result.verdict, Verdict::wrong);
    EXPECT_NE(result.why.find("run 6 of 10 gave other bytes than run 1"), std::string::npos)
        << result.why;  // one of the calls was for the other sample
}

// On the sample that both repeat: what is said of a `tuned` variant is how long it takes beside the
// reference.
TEST(Verification, TimesTunedBesideTheReference) {
    Neighbours op = defined();
    int delay_ms = 20;
    op.spoil = [&](Array &) { std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms)); };
    Verification verification(op, "f32", repeat);
    EXPECT_FALSE(verification.run(op.variant("tuned"), Device{}).of_reference)
        << "no reference was timed yet";
    EXPECT_FALSE(verification.run(op.variant("reference"), Device{}).of_reference);
    EXPECT_GT(
        verification.run(op.variant("tuned"), Device{}).of_reference.value_or(0), slower_than_reference);
    op.narrowest = 1000;  // it serves no sample that the reference repeats
    EXPECT_FALSE(verification.run(op.variant("tuned"), Device{}).of_reference);
}

// The same of `bench`, in the table's line and in its JSON.
TEST(Verification, BenchTimesTunedBesideTheReference) {
    Neighbours op = defined();
    op.spoil = [](Array &) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
    Benchmark benchmark(op, {.type = "f32", .size = {64, 64}}, Device{}, {.batch = 1, .repeats = 3});
    EXPECT_FALSE(benchmark.variant(op.variant("tuned")).of_reference) << "no reference was timed yet";
    EXPECT_FALSE(benchmark.variant(op.variant("reference")).of_reference);
    const app::Run slow = benchmark.variant(op.variant("tuned"));
    ASSERT_TRUE(slow.of_reference);
    EXPECT_GT(*slow.of_reference, slower_than_reference);
    EXPECT_EQ(json(slow)["of_reference"], *slow.of_reference);
    const std::string narrow = line_of(slow), wide = line_of(slow, "", true);
    EXPECT_NE(narrow.find("; SLOWER\n"), std::string::npos) << narrow;
    EXPECT_NE(wide.find(fmt::format("; SLOWER than reference, {:.2f} times its time\n", *slow.of_reference)),
        std::string::npos)
        << wide;
    app::Run fast = slow;
    fast.of_reference = .5;
    EXPECT_EQ(line_of(fast).find("SLOWER"), std::string::npos) << line_of(fast);
}

TEST(Verification, AVariantWithoutASampleIsUntried) {
    Neighbours op = defined();
    op.narrowest = 1000;
    const Result result = verified(op, "tuned");
    EXPECT_EQ(result.verdict, Verdict::untried);
    EXPECT_EQ(result.runs, 0u);
    EXPECT_NE(result.why, "");
}

TEST(Verification, LargeSamplesAreForVariantsThatServeNoOther) {
    Neighbours op = defined();
    op.shapes = {{5, 7}, {1 << 14, 1 << 11}};  // 128 MiB
    EXPECT_EQ(verified(op, "tuned").samples, 1u);
    op.narrowest = 1000;
    const Result result = verified(op, "tuned");
    EXPECT_EQ(result.verdict, Verdict::ok) << result.why;
    EXPECT_EQ(result.samples, 1u);
    EXPECT_EQ(result.runs, 3u);
}

// Random samples are made one after another: none stays in memory once all variants have run on it.
TEST(Verification, RandomSamplesAreNotKept) {
    Neighbours op = defined();
    Verification verification(op, "f32", repeat);
    std::vector<Verification::Turn> turns;
    for (const char *schedule : {"reference", "tuned"}) {
        turns.push_back(verification.begin(op.variant(schedule), Device{}));
    }
    const size_t before = Verification::comparisons();
    const int runs = op.runs;
    RandomSamples samples(op, "f32", 20, 32);
    std::vector<std::weak_ptr<Storage>> made;
    while (const std::optional<Sample> sample = samples.next()) {
        verification.run_on(*sample, turns);
        made.push_back(sample->inputs[0].storage());
    }
    EXPECT_EQ(made.size(), 20u);
    EXPECT_TRUE(std::ranges::all_of(made, [](const auto &storage) { return storage.expired(); }));
    EXPECT_EQ(op.runs - runs, 40);
    EXPECT_EQ(Verification::comparisons() - before, 40u);
    for (Verification::Turn &turn : turns) {
        const Result result = Verification::end(std::move(turn));
        EXPECT_EQ(result.verdict, Verdict::ok) << result.why;
        EXPECT_EQ(result.samples, 2u + 20u);
    }
}

// A variant that serves no other sample repeats the first random one, and one that is wrong runs no more.
TEST(Verification, RandomSamplesFindWhatTheOthersDoNot) {
    Neighbours op = defined();
    op.narrowest = 20;
    int calls = 0;
    op.spoil = [&](Array &output) { output.as<float>()[0] += ++calls == 12 ? 1 : 0; };
    Verification verification(op, "f32", repeat);
    std::vector<Verification::Turn> turns = {verification.begin(op.variant("tuned"), Device{})};
    EXPECT_EQ(op.runs, 0);
    const Sample wide{{image_of({3, 40})}, {}, "the wide one"}, narrow{{image_of({3, 4})}, {}, "narrow"};
    for (const Sample &sample : {narrow, wide, narrow, wide, wide, wide}) {
        verification.run_on(sample, turns);
    }
    EXPECT_EQ(op.runs, repeat + 2) << "the last one is wrong";
    const Result result = Verification::end(std::move(turns[0]));
    EXPECT_EQ(result.verdict, Verdict::wrong);
    EXPECT_TRUE(result.why.starts_with("the wide one: ")) << result.why;
    EXPECT_EQ(result.samples, 3u);
}

TEST(Verification, AnyExceptionFailsItsVariantAlone) {
    Neighbours op = defined();
    op.spoil = [](Array &) { throw std::logic_error("the library takes 3 arguments, not 2"); };
    Verification verification(op, "f32", repeat);
    const Result result = verification.run(op.variant("tuned"), Device{});
    EXPECT_EQ(result.verdict, Verdict::failed);
    EXPECT_NE(result.why.find("takes 3 arguments"), std::string::npos) << result.why;
    EXPECT_FALSE(result.device_fault);
    EXPECT_EQ(verification.run(op.variant("reference"), Device{}).verdict, Verdict::ok);
    op.spoil = [](Array &) { throw Error(Fault::device, "it is gone"); };
    EXPECT_TRUE(verification.run(op.variant("tuned"), Device{}).device_fault);
}

TEST(Verification, FindsNaNWhereANumberShouldBe) {
    Neighbours op = defined();
    op.allowed = 1e30;
    op.spoil = [](Array &output) { output.as<float>()[5] = std::numeric_limits<float>::quiet_NaN(); };
    EXPECT_EQ(verified(op, "tuned").verdict, Verdict::wrong);
}

TEST(PlainDefinition, ANullPointerIsRefused) {
    EXPECT_EQ(error_of([] { add_plain_definition("neighbours", nullptr); }).fault(), Fault::usage);
}

}  // namespace
}  // namespace tilewright::app
