#pragma once
#include "apps/tilewright/support/reference.h"
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <vector>

namespace tilewright::app {

// Several sets of the same inputs in memory of their own, each with its output, so that no call of a benchmark finds its
// data in a cache.
class Rotation {
public:
    // As many sets as hold more than `cache_bytes` together, but no more than `most_bytes`; two at least.
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

    // New bytes in every output.
    void spoil();

    // Holds the output of every set against the expected one. Returns the first difference as a sentence.
    std::string difference(const Expected &expected) const;

private:
    const Operator &op_;
    std::vector<Set> sets_;
};

}  // namespace tilewright::app
