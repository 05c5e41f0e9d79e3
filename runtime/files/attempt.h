#pragma once
// Calls of libpng and libjpeg, which report an error by longjmp. That must not skip the destructor of a C++
// object. So all their calls are made inside attempt(), whose step may hold pointers, numbers and references,
// but no object with a destructor; its `false` becomes an exception outside. Not installed.
#include <csetjmp>
#include <type_traits>

namespace tilewright {

// Runs calls of a library. False when it reported an error, by a jump to `place`: they end there.
template<typename Step>
[[gnu::noinline]] bool attempt(jmp_buf &place, const Step &step) {
    static_assert(std::is_trivially_destructible_v<Step>);
    if (setjmp(place) != 0) {
        return false;
    }
    step();
    return true;
}

}  // namespace tilewright
