#pragma once
// One test for each row of an operator's table, on the device that the row runs on. A row whose device is missing is skipped
// with words, never passed.
//
//     class TransposeRow : public RowTest {};
//     TEST_P(TransposeRow, AgreesWithThePlainLoop) { ... run(inputs, output, settings) ... }
//     INSTANTIATE_TEST_SUITE_P(Rows, TransposeRow, testing::ValuesIn(row_cases(transpose_operator())), row_case_name);
#include "tests/errors.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace tilewright {

struct RowCase {
    const Operator *op;
    const Row *row;
};

inline void PrintTo(const RowCase &c, std::ostream *out) {
    *out << c.row->name();
}

// Every row that has a library; an operator without rows is an error, or else all tests would pass on nothing.
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
        if (row().needs_vnni && !cpu_has_vnni()) {
            GTEST_SKIP() << "not run here: this CPU has no AVX-512 VNNI";
        }
        std::string why = "no such device";
        for (const DeviceInfo &d : devices()) {
            if (d.device.backend == row().backend) {
                if (d.usable) {
                    device_ = d.device;
                    return;
                }
                why = d.why_not;
            }
        }
        GTEST_SKIP() << "not run here: " << why;
    }

    // No GPU takes more than 1024 threads a block, and a CPU's OpenCL hides it.
    void TearDown() override {
        if (!IsSkipped()) {
            EXPECT_LE(counters().largest_block, 1024u) << row().name() << " launches blocks that no GPU takes";
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

    // Runs exactly this row; false when it does not serve these arguments (another type, or a size that it leaves to others).
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
    int served_ = 0;
};

// Fills an array, rows of any pitch, with values from `next`.
template<typename T, typename Next>
void fill(Array &array, Next next) {
    const auto &shape = array.shape();
    const int64_t rows = shape.size() > 1 ? shape[0] : 1, n = array.size() / rows;
    T *data = array.as<T>();
    for (int64_t y = 0; y < rows; y++) {
        for (int64_t x = 0; x < n; x++) {
            data[(rows > 1 ? y * array.strides()[0] : 0) + x] = (T)next();
        }
    }
}

// Pseudo-random values: all of an integer type's range, or [-1, 1).
template<typename T>
void fill_random(Array &array, unsigned seed = 1) {
    std::mt19937 random(seed);
    fill<T>(array, [&] {
        if constexpr (std::is_floating_point_v<T>) {
            return (T)((double)random() / 2147483648.0 - 1);
        } else {
            return (T)random();
        }
    });
}

template<typename T>
Array random_array(std::vector<int64_t> shape, unsigned seed = 1, int64_t row_bytes = Array::padded) {
    Array array(type_of_element<T>::value, std::move(shape), row_bytes);
    fill_random<T>(array, seed);
    return array;
}

}  // namespace tilewright
