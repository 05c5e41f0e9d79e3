#pragma once
// Runs single variants and compares their outputs with the right ones, for `verify`, `bench`, `doctor` and
// `--check`.
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <optional>
#include <span>
#include <string>

namespace tilewright::app {

// The output that a variant should give, and how far a variant may differ from it.
struct Expected {
    Array output;
    Array bound;
    const Variant *variant = nullptr;  // the variant that computed it; null: the plain definition did, which
                                       // is exact
};

// How many bytes the elements of the arrays have, without gaps between rows.
double bytes_of(std::span<const Array> arrays);

// A new output for the sample, filled with bytes that no operator would leave there by accident. `row_bytes`:
// as Array has it; a vector is dense.
Array spoiled_output(const Operator &op, const Sample &sample, int64_t row_bytes = Array::padded);

// The variant of that schedule that runs on the CPU with this type, or none.
const Variant *cpu_variant(const Operator &op, const std::string &schedule, const std::string &type);

// Whether the variant can run on this sample.
bool serves(const Operator &op, const Variant &variant, const Sample &sample, const Array &output);

// Runs `variant` on the CPU.
Expected expect(const Operator &op, const Variant &variant, const Sample &sample);

// What a variant on that backend should give, by the operator's plain definition; nothing where none is
// registered.
std::optional<Expected> expect_plain(const Operator &op, const Sample &sample, Backend backend);

// The same, or where none is registered, by the reference variant of its type; nothing where there is
// neither. expect() ends then: Errors: failed; those of the variant.
std::optional<Expected> expect_any(const Operator &op, const Sample &sample, Backend backend);
Expected expect(const Operator &op, const Sample &sample, Backend backend);

// The first difference as a sentence, or an empty string. The plain definition is exact, so the bound is
// allowed once. A variant that is compared with is itself an approximation within the bound, so twice the
// bound is allowed.
std::string difference(const Array &output, const Expected &expected);

// "the plain definition", or "its reference variant; no plain definition is registered".
std::string source_of(const Expected &expected);

// Compares the output of a variant, which is given by its name, on a device with what it should be. Returns
// what it was compared with. Errors: mismatch, with the first difference; those of expect().
std::string check_result(
    const Operator &op, const Sample &sample, const Array &output, Device device, const std::string &variant);

}  // namespace tilewright::app
