#pragma once
// How an image continues beyond its border: the numbers that host and generators share. Plain C++ without
// Halide.h.
//
// The rules, and their names, are those of scipy.ndimage.
#include <cstdint>

namespace tilewright {

// The image a b c d, and what continues it on both sides. The numbers of the rules are arguments of the
// libraries.
enum class BorderRule : int32_t {
    reflect,  // d c b a | a b c d | d c b a
    mirror,   //   d c b | a b c d | c b a
    nearest,  // a a a a | a b c d | d d d d
    zero,     // 0 0 0 0 | a b c d | 0 0 0 0
};

// One reflection as arithmetic, so that one library serves all rules. A position i outside 0 ... n - 1 is
// brought inside by
//     low side:   max(i, low + factor * i)
//     high side:  min(i, high + factor * i)
// and is then clamped. Where a rule does not reflect, the factor is 0 and the position becomes 0 or n - 1.
constexpr int32_t border_factor(BorderRule rule) {
    return rule == BorderRule::reflect || rule == BorderRule::mirror ? -1 : 0;
}
constexpr int32_t border_low(BorderRule rule) {
    return rule == BorderRule::reflect ? -1 : 0;
}
template<typename Number>
constexpr Number border_high(BorderRule rule, Number n) {
    return rule == BorderRule::reflect ? Number(2 * n - 1) :
           rule == BorderRule::mirror  ? Number(2 * n - 2) :
                                         Number(n - 1);
}

}  // namespace tilewright
