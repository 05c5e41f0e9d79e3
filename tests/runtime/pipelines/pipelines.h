#pragma once
// What the tests of pipelines share.
#include "tests/support/operators.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

#define NEEDS(...)                                                                                           \
    for (const char *name : {__VA_ARGS__}) {                                                                 \
        if (!built_operator(name)) {                                                                         \
            GTEST_SKIP() << "this build has no operator " << name;                                           \
        }                                                                                                    \
    }

namespace tilewright {

// The result of one operator.
inline Array call(const std::string &op, std::vector<Array> inputs, const Settings &settings,
    const Device &device, const std::string &schedule = "tuned") {
    Array output;
    find_operator(op)(inputs, output, settings, {.device = device, .schedule = schedule});
    return output;
}

}  // namespace tilewright
