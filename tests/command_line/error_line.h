#pragma once
// What the program prints, and how it says that a call failed: in one line on standard error.
#include "tests/support/process.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace tilewright {

// Expects a text that has all of the words in it.
inline void expect_has(const std::string &text, const Words &words) {
    for (const std::string &word : words) {
        EXPECT_NE(text.find(word), std::string::npos) << "no '" << word << "' in: " << text;
    }
}

// Expects one line, the program's own, that has all of the words in it.
inline void expect_error_line(const std::string &err, const Words &words) {
    EXPECT_EQ(err.rfind("tilewright: error: ", 0), 0u) << err;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
    expect_has(err, words);
}

}  // namespace tilewright
