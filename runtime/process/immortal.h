#pragma once
// Objects that live as long as the process. Not installed.
#include <type_traits>

namespace tilewright {

// The object that `make` makes at the first call. It is never destroyed: other threads may still be in a call
// while the program ends (inside.h). Each lambda has a type of its own, so each place that calls this has an
// object of its own.
template<typename Make>
auto &immortal(Make make) {
    static_assert(std::is_class_v<Make>, "functions of one type would share one object: write a lambda");
    static auto &object = *new auto(make());
    return object;
}

}  // namespace tilewright
