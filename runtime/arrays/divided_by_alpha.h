#pragma once
// One element of a colour that was multiplied by alpha, without it: shared by arrays and by readers of files.
#include <algorithm>
#include <cstdint>

namespace tilewright {

// colour * top / alpha, rounded to the nearest; `top` is the value of full colour. No colour is left where
// alpha is 0. Rounding before can leave colour a little above alpha, so the result is limited to `top`.
inline uint64_t divided_by_alpha(uint64_t colour, uint64_t alpha, uint64_t top) {
    return alpha == 0 ? 0 : std::min(top, (colour * top + alpha / 2) / alpha);
}

}  // namespace tilewright
