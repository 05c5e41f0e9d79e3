#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include <atomic>
#include <chrono>
#include <cstdlib>
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

// Registered before any static object is made, so that it runs when all of them are destroyed. Halide's
// runtime ends after it: its function is a destructor of the program, and those run last.
[[gnu::constructor(101)]] void register_end() {
    process = getpid();
    std::atexit(end_library);
}

void enter_library() {
    if (!library.enter()) {
        wait_for_the_end();
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

Inside::Inside() noexcept {
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

InsideDriver::InsideDriver() {
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
    return drivers.ended && !is_ending;
}

void end_drivers_at_exit(void (*finish)()) {
    finish_drivers = finish;
    std::atexit(end_drivers);
}

}  // namespace tilewright
