#pragma once
// How exceptions leave the library. Not installed.
#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include <new>

namespace tilewright {

extern const Error &no_memory;  // made beforehand, to be thrown where there is no memory for another one

// For the handlers of public functions, `catch (...)`: throws again what is being handled, and an Error of the class memory in place of
// std::bad_alloc, so that Error is all that leaves the library. `name`: makes the name of the operation.
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
