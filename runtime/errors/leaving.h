#pragma once
// How exceptions leave the library: as an Error, whatever they were. Not installed.
#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include <new>

namespace tilewright {

// An Error of the class memory, made before main(): it is thrown where the host has no memory to make another
// one.
extern const Error &no_memory;

// For the handlers of public functions, `catch (...)`: throws the handled exception again, and std::bad_alloc
// as an Error of the class memory. `name` makes the name of the operation.
template<typename Name>
[[noreturn]] void leave_with_error(Name name) {
    try {
        throw;
    } catch (const std::bad_alloc &) {
        try {
            throw Error(Fault::memory, no_memory.what(), {.operation = name()});
        } catch (const std::bad_alloc &) {
            throw Error(no_memory);
        }
    } catch (const Error &) {
        wait_if_drivers_have_ended();
        throw;
    }
}

[[noreturn]] inline void leave_with_error() {
    leave_with_error([] { return ""; });
}

}  // namespace tilewright
