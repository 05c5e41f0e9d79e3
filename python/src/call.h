#pragma once
// What every call from Python does: arrays in, the work without the interpreter's lock, the result out.
#include "python/src/arrays.h"
#include "tilewright/device.h"
#include "tilewright/operator.h"
#include "tilewright/prepared.h"
#include <functional>
#include <nanobind/nanobind.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::python {

// The arguments that all calls have.
struct How {
    nanobind::object out;    // None: a new array
    std::string device;      // "auto", "cpu", "cuda:1"
    nanobind::object stats;  // a dict that is filled, or None
    uintptr_t stream = 0;    // a CUDA stream's address; 0: that of the arrays' library
    // is called with the part of the work that is done, or is None
    nanobind::object progress = nanobind::none();
};

// Errors: TypeError, for another type than an argument's.
How how_of(nanobind::object out, nanobind::handle device, nanobind::object stats, nanobind::handle stream,
    nanobind::object progress = nanobind::none());

// What a call asks while it works (Call::progress), at most 20 times a second: Python's handlers of signals,
// which raise KeyboardInterrupt, and `how.progress`. Nothing on a GPU where no `progress` is given, because
// such a call would wait for the device. `how` outlives it.
std::function<bool(double)> progress_of(const How &how, Device device);

// The work between arrays, of an operator or a pipeline.
struct Work {
    std::string name;
    std::function<std::pair<Type, std::vector<int64_t>>(std::span<const Array>)> output_of;
    std::function<void(std::span<const Array>, Array &output, Device device, Statistics *)> run;
    std::function<Device(std::span<const Array>)> device_for;  // where the arrays are on the host
};

// `names`: of the arrays, for errors. Errors: those of read_input and read_output, and of the work.
nanobind::object call(
    const Work &work, const nanobind::tuple &arrays, std::span<const std::string> names, const How &how);

// A prepared call, with the names that Python gives its arrays.
struct PreparedInPython {
    Prepared prepared;
    std::string name;
    std::vector<std::string> arrays;
};

}  // namespace tilewright::python
