#pragma once
// The types of elements, as NumPy, DLPack and CUDA's array interface write them.
#include "tilewright/array.h"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
// Without these, nanobind takes strings and vectors for classes that nobody registered.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>

namespace tilewright::python {

constexpr const char *types_in_words =
    "uint8, uint16, uint32, uint64, int32, float16, bfloat16, float32, float64, complex64 or complex128";

// str(object).
std::string text_of(nanobind::handle object);

// The argument `name` that has to be a str. Errors: TypeError.
std::string word_of(nanobind::handle object, const std::string &name);

// The argument `name` that has to be a whole number, also one of NumPy: itself, or the nearest that fits.
// Errors: TypeError.
int64_t whole_number_of(nanobind::handle object, const std::string &name);

// TypeError and ArgumentError "NAME: WHY".
[[noreturn]] void refuse_type(const std::string &name, const std::string &why);
[[noreturn]] void refuse_value(const std::string &name, const std::string &why);

// TypeError for a call with another number of arrays, or with keywords that it does not have. nanobind's own
// text has many lines.
void check_count(const std::string &what, size_t given, size_t taken);
void refuse_others(const std::string &what, const nanobind::kwargs &others);
// The same for what takes so many arguments, `more` of which are beyond these.
void refuse_others(
    const std::string &what, size_t taken, const nanobind::args &more, const nanobind::kwargs &others);

// type(object).__name__.
std::string type_name_of(nanobind::handle object);

// "TypeError: NAME: takes TAKES, not int": the error of an argument of a wrong type.
[[noreturn]] void refuse_argument(const std::string &name, const std::string &takes, nanobind::handle object);

const char *numpy_name(Type type);      // "uint8"
const char *interface_name(Type type);  // "|u1"

// The type that NumPy names so; nothing where arrays of the library have no such type.
std::optional<Type> type_of_numpy(const std::string &name);

// The type of a name; it takes "uint8" and "u8". Errors: TypeError.
Type type_of_name(const std::string &name);

// The type of that element; nothing where arrays of the library have no such type.
std::optional<Type> type_of(nanobind::dlpack::dtype dtype);
nanobind::dlpack::dtype dlpack_type(Type type);

// numpy.dtype of the type.
const nanobind::object &numpy_type(Type type);

}  // namespace tilewright::python
