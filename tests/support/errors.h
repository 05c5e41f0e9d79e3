#pragma once
// Calls that must fail: the Error that they throw, as a value that a test can look at.
#include "tilewright/error.h"
#include <gtest/gtest.h>
#include <string>

namespace tilewright {

// Runs `call` and returns the Error that it throws. The test fails where nothing is thrown, and where the
// error has more than one line.
template<typename Call>
Error error_of(Call call) {
    try {
        call();
    } catch (const Error &error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        return error;
    }
    ADD_FAILURE() << "nothing was thrown";
    return Error(Fault::failed, "");
}

// Runs `call`, which must throw an Error of this class with `words` in its line. Returns the line.
template<typename Call>
std::string expect_error(Fault fault, const std::string &words, Call call) {
    const Error error = error_of(call);
    const std::string line = error.what();
    EXPECT_EQ(error.fault(), fault) << line;
    EXPECT_NE(line.find(words), std::string::npos) << "'" << words << "' is not in: " << line;
    return line;
}

}  // namespace tilewright
