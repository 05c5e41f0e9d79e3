// Keeps Halide's threads on CPUs, by the function that Halide calls for each task.
#include "apps/tilewright/timing/threads.h"
#include <HalideRuntime.h>
#include <algorithm>
#include <atomic>
#include <vector>

namespace tilewright::app {

namespace {

// The CPUs that this process may use. Read before the first thread is pinned.
const std::vector<int> &cpus() {
    static const std::vector<int> all = [] {
        std::vector<int> found;
        cpu_set_t set;
        if (sched_getaffinity(0, sizeof set, &set) == 0) {
            for (int i = 0; i < CPU_SETSIZE; i++) {
                if (CPU_ISSET(i, &set)) {
                    found.push_back(i);
                }
            }
        }
        return found;
    }();
    return all;
}

// Keeps the calling thread on the next CPU in turn. Later calls from the same thread do nothing.
void pin_this_thread() {
    static std::atomic<size_t> next{0};
    thread_local bool pinned = false;
    if (pinned || cpus().empty()) {
        return;
    }
    pinned = true;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpus()[next++ % cpus().size()], &set);
    sched_setaffinity(0, sizeof set, &set);
}

int pinned_task(void *, halide_task_t task, int index, uint8_t *closure) {
    pin_this_thread();
    return task(nullptr, index, closure);
}

int call_function(void *, int index, uint8_t *closure) {
    (*reinterpret_cast<const std::function<void(int)> *>(closure))(index);
    return 0;
}

}  // namespace

int pin_threads() {
    pin_this_thread();
    halide_set_custom_do_task(pinned_task);
    return (int)cpus().size();
}

void set_threads(int count) {
    halide_set_num_threads(count);
}

int threads() {
    const int set = halide_get_num_threads();  // 0: one per CPU
    return set > 0 ? set : std::max(1, (int)cpus().size());
}

MoreThreadsThanCpus::MoreThreadsThanCpus()
    : before_(halide_set_num_threads(std::max(8, 2 * (int)cpus().size()))) {}

MoreThreadsThanCpus::~MoreThreadsThanCpus() {
    halide_set_num_threads(before_);
}

OnAnyCpu::OnAnyCpu() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t all;
    CPU_ZERO(&all);
    for (const int cpu : cpus()) {
        CPU_SET(cpu, &all);
    }
    sched_setaffinity(0, sizeof all, &all);
}

OnAnyCpu::~OnAnyCpu() {
    sched_setaffinity(0, sizeof before_, &before_);
}

void parallel(int count, const std::function<void(int)> &task) {
    halide_do_par_for(nullptr, call_function, 0, count,
        reinterpret_cast<uint8_t *>(const_cast<std::function<void(int)> *>(&task)));
}

}  // namespace tilewright::app
