// Pipelines in Python.
#include "tilewright/pipeline.h"
#include "python/src/bands.h"
#include "python/src/call.h"
#include "python/src/module.h"

#include <functional>
#include <optional>

namespace nb = nanobind;
using namespace nb::literals;

namespace tilewright::python {

namespace {

std::vector<std::string> names_of(const Pipeline &pipeline) {
    std::vector<std::string> names = {"image"};
    while ((int)names.size() < pipeline.inputs()) {
        names.push_back("array " + std::to_string(names.size() + 1));
    }
    return names;
}

// What a call does with its arrays.
using CallPipeline =
    std::function<void(std::span<const Array> inputs, Array &output, const PipelineCall &how)>;

nb::object call_pipeline(const Pipeline &pipeline, const nb::args &arrays, nb::handle schedule,
    const How &how, const CallPipeline &does) {
    check_count("the pipeline", arrays.size(), (size_t)pipeline.inputs());
    PipelineCall call;
    call.schedule = word_of(schedule, "schedule");
    const Work work{"pipeline",
        [&](std::span<const Array> inputs) { return pipeline.output_of(inputs, call); },
        [&](std::span<const Array> inputs, Array &output, Device where, Statistics *statistics) {
            std::vector<Statistics> stages;
            call.device = where;
            call.statistics = statistics ? &stages : nullptr;
            call.progress = progress_of(how, where);
            does(inputs, output, call);
            for (const Statistics &stage : stages) {
                statistics->variant += (statistics->variant.empty() ? "" : " | ") + stage.variant;
                statistics->libraries.insert(
                    statistics->libraries.end(), stage.libraries.begin(), stage.libraries.end());
                statistics->device = stage.device;
                statistics->total_ms += stage.total_ms;
                statistics->counters += stage.counters;
            }
        },
        [&](std::span<const Array> inputs) { return pipeline.choose_device(inputs, call); }};
    return python::call(work, nb::borrow<nb::tuple>(arrays), names_of(pipeline), how);
}

nb::object run_pipeline(const Pipeline &pipeline, const nb::args &arrays, nb::object out, nb::handle device,
    nb::handle schedule, nb::object stats, nb::handle stream, nb::object progress, const nb::kwargs &others) {
    refuse_others("the pipeline", others);
    return call_pipeline(pipeline, arrays, schedule,
        how_of(std::move(out), device, std::move(stats), stream, std::move(progress)),
        [&](std::span<const Array> inputs, Array &output, const PipelineCall &how) {
            pipeline(inputs, output, how);
        });
}

PreparedInPython prepare_pipeline(const Pipeline &pipeline, const nb::args &arrays, nb::object out,
    nb::handle device, nb::handle schedule, nb::object stats, nb::handle stream, const nb::kwargs &others) {
    refuse_others("Pipeline.prepare()", others);
    std::optional<Prepared> prepared;
    call_pipeline(pipeline, arrays, schedule, how_of(std::move(out), device, std::move(stats), stream),
        [&](std::span<const Array> inputs, Array &output, const PipelineCall &how) {
            prepared.emplace(pipeline.prepare(inputs, output, how));
        });
    return {std::move(*prepared), "pipeline", names_of(pipeline)};
}

std::string text_of_stages(const Pipeline &pipeline) {
    std::string text;
    for (const PipelineStage &stage : pipeline.stages()) {
        text += (text.empty() ? "" : " | ") + stage.text;
    }
    return text;
}

}  // namespace

void add_pipeline(nb::module_ &module) {
    nb::class_<Pipeline>(module, "Pipeline",
        R"(Operators one after another; what is between them stays on the device.

A stage is the name of an operator and its options with the names and values of the command line. An operator
that takes more arrays than the result of the stage before gets them from the call, in the order of the
stages.

Raises
------
ArgumentError
    For text that is no pipeline. Calls raise what its operators raise; the message names the stage.

Examples
--------
>>> import numpy as np, tilewright
>>> blurred_sums = tilewright.Pipeline("gaussian_blur sigma=2 | transpose | column_sum")
>>> blurred_sums(np.ones((480, 640), np.uint8), device="cpu").shape
(480,)
)")
        .def(
            "__init__",
            [](Pipeline *self, nb::handle stages, const nb::args &more, const nb::kwargs &others) {
                refuse_others("Pipeline()", 1, more, others);
                new (self) Pipeline(word_of(stages, "stages"));
            },
            "stages"_a = nb::none(), "more"_a, "others"_a, nb::sig("def __init__(self, stages: str) -> None"))
        .def_prop_ro("inputs", &Pipeline::inputs)
        .def("__call__", &run_pipeline, "arrays"_a, nb::kw_only(), "out"_a = nb::none(),
            "device"_a.none() = "auto", "schedule"_a.none() = "tuned", "stats"_a = nb::none(),
            "stream"_a.none() = 0, "progress"_a = nb::none(), "others"_a)
        .def("prepare", &prepare_pipeline, "arrays"_a, nb::kw_only(), "out"_a = nb::none(),
            "device"_a.none() = "auto", "schedule"_a.none() = "tuned", "stats"_a = nb::none(),
            "stream"_a.none() = 0, "others"_a,
            R"(Makes a call, and returns it as one that runs again, as tilewright.prepare() does.

Returns
-------
Prepared

Raises
------
TypeError, ArgumentError, DeviceError, OutOfMemoryError
    What the call raises.
)")
        .def("_bands_needed", &bands_needed_in_python, "dtype"_a, "shape"_a)
        .def("_process", &process_in_python, "dtype"_a, "shape"_a, "read"_a, "write"_a, nb::kw_only(),
            "memory"_a, "device"_a.none() = "auto", "schedule"_a.none() = "tuned", "scratch"_a = "",
            "progress"_a = nb::none())
        .def("__reduce__",
            [](nb::object self) {
                const std::string text = text_of_stages(nb::cast<const Pipeline &>(self));
                return nb::make_tuple(self.type(), nb::make_tuple(text));
            })
        .def("__repr__", [](const Pipeline &pipeline) {
            return "tilewright.Pipeline(\"" + text_of_stages(pipeline) + "\")";
        });
}

}  // namespace tilewright::python
