#pragma once
// What the two files of the fake libcuda.so.1 share.
#include "tests/runtime/drivers/fakes/cuda_record.h"
#include <mutex>
#include <vector>

namespace fake_cuda {

enum Result {
    ok = 0,
    invalid_value = 1,
    out_of_memory = 2,
    no_device = 100,
    invalid_context = 201,
    not_found = 500
};

struct Context {
    int device;
};

struct Kernel {
    int device;
    int shared_limit;
    std::vector<size_t> arguments;  // the bytes of each
};

// Halide's runtime still calls while the process ends: nothing of this is destroyed.
extern std::mutex &mutex;
extern Record &record;

// The context that is current in this thread; null where none is.
Context *current();

}  // namespace fake_cuda
