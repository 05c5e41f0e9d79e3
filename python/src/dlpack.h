#pragma once
// The library's arrays for other libraries, as the array API standard has __dlpack__. nanobind's own export
// knows no stream.
#include "python/src/arrays.h"
#include <nanobind/nanobind.h>

namespace tilewright::python {

// (2, i) where the newest elements are on the CUDA device i; else (1, 0), the host. OpenCL's are the host's
// too: no library takes a cl_mem by DLPack.
nanobind::tuple dlpack_device(const Array &array);

// A capsule. `stream`: the consumer's on a CUDA device, which then waits for what is under way; None or 1 is
// the legacy default stream, 2 the thread's default stream, -1: it does not wait. `dl_device` may ask for the
// host. Errors: BufferError, for a device or a copy that cannot be had.
nanobind::object to_dlpack(const OwnArray &self, nanobind::object stream, nanobind::object max_version,
    nanobind::object dl_device, nanobind::object copy);

}  // namespace tilewright::python
