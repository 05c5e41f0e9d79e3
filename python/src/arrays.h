#pragma once
// Arrays of Python programs as the library's, and results as what the program gave.
#include "python/src/types.h"
#include "tilewright/array.h"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <string>
#include <vector>

namespace tilewright::python {

// tilewright.Array: an array of the library, which may stay on a device between calls.
struct OwnArray {
    Array array;
    nanobind::object owner = {};  // of the memory that it uses
    bool read_only = false;       // what it is a view of must not be written
};

// An argument of a call.
struct Argument {
    enum class Kind { numpy, own, host, cuda };  // host: what has __dlpack__ or a buffer, in host memory

    Kind kind = Kind::numpy;
    Array array;
    bool copied = false;                        // because of its strides or its alignment
    nanobind::object given, dense;              // the argument, and its dense copy
    nanobind::ndarray<nanobind::ro> view = {};  // keeps the memory
    void *stream = nullptr;                     // of Kind::cuda: in which its library works
};

// Reads an argument called `name`. Host arrays that are dense but for the first axis are used in place.
// Others are copied. Arrays on CUDA devices are used in place or refused. `stream`: the
// caller's, or null to ask the array's library for its current one.
// Errors: TypeError, for other objects and types of elements; ValueError, for strides on a device; those of
// Array::view and Array::wrap.
Argument read_input(nanobind::handle object, const std::string &name, void *stream);

// The same for `out`, which must be writable. What was copied is written back by write_back().
Argument read_output(nanobind::handle object, void *stream);
void write_back(const Argument &output);

// Whether an array that read_input() takes in place may be written too.
bool is_writable(nanobind::handle object);

// A new array for the result, of the kind of `like`: dense, in memory of the library that `like` is of where
// that can make one, else of NumPy.
Argument new_output(Type type, const std::vector<int64_t> &shape, const Argument &like);

// A result as the program gets it: its `given`, and for other array libraries on the host their own array on
// the same memory.
nanobind::object result_of(const Argument &output, const Argument &like);

// A library's array as NumPy's, without a copy; it keeps the array and the owner of its memory, and is
// read-only where the array is. Errors: those of Array::data().
nanobind::object numpy_of(const OwnArray &array);

}  // namespace tilewright::python
