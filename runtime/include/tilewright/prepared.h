#pragma once
#include "tilewright/array.h"
#include "tilewright/device.h"
#include <memory>
#include <span>
#pragma GCC visibility push(default)

namespace tilewright {

// A call that was made, and runs again: frames of a video, tiles of an image, steps of an iteration. It keeps
// its device, its variant, the memory of what is computed on the way, and its last arrays. prepare() of an
// operator or a pipeline makes it.
//
//     Array sharp, result;
//     Prepared blur = find_operator("gaussian_blur").prepare({&frame, 1}, result, {{"sigma", 3.0}});
//     while (read(frame)) {
//         blur();  // the same arrays, of which `frame` has other values
//     }
//     blur({&other, 1}, sharp);  // other arrays of the same types and shapes
//
// On CUDA all kernels of the call are one launch (a CUDA graph), where the host has nothing to do between
// them: then a call of several short kernels takes half of the time of a plain call. Plain calls are one
// launch too from the fourth one with the same settings, types and shapes on. On OpenCL the kernels of such
// calls are started one by one, with their arguments as they were. On the CPU, and for other calls, nothing
// is read, chosen and bound again. Arrays on the host are copied to the device as in every call, and the
// result stays there until it is asked for.
//
// Values, classes of equality and errors are those of the call. It may be moved and destroyed at any time,
// also while its work is under way on the device. Threads may share one, and then wait for each other; two of
// them run beside each other. Operators, pipelines and the arrays of earlier calls need not outlive it.
class Prepared {
public:
    Prepared(Prepared &&) noexcept;
    Prepared &operator=(Prepared &&) noexcept;
    ~Prepared();

    // Makes the call again on the arrays of the last one. Errors: device, memory; input, for values that the
    // operator does not take.
    void operator()();

    // Makes the call on these arrays, and makes `output` if it is empty. Arrays in memory that is laid out
    // otherwise (other strides, another alignment) are taken as well, and are then a call that was not
    // prepared. Errors: those of the call; input, for an array of another type or shape than that of the call
    // that was prepared.
    void operator()(std::span<const Array> inputs, Array &output);
    void operator()(const Array &input, Array &output) {
        (*this)(std::span(&input, 1), output);
    }

    // Whether the arrays are as many as the call has inputs, and of their types and shapes.
    bool takes(std::span<const Array> inputs) const;

    Device device() const;

    Array output() const;  // of the last call

    // Whether all kernels of a call are one launch.
    bool is_one_launch() const;

private:
    friend class Operator;
    friend class KeptCalls;
    friend class Pipeline;
    struct State;
    explicit Prepared(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

}  // namespace tilewright
#pragma GCC visibility pop
