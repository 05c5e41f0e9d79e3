#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

// What the driver was asked to do; counted where Halide meets the driver, so nothing is missed.
struct Counters {
    uint64_t kernels = 0;           // kernels launched
    uint64_t copies_to_device = 0, bytes_to_device = 0;
    uint64_t copies_to_host = 0, bytes_to_host = 0;
    uint64_t allocations = 0;       // device allocations that reached the driver
    uint64_t modules = 0;           // CUDA modules loaded or OpenCL programs built
    double module_ms = 0;           // time that this took
    uint64_t largest_block = 0;     // threads of the largest block launched
};

// Since the process began.
Counters counters();

// One call of an operator.
struct Statistics {
    std::string row;       // what was chosen
    std::vector<std::string> libraries;  // the rows whose libraries ran, in their order: the chosen one, or those that its front put together
    std::string device;
    double total_ms = 0;   // the whole call, device work included
    Counters counters;     // of this call; but largest_block, which is the process's
};

}  // namespace tilewright
