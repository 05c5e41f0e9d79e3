// Counts choices of ranks. Ranks are doubled, so that the mean rank of equal values is a whole number.
#include "apps/laboratory/results/rank_test.h"
#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tilewright::app {

namespace {

// Twice the rank of each value; equal values have the mean of their ranks.
std::vector<size_t> doubled_ranks(const std::vector<double> &values) {
    std::vector<size_t> ranks;
    for (const double value : values) {
        const auto below = std::count_if(values.begin(), values.end(), [&](double v) { return v < value; });
        const auto equal = std::count(values.begin(), values.end(), value);
        ranks.push_back(size_t(2 * below + equal + 1));
    }
    return ranks;
}

// In how many ways `count` of the ranks have each sum.
std::vector<double> ways_of_sums(const std::vector<size_t> &ranks, size_t count) {
    const size_t most = std::accumulate(ranks.begin(), ranks.end(), size_t(0));
    std::vector<std::vector<double>> ways(count + 1, std::vector<double>(most + 1));
    ways[0][0] = 1;
    for (const size_t rank : ranks) {
        for (size_t k = count; k > 0; k--) {
            for (size_t sum = rank; sum <= most; sum++) {
                ways[k][sum] += ways[k - 1][sum - rank];
            }
        }
    }
    return ways[count];
}

}  // namespace

double rank_test(const std::vector<double> &first, const std::vector<double> &second) {
    std::vector<double> values = first;
    values.insert(values.end(), second.begin(), second.end());
    const std::vector<size_t> ranks = doubled_ranks(values);
    const auto own = std::accumulate(ranks.begin(), ranks.begin() + (std::ptrdiff_t)first.size(), size_t(0));
    const auto mean = (std::ptrdiff_t)(first.size() * (values.size() + 1));
    const auto distance = [&](size_t sum) { return std::abs((std::ptrdiff_t)sum - mean); };
    const std::vector<double> ways = ways_of_sums(ranks, first.size());
    double all = 0, as_far = 0;
    for (size_t sum = 0; sum < ways.size(); sum++) {
        all += ways[sum];
        as_far += distance(sum) >= distance(own) ? ways[sum] : 0;
    }
    return as_far / all;
}

double least_probability(size_t first, size_t second) {
    double choices = 1;
    for (size_t i = 1; i <= first; i++) {
        choices *= double(second + i) / double(i);
    }
    return 2 / choices;
}

std::vector<double> holm(const std::vector<double> &probabilities) {
    std::vector<size_t> order(probabilities.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(
        order.begin(), order.end(), [&](size_t a, size_t b) { return probabilities[a] < probabilities[b]; });
    std::vector<double> corrected(order.size());
    double greatest = 0;
    for (size_t i = 0; i < order.size(); i++) {
        greatest = std::max(greatest, std::min(1., probabilities[order[i]] * double(order.size() - i)));
        corrected[order[i]] = greatest;
    }
    return corrected;
}

}  // namespace tilewright::app
