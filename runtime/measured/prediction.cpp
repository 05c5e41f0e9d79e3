#include "runtime/measured/prediction.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright {

namespace {

// Solves a symmetric system by elimination; the ridge of the caller keeps it regular.
std::vector<double> solved(std::vector<std::vector<double>> a, std::vector<double> b) {
    const size_t n = b.size();
    for (size_t i = 0; i < n; i++) {
        for (size_t variant = i + 1; variant < n; variant++) {
            const double factor = a[variant][i] / a[i][i];
            for (size_t column = i; column < n; column++) {
                a[variant][column] -= factor * a[i][column];
            }
            b[variant] -= factor * b[i];
        }
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t column = i + 1; column < n; column++) {
            b[i] -= a[i][column] * b[column];
        }
        b[i] /= a[i][i];
    }
    return b;
}

double logarithm(double number) {
    return std::log(std::max(number, 1e-3));
}

}  // namespace

Prediction::Prediction(const MeasuredTimes &times, Padding padding)
    : padding_(std::move(padding)), numbers_(times.numbers), calls_(times.count()),
      variants_(times.variants.size()) {
    for (size_t i = 0; i < numbers_; i++) {
        bool differs = false;
        for (size_t call = 1; call < calls_; call++) {
            differs |= times.calls[call * numbers_ + i] != times.calls[i];
        }
        if (differs) {
            used_.push_back(i);
        } else if (calls_ > 0) {
            constant_.push_back({i, times.calls[i]});
        }
    }
    for (size_t call = 0; call < calls_; call++) {
        for (const size_t i : used_) {
            points_.push_back(logarithm(times.calls[call * numbers_ + i]));
        }
    }
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    fastest_.assign(calls_, none);
    over_fastest_.assign(variants_ * calls_, none);
    for (size_t call = 0; call < calls_; call++) {
        const Measures measures = times.measures(call);
        for (size_t variant = 0; variant < variants_; variant++) {
            if (const double ms = times.ms[variant * calls_ + call]; ms > 0) {
                const double log_ms = std::log(ms) - log_of_padding(variant, measures);
                over_fastest_[variant * calls_ + call] = log_ms;
                fastest_[call] = std::fmin(fastest_[call], log_ms);  // of NaN and a number: the number
            }
        }
    }
    for (size_t i = 0; i < over_fastest_.size(); i++) {
        over_fastest_[i] -= fastest_[i % calls_];
    }
}

double Prediction::log_of_padding(size_t variant, const Measures &measures) const {
    return padding_ ? std::log(padding_(variant, measures)) : 0;
}

std::vector<double> Prediction::point_of(const Measures &measures) const {
    std::vector<double> point;
    for (const size_t i : used_) {
        point.push_back(logarithm(measures.numbers[i]));
    }
    return point;
}

double Prediction::distance(const Measures &measures) const {
    if (measures.count != numbers_) {
        return std::numeric_limits<double>::infinity();
    }
    for (const auto &[i, number] : constant_) {
        if (logarithm(measures.numbers[i]) != logarithm(number)) {
            return std::numeric_limits<double>::infinity();
        }
    }
    const std::vector<double> weights = this->weights(point_of(measures));
    return std::pow(*std::max_element(weights.begin(), weights.end()), -.25);
}

double Prediction::distance(const Measures &measures, size_t call) const {
    return std::sqrt(squared_distance(point_of(measures), call));
}

double Prediction::squared_distance(const std::vector<double> &point, size_t call) const {
    double squares = 0;
    for (size_t i = 0; i < point.size(); i++) {
        const double d = point[i] - points_[call * point.size() + i];
        squares += d * d;
    }
    return squares;
}

std::vector<double> Prediction::weights(const std::vector<double> &point) const {
    std::vector<double> weights(calls_);
    for (size_t call = 0; call < calls_; call++) {
        // At a measured call its weight is 1e20, and that of a size twice as large 4. Sides of 4096 and 4097
        // are two calls.
        const double squares = 1e-10 + squared_distance(point, call);
        weights[call] = std::isnan(fastest_[call]) ? 0 : 1 / (squares * squares);
    }
    return weights;
}

// A plane through the logarithms of the least times, near the point: of the form c + sum of slope * number.
// The ridge draws slopes to 0 where the calls say nothing of them.
double Prediction::best(const std::vector<double> &point, const std::vector<double> &weights) const {
    const size_t n = point.size() + 1;
    std::vector<std::vector<double>> a(n, std::vector<double>(n));
    std::vector<double> b(n);
    std::vector<double> terms(n, 1);
    double all = 0;
    for (size_t call = 0; call < calls_; call++) {
        if (weights[call] == 0) {
            continue;
        }
        for (size_t i = 0; i + 1 < n; i++) {
            terms[i + 1] = points_[call * point.size() + i] - point[i];
        }
        for (size_t variant = 0; variant < n; variant++) {
            for (size_t column = 0; column < n; column++) {
                a[variant][column] += weights[call] * terms[variant] * terms[column];
            }
            b[variant] += weights[call] * terms[variant] * fastest_[call];
        }
        all += weights[call];
    }
    for (size_t i = 1; i < n; i++) {
        a[i][i] += 1e-9 * all + 1e-3;
    }
    return solved(std::move(a), std::move(b))[0];
}

std::vector<double> Prediction::ms(const Measures &measures) const {
    std::vector<double> all(variants_);
    if (measures.count != numbers_) {
        return all;
    }
    const std::vector<double> point = point_of(measures);
    const std::vector<double> weights = this->weights(point);
    if (std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 0; })) {
        return all;
    }
    const double least = best(point, weights);
    for (size_t variant = 0; variant < variants_; variant++) {
        double sum = 0, of = 0;
        for (size_t call = 0; call < calls_; call++) {
            if (const double over = over_fastest_[variant * calls_ + call]; !std::isnan(over)) {
                sum += weights[call] * over;
                of += weights[call];
            }
        }
        all[variant] = of > 0 ? std::exp(least + sum / of + log_of_padding(variant, measures)) : 0;
    }
    return all;
}

namespace {

// The numbers without those of one call, of which each call has so many.
std::vector<float> without(std::span<const float> numbers, size_t call, size_t of_call) {
    std::vector<float> others(numbers.begin(), numbers.end());
    const auto at = others.begin() + (std::ptrdiff_t)(call * of_call);
    others.erase(at, at + (std::ptrdiff_t)of_call);
    return others;
}

// The prediction from the times of all calls but one.
Prediction without_call(const MeasuredTimes &times, size_t call) {
    const std::vector<float> calls = without(times.calls, call, times.numbers);
    std::vector<float> ms;
    for (size_t variant = 0; variant < times.variants.size(); variant++) {
        const auto of_others = without(times.ms.subspan(variant * times.count(), times.count()), call, 1);
        ms.insert(ms.end(), of_others.begin(), of_others.end());
    }
    MeasuredTimes others = times;
    others.calls = calls;
    others.ms = ms;
    return Prediction(others);
}

}  // namespace

PredictionError error_of(std::span<const MeasuredTimes> times) {
    std::vector<double> factors;
    for (const MeasuredTimes &of : times) {
        for (size_t call = 0; of.count() > 1 && call < of.count(); call++) {
            const Measures measures = of.measures(call);
            const Prediction prediction = without_call(of, call);
            if (!(prediction.distance(measures) < Prediction::far)) {
                continue;  // `tuned` predicts nothing there
            }
            const std::vector<double> ms = prediction.ms(measures);
            for (size_t variant = 0; variant < of.variants.size(); variant++) {
                if (const double measured = of.ms[variant * of.count() + call];
                    measured > 0 && ms[variant] > 0) {
                    factors.push_back(std::max(ms[variant] / measured, measured / ms[variant]));
                }
            }
        }
    }
    std::sort(factors.begin(), factors.end());
    const size_t count = factors.size();
    return count == 0 ? PredictionError() :
                        PredictionError{(int)count, factors[count / 2], factors[count * 9 / 10]};
}

}  // namespace tilewright
