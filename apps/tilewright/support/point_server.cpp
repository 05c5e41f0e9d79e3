// Builds, verifies and times one point after another.
#include "apps/tilewright/support/point_server.h"
#include "apps/tilewright/support/built_row.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/run_json.h"
#include "apps/tilewright/support/threads.h"
#include "apps/tilewright/support/verification.h"
#include "tilewright/error.h"
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace tilewright::app {

namespace {

// A point that has no time, and why.
struct Failed {
    std::string reason;
    bool refused = false;
};

class PointServer {
public:
    Json answer(const Json &task) {
        try {
            return task.contains("check") ? check(task) : Json{{"line", measured(task)}};
        } catch (const Failed &failed) {
            return {{"failed", failed.reason}, {"refused", failed.refused}};
        } catch (const std::exception &error) {
            return {{"failed", one_line(error.what())}};
        }
    }

private:
    static constexpr int repeat = 3;  // how often a point runs the sample that shows races

    std::string case_;  // of the benchmark
    std::unique_ptr<Benchmark> benchmark_;
    std::map<std::pair<std::string, std::string>, Verification> verifications_;
    std::vector<std::unique_ptr<const Row>> built_;  // kept, because caches may name them

    Json measured(const Json &task) {
        const Operator &op = find_operator(task["operator"]);
        const Device device = Device::parse(task["device"]);
        const Row &row = row_of(op, task);
        verify(op, row, device);
        const Run run = benchmark(op, task, device).row(row);
        if (!run.wrong.empty()) {
            throw Failed{"wrong result: " + one_line(run.wrong)};
        }
        return results_line(run);
    }

    const Row &row_of(const Operator &op, const Json &task) {
        const std::string name = task["row"];
        for (const Row &row : op.rows()) {
            if (row.name() == name) {
                return task.contains("tunables") ? varied(row, task) : row;
            }
        }
        throw Failed{"this program has no row " + name};
    }

    const Row &varied(const Row &row, const Json &task) try {
        const TunableValues values = tunables_of(task["tunables"].get<std::string>());
        if (!task.contains("library")) {
            built_.push_back(built_row(row, values));
        } else {
            built_.push_back(loaded_row(row, values, needs_of(task["needs"]), task["library"]));
        }
        return *built_.back();
    } catch (const Error &error) {
        throw Failed{error.what(), true};
    }

    void verify(const Operator &op, const Row &row, Device device) {
        const auto [at, is_new] =
            verifications_.try_emplace(std::pair(op.name(), row.type), op, row.type, repeat);
        const Result result = at->second.run(row, device);
        if (result.verdict == Verdict::wrong) {
            throw Failed{"wrong result: " + result.why};
        }
        if (result.verdict == Verdict::failed) {
            throw Failed{result.why};
        }
    }

    Benchmark &benchmark(const Operator &op, const Json &task, Device device) {
        const std::string type = task["type"];
        const Size size = {task["width"], task["height"]};
        const std::vector<Settings> settings = workload_of(op).benchmark_settings(type);
        const size_t setting = task["setting"];
        const std::string name =
            fmt::format("{} {} {}x{} {} {}", op.name(), type, size.first, size.second, setting, device.str());
        if (name != case_) {
            benchmark_.reset();  // frees its data before there is more
            Plan plan;
            plan.limit_s = task["limit"];
            benchmark_ = std::make_unique<Benchmark>(
                op, BenchmarkData{type, size, settings.at(setting)}, device, plan);
            case_ = name;
        }
        return *benchmark_;
    }

    static Json check(const Json &task) {
        constexpr int64_t side = 256;
        const Operator &op = find_operator(task["operator"]);
        const Device device = Device::parse(task["check"]);
        const std::string type = op.rows().front().type;
        const Sample sample = workload_of(op).benchmark_sample(
            type, side, side, workload_of(op).benchmark_settings(type).front());
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

}  // namespace

Json needs_json(const Row::Needs &needs) {
    return {{"threads", needs.threads}, {"shared_bytes", needs.shared_bytes},
        {"capability", needs.capability}, {"fp64", needs.fp64}, {"images", needs.images},
        {"half", needs.half}, {"avx2", needs.avx2}};
}

Row::Needs needs_of(const Json &json) {
    return {.threads = json["threads"],
        .shared_bytes = json["shared_bytes"],
        .capability = json["capability"],
        .fp64 = json["fp64"],
        .images = json["images"],
        .half = json["half"],
        .avx2 = json["avx2"]};
}

void serve_points() {
    // Drivers may print to standard output; what they print goes where errors go.
    const int answers = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    pin_threads();
    PointServer server;
    for (std::string line; std::getline(std::cin, line);) {
        const std::string text =
            server.answer(Json::parse(line)).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
        for (size_t done = 0; done < text.size();) {
            const ssize_t written = write(answers, text.data() + done, text.size() - done);
            if (written <= 0) {
                return;  // the search ended
            }
            done += (size_t)written;
        }
    }
}

}  // namespace tilewright::app
