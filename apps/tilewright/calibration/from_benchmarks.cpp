// Times of `bench --json` become a file of measurements.
#include "apps/tilewright/calibration/calibration.h"
#include "apps/tilewright/verification/expected_result.h"
#include "runtime/measured/measured.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

namespace tilewright::app {

namespace {

// "u8 (480, 640, 3)" as an array whose elements nobody reads: it has no memory.
Array array_of(const std::string &described) {
    const size_t open = described.find(" (");
    std::vector<int64_t> shape;
    std::istringstream numbers(open == std::string::npos ? "" : described.substr(open + 2));
    for (std::string one; std::getline(numbers, one, ',');) {
        shape.push_back(std::stoll(one));
    }
    for (const Type type : all_types) {
        if (described.substr(0, open) == name_of(type)) {
            static std::max_align_t nothing;
            return Array::view(type, &nothing, shape);
        }
    }
    throw std::invalid_argument(described);
}

// "sigma=3 border=reflect"; numbers are those of options that are numbers.
Settings settings_in(const Operator &op, const std::string &text) {
    Settings settings;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const size_t equals = word.find('=');
        const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
        for (const Option &option : op.options()) {
            if (option.name == name && option.is_number) {
                settings.set(name, std::stod(value));
            } else if (option.name == name) {
                settings.set(name, value);
            }
        }
    }
    return settings;
}

// How long a run took. Of one that was skipped because it would take long, what `bench` expected, which is
// more than it would take.
std::optional<double> ms_of(const Json &run) {
    if (run.contains("real_time")) {
        return run.at("real_time").get<double>();
    }
    const std::string why = run.value("skipped", ""), words = "a call would take about ";
    const size_t at = why.find(words);
    return at == std::string::npos ? std::nullopt :
                                     std::optional(1000 * std::stod(why.substr(at + words.size())));
}

double median_of(std::vector<double> numbers) {
    if (numbers.empty()) {
        return 0;
    }
    std::sort(numbers.begin(), numbers.end());
    return (numbers[(numbers.size() - 1) / 2] + numbers[numbers.size() / 2]) / 2;
}

// What calls on host arrays took more than calls on arrays of the device: those are the copies.
class Copies {
public:
    void add(const Json &run, std::span<const Array> inputs) {
        if (!run.contains("host_call") || !run.contains("call")) {
            return;
        }
        const double more =
            run.at("host_call").at("median").get<double>() - run.at("call").at("median").get<double>();
        if (more <= 0) {
            return;  // on a CPU, or where the copies are less than the spread
        }
        constexpr double small = 1 << 14, large = 1 << 24;
        const double in = bytes_of(inputs), out = run.at("bytes").get<double>() - in;
        if (in + out < small) {
            few_.push_back(more / (double)(inputs.size() + 1));
        } else if (in > large && out < in / 100) {
            to_device_.push_back(in / more);
        } else if (in > large && out > in / 2) {
            both_.push_back({in, out, more});
        }
    }

    CopyRates rates() const {
        CopyRates rates = {median_of(to_device_), 0, median_of(few_)};
        std::vector<double> to_host;
        for (const auto &[in, out, more] : both_) {
            if (const double left = more - in / rates.to_device; rates.to_device > 0 && left > 0) {
                to_host.push_back(out / left);
            }
        }
        rates.to_host = to_host.empty() ? rates.to_device : median_of(to_host);
        return rates;
    }

private:
    struct Both {
        double in, out, more;
    };
    std::vector<double> few_, to_device_;
    std::vector<Both> both_;
};

Json read(const std::string &path) {
    Json file = json_in(json_text_of(path), path);
    if (!file.is_object() || !file.contains("runs") || !file.contains("context")) {
        throw Error(Fault::input,
            "it is no file of `tilewright bench --json` or `tilewright calibrate`, or was cut off",
            {.operation = "calibrate", .argument = "--from", .value = path});
    }
    return file;
}

MeasuredOn device_of(const Json &context, const std::string &name) {
    for (const Json &device : context.at("devices")) {
        if (device.at("device") != name) {
            continue;
        }
        DeviceInfo info;
        const std::string backend = name.substr(0, name.find(':'));
        info.device.backend = backend == "cuda"   ? Backend::cuda :
                              backend == "opencl" ? Backend::opencl :
                                                    Backend::cpu;
        info.name = device.at("name");
        info.platform = device.at("platform");
        info.driver = device.at("driver");
        info.units = int_of(device.at("units"));
        info.is_gpu = device.at("is_gpu");
        return measured_on(info);
    }
    throw Error(Fault::input, "its context does not describe the device",
        {.operation = "calibrate", .argument = "--from", .value = name});
}

// What is known of a row's calls of the same measures: per file one time. `expected`: what a file expected
// that did not time it, because it would take long.
struct TimesOfRow {
    std::vector<double> ms, spread;
    double expected = 0;
    size_t file = 0;  // the number of the last one that has a time
    bool is_of_family = false;
};

// The runs of one device.
class Runs {
public:
    explicit Runs(MeasuredOn device) : device_(std::move(device)) {}

    const MeasuredOn &device() const {
        return device_;
    }
    // What is no row or no call of this program, or has no time, is passed over. `file`: its number; of
    // several runs of one row and call in a file the first one counts.
    void add(const Json &run, size_t file);
    MeasuredFile file() const;

private:
    struct Call {
        std::string op, type, schedule;
        Measures measures;
        auto key() const {
            return std::tie(op, type, schedule, measures.numbers, measures.count);
        }
        bool operator<(const Call &other) const {
            return key() < other.key();
        }
    };

    MeasuredOn device_;
    std::vector<Call> order_;  // of the files, which the file of times keeps
    std::map<Call, TimesOfRow> times_;
    Copies copies_;
};

void Runs::add(const Json &run, size_t file) {
    const std::string name = run.value("row", run.value("name", ""));  // the name of version 1
    const auto &all = operators();
    const auto op = std::find_if(all.begin(), all.end(),
        [&](const Operator *one) { return one->name() == run.at("operator").get<std::string>(); });
    const auto ms = ms_of(run);
    if (op == all.end() || !ms || !run.value("wrong", "").empty()) {
        return;
    }
    const auto row = std::find_if((*op)->rows().begin(), (*op)->rows().end(), [&](const Row &one) {
        return one.name() == name && (one.belongs_to("tuned") || (*op)->may_stand_for_tuned(one));
    });
    if (row == (*op)->rows().end()) {
        return;
    }
    std::vector<Array> inputs;
    for (const Json &input : run.at("inputs")) {
        inputs.push_back(array_of(input));
    }
    std::unique_ptr<const Request> request;
    try {
        request = (*op)->parse(inputs, settings_in(**op, run.at("settings")));
    } catch (const Error &) {
        return;  // a call that this program refuses, though that of the file did not
    }
    const Call call = {(*op)->name(), row->type, row->schedule, (*op)->measures(*request)};
    const auto [at, is_new] = times_.try_emplace(call);
    TimesOfRow &times = at->second;
    if (is_new) {
        order_.push_back(call);
        times.is_of_family = row->belongs_to("tuned");
    }
    if (!run.contains("real_time")) {
        times.expected = *ms;
    } else if (times.ms.empty() || times.file != file) {
        const double spread = run.contains("batch") ? run["batch"].at("p90").get<double>() / *ms - 1 : 0;
        times.ms.push_back(*ms);
        times.spread.push_back(std::max(0., spread));
        times.file = file;
    }
    copies_.add(run, inputs);
}

MeasuredFile Runs::file() const {
    MeasuredFile file(device_);
    for (const Call &call : order_) {
        const TimesOfRow &times = times_.at(call);
        if (times.ms.empty() && times.is_of_family) {
            file.leave_out(call.op, call.type, call.measures);
        }
        file.add(call.op, call.type, call.schedule, call.measures,
            times.ms.empty() ? times.expected : median_of(times.ms), median_of(times.spread));
    }
    file.set_copies(copies_.rates());
    return file;
}

Json origin_of(const Json &context) {
    return {{"date", context.at("date")}, {"tilewright", context.at("tilewright")},
        {"commit", context.at("commit")}, {"halide", context.at("halide")},
        {"machine", fmt::format("{} CPUs", int_of(context.at("num_cpus")))},
        {"how", "`tilewright bench`: medians of calls in batches"}};
}

// Reads one file. `origin` is that of the last one, in the order of the files.
void add_file(const std::string &path, size_t number, std::optional<Runs> &runs, Json &origin,
    std::vector<std::string> &others) try {
    const Json file = read(path);
    const Json &context = file.at("context");
    for (const Json &run : file.at("runs")) {
        const MeasuredOn device = device_of(context, run.at("device"));
        if (!runs) {
            runs.emplace(device);
        }
        if (runs->device().is_same(device)) {
            origin = origin_of(context);
            runs->add(run, number);
        } else if (std::find(others.begin(), others.end(), device.text()) == others.end()) {
            others.push_back(device.text());
        }
    }
} catch (const Json::exception &error) {
    throw Error(Fault::input, fmt::format("a part is missing or of another kind ({})", error.what()),
        {.operation = "calibrate", .argument = "--from", .value = path});
} catch (const std::logic_error &error) {  // of numbers that are none
    throw Error(Fault::input, fmt::format("it has words that `bench` does not write ({})", error.what()),
        {.operation = "calibrate", .argument = "--from", .value = path});
}

}  // namespace

MeasuredFile from_benchmarks(
    const std::vector<std::string> &files, Json &origin, std::vector<std::string> &others) {
    std::optional<Runs> runs;
    for (size_t i = 0; i < files.size(); i++) {
        add_file(files[i], i, runs, origin, others);
    }
    MeasuredFile measured = runs ? runs->file() : MeasuredFile({});
    if (measured.points() == 0) {
        throw Error(Fault::input, "none of the files has a time of a row of this program",
            {.operation = "calibrate", .argument = "--from"});
    }
    return measured;
}

}  // namespace tilewright::app
