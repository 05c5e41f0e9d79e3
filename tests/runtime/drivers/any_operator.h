#pragma once
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include <gtest/gtest.h>

namespace tilewright {

// Some operator that was built for a backend, and arguments for it.
struct AnyOperator {
    const Operator *op = nullptr;
    Sample sample;

    explicit AnyOperator(Backend backend, int64_t w = 160, int64_t h = 120) {
        for (const Operator *o : operators()) {
            if (const auto variants = o->variants("tuned", backend); !variants.empty()) {
                op = o;
                sample = small_sample(*o, variants.front()->type, w, h);
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

}  // namespace tilewright
