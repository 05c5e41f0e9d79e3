// Computes what outputs should be, by plain definitions and by variants of the CPU.
#include "apps/tilewright/verification/expected_result.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "tilewright/plain.h"
#include <cstring>

namespace tilewright::app {

double bytes_of(std::span<const Array> arrays) {
    double bytes = 0;
    for (const Array &array : arrays) {
        bytes += (double)array.size() * (double)size_of(array.type());
    }
    return bytes;
}

Array spoiled_output(const Operator &op, const Sample &sample, int64_t row_bytes) {
    const auto [type, shape] = op.output_of(sample.inputs, sample.settings);
    Array output(type, shape, row_bytes);
    auto *bytes = static_cast<unsigned char *>(output.data());
    const int64_t pitch = output.strides()[0] * (int64_t)size_of(type);
    const int64_t row = output.size() / shape[0] * (int64_t)size_of(type);
    for (int64_t y = 0; y < shape[0]; y++) {
        memset(bytes + y * pitch, 0xa5, (size_t)row);
    }
    return output;
}

const Variant *cpu_variant(const Operator &op, const std::string &schedule, const std::string &type) {
    for (const Variant *variant : op.variants(schedule, Backend::cpu)) {
        if (variant->type == type && !variant->needs_vnni) {
            return variant;
        }
    }
    return nullptr;
}

bool serves(const Operator &op, const Variant &variant, const Sample &sample, const Array &output) {
    return op.type_of(sample.inputs, sample.settings) == variant.type &&
           op.serves(variant, sample.inputs, output, sample.settings);
}

Expected expect(const Operator &op, const Variant &variant, const Sample &sample) {
    Expected expected;
    expected.output = spoiled_output(op, sample);
    op.run(variant, Device{}, sample.inputs, expected.output, sample.settings);
    expected.output.sync();
    expected.bound = workload_of(op).bound(sample.inputs, sample.settings);
    expected.variant = &variant;
    return expected;
}

std::optional<Expected> expect_plain(const Operator &op, const Sample &sample, Backend backend) {
    std::optional<Array> exact = plain_result(op, sample.inputs, sample.settings, backend);
    return exact ? std::optional(Expected{
                       std::move(*exact), workload_of(op).bound(sample.inputs, sample.settings), nullptr}) :
                   std::nullopt;
}

std::optional<Expected> expect_any(const Operator &op, const Sample &sample, Backend backend) {
    if (std::optional<Expected> exact = expect_plain(op, sample, backend)) {
        return exact;
    }
    const Variant *reference = cpu_variant(op, "reference", op.type_of(sample.inputs, sample.settings));
    return reference ? std::optional(expect(op, *reference, sample)) : std::nullopt;
}

Expected expect(const Operator &op, const Sample &sample, Backend backend) {
    if (std::optional<Expected> expected = expect_any(op, sample, backend)) {
        return *expected;
    }
    throw Error(Fault::failed,
        "there is neither a plain definition nor a reference variant for " +
            op.type_of(sample.inputs, sample.settings) + ", so there is nothing to compare results with",
        {.operation = op.name()});
}

std::string difference(const Array &output, const Expected &expected) {
    return tilewright::difference(output, expected.output, expected.bound, expected.variant ? 2 : 1);
}

std::string source_of(const Expected &expected) {
    return expected.variant ? "its reference variant; no plain definition is registered" :
                              "the plain definition";
}

std::string check_result(const Operator &op, const Sample &sample, const Array &output, Device device,
    const std::string &variant) {
    Expected expected = expect(op, sample, device.backend);
    if (const Variant *ran = variant_called(op, variant)) {
        expected.bound = workload_of(op).bound_of(*ran, sample.inputs, sample.settings);
    }
    const std::string wrong = difference(output, expected);
    if (!wrong.empty()) {
        throw Error(Fault::mismatch, wrong + "; nothing was written",
            {.operation = op.name(), .device = device.str()});
    }
    return source_of(expected);
}

}  // namespace tilewright::app
