#pragma once
#pragma GCC visibility push(default)

namespace tilewright {

// A process that forks: fork() waits until no other thread is in a call, so that calls on the CPU work in the
// child, and threads that begin a call meanwhile wait for it. The child's calls on GPUs are errors
// (Fault::device) where a driver of a GPU was loaded before, because no driver outlives a fork; its calls
// that name no device run on the CPU, but are errors too where their data are on a GPU alone.
//
// fork() does not wait where a call runs a function of the program, as Call::progress is, because that
// function may need what the forking thread holds; a fork in such a function is another case. All calls of
// such a child are errors (Fault::failed). Stream and process() have threads of their own, which a child does
// not have: it makes new ones.

// Lives while a thread is in a function of the program, for which fork() does not wait. A call has one around
// each function that it was given; a binding of another language has one where a thread waits for the lock of
// an interpreter.
class OutsideOfCalls {
public:
    OutsideOfCalls();  // whether or not the thread is in a call
    ~OutsideOfCalls();
    OutsideOfCalls(const OutsideOfCalls &) = delete;
};

// Whether a thread is in fork(). What can wait until after it, as a look for signals can, then should.
bool a_fork_waits();

}  // namespace tilewright
#pragma GCC visibility pop
