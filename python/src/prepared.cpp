#include "python/src/call.h"
#include "python/src/lock.h"
#include "python/src/module.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tilewright::python {

namespace {

nb::object run_prepared(PreparedInPython &self, const nb::args &arrays, nb::object out, nb::handle stream,
    const nb::kwargs &others) {
    refuse_others("the prepared call", others);
    if (arrays.empty() || arrays.size() > self.arrays.size()) {  // the last one may be optional
        check_count("the prepared call", arrays.size(), self.arrays.size());
    }
    How how = how_of(std::move(out), nb::str("auto"), nb::none(), stream);
    how.device = self.prepared.device().str();
    const auto output_of = [&](std::span<const Array> inputs) {
        // A thread that runs the call may wait for the interpreter's lock.
        const Unlocked released;
        if (!self.prepared.takes(inputs)) {
            Array none;
            self.prepared(inputs, none);  // is refused
        }
        const Array output = self.prepared.output();
        return std::pair{output.type(), output.shape()};
    };
    const Work work{self.name, output_of,
        [&](std::span<const Array> inputs, Array &output, Device, Statistics *) {
            self.prepared(inputs, output);
        },
        [&](std::span<const Array>) { return self.prepared.device(); }};
    return call(work, nb::borrow<nb::tuple>(arrays), self.arrays, how);
}

}  // namespace

void add_prepared(nb::module_ &module) {
    nb::class_<PreparedInPython>(module, "Prepared",
        "A call that was made and runs again, on arrays of the same types and shapes. tilewright.prepare() "
        "makes "
        "it.")
        .def("__call__", &run_prepared, "arrays"_a, nb::kw_only(), "out"_a = nb::none(),
            "stream"_a.none() = 0, "others"_a,
            "Makes the call on these arrays. `out`: where the result goes; `stream`: see the operators.")
        .def_prop_ro(
            "device", [](const PreparedInPython &p) { return p.prepared.device().str(); },
            "Where it runs: \"cuda:0\".")
        .def_prop_ro(
            "is_one_launch", [](const PreparedInPython &p) { return p.prepared.is_one_launch(); },
            "Whether all kernels of a call are one launch (a CUDA graph).")
        .def("__repr__", [](const PreparedInPython &p) {
            return "<tilewright.Prepared " + p.name + " on " + p.prepared.device().str() + ">";
        });
}

}  // namespace tilewright::python
