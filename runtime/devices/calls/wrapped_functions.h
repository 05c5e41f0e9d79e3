#pragma once
// How a hook gives Halide's runtime a function of ours in place of a driver's. Not installed.
#include <span>
#include <string_view>

namespace tilewright::driver {

// The driver's function that `wrapper` replaces: null until Halide asked for it.
template<auto wrapper>
decltype(wrapper) real = nullptr;

struct WrappedFunction {
    std::string_view name;      // as Halide asks for it
    void *(*wrap)(void *real);  // keeps the driver's function, and returns the wrapper
};

template<auto wrapper>
void *wrap(void *function) {
    real<wrapper> = reinterpret_cast<decltype(wrapper)>(function);
    return reinterpret_cast<void *>(wrapper);
}

// The wrapper of the driver's function of that name; `function` itself where it has none.
inline void *wrapped(std::span<const WrappedFunction> functions, std::string_view name, void *function) {
    for (const WrappedFunction &known : functions) {
        if (known.name == name) {
            return known.wrap(function);
        }
    }
    return function;
}

}  // namespace tilewright::driver
