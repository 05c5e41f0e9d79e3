// What Halide's runtime gets where one of its calls of a driver ends with an exception.
#include "runtime/devices/calls/wrapped_functions.h"
#include <gtest/gtest.h>
#include <stdexcept>

namespace tilewright::driver {
namespace {

constexpr ErrorCodes codes{.no_memory = -6, .other = -30};

int launch(int how) {
    if (how == 1) {
        throw std::bad_alloc();
    }
    if (how == 2) {
        throw std::runtime_error("a text is missing");
    }
    return how;
}

void *create(int how, int *error) {
    *error = launch(how);
    return error;
}

TEST(WrappedFunctions, ExceptionsBecomeTheCodesOfTheDriver) {
    const auto call = reinterpret_cast<int (*)(int)>(wrap<codes, launch>(nullptr));
    EXPECT_EQ(call(1), -6);
    EXPECT_EQ(call(2), -30);
    EXPECT_EQ(call(0), 0);
    EXPECT_EQ(call(7), 7);
}

TEST(WrappedFunctions, ThatMakeSomethingMakeNothingThen) {
    const auto call = reinterpret_cast<void *(*)(int, int *)>(wrap<codes, create>(nullptr));
    int error = 0;
    EXPECT_EQ(call(1, &error), nullptr);
    EXPECT_EQ(error, -6);
    EXPECT_EQ(call(2, &error), nullptr);
    EXPECT_EQ(error, -30);
    EXPECT_EQ(call(0, &error), &error);
    EXPECT_EQ(error, 0);
}

}  // namespace
}  // namespace tilewright::driver
