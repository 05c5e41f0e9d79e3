#pragma once
// The comparison of two files of timed runs, variant by variant.
#include "apps/laboratory/results/timed_runs.h"

namespace tilewright::app {

enum class Change { faster, slower, within_noise };

struct ComparedRun {
    const TimedRun *before, *after;
    Change verdict;

    double ratio() const {
        return after->median / before->median;
    }
};

// What was found. The runs are those of the two files, which must outlive it.
struct Comparison {
    std::vector<ComparedRun> compared;  // in the order of the second file
    std::vector<const TimedRun *> only_before, only_after;
    std::vector<const TimedRun *> not_timed, wrong;  // in the second file, though the first has a time
    // those of one word and two names, which are not compared: "cuda:0 (NVIDIA H200, NVIDIA A100)"
    std::vector<std::string> different_devices;

    size_t count(Change verdict) const;
};

// A run is faster or slower where both hold: the intervals from the 10th to the 90th percentile of the two
// files do not overlap, and the medians differ by more than `threshold` (.02: 2 %) of the first one. The
// first condition is the spread within a run. The second one is for what the spread does not show: clocks and
// the placement of memory differ from one process to the next, by 1 to 2 % on the machines of
// docs/PERFORMANCE.md. Variants and peers are matched by name, type, the name of the device and data; where a
// file has several runs of one, the last one counts.
Comparison compare_runs(const TimedFile &before, const TimedFile &after, double threshold);

// "faster", "slower", "within noise"
const char *word_of(Change verdict);

}  // namespace tilewright::app
