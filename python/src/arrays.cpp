#include "python/src/arrays.h"
#include "python/src/device_arrays.h"
#include "python/src/exchange.h"
#include "python/src/layout.h"
#include "python/src/lock.h"
#include "runtime/process/immortal.h"
#include "tilewright/error.h"
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace tilewright::python {

namespace {

const nb::object &numpy() {
    return immortal([] { return nb::object(nb::module_::import_("numpy")); });
}

PyTypeObject *type_of_arrays() {
    static auto *const type = (PyTypeObject *)nb::object(numpy().attr("ndarray")).release().ptr();
    return type;
}

bool is_numpy(nb::handle object) {
    return Py_TYPE(object.ptr()) == type_of_arrays();
}

// The same or of a class that is derived from it, as numpy.memmap is.
bool is_derived(nb::handle object) {
    return PyType_IsSubtype(Py_TYPE(object.ptr()), type_of_arrays()) != 0;
}

// Of NumPy's subclasses this one, and those of it, have values that an operator would not see.
void refuse_masked(nb::handle object, const std::string &name) {
    if (is_derived(object) && nb::isinstance(object, numpy().attr("ma").attr("MaskedArray"))) {
        refuse_type(name, "a masked array's mask would be ignored; give it the array of filled values");
    }
}

// Of PyTorch's tensors, those that record what is done with them: the result would have no gradient, without
// a word; and those whose memory holds the conjugates or the negatives of their elements.
void refuse_deferred(nb::handle object, const std::string &name, bool writable) {
    if (!nb::hasattr(object, "requires_grad")) {
        return;
    }
    if (!writable && nb::cast<bool>(object.attr("requires_grad"))) {
        refuse_type(name, "it requires a gradient, and calls compute none; give it its detach()");
    }
    for (const auto &[question, cure] :
        {std::pair{"is_conj", "resolve_conj()"}, {"is_neg", "resolve_neg()"}}) {
        if (nb::hasattr(object, question) && nb::cast<bool>(object.attr(question)())) {
            refuse_type(name, std::string("its memory does not hold its values yet (") + question +
                                  "() is true); give it its " + cure);
        }
    }
}

[[noreturn]] void refuse(nb::handle object, const std::string &name, bool writable) {
    std::string type = type_name_of(object);
    std::string advice;
    if (nb::hasattr(object, "dtype") || PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) {
        const std::string elements =
            nb::hasattr(object, "dtype") ? " of " + text_of(nb::object(object.attr("dtype"))) : "";
        std::string other = elements.find("complex") != std::string::npos ? "complex64" :
                            elements == " of bool"                        ? "uint8" :
                                                                            "float32";
        if (elements.starts_with(" of >")) {  // the other order of bytes: the same type in this machine's
            const std::string name = text_of(nb::object(object.attr("dtype").attr("name")));
            other = type_of_numpy(name) ? name : other;
        }
        type += elements;
        advice = "; dtype=\"" + other + "\" converts it";
    }
    refuse_type(name, std::string("takes ") + (writable ? "a writable array" : "an array") + " of " +
                          types_in_words + ", not " + type + (writable ? "" : advice));
}

// What nanobind reads an array on the host from. A buffer becomes a memoryview, because some (those of
// ctypes) have no strides of their own. A library's own capsule is asked for here, so that it can be taken
// only once, and what the library says against giving it is not lost.
nb::object readable(nb::handle object, const std::string &name) {
    if (is_numpy(object)) {
        return nb::borrow(object);
    }
    if (PyObject_CheckBuffer(object.ptr())) {
        if (nb::object view = nb::steal(PyMemoryView_FromObject(object.ptr())); view.is_valid()) {
            return view;
        }
        PyErr_Clear();  // released, or with elements that no view has
        return nb::borrow(object);
    }
    if (const ExchangeTable *table = exchange_of(object)) {
        if (nb::object capsule = capsule_of(*table, object); capsule.is_valid()) {
            return capsule;
        }
    }
    if (!nb::hasattr(object, "__dlpack__")) {
        return nb::borrow(object);
    }
    const nb::object give = object.attr("__dlpack__");
    try {
        try {
            nb::dict newest;
            newest["max_version"] = nb::make_tuple(1, 1);
            return call_function(give, nb::tuple(), newest);
        } catch (nb::python_error &error) {
            if (!error.matches(PyExc_TypeError)) {
                throw;
            }
        }
        return call_function(give, nb::tuple());  // of before version 1
    } catch (nb::python_error &error) {
        nb::raise_from(error, PyExc_TypeError, "%s: its library does not give its elements: %s", name.c_str(),
            text_of(error.value()).c_str());
    }
}

// The array that a view in host memory is; empty where it has to be copied first. Errors: TypeError.
template<typename View>
Array in_place(const View &view, nb::handle object, const std::string &name, bool writable) {
    const std::optional<Type> type = type_of(view.dtype());
    if (!type) {
        refuse(object, name, writable);
    }
    Layout layout = Layout::of(view, name);
    if (layout.shape.empty() || layout.shape.size() > 8) {
        refuse_value(name, "takes 1 to 8 dimensions, not " + std::to_string(layout.shape.size()));
    }
    const size_t alignment = is_complex(*type) ? size_of(*type) / 2 : size_of(*type);
    if (!layout.has_dense_rows() || (uintptr_t)view.data() % alignment != 0) {
        return {};
    }
    return Array::view(*type, const_cast<void *>(static_cast<const void *>(view.data())),
        std::move(layout.shape), std::move(layout.strides));
}

// NumPy's view of what another library has on the host.
nb::object as_numpy(nb::handle object) {
    return is_numpy(object) || !nb::hasattr(object, "__dlpack__") ? numpy().attr("asarray")(object) :
                                                                    numpy().attr("from_dlpack")(object);
}

// Whether an array of NumPy has elements of a type that is taken, at strides that are no whole numbers of
// elements: a field of packed structures, of which nanobind makes no view.
bool has_strides_between_elements(nb::handle object) {
    if (!is_derived(object)) {
        return false;
    }
    const nb::object dtype = object.attr("dtype");
    if (!nb::cast<bool>(dtype.attr("isnative")) || !type_of_numpy(text_of(nb::object(dtype.attr("name"))))) {
        return false;
    }
    const auto size = nb::cast<int64_t>(dtype.attr("itemsize"));
    for (const nb::handle stride : nb::tuple(nb::object(object.attr("strides")))) {
        if (nb::cast<int64_t>(stride) % size != 0) {
            return true;
        }
    }
    return false;
}

Array view_of_numpy(nb::handle dense) {
    return in_place(nb::cast<nb::ndarray<>>(dense), dense, "copy", false);
}

// NumPy asks for huge pages for arrays of so many bytes, and PyTorch does not: writing them the first time
// takes a third of the time (numpy/_core/src/multiarray/alloc.c).
constexpr int64_t huge_pages_from = 4 << 20;

int64_t bytes_of(Type type, const std::vector<int64_t> &shape) {
    int64_t bytes = (int64_t)size_of(type);
    for (const int64_t n : shape) {
        bytes *= n;
    }
    return bytes;
}

void check_host(int device_type, const std::string &name) {
    if (device_type != nb::device::cpu::value && device_type != nb::device::cuda_host::value) {
        refuse_type(name, "its memory is on a device of another kind; bring it to the host first");
    }
}

[[noreturn]] void refuse_read_only(const std::string &name) {
    refuse_type(name, "takes a writable array, and it is read-only");
}

// Reads an argument that is the library's own array, or an array on a CUDA device. False for others, which
// are in host memory; what would lose something there is refused. Errors: TypeError, and those of wrap().
bool is_read(Argument &read, const std::string &name, void *stream, bool writable) {
    const nb::handle object = read.given;
    if (nb::isinstance<OwnArray>(object)) {
        const auto &own = nb::cast<const OwnArray &>(object);
        if (writable && own.read_only) {
            refuse_read_only(name);
        }
        read.kind = Argument::Kind::own;
        read.array = own.array;
        return true;
    }
    if (is_numpy(object)) {
        return false;
    }
    refuse_deferred(object, name, writable);
    if (const std::optional<OnCuda> place = on_cuda(object)) {
        read.kind = Argument::Kind::cuda;
        read.stream = stream ? stream : stream_of(object, place->index);
        read.array = wrap(object, *place, name, stream, writable);
        return true;
    }
    refuse_masked(object, name);
    read.kind = Argument::Kind::host;
    return false;
}

// Whether it is an array of NumPy whose elements are bfloat16 of ml_dtypes, which NumPy gives by no protocol:
// that of a derived class is not asked for them.
bool has_bfloats(nb::handle object) {
    return is_derived(object) && text_of(nb::object(object.attr("dtype"))) == "bfloat16";
}

nb::object bits_of(nb::handle bfloats) {
    return bfloats.attr("view")("uint16");
}

// What was read of the bits of an array of bfloat16, as that array.
Argument of_bfloats(Argument bits, nb::handle object) {
    bits.given = nb::borrow(object);
    if (bits.copied) {
        bits.dense = bits.dense.attr("view")(object.attr("dtype"));
    }
    const Array &array = bits.array;
    void *const data = const_cast<void *>(static_cast<const void *>(array.data()));
    bits.array = Array::view(Type::bf16, data, array.shape(), array.strides());
    return bits;
}

}  // namespace

Argument read_input(nb::handle object, const std::string &name, void *stream) {
    Argument read;
    read.given = nb::borrow(object);
    if (is_read(read, name, stream, false)) {
        return read;
    }
    const bool has_no_protocol = !is_numpy(object) && has_bfloats(object);
    if (has_no_protocol || !nb::try_cast(readable(object, name), read.view)) {
        if (has_no_protocol || has_bfloats(object)) {
            return of_bfloats(read_input(bits_of(object), name, stream), object);
        }
        if (has_no_protocol || !has_strides_between_elements(object)) {
            refuse(object, name, false);
        }
    } else {
        check_host(read.view.device_type(), name);
        read.array = in_place(read.view, object, name, false);
    }
    if (read.array.empty()) {
        read.copied = true;
        nb::dict how;
        how["order"] = "C";
        how["copy"] = true;
        read.dense = call_function(numpy().attr("array"), nb::make_tuple(as_numpy(object)), how);
        read.array = view_of_numpy(read.dense);
    }
    return read;
}

Argument read_output(nb::handle object, void *stream) {
    Argument read;
    read.given = nb::borrow(object);
    if (is_read(read, "out", stream, true)) {
        return read;
    }
    nb::ndarray<> view;
    const bool has_no_protocol = !is_numpy(object) && has_bfloats(object);
    const nb::object from = has_no_protocol ? nb::none() : readable(object, "out");
    if (has_no_protocol || !nb::try_cast(from, view)) {
        if (has_no_protocol || has_bfloats(object)) {
            return of_bfloats(read_output(bits_of(object), stream), object);
        }
        if (nb::ndarray<nb::ro> seen; nb::try_cast(from, seen) && type_of(seen.dtype())) {
            refuse_read_only("out");
        }
        if (!has_strides_between_elements(object)) {
            refuse(object, "out", true);
        }
        if (!nb::cast<bool>(as_numpy(object).attr("flags").attr("writeable"))) {
            refuse_read_only("out");
        }
    } else {
        check_host(view.device_type(), "out");
        read.array = in_place(view, object, "out", true);
    }
    if (read.array.empty()) {
        read.copied = true;
        nb::object own = as_numpy(object);
        read.dense = numpy().attr("empty")(own.attr("shape"), own.attr("dtype"));
        read.array = view_of_numpy(read.dense);
    }
    read.view = nb::ndarray<nb::ro>(view);
    return read;
}

void write_back(const Argument &output) {
    if (output.copied) {
        call_function(numpy().attr("copyto"), nb::make_tuple(as_numpy(output.given), output.dense));
    }
}

bool is_writable(nb::handle object) {
    try {
        read_output(object, nullptr);
        return true;
    } catch (const nb::builtin_exception &) {
        return false;
    } catch (const nb::python_error &) {
        return false;
    }
}

Argument new_output(Type type, const std::vector<int64_t> &shape, const Argument &like) {
    Argument made;
    if (like.kind == Argument::Kind::own) {
        made.kind = Argument::Kind::own;
        made.array = Array::uninitialized(type, shape);
        made.given = nb::cast(OwnArray{made.array});
        return made;
    }
    const bool has_numpy_type = type != Type::bf16 || is_derived(like.given);
    if (like.kind == Argument::Kind::host && (!has_numpy_type || bytes_of(type, shape) < huge_pages_from)) {
        if (nb::object empty = empty_like(like.given, type, shape); empty.is_valid()) {
            return read_output(empty, nullptr);
        }
    }
    if (like.kind == Argument::Kind::cuda || !has_numpy_type) {
        if (nb::object empty = empty_like(like.given, type, shape); empty.is_valid()) {
            return read_output(empty, like.stream);
        }
        made.kind = Argument::Kind::own;
        made.array = Array::uninitialized(type, shape, 0);
        made.given = nb::cast(OwnArray{made.array});
        return made;
    }
    const nb::object &empty = immortal([] { return nb::object(numpy().attr("empty")); });
    return read_output(empty(nb::tuple(nb::cast(shape)), numpy_type(type)), nullptr);
}

nb::object result_of(const Argument &output, const Argument &like) {
    if (output.kind == like.kind || is_derived(like.given)) {
        return output.given;
    }
    nb::object library = library_of(like.given);
    if (library.is_valid() && nb::hasattr(library, "from_dlpack")) {
        return library.attr("from_dlpack")(output.given);
    }
    return output.given;
}

nb::object numpy_of(const OwnArray &own) {
    auto *kept = new OwnArray(own);
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<OwnArray *>(p); });
    Array &array = kept->array;
    const std::vector<size_t> shape(array.shape().begin(), array.shape().end());
    const int64_t *strides = array.strides().data();
    const nb::dlpack::dtype type = dlpack_type(array.type());
    if (own.read_only || array.is_wrapped()) {  // the host does not write another library's memory
        return nb::cast(nb::ndarray<nb::numpy, nb::ro>(
            std::as_const(array).data(), shape.size(), shape.data(), owner, strides, type));
    }
    return nb::cast(nb::ndarray<nb::numpy>(array.data(), shape.size(), shape.data(), owner, strides, type));
}

}  // namespace tilewright::python
