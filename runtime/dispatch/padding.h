#pragma once
// A measure of calls and variants that predictions of times take out. Not installed.
#include <string_view>

namespace tilewright {

// The measure (Operator::measure) that says what a variant computes for a call over what the call asks for:
// tiles that pass an edge, and units of the device that have no tile in the last round. It does not grow or
// fall with the numbers of a call as times do. The number of units stands behind the numbers of the call. 1
// where an operator knows no better.
inline constexpr std::string_view measure_of_padding = "padding";

}  // namespace tilewright
