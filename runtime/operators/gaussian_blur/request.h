#pragma once
// What gaussian_blur reads of a call: shared by its front and its workload. Not installed.
#include "generators/algorithms/gaussian_blur/weights.h"
#include "runtime/operators/blurs.h"
#include "tilewright/gaussian_blur.h"
#include <algorithm>
#include <memory>
#include <vector>

namespace tilewright {

// The weights of the taps -radius ... radius as arrays.
class BlurWeights {
public:
    explicit BlurWeights(std::shared_ptr<const GaussianWeights> numbers);

    // Kept, so that what a device holds of it is not sent again at every call.
    static std::shared_ptr<const BlurWeights> of(double sigma, double truncate, const Folding &folding = {});

    const GaussianWeights &numbers() const {
        return *numbers_;
    }

    // Integers for images of integers, f64 for f64, and f32 for other floats.
    const Array &integers(Type pixel) const {
        return pixel == Type::u8  ? bytes_ :
               pixel == Type::u16 ? words16_ :
               pixel == Type::f64 ? exact_ :
                                    real_;
    }
    // The integer weights for u8 of the taps -ShortSums::radius ... ShortSums::radius.
    const Array &short_taps() const {
        return short_taps_;
    }
    // The integer weights for u8 as tap words: word k of phase p is at byte 4 * (p * words + k)
    // (generators/algorithms/gaussian_blur/weights.h). low() has the lower bytes of all taps; high() has the
    // upper bytes: no words where all of them are zero.
    const Array &low() const {
        return low_;
    }
    const Array &high() const {
        return high_;
    }
    // The parts of the integer weights for u16 (split_tap()), in groups of two: element e of group k of phase
    // p is at 2 * (p * groups + k) + e. They are signed; an array has no such type.
    const Array &low16() const {
        return low16_;
    }
    const Array &high16() const {
        return high16_;
    }
    // The integer weights for u8 as 16-bit numbers, in the same groups of two.
    const Array &pairs() const {
        return pairs_;
    }
    // The bytes of the integer weights, from the lowest on, as TapFragments: step, half, lane, word.
    // `are_sums`: of TapFragments::is_sum, for u8.
    const std::vector<Array> &fragments(Type pixel, bool are_sums) const {
        return pixel != Type::u8 ? fragments16_ : are_sums ? sums_ : fragments_;
    }

    // The weights of f32 as FloatFragments: step, part, lane, word.
    const Array &float_fragments() const {
        return floats_;
    }

private:
    std::shared_ptr<const GaussianWeights> numbers_;
    Array real_, exact_, bytes_, words16_, low_, high_, low16_, high16_, pairs_, short_taps_;
    std::vector<Array> fragments_, fragments16_, sums_;
    Array floats_;
};

// The integer weights for u16 as the words of HalfBands: entry, lane, word.
Array half_bands(const BlurWeights &weights, const HalfBands &bands);

// The integer weights for u8 as the words of UnitBands: pass, entry, lane, word.
Array unit_bands(const BlurWeights &weights, const UnitBands &bands);

struct GaussianBlurRequest : BlurRequest {
    Border border = Border::reflect;
    double value = 0;                              // beyond the border `constant`
    std::shared_ptr<const BlurWeights> weights;    // along rows
    std::shared_ptr<const BlurWeights> weights_y;  // down columns

    const GaussianWeights &numbers() const {
        return weights->numbers();
    }
    const GaussianWeights &numbers_y() const {
        return weights_y->numbers();
    }
    // Whether both passes have the same weights.
    bool is_isotropic() const {
        return weights == weights_y;
    }
    // That of the longer window.
    int radius() const {
        return std::max(numbers().radius, numbers_y().radius);
    }
    // Whether the front continues the image beyond its border, on the host, before libraries blur it.
    bool is_padded() const {
        return border == Border::wrap || border == Border::constant;
    }
    // The shape of an image of this shape with what is_padded() continues it by; without that, the same.
    std::vector<int64_t> padded_shape(std::vector<int64_t> shape) const {
        if (is_padded()) {
            shape[0] += 2 * (int64_t)numbers_y().radius;
            shape[1] += 2 * (int64_t)numbers().radius;
        }
        return shape;
    }
    int64_t elements_of_row() const {
        return image().shape()[1] * channels();
    }
    // Those of a row that a blur reads beyond each of its ends.
    int64_t elements_of_halo() const {
        return (int64_t)numbers().radius * channels();
    }
};

// How the window of a line of n pixels may be folded, if it is longer than that.
Folding folding_of(Border border, int64_t n);

// Writes an image to `padded`, and beyond its border what the border `wrap` or `constant` says: by the radius
// of the pass down columns above and below it, and by that of the pass along rows on the left and right.
void pad(const Array &image, const GaussianBlurRequest &request, Array &padded);

}  // namespace tilewright
