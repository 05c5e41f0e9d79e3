#pragma once
// The operators as the simplest correct loops that a user would write: one thread, one element after another,
// with what does not depend on the pixels (weights, roots of unity) made before. They are timed beside
// variants and calls. They are faster than those of plain/, which compute in f64 to compare with.
#include "tilewright/workload.h"
#include <functional>
#include <string>

namespace tilewright::app {

// The loop that computes the operator's result of `sample` into `output`, an array of the result's type and
// shape. Both keep their places as long as the loop is called. An operator without a loop gives an empty
// function.
std::function<void()> plain_loop(const std::string &op, const Sample &sample, Array &output);

// Whether there is one with these settings: other borders than `reflect`, two sigmas and a radius of its own
// have none.
bool has_plain_loop(const std::string &op, const Settings &settings);

}  // namespace tilewright::app
