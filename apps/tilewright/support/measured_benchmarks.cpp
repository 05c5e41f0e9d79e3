// Times of `bench --json` become a file of measurements.
#include "apps/tilewright/support/calibration.h"
#include "runtime/measured/measured.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

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
    for (const Type type : {Type::u8, Type::u16, Type::u32, Type::i32, Type::f32, Type::f64, Type::c64}) {
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
    std::nth_element(numbers.begin(), numbers.begin() + (long)numbers.size() / 2, numbers.end());
    return numbers[numbers.size() / 2];
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
        double in = 0;
        for (const Array &input : inputs) {
            in += (double)input.size() * (double)size_of(input.type());
        }
        constexpr double small = 1 << 14, large = 1 << 24;
        const double out = run.at("bytes").get<double>() - in;
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
    std::ifstream stream(path);
    Json file = Json::parse(stream, nullptr, false);
    if (!file.is_object() || !file.contains("runs") || !file.contains("context")) {
        throw Error(Fault::input, "it is no file of `tilewright bench --json`, or was cut off",
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
        info.units = device.at("units");
        info.is_gpu = device.at("is_gpu");
        return measured_on(info);
    }
    throw Error(Fault::input, "its context does not describe the device",
        {.operation = "calibrate", .argument = "--from", .value = name});
}

// Adds a run; false for what is no row of this program, or no time.
bool add(MeasuredFile &file, Copies &copies, const Json &run) {
    const std::string name = run.value("row", run.value("name", ""));  // the name of version 1
    const auto &all = operators();
    const auto op = std::find_if(all.begin(), all.end(),
        [&](const Operator *one) { return one->name() == run.at("operator").get<std::string>(); });
    const auto ms = ms_of(run);
    if (op == all.end() || !ms || !run.value("wrong", "").empty()) {
        return false;
    }
    const auto row = std::find_if((*op)->rows().begin(), (*op)->rows().end(), [&](const Row &one) {
        return one.name() == name && (one.belongs_to("tuned") || (*op)->may_stand_for_tuned(one));
    });
    if (row == (*op)->rows().end()) {
        return false;
    }
    std::vector<Array> inputs;
    for (const Json &input : run.at("inputs")) {
        inputs.push_back(array_of(input));
    }
    const auto request = (*op)->parse(inputs, settings_in(**op, run.at("settings")));
    if (!run.contains("real_time") && row->belongs_to("tuned")) {
        file.leave_out((*op)->name(), row->type, (*op)->measures(*request));
    }
    const double spread = run.contains("batch") ? run["batch"].at("p90").get<double>() / *ms - 1 : 0;
    file.add((*op)->name(), row->type, row->schedule, (*op)->measures(*request), *ms, std::max(0., spread));
    copies.add(run, inputs);
    return true;
}

}  // namespace

MeasuredFile from_benchmarks(const std::vector<std::string> &files, Json &origin) {
    std::optional<MeasuredFile> measured;
    std::string device;
    Copies copies;
    for (const std::string &path : files) {
        try {
            const Json file = read(path);
            const Json &context = file.at("context");
            for (const Json &run : file.at("runs")) {
                if (!measured) {
                    device = run.at("device");
                    measured.emplace(device_of(context, device));
                    origin = {{"date", context.at("date")}, {"tilewright", context.at("tilewright")},
                        {"commit", context.at("commit")}, {"halide", context.at("halide")},
                        {"machine", fmt::format("{} CPUs", context.at("num_cpus").get<int>())},
                        {"how", "`tilewright bench`: medians of calls in batches"}};
                }
                if (run.at("device") == device) {
                    add(*measured, copies, run);
                }
            }
        } catch (const Json::exception &error) {
            throw Error(Fault::input, fmt::format("a part is missing or of another kind ({})", error.what()),
                {.operation = "calibrate", .argument = "--from", .value = path});
        } catch (const std::logic_error &error) {  // of numbers that are none
            throw Error(Fault::input,
                fmt::format("it has words that `bench` does not write ({})", error.what()),
                {.operation = "calibrate", .argument = "--from", .value = path});
        }
    }
    if (!measured || measured->points() == 0) {
        throw Error(Fault::input, "none of the files has a time of a row of this program",
            {.operation = "calibrate", .argument = "--from"});
    }
    measured->set_copies(copies.rates());
    return std::move(*measured);
}

}  // namespace tilewright::app
