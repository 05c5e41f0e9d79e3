#pragma once
#include "tilewright/operator.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>
#pragma GCC visibility push(default)

// What verifying and timing an operator needs: data, sizes, error bounds, amounts of work. Linked by the
// command line and by tests (Tilewright::workloads); a program that only calls operators has none of it.
namespace tilewright {

// Inputs and settings that a variant can be verified or timed with.
struct Sample {
    std::vector<Array> inputs;  // of the operator
    Settings settings;          // of the operator
    std::string what;           // "u8 4097x2049 sigma 3 reflect"
};

// How much work a call is, for rates in reports.
struct Work {
    double bytes = 0;  // unavoidable traffic: each input read once, each output written once
    double flops = 0;  // additions and multiplications of numbers
};

// How large random data is: pixels along x and y, and per pixel as many elements as `channels` says, where
// the operator takes images of several channels. Only the width counts for vectors.
struct DataSize {
    int64_t width = 0, height = 0, channels = 1;

    bool operator==(const DataSize &) const = default;
};

// "4096x2048", or with several channels "4096x2048x3".
std::string in_words(DataSize size);

// The data of one operator.
class Workload {
public:
    // `op` outlives it.
    explicit Workload(const Operator &op) : op_(op) {}
    virtual ~Workload() = default;
    Workload(const Workload &) = delete;

    // Samples to verify a variant's type with, the interesting sizes and settings included: each variant must
    // serve one of them. Inputs of more than 16 MiB are tried only on variants that serve no smaller sample.
    virtual std::vector<Sample> samples(const std::string &type) const = 0;

    // The sample that is timed at a size; the size and the settings that are worth a line each where the user
    // names none. Channels are for operators that takes_channels().
    virtual Sample benchmark_sample(
        const std::string &type, DataSize size, const Settings &settings) const = 0;
    virtual DataSize benchmark_size() const {
        return {8192, 8192};
    }
    // The sizes at which variants are measured so that `tuned` can choose among them at any size: small,
    // those of pictures, large, and thin in both directions; the small ones first.
    virtual std::vector<DataSize> sizes_to_measure() const;

    // Whether a type of the table has samples of several channels. As it is: no.
    virtual bool takes_channels(const std::string &) const {
        return false;
    }

    // The settings of the lines of `bench`. As it is: the defaults alone.
    virtual std::vector<Settings> benchmark_settings(const std::string &) const {
        return {{}};
    }

    // As it is: the bytes of the inputs and of the output.
    virtual Work work(std::span<const Array> inputs, const Array &output, const Settings &settings) const;

    // The absolute error that each element of the output may have against the exact result: an f64 array of
    // the output's shape; empty for equality class E (the same bytes). One number for a larger output: the
    // relative error that all of it may have in the L2 norm.
    virtual Array bound(std::span<const Array>, const Settings &) const {
        return {};
    }

    // The same for one variant, where a documented step keeps less than the others (`half`).
    virtual Array bound_of(const Variant &, std::span<const Array> inputs, const Settings &settings) const {
        return bound(inputs, settings);
    }

protected:
    const Operator &op_;
};

// The workload of an operator: its own, or, for one that has none, random images of its types and the same
// bytes.
const Workload &workload_of(const Operator &op);

// Gives the operator called `op` a workload. Before main(), from a static constructor.
using MakeWorkload = std::function<std::unique_ptr<Workload>(const Operator &)>;
void add_workload(const std::string &op, MakeWorkload make);

// Holds an output against the expected one, by a bound as Workload::bound has it; without a bound the bytes
// must be the same. The expected one has the output's type and shape, or is f64 of that shape (of a c64
// output, with one more axis of 2: real and imaginary parts). `factor` widens the bound (2 where the expected
// one is itself an approximation of the same class). Returns the first difference as a sentence, or an empty
// string.
std::string difference(const Array &actual, const Array &expected, const Array &bound, double factor = 1);

// The largest difference between a number of an output and the expected one, divided by the largest finite
// number that was expected (its absolute value). Takes what difference() takes. 0 where all numbers are the
// same; infinite where one of them is NaN or infinite and the other is not, or where the shapes differ.
double largest_error(const Array &actual, const Array &expected);

}  // namespace tilewright
#pragma GCC visibility pop
