#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include "tilewright/forks.h"
#include <HalideRuntime.h>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace tilewright {

namespace {

// A part of the process that threads come into and leave: how many are inside, and whether it has ended.
struct Part {
    std::atomic<int> threads{0};
    std::atomic<bool> ended{false};
    std::atomic<bool> awaited{false};  // a thread waits for those that are inside

    // False when it has ended: then the thread is not inside.
    bool enter() {
        threads++;
        if (ended) {
            leave();
            return false;
        }
        return true;
    }

    void leave() {
        threads--;
        if (awaited) {
            threads.notify_all();
        }
    }

    // Ends it, and returns when at most `own` threads are left inside.
    void end(int own) {
        ended = true;
        wait(own);
    }

    void wait(int own) {
        awaited = true;
        for (int left = threads; left > own; left = threads) {
            threads.wait(left);
        }
    }
};

Part library, drivers;
pid_t process = 0;
void (*finish_drivers)() = nullptr;

thread_local int depth = 0, driver_depth = 0;
thread_local bool stopped = false;  // this thread's call met drivers that have ended
thread_local bool waited = false;   // this thread waited since they ended
// This thread called exit(). It may still come in: static arrays free memory on devices.
thread_local bool is_ending = false;

void end_library() {
    if (getpid() == process) {  // in a forked process there are no other threads
        is_ending = true;
        library.end(depth > 0);
    }
}

void end_drivers() {
    if (getpid() == process && !drivers.ended) {
        is_ending = true;
        drivers.end(driver_depth > 0);
        library.wait(depth > 0);
        finish_drivers();
    }
}

[[noreturn]] void wait_for_the_end() {
    for (;;) {
        pause();
    }
}

// A thread forks: until it has, nobody comes into the library.
std::atomic<bool> forking{false};
// Threads that a fork does not wait for, and of them this one.
std::atomic<int> outside{0};
thread_local int own_outside = 0;
// How many loops run in Halide's pool of threads. With `no_loops` none begins, but those of a thread that is
// inside the library and those inside of other loops.
std::atomic<uint32_t> loops{0};
thread_local uint32_t own_loops = 0;  // of them those that this thread began
constexpr uint32_t no_loops = 1u << 31;
// Whether no call was under way when the process was forked, and what a forked process cannot use.
bool forked_between_calls = true, calls_are_lost = false, drivers_are_lost = false;

std::mutex one_fork_at_a_time;

// A child has none of the pool's threads, and locks that other threads hold stay locked there. So the pool
// ends before the fork, when no call is under way, and begins again with the next loop on both sides.
void before_fork() {
    outside += depth > 0;  // two threads that fork in functions of their calls do not wait for each other
    one_fork_at_a_time.lock();
    forking = true;
    loops |= no_loops;
    while ((library.threads > 0 || loops != no_loops) && outside == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    forked_between_calls = library.threads == 0 && loops == no_loops && outside == 0;
    if (forked_between_calls) {
        halide_shutdown_thread_pool();
    }
}

void let_threads_in() {
    loops &= ~no_loops;
    loops.notify_all();
    forking = false;
    forking.notify_all();
    outside -= depth > 0;
}

void after_fork_in_parent() {
    let_threads_in();
    one_fork_at_a_time.unlock();
}

// The C library's lock knows its owner by the number of its thread, which the child's thread has not.
void after_fork_in_child() {
    new (&one_fork_at_a_time) std::mutex;
    calls_are_lost = calls_are_lost || !forked_between_calls;
    drivers_are_lost = drivers_are_lost || finish_drivers;
    library.threads = depth > 0;
    drivers.threads = driver_depth > 0;
    outside = own_outside + (depth > 0);
    loops = own_loops | no_loops;
    let_threads_in();
}

// Registered before any static object is made, so that it runs when all of them are destroyed. Halide's
// runtime ends after it: its function is a destructor of the program, and those run last.
[[gnu::constructor(101)]] void register_end() {
    process = getpid();
    std::atexit(end_library);
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void enter_library() {
    for (;;) {
        if (!library.enter()) {
            wait_for_the_end();
        }
        if (!forking) {
            return;
        }
        library.leave();
        forking.wait(true);
    }
}

// Gives the process two seconds to end. The thread goes on after them where the end of the program waits for
// it.
void wait_a_while() {
    waited = true;
    std::this_thread::sleep_for(std::chrono::seconds(2));
    if (library.ended) {
        wait_for_the_end();
    }
}

}  // namespace

Inside::Inside() : Inside(std::nothrow) {
    if (calls_are_lost) {
        throw Error(Fault::failed,
            "this process was forked while another thread was in a call that runs functions of the program, "
            "as `progress` is; fork between such calls, or start processes by posix_spawn() (in Python by "
            "spawn or forkserver)");
    }
}

Inside::Inside(std::nothrow_t) noexcept {
    if (depth++ > 0 || is_ending) {
        return;
    }
    enter_library();
    if (drivers.ended && !waited) {
        library.leave();
        wait_a_while();
        enter_library();
    }
}

Inside::~Inside() {
    if (--depth == 0 && !is_ending) {
        library.leave();
    }
}

void wait_if_drivers_have_ended() {
    if (!stopped || depth > 0) {
        return;
    }
    stopped = false;
    wait_a_while();
}

InsideTask::InsideTask() noexcept {
    depth++;
}

InsideTask::~InsideTask() {
    depth--;
}

InsideLoop::InsideLoop() {
    uint32_t seen = loops;
    for (;;) {
        if (seen == no_loops && depth == 0) {
            loops.wait(no_loops);
            seen = loops;
        } else if (loops.compare_exchange_weak(seen, seen + 1)) {
            own_loops++;
            return;
        }
    }
}

InsideLoop::~InsideLoop() {
    own_loops--;
    loops--;
}

OutsideOfCalls::OutsideOfCalls() {
    own_outside++;
    outside++;
}

OutsideOfCalls::~OutsideOfCalls() {
    own_outside--;
    outside--;
}

bool a_fork_waits() {
    return forking;
}

InsideDriver::InsideDriver() {
    if (drivers_are_lost) {
        throw Error(Fault::device,
            "this process was forked from one that had used a GPU, and no driver outlives that; start "
            "processes by posix_spawn() (in Python by spawn or forkserver), or use the CPU");
    }
    if (driver_depth++ == 0 && !is_ending && !drivers.enter()) {
        driver_depth--;
        stopped = true;
        throw Error(Fault::device, "the program is ending, and the drivers of its devices have ended");
    }
}

InsideDriver::~InsideDriver() {
    if (--driver_depth == 0 && !is_ending) {
        drivers.leave();
    }
}

bool drivers_have_ended() {
    return (drivers.ended && !is_ending) || drivers_are_lost;
}

void end_drivers_at_exit(void (*finish)()) {
    finish_drivers = finish;
    std::atexit(end_drivers);
}

}  // namespace tilewright
