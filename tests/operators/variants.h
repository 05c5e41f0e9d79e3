#pragma once
// The tests of an operator's variants: one test for each variant of its table, on a device that the variant
// runs on. A variant whose device is missing is skipped with the reason, never passed.
//
//     class TransposeVariant : public VariantTest {};
//     TEST_P(TransposeVariant, AgreesWithThePlainLoop) { ... run(inputs, output, settings) ... }
//     INSTANTIATE_TEST_SUITE_P(Variants, TransposeVariant,
//         testing::ValuesIn(variant_cases(transpose_operator())), variant_case_name);
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace tilewright {

struct VariantCase {
    const Operator *op;
    const Variant *variant;
};

inline void PrintTo(const VariantCase &c, std::ostream *out) {
    *out << c.variant->name();
}

// Every variant. An operator without variants is an error: its tests would pass without
// testing anything.
inline std::vector<VariantCase> variant_cases(const Operator &op) {
    std::vector<VariantCase> cases;
    for (const Variant &variant : op.variants()) {
        cases.push_back({&op, &variant});
    }
    if (cases.empty()) {
        throw std::logic_error(op.name() + " has no variants");
    }
    return cases;
}

inline std::string variant_case_name(const testing::TestParamInfo<VariantCase> &info) {
    std::string name = info.param.variant->name();
    name.erase(0, name.find('/') + 1);
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
}

class VariantTest : public testing::TestWithParam<VariantCase> {
protected:
    void SetUp() override {
        std::string why_not;
        if (const auto found = usable_device(variant().backend, why_not)) {
            device_ = found->device;
            runs_threads_in_turn_ = device_.backend == Backend::opencl && !found->is_gpu;
            if (const std::string lacking = why_not_on(variant(), device_); !lacking.empty()) {
                GTEST_SKIP() << "not run here: " << lacking;
            }
        } else {
            GTEST_SKIP() << "not run here: " << why_not;
        }
    }

    // No GPU takes more than 1024 threads per block. An OpenCL device that is a CPU takes more, and so would
    // hide the mistake.
    void TearDown() override {
        if (!IsSkipped()) {
            EXPECT_LE(counters().largest_block, 1024u)
                << variant().name() << " launches blocks that no GPU takes";
        }
    }

    const Operator &op() const {
        return *GetParam().op;
    }
    const Variant &variant() const {
        return *GetParam().variant;
    }
    Device device() const {
        return device_;
    }
    // Whether the device is a CPU that poses as an OpenCL device: a kernel takes it hundreds of times as long
    // as a GPU.
    bool runs_threads_in_turn() const {
        return runs_threads_in_turn_;
    }

    // Runs exactly this variant; false when it does not serve these arguments (another type, or a size that
    // it leaves to others).
    bool run(std::vector<Array> inputs, Array &output, const Settings &settings = {}) {
        if (op().type_of(inputs, settings) != variant().type) {
            return false;
        }
        const auto [type, shape] = op().output_of(inputs, settings);
        if (!op().serves(
                variant(), inputs, output.empty() ? Array::uninitialized(type, shape) : output, settings)) {
            return false;
        }
        if (output.empty()) {
            output = Array(type, shape);  // zeros, not what an earlier variant wrote there
        }
        op().run(variant(), device_, inputs, output, settings);
        served_++;
        return true;
    }

    // That the same inputs give the same bytes each time; false when the variant does not serve them.
    bool check_repeats(const std::vector<Array> &inputs, const Settings &settings = {}) {
        Array first;
        if (!run(inputs, first, settings)) {
            return false;
        }
        for (int turn = 0; turn < 2; turn++) {
            Array again;
            run(inputs, again, settings);
            EXPECT_EQ(difference(again, first, {}), "");
        }
        return true;
    }

    // How many calls of run() the variant took: a variant that serves nothing is a mistake.
    int served() const {
        return served_;
    }

private:
    Device device_;
    bool runs_threads_in_turn_ = false;
    int served_ = 0;
};

}  // namespace tilewright
