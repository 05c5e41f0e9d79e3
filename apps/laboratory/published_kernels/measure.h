#pragma once
// Times a problem on the device.
#include "apps/laboratory/published_kernels/published.h"

namespace published {

// `repeats` batches of `batch` calls each, fewer where that would take longer than about `limit_s` seconds.
struct Plan {
    int batch = 20, repeats = 21;
    double limit_s = 20;
};

// Milliseconds of a call in a batch of back-to-back calls between two events.
struct Times {
    double median = 0, p10 = 0, p90 = 0;
    int batch = 0, repeats = 0;
    size_t calls = 0;  // all of them, from call 0
};

// Warms up, spoils the outputs and times. What the timed calls leave in the outputs is there to be verified.
Times measure(Problem &problem, const Plan &plan);

}  // namespace published
