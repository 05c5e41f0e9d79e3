#pragma once
#include "tilewright/operator.h"
#include <gtest/gtest.h>

namespace tilewright {

// Some operator that was built for a backend, and arguments for it.
struct AnyOperator {
    const Operator *op = nullptr;
    Sample sample;

    explicit AnyOperator(Backend backend) {
        for (const Operator *o : operators()) {
            if (const auto rows = o->rows("tuned", backend); !rows.empty()) {
                op = o;
                sample = o->benchmark_sample(rows.front()->type, 160, 120, {});
                return;
            }
        }
    }

    Array run(Device device, Statistics *statistics = nullptr) const {
        Array output;
        (*op)(sample.inputs, output, sample.settings, {.device = device, .statistics = statistics});
        return output;
    }
};

// Runs `call` and returns the Error that it throws; a test without one fails.
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
