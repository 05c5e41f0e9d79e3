#include "generators/program/errors/printed_errors.h"
#include "Halide.h"
#include <exception>
#include <iostream>

namespace tilewright {

int with_printed_errors(const std::function<int()> &work) {
    try {
        return work();
    } catch (const std::exception &error) {
        std::cerr << "error: " << error.what() << "\n";
    } catch (const Halide::Error &error) {
        std::cerr << "error: " << error.what() << "\n";
    }
    return 1;
}

}  // namespace tilewright
