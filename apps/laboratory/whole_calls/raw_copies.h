#pragma once
// Copies by the driver's own functions, without Halide and without this project's runtime.
#include "tilewright/device.h"
#include <cstddef>
#include <cstdint>

namespace tilewright::benchmarks {

// Memory of a CUDA device, which copies from and to host memory. Errors: device, for another backend;
// memory.
class RawCopies {
public:
    RawCopies(Device device, size_t bytes);
    ~RawCopies();
    RawCopies(const RawCopies &) = delete;

    // Return when the bytes are there. Errors: device.
    void up(const void *from, size_t bytes) const;
    void down(void *to, size_t bytes) const;

private:
    const int index_;
    uint64_t memory_ = 0;
};

}  // namespace tilewright::benchmarks
