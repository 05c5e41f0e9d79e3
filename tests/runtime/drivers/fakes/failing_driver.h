#pragma once
// What a failing driver (failing_driver.cpp) does on request.
#include <cstddef>

namespace failing_driver {

enum class Step { none, launch, allocation, to_device, to_host };
constexpr int steps = 5;

constexpr long every = -1;

struct Requests {
    void (*fail)(Step step, long nth);  // the nth such step from now on fails, or every one
    long (*reached)(Step step);         // how many such steps there were since then
    // The same for one function of the driver: its nth call fails. An empty name: none fails.
    void (*fail_function)(const char *name, long nth);
    // The function of that index, and how often it was called since then; nullptr behind the last one.
    const char *(*function)(size_t index, long *calls);
};

}  // namespace failing_driver
