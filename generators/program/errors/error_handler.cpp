// A part of the runtime that libraries are linked with, beside Halide's own: an error is printed to
// standard error, and the library returns its code. Halide's own handler ends the program.
#include <HalideRuntime.h>
#include <cstdio>

namespace {

void print_error(void *, const char *message) {
    std::fprintf(stderr, "Error: %s\n", message);
}

// Before all other code of the program, which may set another handler.
[[gnu::constructor(101)]] void set_handler() {
    halide_set_error_handler(print_error);
}

}  // namespace
