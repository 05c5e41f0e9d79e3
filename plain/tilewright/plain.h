#pragma once
#include "tilewright/operator.h"
#include <optional>
#include <span>
#include <string>

// The definitions of operators as plain loops, which share nothing with fronts, libraries and tables. The
// command line and the tests compare results with theirs; other programs do not need them.
namespace tilewright {

// Computes the exact result of a call that the operator takes (type_of() was asked).
// For results of class E: an array of the output's type and shape, to be compared byte for byte. Of class B:
// f64 of the output's shape, to be compared within Workload::bound(); where the output is c64, f64 with one
// more axis of 2, the real and the imaginary part. difference() takes both. `backend` is the one that the
// variant ran on: some definitions depend on it (on CUDA, f32 denormals count as 0). Of an operator with
// separate channels it gets each channel of an image (h, w, c) as an image (h, w).
using PlainDefinition = Array (*)(std::span<const Array> inputs, const Settings &settings, Backend backend);

// The exact result of a call, by the definition that is registered for the operator's name; nothing where
// there is none. Errors: those of Array::data(), and of the definition.
std::optional<Array> plain_result(const Operator &op, std::span<const Array> inputs, const Settings &settings,
    Backend backend = Backend::cpu);

// Registers the definition of an operator, in place of an older one. The definitions of the operators that
// were built with this library, plain/OP.cpp, are registered from the start. Errors: usage, for a null
// pointer.
void add_plain_definition(const std::string &op, PlainDefinition definition);

}  // namespace tilewright
