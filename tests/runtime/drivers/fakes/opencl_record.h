#pragma once
// What the fake libOpenCL.so.1 was asked to do.
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace fake_opencl {

// Seven platforms, more than Halide's own table of four, with a device each: a CPU on 0, 4 and 5, on 1 one
// without a compiler, on 2 one that is too old for the libraries, a GPU on 3, and on 6 a device with small
// limits and without doubles, images and halves. Those on 0 and 4 say a compute capability, as NVIDIA's do.
constexpr int platforms = 7, old_nvidia = 0, nvidia = 4, small = 6;

struct Record {
    std::array<int, platforms> contexts{}, builds{}, kernels{}, writes{}, reads{};
    std::vector<size_t> buffer_bytes;           // of each buffer created
    std::vector<std::string> sources, options;  // of each program created, and of each program built
    std::vector<std::string> binaries;          // of each program created of one
    std::vector<std::pair<unsigned, std::string>> arguments;  // number and bytes, or "local", of each one set
    int buffers_released = 0, kernels_created = 0, kernels_released = 0;
    size_t bytes_held = 0;
    int asked_for_fewer_platforms = 0;  // clGetPlatformIDs with room for less than all of them
    int wrong = 0;  // handles that are none, memory of another context, bytes outside a buffer
};

// What it does on request.
struct Requests {
    void (*hold_launches)(bool);  // a launch waits until they are no longer held
    int (*held_launches)();       // how many wait
    void (*refuse_memory)(bool);
    void (*refuse_once)(int launch, int allocation);  // the nth one from now on; 0: none
};

}  // namespace fake_opencl
