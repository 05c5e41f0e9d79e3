#include "python/src/errors.h"
#include "python/src/lock.h"
#include "python/src/module.h"
#include "python/src/types.h"
#include "tilewright/device.h"
#include "tilewright/timing.h"
#include <algorithm>
#include <limits>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <vector>

extern "C" int halide_set_num_threads(int n);

namespace nb = nanobind;
using namespace nb::literals;

// apps/tilewright/program.h, which is not installed.
namespace tilewright::app {
class CommandLine;
void add_laboratory(CommandLine &);
int program(int argc, char **argv, void (*add_more)(CommandLine &));
}  // namespace tilewright::app

namespace tilewright::python {

namespace {

int run_program(const std::vector<nb::bytes> &given) {
    std::vector<std::string> words;
    words.reserve(given.size());
    for (const nb::bytes &word : given) {
        words.emplace_back(word.c_str(), word.size());
    }
    std::vector<char *> argv;
    for (std::string &word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    return app::program((int)words.size(), argv.data(), app::add_laboratory);
}

int set_num_threads(nb::handle n) {
    const int64_t threads = whole_number_of(n, "n");
    if (threads < 0) {
        refuse_value("n", "takes 0, for one thread per CPU, or more");
    }
    return halide_set_num_threads((int)std::min<int64_t>(threads, std::numeric_limits<int>::max()));
}

void synchronize(nb::handle device) {
    const std::string word = word_of(device, "device");
    const Unlocked released;
    tilewright::synchronize(Device::parse(word));
}

double device_time_ms(nb::handle device, nb::handle calls) {
    const std::string word = word_of(device, "device");
    if (!PyCallable_Check(calls.ptr())) {
        refuse_argument("calls", "a function", calls);
    }
    return tilewright::device_time_ms(Device::parse(word), [&] { calls(); });
}

constexpr const char *words_on_devices = R"(Every device of this machine, the CPU first.

Returns
-------
list of Device
    A backend without devices has one entry that says why.

Raises
------
DeviceError
    For a driver that does not answer as it should.

Examples
--------
>>> import tilewright
>>> tilewright.devices()[0].id
'cpu'
)";

constexpr const char *words_on_best_device = R"(The first CUDA GPU, else an OpenCL GPU, else the CPU.

Returns
-------
str
    Its word, "cuda:0": what a call without measured times takes for arrays on the host.

Raises
------
DeviceError
    For a driver that does not answer as it should.

Examples
--------
>>> import tilewright
>>> tilewright.best_device() in [device.id for device in tilewright.devices()]
True
)";

constexpr const char *words_on_synchronize = R"(Waits until a device has done what was started on it.

Parameters
----------
device : str
    "auto" is that of best_device().

Returns
-------
None

Raises
------
DeviceError
    For a device that is not there, and for work on it that failed.

Examples
--------
>>> import tilewright
>>> tilewright.synchronize("cpu")
)";

constexpr const char *words_on_threads = R"(Sets how many threads calls on the CPU use.

Parameters
----------
n : int
    0: one per CPU.

Returns
-------
int
    The number that was set before.

Raises
------
TypeError, ArgumentError
    For what is no whole number from 0 on.

Examples
--------
>>> import tilewright
>>> before = tilewright.set_num_threads(2)
>>> tilewright.set_num_threads(before)
2
)";

constexpr const char *words_on_time = R"(How long a device needs for what a function starts.

Parameters
----------
device : str
    Which one.
calls : callable
    It is called once, without arguments.

Returns
-------
float
    Milliseconds; of the CPU, those that the function takes.

Raises
------
TypeError
    For what is no function. What the function raises comes out.
DeviceError
    For a device that is not there.

Examples
--------
>>> import numpy as np, tilewright
>>> image = np.zeros((480, 640), np.uint8)
>>> tilewright.device_time_ms("cpu", lambda: tilewright.invert(image, device="cpu")) > 0
True
)";

void add_functions(nb::module_ &module) {
    module.def(
        "devices",
        [](const nb::args &more, const nb::kwargs &others) {
            refuse_others("devices()", 0, more, others);
            const Unlocked released;
            return devices();
        },
        "more"_a, "others"_a, nb::sig("def devices() -> list[Device]"), words_on_devices);
    module.def(
        "best_device",
        [](const nb::args &more, const nb::kwargs &others) {
            refuse_others("best_device()", 0, more, others);
            const Unlocked released;
            return best_device().str();
        },
        "more"_a, "others"_a, nb::sig("def best_device() -> str"), words_on_best_device);
    module.def(
        "synchronize",
        [](nb::handle device, const nb::args &more, const nb::kwargs &others) {
            refuse_others("synchronize()", 1, more, others);
            synchronize(device);
        },
        "device"_a.none() = "auto", "more"_a, "others"_a,
        nb::sig("def synchronize(device: str = 'auto') -> None"), words_on_synchronize);
    module.def(
        "set_num_threads",
        [](nb::handle n, const nb::args &more, const nb::kwargs &others) {
            refuse_others("set_num_threads()", 1, more, others);
            return set_num_threads(n);
        },
        "n"_a = nb::none(), "more"_a, "others"_a, nb::sig("def set_num_threads(n: int) -> int"),
        words_on_threads);
    module.def(
        "device_time_ms",
        [](nb::handle device, nb::handle calls, const nb::args &more, const nb::kwargs &others) {
            refuse_others("device_time_ms()", 2, more, others);
            return device_time_ms(device, calls);
        },
        "device"_a = nb::none(), "calls"_a = nb::none(), "more"_a, "others"_a,
        nb::sig("def device_time_ms(device: str, calls: collections.abc.Callable[[], object]) -> float"),
        words_on_time);
}

}  // namespace

void add_devices(nb::module_ &module) {
    nb::class_<DeviceInfo>(module, "Device", "A device of this machine, and what its driver says of it.")
        .def_prop_ro("id", [](const DeviceInfo &d) { return d.device.str(); })
        .def_ro("name", &DeviceInfo::name)
        .def_ro("platform", &DeviceInfo::platform)
        .def_ro("driver", &DeviceInfo::driver)
        .def_ro("memory", &DeviceInfo::memory)
        .def_ro("units", &DeviceInfo::units)
        .def_ro("capability", &DeviceInfo::capability)
        .def_ro("is_gpu", &DeviceInfo::is_gpu)
        .def_ro("usable", &DeviceInfo::usable)
        .def_ro("why_not", &DeviceInfo::why_not)
        .def(
            "__eq__",
            [](const DeviceInfo &d, nb::handle other) {
                return nb::isinstance<DeviceInfo>(other) &&
                       nb::cast<DeviceInfo &>(other).device.str() == d.device.str();
            },
            "other"_a.none())
        .def("__hash__", [](const DeviceInfo &d) { return std::hash<std::string>{}(d.device.str()); })
        .def("__repr__", [](const DeviceInfo &d) {
            return "<tilewright.Device " + d.device.str() + ": " + d.name +
                   (d.usable ? "" : " (not usable: " + d.why_not + ")") + ">";
        });
    add_functions(module);
    module.def("in_words_of_python", &in_words_of_python, "message"_a,
        "An error of the command line in the words of Python.");
    module.def("program", &run_program, "words"_a,
        "Runs the command line `tilewright`, whose words are bytes; returns its exit code.");
}

}  // namespace tilewright::python
