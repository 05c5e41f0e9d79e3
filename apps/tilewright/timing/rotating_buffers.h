#pragma once
// The data of a benchmark.
#include "apps/tilewright/verification/expected_result.h"
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <vector>

namespace tilewright::app {

// Several copies of the same inputs, each with an output. Calls take them in turn, so that the calls of a
// benchmark find their data where those of most programs find it. On a GPU, and on a CPU where the inputs
// have more than 2.5 MB, no cache holds the data. Smaller inputs of a CPU have just been written by the
// program that calls, so they are in a cache: there are two sets, which stay there.
class Rotation {
public:
    // Makes so many sets for the device that together they hold more than its caches where no cache shall
    // hold the data, but not more than `most_bytes`; at least two. Rows of images are `row_bytes` apart, as
    // Array has it.
    Rotation(const Operator &op, Sample sample, Device device, double most_bytes,
        int64_t row_bytes = Array::padded);

    struct Set {
        Sample sample;
        Array output;
    };

    Set &operator[](size_t call) {
        return sets_[call % sets_.size()];
    }
    const Set &operator[](size_t call) const {
        return sets_[call % sets_.size()];
    }
    size_t size() const {
        return sets_.size();
    }

    // Gives every set a new output, whose bytes no operator would leave there by accident.
    void spoil();

    // Compares the output of every set with the expected one. Returns the first difference as a sentence, or
    // an empty string.
    std::string difference(const Expected &expected) const;

private:
    const Operator &op_;
    const int64_t row_bytes_;
    std::vector<Set> sets_;
};

}  // namespace tilewright::app
