#include "python/src/arrays.h"
#include "python/src/device_arrays.h"
#include "python/src/dlpack.h"
#include "python/src/lock.h"
#include "python/src/module.h"
#include "tilewright/stream.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tilewright::python {

namespace {

// In bytes, as NumPy has them.
nb::tuple byte_strides(const Array &array) {
    nb::list strides;
    for (const int64_t stride : array.strides()) {
        strides.append(stride * (int64_t)size_of(array.type()));
    }
    return nb::tuple(strides);
}

std::vector<int64_t> shape_of(nb::handle object) {
    std::vector<int64_t> shape;
    if (!nb::try_cast(object, shape)) {
        refuse_argument("shape", "a sequence of whole numbers", object);
    }
    return shape;
}

nb::object to_numpy(const OwnArray &self) {
    {
        const Unlocked released;
        self.array.sync();
    }
    return numpy_of(self);
}

nb::object to_array(const OwnArray &self, nb::object dtype, nb::object copy) {
    const nb::object own = to_numpy(self);
    nb::object made = own;
    if (!dtype.is_none()) {
        made = made.attr("astype")(dtype, "copy"_a = false);
    }
    if (copy.is_none()) {
        return made;
    }
    const bool wanted = PyObject_IsTrue(copy.ptr()) == 1;
    if (!wanted && !made.is(own)) {
        throw nb::value_error("copy: copy=False forbids to convert the elements to another type");
    }
    return wanted && made.is(own) ? nb::object(made.attr("copy")()) : made;
}

// Version 3 of the interface. What is under way on the elements is in the legacy default stream, 1.
nb::dict cuda_array_interface(const OwnArray &self) {
    const std::optional<Device> device = self.array.newest_on();
    if (!device || device->backend != Backend::cuda) {
        throw nb::attribute_error("the newest elements are not on a CUDA device");
    }
    nb::dict fields;
    fields["shape"] = nb::tuple(nb::cast(self.array.shape()));
    fields["strides"] = byte_strides(self.array);
    fields["typestr"] = interface_name(self.array.type());
    fields["data"] = nb::make_tuple(self.array.device_memory(), self.read_only);
    fields["stream"] = 1;
    fields["version"] = 3;
    return fields;
}

OwnArray crop(const OwnArray &array, nb::handle y, nb::handle x, nb::handle height, nb::handle width,
    const nb::args &more, const nb::kwargs &others) {
    refuse_others("crop()", 4, more, others);
    return {array.array.crop(whole_number_of(y, "y"), whole_number_of(x, "x"),
                whole_number_of(height, "height"), whole_number_of(width, "width")),
        array.owner, array.read_only};
}

void sync(const OwnArray &array, nb::handle device, const nb::args &more, const nb::kwargs &others) {
    refuse_others("sync()", 1, more, others);
    const std::string word = word_of(device, "device");
    const Unlocked released;
    array.array.sync(Device::parse(word));
}

OwnArray view(nb::object object, const nb::args &more, const nb::kwargs &others) {
    refuse_others("view()", 1, more, others);
    const Argument read = read_input(object, "array", nullptr);
    if (read.stream) {  // later calls come after what it was given before
        const JoinedStream joined(*read.array.newest_on(), read.stream);
    }
    if (read.copied) {
        return {read.array, read.dense};
    }
    // The view of host memory, because its owner must not resize it: a bytearray could.
    const nb::object owner = read.view.is_valid() ? nb::cast(read.view) : nb::object(object);
    return {read.array, owner, !is_writable(object)};
}

OwnArray wrap_memory(nb::handle device, nb::handle memory, nb::handle dtype, nb::handle shape,
    nb::object owner, const nb::args &more, const nb::kwargs &others) {
    refuse_others("wrap()", 5, more, others);
    const Device on = Device::parse(word_of(device, "device"));
    const int64_t address = whole_number_of(memory, "memory");
    if (address < 0) {
        refuse_value("memory", "takes an address of the device's memory, not " + std::to_string(address));
    }
    const Type type = type_of_name(word_of(dtype, "dtype"));
    return {Array::wrap(type, on, (uint64_t)address, shape_of(shape), {}, kept(std::move(owner)))};
}

// How other libraries get the elements.
void add_protocols(nb::class_<OwnArray> &array) {
    array.def("__array__", &to_array, "dtype"_a = nb::none(), "copy"_a = nb::none())
        .def("__dlpack__", &to_dlpack, nb::kw_only(), "stream"_a = nb::none(), "max_version"_a = nb::none(),
            "dl_device"_a = nb::none(), "copy"_a = nb::none())
        .def("__dlpack_device__", [](const OwnArray &a) { return dlpack_device(a.array); })
        .def_prop_ro("__cuda_array_interface__", &cuda_array_interface)
        .def("__repr__", [](const OwnArray &a) {
            const std::string type = name_of(a.array.type());
            return std::string("<tilewright.Array ") + numpy_name(a.array.type()) +
                   a.array.describe().substr(type.size()) + " on " +
                   a.array.newest_on().value_or(Device{}).str() + ">";
        });
}

constexpr const char *words_on_view =
    R"(An array that shares the elements of a NumPy array, or of what has __dlpack__ or
__cuda_array_interface__. Where its strides do not allow that, it has a copy. A view of read-only
memory is read-only.

Returns
-------
Array

Raises
------
TypeError, ValueError
    As the functions of operators, for what is no array that they take.

Examples
--------
>>> import numpy as np, tilewright
>>> tilewright.Array.view(np.zeros((4, 6), np.uint8)).shape
(4, 6)
)";

constexpr const char *words_on_wrap = R"(An array on memory of a device that another library owns.

Parameters
----------
device : str
    Which one.
memory : int
    A CUDA pointer, or a cl_mem of the library's own context.
dtype : str
    Of its elements.
shape : sequence of int
    Of the array, whose elements have no gaps between them.
owner : object
    Is kept as long as the array.

Returns
-------
Array

Raises
------
ArgumentError, DeviceError
    For memory that is not the device's, and for a device that is not there.
)";

constexpr const char *words_on_numpy = R"(The elements as a NumPy array, brought to the host if need be.

Returns
-------
numpy.ndarray

Raises
------
DeviceError, OutOfMemoryError
    Where they cannot be brought.
)";

constexpr const char *words_on_sync = R"(Brings a device, or the host, up to date.

Returns
-------
None

Raises
------
DeviceError, OutOfMemoryError
    Where the elements cannot be brought there.
)";

constexpr const char *words_on_crop = R"(A part of an image.

Returns
-------
Array
    It shares the elements.

Raises
------
ArgumentError
    For a part that is not inside of the image.
)";

}  // namespace

void add_array(nb::module_ &module) {
    nb::class_<OwnArray> array(module, "Array",
        "An array of the library: zeros at first. What calls compute stays where it was computed, on the "
        "host or a device, until another side asks for it. Other libraries get its elements by "
        "`__array__`, `__dlpack__` and, on CUDA devices, `__cuda_array_interface__`.");
    array
        .def(
            "__init__",
            [](OwnArray *self, nb::handle shape, nb::handle dtype, const nb::args &more,
                const nb::kwargs &others) {
                refuse_others("Array()", 2, more, others);
                new (self) OwnArray{Array(type_of_name(word_of(dtype, "dtype")), shape_of(shape))};
            },
            "shape"_a = nb::none(), "dtype"_a.none() = "uint8", "more"_a, "others"_a,
            nb::sig("def __init__(self, shape: collections.abc.Sequence[int], dtype: str = 'uint8') -> None"))
        .def_static("view", &view, "array"_a = nb::none(), "more"_a, "others"_a,
            nb::sig("def view(array: object) -> Array"), words_on_view)
        .def_prop_ro("shape", [](const OwnArray &a) { return nb::tuple(nb::cast(a.array.shape())); })
        .def_prop_ro("strides", [](const OwnArray &a) { return byte_strides(a.array); })
        .def_prop_ro("dtype", [](const OwnArray &a) { return numpy_type(a.array.type()); })
        .def_prop_ro("ndim", [](const OwnArray &a) { return a.array.dimensions(); })
        .def_prop_ro("size", [](const OwnArray &a) { return a.array.size(); })
        .def_prop_ro(
            "nbytes", [](const OwnArray &a) { return a.array.size() * (int64_t)size_of(a.array.type()); })
        .def_prop_ro(
            "device", [](const OwnArray &a) { return a.array.newest_on().value_or(Device{}).str(); },
            "Where the newest elements are: cpu, cuda:0, opencl:0.")
        .def_prop_ro(
            "device_memory", [](const OwnArray &a) { return a.array.device_memory(); },
            "The CUDA pointer of the first element, or the cl_mem; 0 where the newest elements are on the "
            "host.")
        .def_static("wrap", &wrap_memory, "device"_a = nb::none(), "memory"_a = nb::none(),
            "dtype"_a = nb::none(), "shape"_a = nb::none(), "owner"_a = nb::none(), "more"_a, "others"_a,
            nb::sig("def wrap(device: str, memory: int, dtype: str, shape: "
                    "collections.abc.Sequence[int], owner: object | None = None) -> Array"),
            words_on_wrap)
        .def(
            "numpy",
            [](const OwnArray &self, const nb::args &more, const nb::kwargs &others) {
                refuse_others("numpy()", 0, more, others);
                return to_numpy(self);
            },
            "more"_a, "others"_a, nb::sig("def numpy(self) -> numpy.ndarray"), words_on_numpy)
        .def("sync", &sync, "device"_a.none() = "cpu", "more"_a, "others"_a,
            nb::sig("def sync(self, device: str = 'cpu') -> None"), words_on_sync)
        .def("crop", &crop, "y"_a = nb::none(), "x"_a = nb::none(), "height"_a = nb::none(),
            "width"_a = nb::none(), "more"_a, "others"_a,
            nb::sig("def crop(self, y: int, x: int, height: int, width: int) -> Array"), words_on_crop);
    add_protocols(array);
}

}  // namespace tilewright::python
