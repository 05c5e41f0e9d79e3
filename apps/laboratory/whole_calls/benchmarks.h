#pragma once
// The benchmarks of whole calls. Each prints a table; times are milliseconds by the host's steady clock.
#include "tilewright/device.h"
#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace tilewright::benchmarks {

// One call of each case from and to host memory, pageable and page-locked, beside the driver's own copies of
// as many bytes and the kernels alone.
void host_calls(Device device);

// 16 images of 4096 x 4096 through a Stream, beside their copies alone and their kernels alone.
void many_images(Device device);

// The first call of each operator in a process of its own: without any cache, with an empty one and with a
// full one of ours, and with the driver's. `program`: this program's file.
void first_calls(Device device, const std::string &program);

// What first_calls() runs in each process: prints the milliseconds until the device has a context, and those
// of the first and of the second call.
void one_first_call(Device device, const std::string &op);

inline double ms_of(const std::function<void()> &work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// The median of `rounds` times.
inline double median_ms(int rounds, const std::function<void()> &work) {
    std::vector<double> times;
    for (int i = 0; i < rounds; i++) {
        times.push_back(ms_of(work));
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

}  // namespace tilewright::benchmarks
