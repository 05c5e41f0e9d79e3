#pragma once
#include "tilewright/array.h"
#include "tilewright/error.h"
#include "tilewright/row.h"
#include "tilewright/statistics.h"
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tilewright {

// The values of an operator's own options, by name ("sigma", "border", "output-type").
class Settings {
public:
    Settings() = default;
    Settings(std::initializer_list<std::pair<const std::string, std::variant<double, std::string>>> values) : values_(values) {
    }
    void set(const std::string &name, std::variant<double, std::string> value) {
        values_[name] = std::move(value);
    }
    bool has(const std::string &name) const {
        return values_.count(name) != 0;
    }
    double number(const std::string &name, double otherwise) const;
    std::string text(const std::string &name, const std::string &otherwise) const;
    const std::map<std::string, std::variant<double, std::string>> &all() const {
        return values_;
    }

private:
    std::map<std::string, std::variant<double, std::string>> values_;
};

// An option of an operator, as the command line offers it.
struct Option {
    std::string name, help;
    bool is_number = false;
    std::string value;                 // the default, as text
    std::vector<std::string> choices;  // for words: what it takes
    std::string unit = {};             // for numbers: "m" for lengths, which may be written with a suffix ("532nm")
    std::string example = {};          // for options without a default: what examples give
    bool is_flag = false;              // for words: given without a value, which is then "yes"
};

// What a caller should know of a call besides its result.
struct Remarks {
    std::vector<std::pair<std::string, std::string>> facts;  // name and value, for statistics
    std::vector<std::string> warnings;                       // one line each
};

// How and where to run: `device` unset is the best one; `schedule` is a row's name or a family's ("tuned" is the best row
// for the data).
struct Call {
    std::optional<Device> device;
    std::string schedule = "tuned";
    Statistics *statistics = nullptr;
    const std::vector<Row> *rows = nullptr;  // what to choose from; unset: all the operator's rows
};

// Inputs and settings that a row can be verified or timed with.
struct Sample {
    std::vector<Array> inputs;
    Settings settings;
    std::string what;  // "u8 4097x2049 sigma 3 reflect"
};

// How much work a call is, for rates in reports.
struct Work {
    double bytes = 0;  // unavoidable traffic: each input read once, each output written once
    double flops = 0;
};

// An operator: its table of rows, and the front that checks arguments and hands them to the row that serves them.
class Operator {
public:
    virtual ~Operator() = default;

    virtual std::string name() const = 0;
    virtual std::string summary() const = 0;                 // one line
    virtual const std::vector<Row> &rows() const = 0;
    virtual int inputs() const {
        return 1;
    }
    // One more array that a call may end its inputs with: on the command line an option that takes a file's name.
    virtual std::optional<Option> optional_input() const {
        return {};
    }
    virtual std::vector<Option> options() const {
        return {};
    }

    // The settings of a call whose result goes to a file of that kind ("png", "npy"), where they leave open what depends on it.
    virtual Settings settings_for(const std::string &, std::span<const Array>, const Settings &settings) const {
        return settings;
    }

    // The type name of the table for these arguments ("u8", "rgb8" ...). Errors: input, when the operator does not take them
    // (wrong type, shape or number); usage, when a setting is wrong.
    virtual std::string type_of(std::span<const Array> inputs, const Settings &settings) const = 0;

    // Type and shape of the output. Called after type_of.
    virtual std::pair<Type, std::vector<int64_t>> output_of(std::span<const Array> inputs, const Settings &settings) const = 0;

    // Refuses values that the operator does not take (NaN, where it means nothing). May look at each element: called once a call, last of
    // all checks. Errors: input.
    virtual void check_values(std::span<const Array>, const Settings &) const {
    }

    // Whether a row can run on these arguments (alignment, sizes). Called for rows of the right type and backend.
    virtual bool serves(const Row &, std::span<const Array>, const Array &, const Settings &) const {
        return true;
    }

    // Runs the row. Everything was checked before.
    virtual void run(const Row &row, Device device, std::span<const Array> inputs, Array &output, const Settings &settings) const = 0;

    // What is worth saying of these arguments. Called after type_of.
    virtual Remarks remarks(std::span<const Array>, const Settings &) const {
        return {};
    }

    // An image whose last channel is alpha, as the operator takes it, and its result as such an image of `type` again.
    // Identity, unless the operator mixes pixels: then colours are multiplied by alpha before the call, and divided after it.
    virtual Array premultiplied(const Array &image) const {
        return image;
    }
    virtual Array unpremultiplied(const Array &image, Type) const {
        return image;
    }

    // The absolute error that each element of the output may have against the exact result: an f64 array of the output's
    // shape; empty for equality class E (the same bytes). One number for a larger output: the relative error that all of it may
    // have in the L2 norm.
    virtual Array bound(std::span<const Array>, const Settings &) const {
        return {};
    }

    // The same for one row, where a documented step keeps less than the others (`half`).
    virtual Array bound_of(const Row &, std::span<const Array> inputs, const Settings &settings) const {
        return bound(inputs, settings);
    }

    // Samples to verify a row's type with, the interesting sizes and settings included: each row must serve one of them. Inputs of more than
    // 16 MiB are tried only on rows that serve no smaller sample. And one sample to time at w x h.
    virtual std::vector<Sample> samples(const std::string &type) const = 0;
    virtual Sample benchmark_sample(const std::string &type, int64_t w, int64_t h, const Settings &settings) const = 0;
    virtual std::pair<int64_t, int64_t> benchmark_size() const {
        return {8192, 8192};
    }
    // The settings that are worth a line each in a benchmark (for example sigmas).
    virtual std::vector<Settings> benchmark_settings(const std::string &) const {
        return {{}};
    }
    virtual Work work(std::span<const Array> inputs, const Array &output, const Settings &settings) const;

    // The call: checks everything, makes `output` if it is empty, takes the row and runs it.
    // Errors: usage (unknown schedule or setting), input, device, memory; each names operator, argument and value.
    void operator()(std::span<const Array> inputs, Array &output, const Settings &settings = {}, const Call &call = {}) const;

    // The row that the call above would run, out of `rows` if they are given. Errors: as above.
    const Row &choose(std::span<const Array> inputs, const Array &output, const Settings &settings, const std::string &schedule,
                      Device device, const std::vector<Row> *rows = nullptr) const;

    // The rows that a schedule names on a device's backend, in the table's order.
    std::vector<const Row *> rows(const std::string &schedule, Backend backend) const;

protected:
    [[noreturn]] void refuse(Fault fault, const std::string &message, const std::string &argument, const std::string &value) const;
};

// Every operator that is linked in (by Tilewright::operators). Never empty.
const std::vector<const Operator *> &operators();

// The operator called `name`. Errors: usage, with the known names.
const Operator &find_operator(const std::string &name);

// Holds an output against the expected one, by a bound as Operator::bound has it; without a bound the bytes must be the same. The expected
// one has the output's type and shape, or is f64 of that shape (of a c64 output, with one more axis of 2: real and imaginary parts).
// `factor` widens the bound (2 where the expected one is itself an approximation of the same class). Returns the first difference as a
// sentence, or an empty string.
std::string difference(const Array &actual, const Array &expected, const Array &bound, double factor = 1);

}  // namespace tilewright
