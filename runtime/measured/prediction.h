#pragma once
// What calls will take, from the times of calls that were measured. Not installed.
#include "runtime/measured/measured.h"
#include "tilewright/operator.h"
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace tilewright {

// Predicts the times of one operator's variants for one type.
//
// A call is a point: the logarithms of its numbers. Numbers that are the same in all measured calls are left
// out. Each measured call has the weight 1 / distance^4 from the point that is asked for. What is averaged
// with these weights is, for each variant, the logarithm of its time over the time of the fastest variant at
// the same call; a call that the variant does not serve has no part in its average. So variants are compared
// where both were measured, and a variant that was measured only at small sizes does not look fast at large
// ones. The time of the fastest variant itself grows with the size: it is a plane through the logarithms of
// its measured times, fitted with the same weights. At a measured call the prediction is the measured time.
//
// All times are taken without the padding of their variant at their call, and predictions have that of the
// call that is asked for.
class Prediction {
public:
    // A call whose distance is not less than this is like none of the measured ones: one number is 7.4 times
    // as large, or two numbers are 4.1 times.
    static constexpr double far = 2;

    // Of a variant, by its number among the measured ones, at a call (runtime/dispatch/padding.h).
    using Padding = std::function<double(size_t variant, const Measures &measures)>;

    explicit Prediction(const MeasuredTimes &times, Padding padding = {});

    // The number of variants, and how many milliseconds each one will take; 0 for a variant that has no
    // times. `measures` has as many numbers as the measured calls, or nothing is predicted.
    size_t variants() const {
        return variants_;
    }
    std::vector<double> ms(const Measures &measures) const;

    // The distance from the nearest measured call: 1 where one number is 2.7 times as large. Infinite where
    // nothing is predicted, and where a number that is the same in all measured calls is another one: grey
    // images say nothing of colours.
    double distance(const Measures &measures) const;
    double distance(const Measures &measures, size_t call) const;  // from that measured call

private:
    double squared_distance(const std::vector<double> &point, size_t call) const;
    std::vector<double> point_of(const Measures &measures) const;
    std::vector<double> weights(const std::vector<double> &point) const;
    double best(const std::vector<double> &point, const std::vector<double> &weights) const;

    double log_of_padding(size_t variant, const Measures &measures) const;

    const Padding padding_;
    const size_t numbers_, calls_, variants_;
    std::vector<size_t> used_;                         // the numbers that differ between the calls
    std::vector<std::pair<size_t, double>> constant_;  // the others, and what they are
    std::vector<double> points_;                       // per call, the logarithms of those
    std::vector<double> fastest_;                      // per call, the logarithm of the least time
    std::vector<double> over_fastest_;  // per variant and call: the logarithm of its time over that; NaN:
                                        // none
};

// How good the predictions for all operators and types of a device are, for calls that are like another one.
PredictionError error_of(std::span<const MeasuredTimes> times);

}  // namespace tilewright
