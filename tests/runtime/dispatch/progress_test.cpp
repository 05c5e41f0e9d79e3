// Calls that say how far they are, and that are cancelled (Call::progress).
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include "tilewright/pipeline.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <stop_token>
#include <string>
#include <thread>

namespace tilewright {

namespace {

// Runs `call` with a `progress` that keeps what it is told, and cancels the call where more than `last` is
// done.
struct Told {
    std::vector<double> parts;
    bool is_on_this_thread = true;

    std::function<bool(double)> until(double last) {
        return [this, last, here = std::this_thread::get_id()](double done) {
            parts.push_back(done);
            is_on_this_thread &= std::this_thread::get_id() == here;
            return done <= last;
        };
    }
};

const Array &image() {
    static const Array made = random_array(Type::u8, {2000, 1500});
    return made;
}

class Progress : public testing::TestWithParam<Backend> {
protected:
    void SetUp() override {
        op = built_operator("invert");
        const std::vector<Device> usable = usable_devices();
        const auto found = std::ranges::find(usable, GetParam(), &Device::backend);
        if (!op || op->variants("tuned", GetParam()).empty() || found == usable.end()) {
            GTEST_SKIP() << "not run here: there is no such device, or no invert for it";
        }
        device = *found;
    }

    void invert(Array &output, const std::function<bool(double)> &progress) const {
        (*op)({&image(), 1}, output, {}, {.device = device, .progress = progress});
    }

    const Operator *op = nullptr;
    Device device;
};

}  // namespace

TEST_P(Progress, GrowsFromNothingToAllOnTheThreadOfTheCall) {
    Told told;
    Array watched, unwatched;
    invert(watched, told.until(1));
    invert(unwatched, {});
    EXPECT_TRUE(same_bytes(watched, unwatched));
    ASSERT_GE(told.parts.size(), 2u);
    EXPECT_EQ(told.parts.front(), 0);
    EXPECT_EQ(told.parts.back(), 1);
    EXPECT_TRUE(std::ranges::is_sorted(told.parts));
    EXPECT_TRUE(told.is_on_this_thread);
}

// Which thread takes which tasks is open: in some of many calls, that of the call has one.
TEST_P(Progress, IsAskedBeforeTheTasksOfALoopOnTheCpu) {
    Told told;
    constexpr size_t calls = 20;
    for (size_t i = 0; i < calls; i++) {
        Array output;
        invert(output, told.until(1));
    }
    const auto inside = [](double done) { return done > 0 && done < 1; };
    EXPECT_EQ(std::ranges::any_of(told.parts, inside), GetParam() == Backend::cpu);
    EXPECT_GE(told.parts.size(), 2 * calls);
}

TEST_P(Progress, CancelsTheCall) {
    for (const double last : {-1., 0., .5}) {
        Told told;
        Array output;
        const Error error = error_of([&] { invert(output, told.until(last)); });
        EXPECT_STREQ(error.what(), "invert: the call was cancelled");
        EXPECT_EQ(error.fault(), Fault::cancelled);
        EXPECT_TRUE(output.empty());
        EXPECT_EQ(std::ranges::count_if(told.parts, [&](double done) { return done > last; }), 1)
            << "nothing is asked after the answer";
    }
    Array output;
    invert(output, {});
    EXPECT_EQ(output.at<uint8_t>({1999, 1499}), 255 - image().at<uint8_t>({1999, 1499}));
}

TEST_P(Progress, WhatItThrowsLeavesTheCall) {
    for (const double last : {-1., 0.}) {
        Array output;
        const auto progress = [&](double done) {
            if (done > last) {
                throw std::string("enough");
            }
            return true;
        };
        EXPECT_THROW(invert(output, progress), std::string);
        EXPECT_TRUE(output.empty());
    }
}

TEST_P(Progress, MayMakeCallsOfItsOwn) {
    Array watched, own;
    size_t asked = 0;
    invert(watched, [&](double) {
        if (asked++ == 0) {
            invert(own, {});
        }
        return true;
    });
    EXPECT_GE(asked, 2u);
    EXPECT_TRUE(same_bytes(watched, own));
}

TEST_P(Progress, AStopTokenCancels) {
    std::stop_source source;
    Array output;
    const auto progress = [&, token = source.get_token()](double) {
        std::thread([&] { source.request_stop(); }).join();
        return !token.stop_requested();
    };
    expect_error(Fault::cancelled, "the call was cancelled", [&] { invert(output, progress); });
}

TEST_P(Progress, OfAPipelineIsThatOfAllStages) {
    if (!built_operator("transpose")) {
        GTEST_SKIP() << "not run here: transpose was not built";
    }
    const Pipeline pipeline("invert | transpose");
    Told told;
    Array output;
    pipeline(image(), output, {.device = device, .progress = told.until(1)});
    EXPECT_TRUE(std::ranges::is_sorted(told.parts));
    EXPECT_GT(std::ranges::count(told.parts, .5), 0) << "the beginning of the second stage";
    EXPECT_EQ(told.parts.back(), 1);
    Array none;
    const Error error =
        error_of([&] { pipeline(image(), none, {.device = device, .progress = Told().until(.4)}); });
    EXPECT_EQ(error.fault(), Fault::cancelled);
    EXPECT_TRUE(none.empty());
    Told until_half;
    EXPECT_STREQ(error_of([&] {
        pipeline(image(), none, {.device = device, .progress = until_half.until(.49)});
    }).what(),
        "stage 2 of 2, 'transpose': the call was cancelled");
}

// The devices are asked for by the tests and not here, because the program also tests which calls start none.
INSTANTIATE_TEST_SUITE_P(Devices, Progress, testing::Values(Backend::cpu, Backend::cuda, Backend::opencl),
    [](const testing::TestParamInfo<Backend> &backend) {
        return backend.param == Backend::cpu ? "cpu" : backend.param == Backend::cuda ? "cuda" : "opencl";
    });

}  // namespace tilewright
