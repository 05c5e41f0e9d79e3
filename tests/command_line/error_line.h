#pragma once
// How the program says that a call failed: in one line on standard error.
#include "tests/support/process.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace tilewright {

// Expects one line, the program's own, that has all of the words in it.
inline void expect_error_line(const std::string &err, const Words &words) {
    EXPECT_EQ(err.rfind("tilewright: error: ", 0), 0u) << err;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
    for (const std::string &word : words) {
        EXPECT_NE(err.find(word), std::string::npos) << "no '" << word << "' in: " << err;
    }
}

}  // namespace tilewright
