#pragma once
#include "tilewright/device.h"
#include <functional>
#include <string>

namespace tilewright::app {

// How often to call: `repeats` times a batch of `batch` calls, as far as that takes no longer than about `limit_s` seconds.
struct Plan {
    int batch = 20;
    int repeats = 21;
    double limit_s = 20;
};

// Milliseconds a call.
struct Times {
    double median = 0, p10 = 0, p90 = 0;
};

struct Measured {
    Times batch;   // of a call in a batch of back-to-back calls: device time
    Times single;  // one call alone: device time
    Times call;    // one whole call and the wait for its end, on the host's steady clock
    int batch_size = 0, repeats = 0;
};

// Times `run(0)`, `run(1)`, ... which start one call each; a caller rotates its buffers by the number. It must have been
// called before, so that everything is loaded and in its place. `whole` does the same with all that a user's call does.
Measured measure(Device device, const std::function<void(size_t)> &run, const std::function<void(size_t)> &whole, const Plan &plan);

// Milliseconds of one call and the wait for its end, on the host's steady clock.
double call_ms(Device device, const std::function<void()> &call);

// Milliseconds that a call will take. `estimate` returns them by a call on less data, `full` by a call on all of it. A machine
// that does something else meanwhile only makes calls longer: the least of three estimates counts, and where that is more than
// `enough_ms`, a full call is asked before a row is given up for it, unless that were to take more than `most_ms`.
double expected_ms(const std::function<double()> &estimate, const std::function<double()> &full, double enough_ms, double most_ms);

}  // namespace tilewright::app
