#pragma once
// The comparison of runs before and after a change, variant by variant.
#include "apps/laboratory/results/timed_runs.h"

namespace tilewright::app {

// `perhaps`: the runs say so, but are too few for a verdict.
enum class Change { faster, slower, within_noise, perhaps_faster, perhaps_slower };

// "faster", "slower", "within noise", "perhaps faster", "perhaps slower"
const char *word_of(Change verdict);

// The runs of one variant or peer on one device and set of data: the medians of processes, in milliseconds.
struct RunsOfSide {
    const TimedRun *last = nullptr;
    std::vector<double> times = {};

    double median() const;
    double least() const;
    double most() const;
};

struct ComparedRun {
    RunsOfSide before, after;
    double probability = 1;  // of the test over runs, after Holm's correction
    Change verdict = Change::within_noise;

    double ratio() const {
        return after.median() / before.median();
    }
};

struct ComparisonRule {
    double threshold = .02;  // by which medians must differ
    double alpha = .01;      // how often a comparison of equal programs may give a verdict
};

// What was found. The runs are those of the two sides, which must outlive it.
struct Comparison {
    std::vector<ComparedRun> compared;  // in the order of the second side
    std::vector<const TimedRun *> only_before, only_after;
    std::vector<const TimedRun *> not_timed, wrong;  // in the second side, though the first has a time
    // those of one word and two names, which are not compared: "cuda:0 (NVIDIA H200, NVIDIA A100)"
    std::vector<std::string> different_devices;
    // How many runs each side needs so that a verdict about so many variants is possible; 0 where each
    // compared variant has as many.
    size_t runs_needed = 0;

    size_t count(Change verdict) const;
};

// A variant is faster or slower where both hold: the medians of its runs differ by more than the threshold,
// and the test of Mann and Whitney over the runs, exact and in both directions, gives at most `alpha` after
// Holm's correction for all variants that are compared. A run is one process: clocks and the placement of
// memory differ from one process to the next by much more than from one call to the next, so that a file of
// one process is one value, however often it measured. The smallest number that the test gives depends on
// how many runs there are: with 5 of each side it is 2 / 252, so that 5 decide about one variant, 6 about 4,
// 7 about 17, 8 about 64 and 10 about 923. Where runs are fewer, a variant is perhaps faster or slower:
// every run of one side is beyond all of the other, and of single runs the intervals from the 10th to the
// 90th percentile. Variants and peers are matched by name, type, the name of the device and data; where one
// process of a file timed one of them several times, the last time counts.
Comparison compare_runs(const TimedFile &before, const TimedFile &after, const ComparisonRule &rule);

}  // namespace tilewright::app
