#pragma once
// What a call does while the program ends, and what a process does that forks. Not installed.
#include <new>

namespace tilewright {

// Lives while a thread is inside the library. After main(), when the destructors of all static objects ran,
// exit() waits for the threads that are inside; threads that want to come in later wait until the process is
// gone. Then Halide's runtime ends its threads and frees what it has on devices: a call that was still
// running would use freed memory.
//
// Until then calls go on. So nothing static that a call needs may have a destructor: it is made by immortal()
// (immortal.h). The static arrays of a program have one. Where drivers are in use, they end first
// (below), and a call that another thread begins after that waits here before it reads its arrays, as
// wait_if_drivers_have_ended() does: once for each thread.
//
// fork() waits for the threads that are inside (tilewright/forks.h), and threads that want to come in
// meanwhile wait for it. Errors: failed, in a forked process that can make no calls; destructors come in by
// the second form, which throws nothing.
class Inside {
public:
    Inside();
    explicit Inside(std::nothrow_t) noexcept;
    ~Inside();
    Inside(const Inside &) = delete;
};

// Lives while a thread of Halide's pool works for a call, which is inside the library: the thread comes in as
// a part of it, also where a fork waits for the call.
class InsideTask {
public:
    InsideTask() noexcept;
    ~InsideTask();
    InsideTask(const InsideTask &) = delete;
};

// Lives while a loop of a library runs in Halide's pool of threads, which ends before a fork. Programs call
// libraries of their own without this runtime's calls, so that the loops themselves are counted.
class InsideLoop {
public:
    InsideLoop();
    ~InsideLoop();
    InsideLoop(const InsideLoop &) = delete;
};

// Lives while a thread is inside a driver. Drivers end before static objects do, because they were loaded
// later: exit() waits for the threads that are inside, and for those that are inside the library. Errors:
// device, in a thread that wants to come in later, and in a process that was forked after a driver was
// loaded.
class InsideDriver {
public:
    InsideDriver();
    ~InsideDriver();
    InsideDriver(const InsideDriver &) = delete;
};

// Waits before such an Error leaves the library, when the thread holds no lock any more: two seconds, in
// which the process ends. The thread goes on after them where the end of the program waits for it (a static
// object may join its threads).
void wait_if_drivers_have_ended();

// Whether this thread can no longer use the drivers. The thread that ends the program still can; no thread
// of a process can that was forked after they were loaded.
bool drivers_have_ended();

// Has exit() end the drivers: it waits for the threads inside them and inside the library, and calls
// `finish`, which is the drivers' last use. Functions of exit() run in the reverse order of their
// registration, so call this whenever a driver was loaded, or may have made something more that it destroys
// at exit: that is destroyed only after `finish`.
void end_drivers_at_exit(void (*finish)());

}  // namespace tilewright
