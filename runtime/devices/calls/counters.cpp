#include "runtime/devices/calls/counters.h"
#include "runtime/devices/calls/hooks.h"
#include "tilewright/statistics.h"
#include <atomic>

namespace tilewright {

namespace {

// Initialized by the compiler, so that calls before main() are counted, too.
struct AtomicCounters {
    std::atomic<uint64_t> kernels{0}, copies_to_device{0}, bytes_to_device{0}, copies_to_host{0},
        bytes_to_host{0}, allocations{0}, modules{0}, module_us{0}, largest_block{0};
} total;

}  // namespace

namespace driver {

void count_kernel(uint64_t threads_of_block) {
    total.kernels++;
    uint64_t largest = total.largest_block;
    while (
        threads_of_block > largest && !total.largest_block.compare_exchange_weak(largest, threads_of_block)) {
    }
}

void count_copy_to_device(uint64_t bytes) {
    total.copies_to_device++;
    total.bytes_to_device += bytes;
}

void count_copy_to_host(uint64_t bytes) {
    total.copies_to_host++;
    total.bytes_to_host += bytes;
}

void count_allocation() {
    total.allocations++;
}

ModuleClock::~ModuleClock() {
    const auto time = std::chrono::steady_clock::now() - start_;
    total.modules++;
    total.module_us += (uint64_t)std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

}  // namespace driver

Counters counters() {
    driver::link_hooks();
    Counters c;
    c.kernels = total.kernels;
    c.copies_to_device = total.copies_to_device;
    c.bytes_to_device = total.bytes_to_device;
    c.copies_to_host = total.copies_to_host;
    c.bytes_to_host = total.bytes_to_host;
    c.allocations = total.allocations;
    c.modules = total.modules;
    c.module_ms = (double)total.module_us / 1000;
    c.largest_block = total.largest_block;
    return c;
}

}  // namespace tilewright
