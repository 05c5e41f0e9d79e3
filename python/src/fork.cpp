#include "python/src/fork.h"
#include "runtime/process/immortal.h"
#include "tilewright/error.h"
#include <atomic>
#include <new>
#include <pthread.h>

extern "C" void halide_shutdown_thread_pool();

namespace tilewright::python {

namespace {

std::shared_mutex &calls = immortal([] { return std::shared_mutex(); });
std::atomic<bool> gpu_used{false};
bool gpu_lost = false, threads_lost = false;
int bands = 0;  // that are under way

// A child's first parallel loop would wait for threads that it does not have. So the pool ends before the
// fork, when no call is under way, and begins again with the next call on both sides.
void before_fork() {
    if (bands == 0) {
        calls.lock();
        halide_shutdown_thread_pool();
    }
}

void after_fork_in_parent() {
    if (bands == 0) {
        calls.unlock();
    }
}

// The C library's lock knows its owner by the number of its thread, which the child's thread has not: it
// could not be unlocked, and so is made anew.
void after_fork_in_child() {
    new (&calls) std::shared_mutex;
    gpu_lost = gpu_used;
    threads_lost = threads_lost || bands > 0;
}

}  // namespace

UnderWay::UnderWay(Device device, const std::string &operation) : lock_(calls) {
    if (threads_lost) {
        throw Error(Fault::failed,
            "this process was forked while another thread was in tilewright.bands.process(); start processes "
            "by spawn or forkserver",
            {.operation = operation});
    }
    if (device.backend == Backend::cpu) {
        return;
    }
    if (gpu_lost) {
        throw Error(Fault::device,
            "this process was forked from one that had used a GPU, and no driver outlives that; start "
            "processes by spawn or forkserver",
            {.operation = operation, .argument = "device", .value = device.str()});
    }
    gpu_used = true;
}

BandsUnderWay::BandsUnderWay(Device device) {
    const UnderWay checked(device, "process");
    bands++;
}

BandsUnderWay::~BandsUnderWay() {
    bands--;
}

void watch_forks() {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

}  // namespace tilewright::python
