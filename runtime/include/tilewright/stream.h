#pragma once
#include "tilewright/array.h"
#include "tilewright/operator.h"
#include <functional>
#include <future>
#include <memory>
#include <vector>
#pragma GCC visibility push(default)

namespace tilewright {

// Calls that run beside the program, several at a time: while one image is copied to a device, kernels work
// on another one, and a third one is copied back.
//
//     Stream stream;
//     std::vector<std::future<Array>> results;
//     for (const Array &image : images) {
//         results.push_back(stream.start(
//             [image](const Call &call) { return gaussian_blur(image, 3, Border::reflect, call); }));
//     }
//     stream.wait();
//
// Each call has a stream of CUDA, or a command queue of OpenCL, to itself. Copies overlap with kernels where
// the images are in page-locked memory (Array::pinned); the results of operators are. On the CPU, and on
// an OpenCL device that is a CPU, one call runs at a time, because each of them uses all threads. Values are
// those of the same calls without a stream.
//
// An error of a call arrives in two places: get() of its future throws it, and so does the next wait(), where
// it is the first one since the last wait(). The other calls go on. A program that asks every future for its
// result needs no wait(); one that ignores the futures learns of errors from wait() alone, because the
// destructor throws nothing. A call is cancelled as outside of a stream: its function sets `progress` in a
// copy of what it is given (Call::progress).
//
// Calls begin in the order in which they were started and may end in another one: a call must not need what
// another one writes, and arrays that a call reads or writes must not be written meanwhile. While a Stream
// lives, calls outside it wait until the device has done their work. Threads may share a Stream.
class Stream {
public:
    // Makes the call, as it is told where, and returns its result. What it holds is destroyed before the
    // result is there.
    using Work = std::function<Array(const Call &call)>;

    // `at_a_time`: how many calls run at the same time, from 1 to 16. Two are enough for copies in one
    // direction, three where results are copied back. With 1, calls run one after another, in their order.
    //
    // Errors: usage, for another number; device or memory, when the device cannot be used.
    explicit Stream(Device device = default_device(), int at_a_time = 3);

    // Waits for all calls; their errors are lost.
    ~Stream();
    Stream(const Stream &) = delete;

    // Starts a call. Its result is on the host when it is there. Where as many calls wait as run at a time,
    // it waits until one of them begins, so that a program that reads files does not run ahead.
    //
    // Errors: usage, for an empty function; memory. Errors of the call are in the future.
    std::future<Array> start(Work work);

    // The same for an operator. The arrays are shared, not copied.
    std::future<Array> start(const Operator &op, std::vector<Array> inputs, Settings settings = {},
        std::string schedule = "tuned");

    // Waits for all calls that were started. Errors: the first one of a call since the last wait().
    void wait();

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Brings the library's work on a CUDA device in order with a stream of the caller's: what the stream was
// given before the construction is done before the calls that follow, and what the stream is given after the
// destruction waits for those calls. The host does not wait. This is for memory that another library owns
// (Array::wrap) and works on in its own stream.
//
//     const JoinedStream joined({Backend::cuda, 0}, stream);
//     gaussian_blur(wrapped_image, wrapped_output, 3);
//
// Does nothing for the default stream (null, or CU_STREAM_LEGACY), in which the library works, and on other
// backends.
class JoinedStream {
public:
    // `stream`: a CUstream of the device's primary context. Errors: device.
    JoinedStream(Device device, void *stream);
    ~JoinedStream();
    JoinedStream(const JoinedStream &) = delete;

private:
    void *queue() const;

    Device device_;
    void *stream_;
};

}  // namespace tilewright
#pragma GCC visibility pop
