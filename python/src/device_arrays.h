#pragma once
// Arrays that other libraries have on CUDA devices: CuPy, PyTorch, JAX, Numba.
#include "tilewright/array.h"
#include <memory>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::python {

// Keeps a Python object until the last array that uses its memory goes, in whatever thread that is. None and
// invalid objects are kept as well.
std::shared_ptr<const void> kept(nanobind::object object);

struct OnCuda {
    int index;
    bool dlpack;  // it has __dlpack__; else __cuda_array_interface__
};

// The CUDA device that an array is on; nothing for other objects.
std::optional<OnCuda> on_cuda(nanobind::handle object);

// The stream in which the array's library works now: PyTorch's and CuPy's current one, or the one that
// __cuda_array_interface__ names; null, the default stream, for others.
void *stream_of(nanobind::handle object, int index);

// The array, in place. `stream`: the one that the program named, or null; then the caller waits for
// stream_of() before it uses the elements. Errors: TypeError (type of elements; read-only, for an output),
// ValueError (strides), those of Array::wrap.
Array wrap(nanobind::handle object, OnCuda place, const std::string &name, void *stream, bool writable);

// An uninitialized array of the same library on the same device, or on the host; invalid for libraries whose
// arrays cannot be written (JAX) or that are not known.
nanobind::object empty_like(nanobind::handle object, Type type, const std::vector<int64_t> &shape);

// The module with from_dlpack() of an array's library: its __array_namespace__, or torch. Invalid where there
// is none.
nanobind::object library_of(nanobind::handle object);

}  // namespace tilewright::python
