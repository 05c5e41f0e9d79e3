#pragma once
#include "tilewright/operator.h"
#include <optional>
#include <span>
#include <string>

// What operators are defined to compute, as plain loops that share nothing with fronts, libraries and tables. The command line and
// the tests hold results against them; other programs have no need to link them.
namespace tilewright {

// The exact result of a call that the operator takes (type_of() was asked).
// Class E: of the output's type and shape, to be compared byte for byte. Class B: f64 of the output's shape, to be compared within
// Workload::bound(); where the output is c64, f64 with one more axis of 2, the real and the imaginary part. difference() takes both.
// `backend` is where the row ran: some definitions depend on it (on CUDA, f32 denormals count as 0).
using PlainDefinition = Array (*)(std::span<const Array> inputs, const Settings &settings, Backend backend);

// By the definition that is registered for the operator's name; nothing where none is.
std::optional<Array> plain_result(const Operator &op, std::span<const Array> inputs, const Settings &settings,
                                  Backend backend = Backend::cpu);

// Registers the definition of an operator, in place of an older one. Those of the operators that were built with this library,
// plain/OP.cpp, are there from the start. Errors: usage, for a null pointer.
void add_plain_definition(const std::string &op, PlainDefinition definition);

}  // namespace tilewright
