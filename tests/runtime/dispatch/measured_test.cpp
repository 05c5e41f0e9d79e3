// Measured times: what is predicted from them, which device's times count, and files that are broken.
#include "runtime/measured/measured.h"
#include "runtime/measured/json_bounds.h"
#include "runtime/measured/prediction.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

namespace tilewright {
namespace {

constexpr float none = 0;

// Times of variants for calls of (height, width, channels).
struct Table {
    std::vector<float> calls;
    std::vector<std::string_view> variants;
    std::vector<float> ms;

    MeasuredTimes times() const {
        return {"op", "u8", 3, calls, variants, ms};
    }
};

// `slow` is proportional to the number of pixels, `fast` takes long to start and serves no small image,
// `small` was measured at one size alone.
Table table() {
    return {{10, 10, 1, 100, 100, 1, 1000, 1000, 1}, {"slow", "fast", "small"},
        {.001f, .1f, 10, none, .05f, 1, .0005f, none, none}};
}

TEST(Prediction, IsTheMeasuredTimeAtAMeasuredCall) {
    const Table all = table();
    const Prediction prediction(all.times());
    const std::vector<double> ms = prediction.ms({1000, 1000, 1});
    ASSERT_EQ(ms.size(), 3u);
    EXPECT_NEAR(ms[0], 10, .01);
    EXPECT_NEAR(ms[1], 1, .001);
    EXPECT_NEAR(prediction.ms({10, 10, 1})[2], .0005, 1e-5);
}

TEST(Prediction, LiesBetweenTheMeasuredTimesOfTheSizesAround) {
    const Table all = table();
    const Prediction prediction(all.times());
    double before = 0;
    for (const double side : {100., 150., 300., 600., 1000.}) {
        const std::vector<double> ms = prediction.ms({side, side, 1});
        EXPECT_GT(ms[1], before) << side;
        EXPECT_GT(ms[0], ms[1]) << side;
        EXPECT_LE(ms[1], 1.01) << side;
        before = ms[1];
    }
    const double tall = prediction.ms({1000, 100, 1})[1];
    EXPECT_GT(tall, .06);
    EXPECT_LT(tall, .9);
}

// Variants of one time that compute whole tiles of 100 and of 10 numbers: behind the edge of a tile of 100
// the one with the smaller tiles is faster.
TEST(Prediction, HasThePaddingOfTheCallThatIsAskedFor) {
    const Prediction::Padding padding = [](size_t variant, const Measures &of) {
        const double tile = variant == 0 ? 100 : 10;
        return std::ceil(of.numbers[0] / tile) * tile / of.numbers[0];
    };
    const Table all = {{100, 1, 1, 200, 1, 1, 400, 1, 1}, {"wide", "narrow"}, {1, 2, 4, 1, 2, 4}};
    const Prediction prediction(all.times(), padding);
    EXPECT_NEAR(prediction.ms({200, 1, 1})[0], 2, .01);
    EXPECT_NEAR(prediction.ms({201, 1, 1})[0], 3, .05);
    EXPECT_NEAR(prediction.ms({201, 1, 1})[1], 2.1, .05);
}

// Beyond the sizes that were measured the time grows on.
TEST(Prediction, GrowsBeyondTheLargestMeasuredSize) {
    const Table all = table();
    EXPECT_GT(Prediction(all.times()).ms({4000, 4000, 1})[1], 3);
}

// What was measured at small sizes alone is compared there; its time grows as that of the others does.
TEST(Prediction, AVariantOfOneSmallSizeDoesNotLookFastForever) {
    const Table all = table();
    const std::vector<double> ms = Prediction(all.times()).ms({1000, 1000, 1});
    EXPECT_GT(ms[2], .5);
}

TEST(Prediction, TheDistanceIsThatOfTheNearestMeasuredCall) {
    const Table all = table();
    const Prediction prediction(all.times());
    EXPECT_LT(prediction.distance({100, 100, 1}), .1);
    EXPECT_NEAR(prediction.distance({100, 271.8, 1}), 1, .01);
    EXPECT_GT(prediction.distance({10, 1000, 1}), 2);
    EXPECT_GT(prediction.distance({100, 100}), 1e9);
}

// Times that grow as the number of pixels are predicted exactly from two others; one call alone from none.
TEST(Prediction, TheErrorIsThatOfEachCallFromTheOthers) {
    const std::vector<std::string_view> variants = {"variant"};
    const auto error = [&](std::vector<float> calls, std::vector<float> ms) {
        const MeasuredTimes times = {"op", "u8", 1, calls, variants, ms};
        return error_of({&times, 1});
    };
    const PredictionError exact = error({100, 200, 400}, {1, 2, 4});
    EXPECT_EQ(exact.times, 3);
    EXPECT_NEAR(exact.median, 1, .02);
    EXPECT_NEAR(exact.most, 1, .05);
    const PredictionError rough = error({100, 200, 400}, {1, 5, 4});
    EXPECT_GT(rough.median, 1.5);
    EXPECT_GE(rough.most, rough.median);
    EXPECT_EQ(error({100, 200}, {1, none}).times, 0);
    EXPECT_EQ(error({100}, {1}).times, 0);
    EXPECT_EQ(error({1, 1e6f}, {1, 2}).times, 0) << "far from each other: nothing is predicted";
}

TEST(Prediction, NothingIsPredictedForOtherNumbersOrVariantsWithoutTimes) {
    const Table all = table();
    EXPECT_EQ(Prediction(all.times()).ms({100, 100}), std::vector<double>(3));
    const Table silent = {{10, 10, 1}, {"a", "b"}, {none, 2}};
    const std::vector<double> ms = Prediction(silent.times()).ms({20, 20, 1});
    EXPECT_EQ(ms[0], 0);
    EXPECT_NEAR(ms[1], 2, .01);
}

DeviceInfo cpu(const std::string &name, int units) {
    DeviceInfo info;
    info.name = name;
    info.units = units;
    return info;
}

MeasuredDevice measured(const char *vendor, const char *name, int units, Backend backend = Backend::cpu) {
    MeasuredDevice device = {};
    device.backend = backend;
    device.is_gpu = backend == Backend::cuda;
    device.vendor = vendor;
    device.name = name;
    device.units = units;
    return device;
}

TEST(MeasuredDevices, TheMostLikeOneIsTaken) {
    const std::vector<MeasuredDevice> known = {measured("Intel", "Intel Xeon", 16),
        measured("AMD", "AMD A", 64), measured("AMD", "AMD B", 4),
        measured("NVIDIA", "NVIDIA H200", 132, Backend::cuda)};
    EXPECT_EQ(most_like(cpu("AMD A", 2), known)->name, "AMD A") << "its own name goes before its size";
    EXPECT_EQ(most_like(cpu("AMD C", 8), known)->name, "AMD B");
    EXPECT_EQ(most_like(cpu("AMD C", 32), known)->name, "AMD A");
    EXPECT_EQ(most_like(cpu("Intel Core", 64), known)->name, "Intel Xeon") << "the vendor goes first";
    EXPECT_NE(most_like(cpu("Other", 20), known), nullptr);
    std::vector<MeasuredDevice> of_sets = known;
    of_sets[0].capability = "AVX2";
    of_sets[1].capability = of_sets[2].capability = "AVX-512";
    DeviceInfo older = cpu("AMD A", 64);
    older.capability = "AVX2";
    EXPECT_EQ(most_like(older, of_sets)->name, "Intel Xeon") << "the instruction set goes before all others";
    DeviceInfo gpu = cpu("AMD GPU", 100);
    gpu.device.backend = Backend::opencl;
    gpu.is_gpu = true;
    EXPECT_EQ(most_like(gpu, known), nullptr);
    EXPECT_EQ(most_like(cpu("AMD A", 2), {}), nullptr);
}

TEST(MeasuredDevices, TheOwnTimesGoFirst) {
    const MeasuredTimes own[] = {{"op", "u8", 3, {}, {}, {}}},
                        like[] = {{"op", "u8", 3, {}, {}, {}}, {"op", "f32", 3, {}, {}, {}}};
    MeasuredDevice here = measured("AMD", "here", 1), there = measured("AMD", "there", 1);
    here.times = own;
    there.times = like;
    const DeviceMeasurements both = {&here, &there};
    EXPECT_EQ(both.find("op", "u8")->device->name, "here");
    EXPECT_EQ(both.find("op", "f32")->device->name, "there");
    EXPECT_FALSE(both.find("op", "u16"));
    EXPECT_FALSE(DeviceMeasurements().find("op", "u8"));
}

const std::string good = R"({"version": 1,
"device": {"backend": "cpu", "vendor": "AMD", "name": "AMD A", "driver": "", "units": 2, "is_gpu": false},
"origin": {"date": "2026-11-22"}, "copies":
    {"bytes_to_device_per_ms": 0, "bytes_to_host_per_ms": 0, "copy_ms": 0},
"times": [{"operator": "op", "type": "u8", "calls": [[1, 2], [3, 4]],
    "variants": {"a": {"ms": [1.5, null]}, "b": {"ms": [2, 3]}}}]})";

std::string replaced(const std::string &what, const std::string &by) {
    std::string text = good;
    const size_t at = text.find(what);
    return at == std::string::npos ? "" : text.replace(at, what.size(), by);
}

TEST(MeasuredFiles, AreInNoFolderThatDependsOnWhereTheProgramRuns) {
    TestFolder temporary;
    const auto folder = [&](const char *named, const char *base, const char *home) {
        const int status = in_child([&] {
            setenv("TILEWRIGHT_MEASURED", named, 1);
            setenv("XDG_CONFIG_HOME", base, 1);
            setenv("HOME", home, 1);
            write_bytes(temporary.file("said"), bytes_of(measured_folder()));
        });
        EXPECT_EQ(status, 0);
        return read_text(temporary.file("said"));
    };
    EXPECT_EQ(folder("named", "/base", "/home"), "named");
    EXPECT_EQ(folder("off", "/base", "/home"), "");
    EXPECT_EQ(folder("", "/base", "/home"), "/base/tilewright/measured");
    for (const char *relative : {".", "config", "~/.config", ""}) {
        EXPECT_EQ(folder("", relative, "/home"), "/home/.config/tilewright/measured");
        EXPECT_EQ(folder("", relative, relative), "");
    }
}

TEST(MeasuredFiles, AreRead) {
    const TestFolder folder;
    write_bytes(folder.file("a.json"), bytes_of(good));
    std::string why_not;
    const MeasuredDevice *device = read_measurements(folder.file("a.json"), why_not);
    ASSERT_NE(device, nullptr) << why_not;
    EXPECT_EQ(device->name, "AMD A");
    ASSERT_EQ(device->times.size(), 1u);
    const MeasuredTimes &times = device->times[0];
    EXPECT_EQ(times.count(), 2u);
    EXPECT_EQ(std::vector<float>(times.ms.begin(), times.ms.end()), (std::vector<float>{1.5, 0, 2, 3}));
}

TEST(MeasuredFiles, ThatAreBrokenAreRefusedInOneLine) {
    const TestFolder folder;
    const std::vector<std::string> broken = {"", "{", "[]", "7", good.substr(0, good.size() / 2),
        replaced("\"version\": 1", "\"version\": 2"), replaced("\"cpu\"", "\"tpu\""),
        replaced("\"cpu\"", "\"c\\npu\""), replaced("[1, 2]", "[1]"), replaced("[[1, 2], [3, 4]]", "[]"),
        replaced("[2, 3]", "[2]"), replaced("1.5", "-1"), replaced("1.5", "\"x\""), replaced("1.5", "1e300"),
        replaced("\"units\": 2", "\"units\": \"two\""), replaced("\"units\": 2", "\"units\": 1e300"),
        replaced("\"units\": 2", "\"units\": -2"), replaced("\"units\": 2", "\"units\": 4294967298"),
        replaced("\"copies\"", "\"copied\""), replaced("\"operator\"", "\"operators\"")};
    for (const std::string &text : broken) {
        write_bytes(folder.file("a.json"), bytes_of(text));
        std::string why_not;
        EXPECT_EQ(read_measurements(folder.file("a.json"), why_not), nullptr) << text;
        EXPECT_EQ(why_not.find('\n'), std::string::npos) << why_not;
        EXPECT_NE(why_not.find("calibrate"), std::string::npos) << why_not;
    }
    std::string why_not;
    EXPECT_EQ(read_measurements(folder.file("none.json"), why_not), nullptr);
}

// They are refused before they are parsed, which would take gigabytes.
TEST(MeasuredFiles, ThatAreNestedOrLongAreNotParsed) {
    const TestFolder folder;
    const std::string deep(5 << 20, '['), list = "[" + std::string(9 << 20, ' ') + "]";
    for (const auto &[text, reason] : {std::pair<std::string, std::string>{deep, "nested more than 64 deep"},
             {replaced("\"copies\"", "\"x\": " + deep + ", \"copies\""), "nested more than 64 deep"},
             {list, "too long"}}) {
        write_bytes(folder.file("a.json"), bytes_of(text));
        std::string why_not;
        EXPECT_EQ(read_measurements(folder.file("a.json"), why_not), nullptr);
        EXPECT_NE(why_not.find(reason), std::string::npos) << why_not;
    }
}

TEST(JsonBounds, AreOfDepthAndMembersOutsideOfStrings) {
    const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    const auto object = [](size_t members) {
        std::string text = "{";
        for (size_t i = 0; i < members; i++) {
            text += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":{\"a:b\":1}";
        }
        return text + "}";
    };
    EXPECT_EQ(why_not_parsed(nested(64)), "");
    EXPECT_NE(why_not_parsed(nested(65)), "");
    EXPECT_EQ(why_not_parsed("[" + nested(63) + "," + nested(63) + "]"), "");
    EXPECT_EQ(why_not_parsed("\"\\\"" + nested(70) + "\\\\\""), "");
    EXPECT_NE(why_not_parsed("\"\\\\\"" + nested(70)), "");
    EXPECT_EQ(why_not_parsed(object(1000)), "");
    EXPECT_NE(why_not_parsed(object(1001)), "");
    EXPECT_EQ(why_not_parsed("]]]}}" + nested(64)), "");
    EXPECT_EQ(why_not_parsed("\"\\"), "");
}

// What the build made of schedules/measured.
TEST(MeasuredFiles, ThatCameWithTheLibraryHaveTimes) {
    for (const MeasuredDevice &device : built_in_measurements()) {
        EXPECT_FALSE(device.name.empty());
        EXPECT_FALSE(device.times.empty()) << device.name;
        EXPECT_GT(device.units, 0) << device.name;
        EXPECT_EQ(device.backend != Backend::cpu, device.bytes_to_device > 0) << device.name;
        for (const MeasuredTimes &times : device.times) {
            EXPECT_EQ(times.ms.size(), times.variants.size() * times.count())
                << device.name << " " << times.op;
        }
        // `tilewright calibrate --from FILE --output FILE` writes it anew after a change by hand.
        const PredictionError error = error_of(device.times);
        EXPECT_EQ(device.error.times, error.times) << device.file;
        EXPECT_NEAR(device.error.median, error.median, .001 * error.median) << device.file;
        EXPECT_NEAR(device.error.most, error.most, .001 * error.most) << device.file;
    }
}

}  // namespace
}  // namespace tilewright
