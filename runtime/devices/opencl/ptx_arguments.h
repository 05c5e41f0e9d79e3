#pragma once
// The arguments of kernels that are PTX. Not installed.
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tilewright::driver {

// Where the arguments of a kernel are, as Halide's runtime numbers them: addresses of buffers, numbers, and
// last its local memory. All numbers are in one parameter: a launch of NVIDIA's OpenCL takes .1 us more per
// parameter (H200, driver 580.159.04, 2026-11-29: 9.3 us with 30 numbers, and 7.2 with a parameter of as many
// bytes).
struct PtxArguments {
    struct Number {
        size_t at, bytes;  // in that parameter
    };
    static constexpr size_t most_bytes = 4096;

    unsigned addresses = 0;
    std::vector<Number> numbers;
    size_t bytes = 0;  // of the numbers
    bool has_local = false;

    unsigned local() const {  // the number of that parameter, as the driver counts
        return addresses + (numbers.empty() ? 0 : 1);
    }
};

// By the names of kernels.
using ArgumentsOfKernels = std::map<std::string, PtxArguments, std::less<>>;

// Puts the numbers that each kernel of a text takes into one parameter, and says where they are. Parameters
// that are not understood are a std::runtime_error.
ArgumentsOfKernels gather_numbers(std::string &ptx);

}  // namespace tilewright::driver
