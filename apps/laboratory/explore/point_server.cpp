// Builds, verifies and times one point after another.
#include "apps/laboratory/explore/point_server.h"
#include "apps/laboratory/explore/bundle.h"
#include "apps/laboratory/results/result_of_run.h"
#include "apps/tilewright/built_variants/built_variant.h"
#include "apps/tilewright/built_variants/generator_programs.h"
#include "apps/tilewright/foreign/foreign_operator.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/timing/threads.h"
#include "apps/tilewright/verification/verification.h"
#include "runtime/process/descriptor.h"
#include "tilewright/error.h"
#include "tilewright/files.h"
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

namespace tilewright::app {

namespace {

// A point that has no time, and why.
struct Failed {
    std::string reason;
    bool refused = false;  // the device had no part in it
    bool missing_tool = false;
};

class PointServer {
public:
    Json answer(const Json &task) {
        try {
            return task.contains("check") ? check(task) : measured(task);
        } catch (const Failed &failed) {
            return {{"failed", failed.reason}, {"refused", failed.refused},
                {"missing_tool", failed.missing_tool}};
        } catch (const std::exception &error) {
            return {{"failed", one_line(error.what())}};
        }
    }

private:
    static constexpr int repeat = 3;  // how often a point runs the sample that shows races

    std::optional<Bundle> bundle_;
    std::string case_;  // of the benchmark
    std::unique_ptr<Benchmark> benchmark_;
    std::map<std::pair<std::string, std::string>, Verification> verifications_;
    std::vector<std::unique_ptr<const Variant>> built_;  // kept, because caches may name them

    static const Operator &operator_of(const Json &task) {
        const auto theirs = task.find("generator");
        return theirs == task.end() ? find_operator(task["operator"]) :
                                      foreign_operator(foreign_words_of(*theirs));
    }

    Json measured(const Json &task) {
        if (const auto folder = task.find("bundle"); folder != task.end() && !bundle_) {
            bundle_ = read_bundle(*folder);
        }
        const Operator &op = operator_of(task);
        const Device device = Device::parse(task["device"]);
        const Variant &variant = variant_of(op, task);
        Benchmark &data = benchmark(op, task, device);
        if (!data.serves(variant)) {
            return {{"skipped", "it does not serve this size"}};
        }
        verify(op, variant, device);
        const Run run = data.variant(variant);
        if (!run.wrong.empty()) {
            throw Failed{"wrong result: " + one_line(run.wrong)};
        }
        return {{"line", results_line(run)}};
    }

    const Variant &variant_of(const Operator &op, const Json &task) {
        const std::string name = task["variant"];
        for (const Variant &variant : op.variants()) {
            if (variant.name() == name) {
                return task.contains("tunables") ? varied(variant, task) : own(op, &variant);
            }
        }
        throw Failed{"this program has no variant " + name};
    }

    // A generator that is not ours builds its own variants too.
    static const Variant &own(const Operator &op, const Variant *variant) try {
        const auto *theirs = dynamic_cast<const ForeignOperator *>(&op);
        return theirs ? theirs->loaded(*variant) : *variant;
    } catch (const Error &error) {
        throw Failed{error.what(), true};
    }

    const Variant &varied(const Variant &variant, const Json &task) try {
        const TunableValues values = tunables_of(task["tunables"].get<std::string>());
        built_.push_back(built_variant(variant, values));
        return *built_.back();
    } catch (const MissingTool &error) {
        throw Failed{error.what(), true, true};
    } catch (const Error &error) {
        throw Failed{error.what(), true};
    }

    void verify(const Operator &op, const Variant &variant, Device device) {
        const auto [at, is_new] =
            verifications_.try_emplace(std::pair(op.name(), variant.type), op, variant.type, repeat);
        const Result result = at->second.run(variant, device);
        if (result.verdict == Verdict::wrong) {
            throw Failed{"wrong result: " + result.why};
        }
        if (result.verdict == Verdict::failed) {
            throw Failed{result.why};
        }
    }

    Benchmark &benchmark(const Operator &op, const Json &task, Device device) {
        const std::string name = op.name() + task["data"].dump() + device.str();
        if (name != case_) {
            benchmark_.reset();  // frees its data before there is more
            Plan plan;
            plan.limit_s = task["limit"];
            benchmark_ = std::make_unique<Benchmark>(op, data_of(task["data"]), device, plan);
            case_ = name;
        }
        return *benchmark_;
    }

    static Json check(const Json &task) {
        constexpr int64_t side = 256;
        const Operator &op = find_operator(task["operator"]);
        const Device device = Device::parse(task["check"]);
        const std::string type = op.variants().front().type;
        const Sample sample = workload_of(op).benchmark_sample(
            type, {side, side}, workload_of(op).benchmark_settings(type).front());
        Array output = spoiled_output(op, sample);
        op(sample.inputs, output, sample.settings, {.device = device});
        output.sync();
        if (const std::string wrong = difference(output, expect(op, sample, device.backend));
            !wrong.empty()) {
            throw Failed{wrong};
        }
        return Json::object();
    }
};

Json settings_json(const Settings &settings) {
    Json json = Json::object();
    for (const auto &[name, value] : settings.all()) {
        std::visit([&, name = name](const auto &known) { json[name] = known; }, value);
    }
    return json;
}

Settings settings_of(const Json &json) {
    Settings settings;
    for (const auto &[name, value] : json.items()) {
        if (value.is_number()) {
            settings.set(name, value.get<double>());
        } else {
            settings.set(name, value.get<std::string>());
        }
    }
    return settings;
}

}  // namespace

Json data_json(const BenchmarkData &data, const std::vector<std::string> &inputs) {
    Json json = {{"type", data.type}, {"width", data.size.width}, {"height", data.size.height},
        {"channels", data.size.channels}, {"row_bytes", data.row_bytes},
        {"settings", settings_json(data.settings)}};
    if (data.own) {
        json["own"] = {
            {"inputs", inputs}, {"settings", settings_json(data.own->settings)}, {"what", data.own->what}};
    }
    return json;
}

BenchmarkData data_of(const Json &json) {
    BenchmarkData data{json["type"], {json["width"], json["height"], json.value("channels", 1)},
        settings_of(json["settings"]), {}, json["row_bytes"]};
    if (const auto own = json.find("own"); own != json.end()) {
        Sample sample{{}, settings_of((*own)["settings"]), (*own)["what"]};
        for (const Json &file : (*own)["inputs"]) {
            sample.inputs.push_back(read_array(file.get<std::string>()));
        }
        data.own = std::move(sample);
    }
    return data;
}

void serve_points() {
    // Drivers may print to standard output; what they print goes where errors go.
    const Descriptor answers(dup(STDOUT_FILENO));
    dup2(STDERR_FILENO, STDOUT_FILENO);
    pin_threads();
    PointServer server;
    for (std::string line; std::getline(std::cin, line);) {
        const std::string text =
            server.answer(Json::parse(line)).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
        if (!write_all(answers, text)) {
            return;  // the search ended
        }
    }
}

}  // namespace tilewright::app
