#pragma once
// The operators as the simplest correct loops that a user would write: one thread, one element after another,
// with what does not depend on the pixels (weights, roots of unity) made before. `small_calls` times them
// beside whole calls. They are faster than those of plain/, which compute in f64 to compare with.
#include "tilewright/workload.h"
#include <functional>
#include <string>

// The loop that computes the operator's result of `sample` into `output`, a dense array of the result's type
// (of fft2d and fresnel: what it likes) and shape. `output` keeps its place as long as the loop is called.
// The sample must be of a type that the operator takes; an operator without a loop gives an empty function.
std::function<void()> plain_loop(
    const std::string &op, const tilewright::Sample &sample, tilewright::Array &output);
