#pragma once
#include <cstdint>
#include <functional>

namespace tilewright::app {

// From here on each of Halide's threads is kept on a CPU of its own, so that times do not depend on where the system puts
// them. Returns the number of CPUs.
int pin_threads();

// Runs `task(i)` for 0 <= i < count on Halide's threads.
void parallel(int count, const std::function<void(int)> &task);

}  // namespace tilewright::app
