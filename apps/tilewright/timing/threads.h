#pragma once
// Halide's threads: on which CPUs they run, and how many they are.
#include <functional>
#include <sched.h>

namespace tilewright::app {

// After this call, each of Halide's threads stays on a CPU of its own, so that times do not depend on where
// the system puts them. Returns the number of CPUs.
int pin_threads();

// How many threads Halide uses from now on, 1 to most_threads (halide_calls.h), and how many it uses.
void set_threads(int count);
int threads();

// While an object of this class exists, Halide has two threads per CPU, and at least eight. The system then
// interrupts threads at any place, so that a schedule whose threads race gives a wrong result more often.
// There may be one object at a time.
class MoreThreadsThanCpus {
public:
    MoreThreadsThanCpus();
    ~MoreThreadsThanCpus();
    MoreThreadsThanCpus(const MoreThreadsThanCpus &) = delete;
    MoreThreadsThanCpus &operator=(const MoreThreadsThanCpus &) = delete;

private:
    int before_;
};

// While an object of this class exists, the calling thread may run on every CPU of this process, and so may
// the threads that another library starts meanwhile: they inherit it.
class OnAnyCpu {
public:
    OnAnyCpu();
    ~OnAnyCpu();
    OnAnyCpu(const OnAnyCpu &) = delete;
    OnAnyCpu &operator=(const OnAnyCpu &) = delete;

private:
    cpu_set_t before_;
};

// Runs `task(i)` for 0 <= i < count on Halide's threads.
void parallel(int count, const std::function<void(int)> &task);

}  // namespace tilewright::app
