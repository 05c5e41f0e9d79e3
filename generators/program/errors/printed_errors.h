#pragma once
// Errors of a generator program, printed.
#include <functional>

namespace tilewright {

// The exit code that `work` returns. An error that it throws is printed, and the code is 1. Halide's errors
// are no std::exception: without this, a schedule that Halide refuses would end the program without a word.
int with_printed_errors(const std::function<int()> &work);

}  // namespace tilewright
