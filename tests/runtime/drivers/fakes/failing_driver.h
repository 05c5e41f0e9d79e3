#pragma once
// What a failing driver (failing_driver.cpp) does on request.

namespace failing_driver {

enum class Step { none, launch, allocation, to_device, to_host };
constexpr int steps = 5;

constexpr long every = -1;

struct Requests {
    void (*fail)(Step step, long nth);  // the nth such step from now on fails, or every one
    long (*reached)(Step step);         // how many such steps there were since then
};

}  // namespace failing_driver
