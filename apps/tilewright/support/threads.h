#pragma once
#include <cstdint>
#include <functional>

namespace tilewright::app {

// From here on each of Halide's threads is kept on a CPU of its own, so that times do not depend on where the system puts
// them. Returns the number of CPUs.
int pin_threads();

// While it lives, Halide has two threads per CPU, and eight at least, so that the system interrupts them at any place: a schedule whose threads
// race then shows it more often. One at a time.
class MoreThreadsThanCpus {
public:
    MoreThreadsThanCpus();
    ~MoreThreadsThanCpus();
    MoreThreadsThanCpus(const MoreThreadsThanCpus &) = delete;
    MoreThreadsThanCpus &operator=(const MoreThreadsThanCpus &) = delete;

private:
    int before_;
};

// Runs `task(i)` for 0 <= i < count on Halide's threads.
void parallel(int count, const std::function<void(int)> &task);

}  // namespace tilewright::app
