#pragma once
// Whether two groups of times differ: the test of Mann and Whitney, and what it can decide.
#include <cstddef>
#include <vector>

namespace tilewright::app {

// The probability that two groups of the same distribution differ in their ranks at least as much as these
// do, in either direction. It is exact, with ties too: all ways of choosing the first group among the values
// are counted. Neither group is empty.
double rank_test(const std::vector<double> &first, const std::vector<double> &second);

// The least probability that rank_test() gives for groups of these sizes: every value of one is below all of
// the other.
double least_probability(size_t first, size_t second);

// Holm's correction of the probabilities of several tests: where those of at most `alpha` are taken for
// differences, the probability that any of them is none is at most `alpha`. In the order of `probabilities`.
std::vector<double> holm(const std::vector<double> &probabilities);

}  // namespace tilewright::app
