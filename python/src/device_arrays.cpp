#include "python/src/device_arrays.h"
#include "python/src/exchange.h"
#include "python/src/layout.h"
#include "python/src/lock.h"
#include "runtime/process/immortal.h"
#include <array>
#include <nanobind/ndarray.h>
#include <type_traits>

namespace nb = nanobind;
using namespace nb::literals;

namespace tilewright::python {

namespace {

constexpr int dlpack_cuda = 2, dlpack_cuda_managed = 13;

// Whether stream_of() and empty_like() know the library.
bool is_known(const std::string &root) {
    return root == "torch" || root == "cupy";
}

// "torch" of torch.Tensor and of types that are derived from it, "cupy" of cupy.ndarray; empty for others.
std::string root_of(nb::handle object) {
    for (const nb::handle type : nb::borrow<nb::tuple>(object.type().attr("__mro__"))) {
        const std::string module = text_of(nb::object(type.attr("__module__")));
        if (const std::string root = module.substr(0, module.find('.')); is_known(root)) {
            return root;
        }
    }
    return "";
}

[[noreturn]] void refuse_elements(const std::string &name, const std::string &type) {
    refuse_type(name, std::string("takes elements of ") + types_in_words + ", not " + type);
}

[[noreturn]] void refuse_gaps(const std::string &name) {
    refuse_value(name, "on a GPU the elements of a row must be contiguous; make the array contiguous first");
}

Array checked_wrap(
    const std::string &name, Type type, int index, uint64_t memory, Layout layout, nb::handle object) {
    if (!layout.has_dense_rows()) {
        refuse_gaps(name);
    }
    return Array::wrap(type, {Backend::cuda, index}, memory, std::move(layout.shape),
        std::move(layout.strides), kept(nb::borrow(object)));
}

// The caller of wrap() waits for the stream of a library that says which one it is. Of the others, and for a
// stream of the program, the library itself brings the elements in order with that stream.
nb::object capsule_of(nb::handle object, void *stream) {
    if (const ExchangeTable *table = stream ? nullptr : exchange_of(object)) {
        if (nb::object capsule = capsule_of(*table, object); capsule.is_valid()) {
            return capsule;
        }
    }
    constexpr int64_t legacy = 1, no_wait = -1;
    const int64_t waiting = stream ? (int64_t)(intptr_t)stream : is_known(root_of(object)) ? no_wait : legacy;
    return object.attr("__dlpack__")("stream"_a = waiting, "max_version"_a = nb::make_tuple(1, 1));
}

// Read-only arrays are refused here by nanobind: it takes no read-only memory for an ndarray<> that may be
// written.
template<typename View>
Array wrap_dlpack(nb::handle object, int index, const std::string &name, void *stream) {
    View view;
    if (!nb::try_cast(capsule_of(object, stream), view)) {
        refuse_type(name, std::is_same_v<View, nb::ndarray<>> ? "takes a writable array" :
                                                                "its __dlpack__() gives no array");
    }
    const int kind = view.device_type();
    if ((kind != dlpack_cuda && kind != dlpack_cuda_managed) || view.device_id() != index) {
        refuse_type(name, "its __dlpack__() gives memory of another device than __dlpack_device__() says");
    }
    const std::optional<Type> type = type_of(view.dtype());
    if (!type) {
        refuse_elements(
            name, nb::hasattr(object, "dtype") ? text_of(nb::object(object.attr("dtype"))) : "another type");
    }
    return checked_wrap(name, *type, index, (uint64_t)view.data(), Layout::of(view, name), object);
}

// What an object says of itself by the CUDA array interface.
nb::dict interface_of(nb::handle object) {
    nb::dict fields;
    if (!nb::try_cast(nb::object(object.attr("__cuda_array_interface__")), fields)) {
        throw nb::type_error("__cuda_array_interface__ must be a dict");
    }
    return fields;
}

template<typename T>
T field_of(const nb::dict &fields, const char *field, const std::string &name) {
    T value = {};
    if (!fields.contains(field)) {
        refuse_type(name, std::string("its __cuda_array_interface__ has no ") + field);
    }
    if (!nb::try_cast(nb::object(fields[field]), value)) {
        refuse_type(name, std::string("its __cuda_array_interface__ has something else as ") + field);
    }
    return value;
}

Array wrap_interface(nb::handle object, int index, const std::string &name, bool writable) {
    const nb::dict fields = interface_of(object);
    const auto [memory, read_only] = field_of<std::pair<uint64_t, bool>>(fields, "data", name);
    if (writable && read_only) {
        refuse_type(name, "takes a writable array");
    }
    if (fields.contains("mask") && !fields["mask"].is_none()) {
        refuse_type(name, "its mask would be ignored; give it the array of filled values");
    }
    Layout layout = Layout::dense(field_of<std::vector<int64_t>>(fields, "shape", name));
    layout.check(memory != 0, name);
    const auto written = field_of<std::string>(fields, "typestr", name);
    for (const Type type : all_types) {
        if (written != interface_name(type)) {
            continue;
        }
        if (fields.contains("strides") && !fields["strides"].is_none()) {
            layout.strides = field_of<std::vector<int64_t>>(fields, "strides", name);
            if (layout.strides.size() != layout.shape.size()) {
                refuse_value(name, "its __cuda_array_interface__ has not as many strides as axes");
            }
            for (int64_t &stride : layout.strides) {
                if (stride % (int64_t)size_of(type) != 0) {  // a field of packed structures
                    refuse_gaps(name);
                }
                stride /= (int64_t)size_of(type);
            }
        }
        return checked_wrap(name, type, index, memory, std::move(layout), object);
    }
    refuse_elements(name, written);
}

}  // namespace

std::shared_ptr<const void> kept(nb::object object) {
    return {object.release().ptr(), [](PyObject *held) {
                if (nb::is_alive()) {
                    const Locked locked;
                    Py_XDECREF(held);
                }
            }};
}

std::optional<OnCuda> on_cuda(nb::handle object) {
    std::optional<std::pair<int, int>> place;
    if (const ExchangeTable *table = exchange_of(object)) {
        place = place_of(*table, object);
    }
    if (!place && nb::hasattr(object, "__dlpack_device__")) {
        place.emplace();
        if (!nb::try_cast(nb::object(object.attr("__dlpack_device__")()), *place)) {
            throw nb::type_error("__dlpack_device__() must return the kind of a device and its number");
        }
    }
    if (place) {
        const auto [kind, index] = *place;
        const bool cuda = kind == dlpack_cuda || kind == dlpack_cuda_managed;
        return cuda ? std::optional<OnCuda>({index, true}) : std::nullopt;
    }
    // The interface does not say the device. Memory of XLA (tilewright.jax) says it as `cuda_device`; of
    // others it is taken as device 0.
    if (nb::hasattr(object, "__cuda_array_interface__")) {
        OnCuda first = {0, false};
        if (nb::hasattr(object, "cuda_device") &&
            !nb::try_cast(nb::object(object.attr("cuda_device")), first.index)) {
            throw nb::type_error("cuda_device must be the number of a device");
        }
        return first;
    }
    return {};
}

void *stream_of(nb::handle object, int index) {
    if (const ExchangeTable *table = exchange_of(object)) {
        return stream_of(*table, index);
    }
    const std::string root = root_of(object);
    uintptr_t stream = 0;
    if (root == "torch") {
        stream = nb::cast<uintptr_t>(
            nb::module_::import_("torch").attr("cuda").attr("current_stream")(index).attr("cuda_stream"));
    } else if (root == "cupy") {
        stream = nb::cast<uintptr_t>(
            nb::module_::import_("cupy").attr("cuda").attr("get_current_stream")().attr("ptr"));
    } else if (nb::hasattr(object, "__cuda_array_interface__")) {
        const nb::dict fields = interface_of(object);
        if (fields.contains("stream") && !fields["stream"].is_none()) {
            stream = field_of<uintptr_t>(fields, "stream", "an input");
        }
    }
    return reinterpret_cast<void *>(stream);
}

Array wrap(nb::handle object, OnCuda place, const std::string &name, void *stream, bool writable) {
    return !place.dlpack ? wrap_interface(object, place.index, name, writable) :
           writable      ? wrap_dlpack<nb::ndarray<>>(object, place.index, name, stream) :
                           wrap_dlpack<nb::ndarray<nb::ro>>(object, place.index, name, stream);
}

// PyTorch's name of a type of elements; looked up once, because that takes as long as a small call.
static const nb::object &torch_type(Type type) {
    auto &types = immortal([] { return std::array<nb::object, std::size(all_types)>(); });
    nb::object &known = types[(size_t)type];
    if (!known.is_valid()) {
        known = nb::module_::import_("torch").attr(numpy_name(type));
    }
    return known;
}

nb::object empty_like(nb::handle object, Type type, const std::vector<int64_t> &shape) {
    const std::string root = root_of(object);
    if (root == "torch") {
        return object.attr("new_empty")(nb::tuple(nb::cast(shape)), "dtype"_a = torch_type(type));
    }
    if (root == "cupy") {
        nb::object device = object.attr("device"), made;
        device.attr("__enter__")();
        try {
            made = nb::module_::import_("cupy").attr("empty")(nb::tuple(nb::cast(shape)), numpy_name(type));
        } catch (...) {
            device.attr("__exit__")(nb::none(), nb::none(), nb::none());
            throw;
        }
        device.attr("__exit__")(nb::none(), nb::none(), nb::none());
        return made;
    }
    return {};
}

nb::object library_of(nb::handle object) {
    if (nb::hasattr(object, "__array_namespace__")) {
        return object.attr("__array_namespace__")();
    }
    return root_of(object) == "torch" ? nb::object(nb::module_::import_("torch")) : nb::object();
}

}  // namespace tilewright::python
