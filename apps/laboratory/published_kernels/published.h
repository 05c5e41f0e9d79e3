#pragma once
// Published kernels, each with its data: what cuda_peers calls, times and verifies.
//
// The kernels are those of the publications whose steps the schedules show (docs/steps/), written anew in
// CUDA. They share no code with the operators' libraries, which are compared with them.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace published {

struct Size {
    int64_t width = 0, height = 0;  // a vector has height 1
};

// The buffers of one kernel for one size. There are several sets of buffers with the same contents, so that a
// call finds its input in no cache.
class Problem {
public:
    Problem() = default;
    Problem(const Problem &) = delete;
    Problem &operator=(const Problem &) = delete;
    virtual ~Problem() = default;

    // Starts a call on the set number `call` modulo the number of sets.
    virtual void start(size_t call) = 0;

    // Gives the outputs of all sets values that no right call leaves there.
    virtual void spoil() = 0;

    // Compares what the calls 0, 1, ..., calls - 1 left with the result of a plain loop on the host. Returns
    // the first difference as a sentence, or an empty string.
    virtual std::string difference(size_t calls) = 0;
};

struct Kernel {
    std::string op, step, type;  // the operator, and the variant of it that shows the same step
    std::vector<Size> sizes;     // those that are timed where the user names none
    std::string takes;           // the sizes that it serves, in words: "multiples of 16"
    std::function<bool(Size)> serves;
    // as `tilewright bench` names it: "u8 8192x8192", where nothing else is said
    std::function<std::string(Size)> data = {};
    std::function<std::unique_ptr<Problem>(Size)> prepare = {};
};

std::vector<Kernel> column_sum_kernels();
std::vector<Kernel> row_sum_kernels();
std::vector<Kernel> transpose_kernels();
std::vector<Kernel> matmul_kernels();
std::vector<Kernel> min_plus_convolution_kernels();
std::vector<Kernel> recursive_gaussian_kernels();

// All of them, in the order of the pages in docs/steps/.
std::vector<Kernel> kernels();

// "8192x8192"
std::string text_of(Size size);

}  // namespace published
