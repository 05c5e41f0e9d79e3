#pragma once
// The data of a benchmark.
#include "apps/tilewright/support/reference.h"
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <vector>

namespace tilewright::app {

// Several copies of the same inputs, each with an output. Calls take them in turn, so that no call of a
// benchmark finds its data in a cache.
class Rotation {
public:
    // Makes so many sets that together they hold more than `cache_bytes`, but not more than `most_bytes`; at
    // least two.
    Rotation(const Operator &op, Sample sample, double cache_bytes, double most_bytes);

    struct Set {
        Sample sample;
        Array output;
    };

    Set &operator[](size_t call) {
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
    std::vector<Set> sets_;
};

}  // namespace tilewright::app
