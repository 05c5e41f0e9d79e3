// Random points, and steps from the best ones.
#include "apps/laboratory/explore/search.h"
#include <algorithm>
#include <set>

namespace tilewright::app {

namespace {

constexpr double small_space = 64;
constexpr size_t random_points = 16;
constexpr size_t best_points = 5;  // from which steps are made

bool is_power_of_two(int value) {
    return value > 0 && (value & (value - 1)) == 0;
}

}  // namespace

std::vector<int> worthwhile_values(const Variant::Tunable &tunable) {
    const int64_t span = (int64_t)tunable.high - tunable.low + 1;
    std::set<int> values = {tunable.low, tunable.value, tunable.high};
    if (span <= (is_power_of_two(tunable.value) ? 8 : 64)) {
        for (int value = tunable.low; value < tunable.high; value++) {
            values.insert(value);
        }
        return {values.begin(), values.end()};
    }
    for (int64_t value = tunable.value; value >= std::max(1, tunable.low); value /= 2) {
        values.insert((int)value);
    }
    for (int64_t value = std::max(1, tunable.value); value <= tunable.high; value *= 2) {
        values.insert((int)value);
    }
    return {values.begin(), values.end()};
}

Search::Search(const Variant &variant, uint64_t seed) : random_(seed) {
    for (const Variant::Tunable &tunable : variant.tunables) {
        names_.push_back(tunable.name);
        values_.push_back(worthwhile_values(tunable));
    }
}

double Search::size() const {
    double size = 1;
    for (const std::vector<int> &values : values_) {
        size *= (double)values.size();
    }
    return size;
}

void Search::tell(const TunableValues &values, std::optional<double> ms) {
    told_[values] = ms;
}

std::optional<TunableValues> Search::next() {
    if (size() <= small_space) {
        return any_left();
    }
    if (told() >= 2 * random_points || told() % 2 == 1) {
        if (const auto step = step_from_the_best()) {
            return step;
        }
    }
    return random_point();
}

// One of the points of a small space that were not told.
std::optional<TunableValues> Search::any_left() {
    std::vector<TunableValues> points = {{}};
    for (size_t i = 0; i < names_.size(); i++) {
        std::vector<TunableValues> longer;
        for (const TunableValues &point : points) {
            for (const int value : values_[i]) {
                longer.push_back(point);
                longer.back().emplace_back(names_[i], value);
            }
        }
        points = std::move(longer);
    }
    std::erase_if(points, [&](const TunableValues &point) { return knows(point); });
    if (points.empty()) {
        return {};
    }
    return points[random_() % points.size()];
}

std::optional<TunableValues> Search::random_point() {
    constexpr int tries = 1000;
    for (int i = 0; i < tries; i++) {
        TunableValues point;
        for (size_t t = 0; t < names_.size(); t++) {
            point.emplace_back(names_[t], values_[t][random_() % values_[t].size()]);
        }
        if (!knows(point)) {
            return point;
        }
    }
    return {};
}

std::optional<TunableValues> Search::step_from_the_best() const {
    std::vector<std::pair<double, const TunableValues *>> best;
    for (const auto &[point, ms] : told_) {
        if (ms) {
            best.emplace_back(*ms, &point);
        }
    }
    std::stable_sort(
        best.begin(), best.end(), [](const auto &one, const auto &other) { return one.first < other.first; });
    best.resize(std::min(best.size(), best_points));
    for (const auto &[ms, from] : best) {
        for (size_t t = 0; t < names_.size(); t++) {
            const std::vector<int> &values = values_[t];
            const auto at = std::find(values.begin(), values.end(), (*from)[t].second);
            for (const std::ptrdiff_t step : {-1, 1}) {
                const std::ptrdiff_t to = at - values.begin() + step;
                if (at == values.end() || to < 0 || to >= (std::ptrdiff_t)values.size()) {
                    continue;
                }
                TunableValues point = *from;
                point[t].second = values[(size_t)to];
                if (!knows(point)) {
                    return point;
                }
            }
        }
    }
    return {};
}

std::optional<size_t> next_variant(std::span<const Standing> variants) {
    std::optional<size_t> next;
    double least = 0;
    for (size_t i = 0; i < variants.size(); i++) {
        const double due = ((double)variants[i].points + 1) * variants[i].behind * variants[i].behind;
        if (!variants[i].ended && (!next || due < least)) {
            next = i;
            least = due;
        }
    }
    return next;
}

}  // namespace tilewright::app
