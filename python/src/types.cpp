#include "python/src/types.h"
#include "runtime/errors/plain_text.h"
#include "runtime/process/immortal.h"
#include "tilewright/error.h"
#include <algorithm>
#include <array>

namespace nb = nanobind;

namespace tilewright::python {

namespace {

using Code = nb::dlpack::dtype_code;

struct Names {
    const char *numpy, *interface;
    Code code;
};

constexpr Names names[] = {{"uint8", "|u1", Code::UInt}, {"uint16", "<u2", Code::UInt},
    {"uint32", "<u4", Code::UInt}, {"uint64", "<u8", Code::UInt}, {"int32", "<i4", Code::Int},
    {"float32", "<f4", Code::Float}, {"float64", "<f8", Code::Float}, {"complex64", "<c8", Code::Complex},
    {"float16", "<f2", Code::Float}, {"bfloat16", "<V2", Code::Bfloat},
    {"complex128", "<c16", Code::Complex}};

}  // namespace

std::string text_of(nb::handle object) {
    return nb::cast<std::string>(nb::steal(PyObject_Str(object.ptr())));
}

std::string word_of(nb::handle object, const std::string &name) {
    if (!PyUnicode_Check(object.ptr())) {
        refuse_argument(name, "a word", object);
    }
    Py_ssize_t length = 0;
    const char *text = PyUnicode_AsUTF8AndSize(object.ptr(), &length);
    if (!text) {  // half of a surrogate pair
        PyErr_Clear();
        refuse_type(name, "takes a word that can be encoded as UTF-8");
    }
    return {text, (size_t)length};
}

int64_t whole_number_of(nb::handle object, const std::string &name) {
    if (!PyIndex_Check(object.ptr()) || PyBool_Check(object.ptr())) {
        refuse_argument(name, "a whole number", object);
    }
    const Py_ssize_t number = PyNumber_AsSsize_t(object.ptr(), nullptr);
    if (number == -1 && PyErr_Occurred()) {
        throw nb::python_error();
    }
    return number;
}

// A TypeError of one line; what a caller gave may have several.
[[noreturn]] static void refuse(const std::string &why) {
    throw nb::type_error(plain_text(why, ' ').c_str());
}

void refuse_type(const std::string &name, const std::string &why) {
    refuse(name + ": " + why);
}

void refuse_value(const std::string &name, const std::string &why) {
    throw Error(Fault::usage, why, {.argument = name});
}

std::string type_name_of(nb::handle object) {
    return text_of(nb::object(object.type().attr("__name__")));
}

void check_count(const std::string &what, size_t given, size_t taken) {
    if (given != taken) {
        refuse(what + " takes " + std::to_string(taken) + (taken == 1 ? " array" : " arrays") + ", not " +
               std::to_string(given));
    }
}

void refuse_others(const std::string &what, const nb::kwargs &others) {
    for (const auto &[name, value] : others) {
        refuse(what + " takes no argument '" + text_of(name) + "'");
    }
}

void refuse_others(const std::string &what, size_t taken, const nb::args &more, const nb::kwargs &others) {
    if (!more.empty()) {
        refuse(what + " takes " + std::to_string(taken) + (taken == 1 ? " argument" : " arguments") +
               ", not " + std::to_string(taken + more.size()));
    }
    refuse_others(what, others);
}

void refuse_argument(const std::string &name, const std::string &takes, nb::handle object) {
    refuse_type(name, "takes " + takes + ", not " + type_name_of(object));
}

const char *numpy_name(Type type) {
    return names[(size_t)type].numpy;
}

const char *interface_name(Type type) {
    return names[(size_t)type].interface;
}

template<typename Condition>
static std::optional<Type> first_type(Condition condition) {
    const auto found = std::find_if(std::begin(all_types), std::end(all_types), condition);
    return found == std::end(all_types) ? std::nullopt : std::optional(*found);
}

std::optional<Type> type_of_numpy(const std::string &name) {
    return first_type([&](Type type) { return name == numpy_name(type); });
}

Type type_of_name(const std::string &name) {
    const auto has_name = [&](Type type) { return name == numpy_name(type) || name == name_of(type); };
    if (const std::optional<Type> type = first_type(has_name)) {
        return *type;
    }
    refuse_type("dtype", std::string("takes ") + types_in_words + ", not " + name);
}

std::optional<Type> type_of(nb::dlpack::dtype dtype) {
    return first_type([&](Type type) {
        const nb::dlpack::dtype known = dlpack_type(type);
        return dtype.code == known.code && dtype.bits == known.bits && dtype.lanes == 1;
    });
}

nb::dlpack::dtype dlpack_type(Type type) {
    return {(uint8_t)names[(size_t)type].code, (uint8_t)(8 * size_of(type)), 1};
}

const nb::object &numpy_type(Type type) {
    auto &types = immortal([] { return std::array<nb::object, std::size(all_types)>(); });
    nb::object &known = types[(size_t)type];
    if (!known.is_valid()) {
        if (type == Type::bf16) {
            nb::module_::import_("ml_dtypes");  // makes the name known to NumPy
        }
        known = nb::module_::import_("numpy").attr("dtype")(numpy_name(type));
    }
    return known;
}

}  // namespace tilewright::python
