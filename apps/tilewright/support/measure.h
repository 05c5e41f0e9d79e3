#pragma once
// Times calls on a device, for `bench`.
#include "tilewright/device.h"
#include <functional>
#include <string>

namespace tilewright::app {

// How often to call: `repeats` batches of `batch` calls each, fewer where that would take longer than about
// `limit_s` seconds.
struct Plan {
    int batch = 20;
    int repeats = 21;
    double limit_s = 20;
};

// Milliseconds per call.
struct Times {
    double median = 0, p10 = 0, p90 = 0;
};

struct Measured {
    Times batch;   // a call in a batch of back-to-back calls: device time
    Times single;  // one call alone: device time
    Times call;    // one whole call and the wait for its end, on the host's steady clock
    Times host;    // the same from host arrays to a host array, with the copies that this takes
    int batch_size = 0, repeats = 0;
};

// Times `run(0)`, `run(1)`, ..., each of which starts one call; the number says which buffers it takes. It
// must have been called before, so that code is loaded and data is on the device. `whole` is the same with
// all that a user's call does.
Measured measure(Device device, const std::function<void(size_t)> &run,
    const std::function<void(size_t)> &whole, const Plan &plan);

// Milliseconds of `from_host(0)`, `from_host(1)`, ..., on the host's steady clock: as often as single calls
// were timed.
Times host_calls(
    Device device, const std::function<void(size_t)> &from_host, const Measured &measured, const Plan &plan);

// Milliseconds of one call and the wait for its end, on the host's steady clock.
double call_ms(Device device, const std::function<void()> &call);

// Milliseconds that a call will take. `estimate` returns them from a call on less data, `full` from a call on
// all of it. Other work on the machine only makes calls longer, so the least of three estimates counts. Where
// that is more than `enough_ms`, `full` decides, unless the estimate is more than `most_ms`: then the full
// call would take too long itself.
double expected_ms(const std::function<double()> &estimate, const std::function<double()> &full,
    double enough_ms, double most_ms);

}  // namespace tilewright::app
