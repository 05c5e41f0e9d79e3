#pragma once
// How a hook gives Halide's runtime a function of ours in place of a driver's. Not installed.
#include <HalideRuntime.h>
#include <exception>
#include <new>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace tilewright::driver {

// The driver's function that `wrapper` replaces: null until Halide asked for it.
template<auto wrapper>
decltype(wrapper) real = nullptr;

struct WrappedFunction {
    std::string_view name;      // as Halide asks for it
    void *(*wrap)(void *real);  // keeps the driver's function, and returns the wrapper
};

// A driver's codes for a host without memory, and for any other error.
struct ErrorCodes {
    int no_memory, other;
};

// A wrapper as Halide's runtime calls it. No exception passes that runtime: it becomes the driver's code,
// which a function that makes something writes where its last argument says.
template<ErrorCodes codes, auto wrapper>
struct Guarded;
template<ErrorCodes codes, typename Result, typename... Arguments, Result (*wrapper)(Arguments...)>
struct Guarded<codes, wrapper> {
    static Result failed(int code, Arguments... arguments) noexcept {
        if constexpr (std::is_pointer_v<Result>) {
            if (int *error = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...))) {
                *error = code;
            }
            return nullptr;
        } else {
            return code;
        }
    }
    static Result call(Arguments... arguments) noexcept {
        try {
            return wrapper(arguments...);
        } catch (const std::bad_alloc &) {
            return failed(codes.no_memory, arguments...);
        } catch (const std::exception &error) {
            halide_error(nullptr, error.what());
            return failed(codes.other, arguments...);
        }
    }
};

template<ErrorCodes codes, auto wrapper>
void *wrap(void *function) {
    real<wrapper> = reinterpret_cast<decltype(wrapper)>(function);
    return reinterpret_cast<void *>(Guarded<codes, wrapper>::call);
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
