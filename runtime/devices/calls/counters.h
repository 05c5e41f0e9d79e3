#pragma once
// What is counted where Halide's runtime meets the drivers; counters() of statistics.h gives the totals. Not
// installed.
#include <chrono>
#include <cstdint>

namespace tilewright::driver {

void count_kernel(uint64_t threads_of_block);
void count_copy_to_device(uint64_t bytes);
void count_copy_to_host(uint64_t bytes);
void count_allocation();

// Counts one CUDA module or OpenCL program, and the time from its construction to its destruction.
class ModuleClock {
public:
    ModuleClock() = default;
    ~ModuleClock();
    ModuleClock(const ModuleClock &) = delete;

private:
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tilewright::driver
