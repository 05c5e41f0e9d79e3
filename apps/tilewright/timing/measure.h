#pragma once
// Times calls on a device, for `bench`.
#include "tilewright/device.h"
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

namespace tilewright::app {

// How often to call: `repeats` batches of `batch` calls each, fewer where that would take longer than about
// `limit_s` seconds.
struct Plan {
    int batch = 20;
    int repeats = 21;
    double limit_s = 20;
    bool energy = false;     // measure it too, for about a second more
    bool as_called = false;  // on a GPU, a variant's batches are calls as a user makes them
};

// Milliseconds per call.
struct Times {
    double median = 0, p10 = 0, p90 = 0;
};

struct Measured {
    Times batch;           // a call in a batch of back-to-back calls: device time
    Times single;          // one call alone: device time
    Times call;            // one whole call and the wait for its end, on the host's steady clock
    Times host;            // the same from host arrays to a host array, with the copies that this takes
    Times prepared;        // a prepared call in a batch of back-to-back calls: device time
    double energy_mj = 0;  // millijoules of a call, while calls follow each other; 0: not measured
    int batch_size = 0, repeats = 0;
    uint64_t copies = 0;              // between host and device, but for those of `host`
    std::exception_ptr failure = {};  // what ended the calls; the times say nothing then
};

// What is timed. Each function makes call i, on buffers that i chooses.
struct TimedCalls {
    std::function<void(size_t)> run;    // starts one call
    std::function<void(size_t)> whole;  // the same with all that a user's call does
    // the same from host arrays to a host array; none: it is not timed
    std::function<void(size_t)> from_host;
    // the same as `run` by a prepared call (tilewright/prepared.h); none: it is not timed
    std::function<void(size_t)> prepared = {};
};

// Times calls, which must have been made before, so that code is loaded and data is on the device. Where
// there are several, each is timed once before any is timed again, so that a machine whose speed drifts slows
// all of them; one call that is not timed then goes before each time, because the caches hold what another
// one left. The buffers go on from one to the next, so that none finds its data in a cache because the one
// before it has just read the same.
std::vector<Measured> measure(Device device, const std::vector<TimedCalls> &all, const Plan &plan);

// A variant of the family `tuned` is called slower than the reference variant where it takes this many times
// as long on the same data. Below it, the difference may be one of the measurement.
constexpr double slower_than_reference = 1.1;

// Milliseconds of one call and the wait for its end, on the host's steady clock.
double call_ms(Device device, const std::function<void()> &call);

// Milliseconds that a call will take. `estimate` returns them from a call on less data, `full` from a call on
// all of it. Other work on the machine only makes calls longer, so the least of the estimates counts: of
// three, and of up to 30 while all of them took less than .25 s, so that a stall of the machine ends before
// they do. Where that is more than `enough_ms`, the least of three full calls decides, unless the estimate is
// more than `most_ms`: then a full call would take too long itself. As soon as the full calls took that long
// together, no further one is made.
double expected_ms(const std::function<double()> &estimate, const std::function<double()> &full,
    double enough_ms, double most_ms);

}  // namespace tilewright::app
