#include "apps/laboratory/benchmark/benchmark_data.h"
#include "tilewright/error.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright::app {

// Errors: usage, for a pitch that is too short for the rows of an array, or no multiple of their elements.
static void check_pitch(Type type, const std::vector<int64_t> &shape, int64_t row_bytes) {
    int64_t least = (int64_t)size_of(type);
    for (size_t i = 1; i < shape.size(); i++) {
        least *= shape[i];
    }
    if (shape.size() > 1 && row_bytes != 0 &&
        (row_bytes < least || row_bytes % (int64_t)size_of(type) != 0)) {
        throw Error(Fault::usage,
            fmt::format("a row of {} ({}) needs at least {} bytes, in whole elements", name_of(type),
                fmt::join(shape, ", "), least),
            {.argument = "--row-pitch", .value = std::to_string(row_bytes)});
    }
}

Sample sample_of(const Operator &op, const BenchmarkData &data) {
    Sample sample =
        data.own ? *data.own : workload_of(op).benchmark_sample(data.type, data.size, data.settings);
    for (const Option &option : op.options()) {
        const auto given = data.settings.all().find(option.name);
        // A word in place of a number is the workload's.
        if (given != data.settings.all().end() && (given->second.index() == 0 || !option.is_number)) {
            const auto &value = given->second;
            sample.settings.set(option.name, value);
            // What the workload's words leave out.
            const std::string word = option.is_flag     ? option.name :
                                     value.index() == 0 ? fmt::format("{}", std::get<double>(value)) :
                                                          std::get<std::string>(value);
            if (sample.what.find(word) == std::string::npos) {
                sample.what += option.is_flag ? " " + word : fmt::format(" {} {}", option.name, word);
            }
        }
    }
    if (data.row_bytes != Array::padded) {
        for (const Array &input : sample.inputs) {
            check_pitch(input.type(), input.shape(), data.row_bytes);
        }
        const auto [type, shape] = op.output_of(sample.inputs, sample.settings);
        check_pitch(type, shape, data.row_bytes);
        sample.what += fmt::format(" pitch {}", data.row_bytes);
    }
    return sample;
}

}  // namespace tilewright::app
