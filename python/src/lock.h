#pragma once
// The interpreter's lock, which calls give back while they work.
#include "tilewright/forks.h"
#include <dlfcn.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

namespace tilewright::python {

[[noreturn]] inline void wait_for_the_end() {
    for (;;) {
        pause();
    }
}

// Whether the interpreter has begun to end. Python calls its function by another name since 3.13, and
// declares neither to modules for all versions from 3.12 on.
inline bool is_ending() {
    static void *const found = [] {
        void *function = dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
        return function ? function : dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
    }();
    return found && reinterpret_cast<int (*)()>(found)() != 0;
}

// Does what takes the lock in the end, or never returns where the interpreter has ended. Up to Python 3.13 a
// thread that wants the lock then (a daemon thread that was in a call) is ended by pthread_exit(), whose
// unwinding would meet a function that lets no exception pass, and abort the process. So such a thread waits
// here until the process is gone, as Python 3.14 has it wait. `work` calls functions of C alone: destructors
// that ran on the way here would touch objects of Python without the lock.
template<typename Work>
void come_back_with_lock(Work work) noexcept {
    try {
        if (nanobind::is_alive()) {
            work();
            return;
        }
    } catch (...) {  // pthread_exit(); to leave this handler would abort too
        wait_for_the_end();
    }
    wait_for_the_end();
}

// Lives while a thread that has the lock works without it. It touches no object of Python.
class Unlocked {
public:
    Unlocked() : state_(PyEval_SaveThread()) {}
    ~Unlocked() {
        come_back_with_lock([this] { PyEval_RestoreThread(state_); });
    }
    Unlocked(const Unlocked &) = delete;

private:
    PyThreadState *const state_;
};

// Lives while any thread works with the lock, whether or not it had it. A thread that forks has the lock, and
// so waits for no thread that wants it.
class Locked {
public:
    Locked() {
        come_back_with_lock([this] { state_ = PyGILState_Ensure(); });
    }
    ~Locked() {
        PyGILState_Release(state_);
    }
    Locked(const Locked &) = delete;

private:
    const OutsideOfCalls outside_;
    PyGILState_STATE state_ = PyGILState_UNLOCKED;
};

// function(*arguments, **named), where the function works without the lock or is written in Python. Errors:
// those of the function.
inline nanobind::object call_function(nanobind::handle function, const nanobind::tuple &arguments,
    const nanobind::dict &named = nanobind::dict()) {
    PyObject *made = nullptr;
    come_back_with_lock([&] { made = PyObject_Call(function.ptr(), arguments.ptr(), named.ptr()); });
    if (!made) {
        throw nanobind::python_error();
    }
    return nanobind::steal(made);
}

}  // namespace tilewright::python
