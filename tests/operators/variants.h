#pragma once
// The tests of an operator's rows: one test for each row of its table, on a device that the row runs on. A
// row whose device is missing is skipped with the reason, never passed.
//
//     class TransposeRow : public RowTest {};
//     TEST_P(TransposeRow, AgreesWithThePlainLoop) { ... run(inputs, output, settings) ... }
//     INSTANTIATE_TEST_SUITE_P(Rows, TransposeRow, testing::ValuesIn(row_cases(transpose_operator())),
//                              row_case_name);
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace tilewright {

struct RowCase {
    const Operator *op;
    const Row *row;
};

inline void PrintTo(const RowCase &c, std::ostream *out) {
    *out << c.row->name();
}

// Every row that has a library. An operator without rows is an error: its tests would pass without testing
// anything.
inline std::vector<RowCase> row_cases(const Operator &op) {
    std::vector<RowCase> cases;
    for (const Row &row : op.rows()) {
        if (row.declined.empty()) {
            cases.push_back({&op, &row});
        }
    }
    if (cases.empty()) {
        throw std::logic_error(op.name() + " has no rows");
    }
    return cases;
}

inline std::string row_case_name(const testing::TestParamInfo<RowCase> &info) {
    std::string name = info.param.row->name();
    name.erase(0, name.find('/') + 1);
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
}

class RowTest : public testing::TestWithParam<RowCase> {
protected:
    void SetUp() override {
        std::string why_not;
        if (const auto found = usable_device(row().backend, why_not)) {
            device_ = found->device;
            runs_threads_in_turn_ = device_.backend == Backend::opencl && !found->is_gpu;
            if (const std::string lacking = why_not_on(row(), device_); !lacking.empty()) {
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
                << row().name() << " launches blocks that no GPU takes";
        }
    }

    const Operator &op() const {
        return *GetParam().op;
    }
    const Row &row() const {
        return *GetParam().row;
    }
    Device device() const {
        return device_;
    }
    // Whether the device is a CPU that poses as an OpenCL device: a kernel takes it hundreds of times as long
    // as a GPU.
    bool runs_threads_in_turn() const {
        return runs_threads_in_turn_;
    }

    // Runs exactly this row; false when it does not serve these arguments (another type, or a size that it
    // leaves to others).
    bool run(std::vector<Array> inputs, Array &output, const Settings &settings = {}) {
        if (op().type_of(inputs, settings) != row().type) {
            return false;
        }
        if (output.empty()) {
            const auto [type, shape] = op().output_of(inputs, settings);
            output = Array(type, shape);
        }
        if (!op().serves(row(), inputs, output, settings)) {
            return false;
        }
        op().run(row(), device_, inputs, output, settings);
        served_++;
        return true;
    }

    // How many calls of run() the row took: a row that serves nothing is a mistake.
    int served() const {
        return served_;
    }

private:
    Device device_;
    bool runs_threads_in_turn_ = false;
    int served_ = 0;
};

}  // namespace tilewright
