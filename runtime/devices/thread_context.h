#pragma once
// What the hooks have to know of a thread's call, and Halide's C interface has no arguments for. Not
// installed.
#include "tilewright/device.h"
#include "tilewright/variant.h"
#include <type_traits>
#include <utility>

namespace tilewright {

class Watch;
struct Recorder;

namespace driver {

class CudaGraph;
class ImageLaunches;
class OpenClLaunches;
class OwnQueue;
struct TensorMaps;

struct ThreadContext {
    Device device;                       // that Halide's calls use: the one of Current (hooks.h)
    const OwnQueue *queue = nullptr;     // in which work on its device is done; null: the device's first one
    Recorder *recorder = nullptr;        // of the LaunchRecording; null, where none lives
    CudaGraph *graph = nullptr;          // that records kernels; null, where none does
    OpenClLaunches *launches = nullptr;  // the same of OpenCL
    ImageLaunches *images = nullptr;     // that kernels are launched for; null: one image
    Watch *watch = nullptr;              // over the call that the thread makes; null: nobody watches it
    void *const *arguments = nullptr;    // of the library that runs: of an array its halide_buffer_t
    const TensorMaps *maps = nullptr;    // that the kernel takes which is launched next; null: none
    const Variant *variant = nullptr;  // that runs: register caps and OpenCL options of the programs it loads
};

extern thread_local constinit ThreadContext this_thread;

// While it lives, a member of this_thread has another value.
template<typename T>
class ScopedValue {
public:
    ScopedValue(T &member, std::type_identity_t<T> value)
        : member_(member), before_(std::exchange(member, value)) {}
    ~ScopedValue() {
        member_ = before_;
    }
    ScopedValue(const ScopedValue &) = delete;

private:
    T &member_;
    const T before_;
};

}  // namespace driver

}  // namespace tilewright
