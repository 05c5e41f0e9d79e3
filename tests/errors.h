#pragma once
#include "tilewright/error.h"
#include <gtest/gtest.h>
#include <string>

namespace tilewright {

// Runs `call` and returns the Error that it throws; a test without one fails, as does one whose error is more than one line.
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

}  // namespace tilewright
