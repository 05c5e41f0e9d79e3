#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>
#pragma GCC visibility push(default)

namespace tilewright {

// What the drivers of devices were asked to do. It is counted in the calls from Halide's runtime to the
// drivers, so that nothing is missed; work on the CPU is not counted.
struct Counters {
    uint64_t kernels = 0;                                // kernels launched
    uint64_t copies_to_device = 0, bytes_to_device = 0;  // from the host
    uint64_t copies_to_host = 0, bytes_to_host = 0;      // back to it
    uint64_t allocations = 0;                            // device allocations that reached the driver
    uint64_t modules = 0;                                // CUDA modules loaded or OpenCL programs built
    double module_ms = 0;                                // milliseconds that loading and building took
    uint64_t largest_block = 0;                          // threads of the largest block launched
};

// The counts since the process began.
Counters counters();

// What was counted between two readings of the counters. The largest block is that of the later one.
inline Counters operator-(Counters later, const Counters &earlier) {
    later.kernels -= earlier.kernels;
    later.copies_to_device -= earlier.copies_to_device;
    later.bytes_to_device -= earlier.bytes_to_device;
    later.copies_to_host -= earlier.copies_to_host;
    later.bytes_to_host -= earlier.bytes_to_host;
    later.allocations -= earlier.allocations;
    later.modules -= earlier.modules;
    later.module_ms -= earlier.module_ms;
    return later;
}

// What two calls, or parts of a call, did together. The largest block is that of either.
inline Counters &operator+=(Counters &sum, const Counters &more) {
    sum.kernels += more.kernels;
    sum.copies_to_device += more.copies_to_device;
    sum.bytes_to_device += more.bytes_to_device;
    sum.copies_to_host += more.copies_to_host;
    sum.bytes_to_host += more.bytes_to_host;
    sum.allocations += more.allocations;
    sum.modules += more.modules;
    sum.module_ms += more.module_ms;
    sum.largest_block = std::max(sum.largest_block, more.largest_block);
    return sum;
}

// What one call of an operator did.
struct Statistics {
    std::string variant;  // what was chosen
    // the variants whose libraries ran, in their order: the chosen one, or those that its front put together
    std::vector<std::string> libraries;
    std::string device;
    double total_ms = 0;  // milliseconds of the whole call, device work included
    Counters counters;    // of this call, except largest_block, which is of the process
};

}  // namespace tilewright
#pragma GCC visibility pop
