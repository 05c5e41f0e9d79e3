#include "apps/laboratory/whole_calls/benchmarks.h"
#include "apps/tilewright/processes/subprocess.h"
#include "apps/tilewright/processes/temporary_folder.h"
#include "apps/tilewright/timing/measure.h"
#include "tilewright/error.h"
#include "tilewright/operator.h"
#include "tilewright/statistics.h"
#include "tilewright/workload.h"
#include <filesystem>
#include <fmt/format.h>
#include <sstream>

namespace tilewright::benchmarks {

namespace {

struct FirstCall {
    double start_ms = 0, first_ms = 0, second_ms = 0, modules = 0, modules_ms = 0;
};

// The first call of a process of its own, which has these variables in its environment.
FirstCall first_call(Device device, const std::string &op, std::vector<std::string> words) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    words.insert(words.end(), {program, "--device", device.str(), "--first-call", op});
    const app::Finished ran = app::run_program("/usr/bin/env", words);
    FirstCall call;
    std::istringstream numbers(ran.out);
    if (!(numbers >> call.start_ms >> call.first_ms >> call.second_ms >> call.modules >> call.modules_ms)) {
        throw Error(Fault::failed, "its process failed: " + ran.err);
    }
    return call;
}

// `environment`: words with {} for a folder, which is new, and full where `is_full`.
void time_first_call(benchmark::State &state, Device device, const std::string &op,
    const std::vector<std::string> &environment, bool is_full) {
    const app::TemporaryFolder folder;
    std::vector<std::string> words;
    for (const std::string &word : environment) {
        words.push_back(fmt::format(fmt::runtime(word), folder.path()));
    }
    if (is_full) {
        first_call(device, op, words);
    }
    time_by_hand(state, [&] {
        const FirstCall call = first_call(device, op, words);
        state.counters["start_ms"] = call.start_ms;
        state.counters["second_ms"] = call.second_ms;
        state.counters["modules"] = call.modules;
        state.counters["modules_ms"] = call.modules_ms;
        return call.first_ms;
    });
}

}  // namespace

void add_first_calls(Device device) {
    const std::vector<std::string> none = {"CUDA_CACHE_DISABLE=1", "POCL_KERNEL_CACHE=0"},
                                   kept = {"CUDA_CACHE_PATH={}", "POCL_CACHE_DIR={}"};
    const struct {
        const char *name;
        const std::vector<std::string> &environment;
        bool is_full;
    } caches[] = {{"no cache", none, false}, {"empty cache", kept, false}, {"full cache", kept, true}};
    for (const Operator *op : operators()) {
        if (op->variants("tuned", device.backend).empty()) {
            continue;
        }
        for (const auto &cache : caches) {
            add(fmt::format("first_calls/{}/512x512/{}", op->name(), cache.name),
                [device, name = op->name(), environment = cache.environment, is_full = cache.is_full](
                    benchmark::State &state) { time_first_call(state, device, name, environment, is_full); })
                ->UseManualTime()
                ->Iterations(1)
                ->Unit(benchmark::kMillisecond);
        }
    }
}

void print_first_call(Device device, const std::string &name) {
    const Operator &op = find_operator(name);
    const std::string type = op.variants("tuned", device.backend).front()->type;
    const Sample sample = workload_of(op).benchmark_sample(type, {512, 512}, {});
    const double start = app::call_ms(device, [] {});  // its end makes the context
    const auto call = [&] {
        Array output;
        op(sample.inputs, output, sample.settings, {.device = device});
        output.sync();
    };
    const double first = app::call_ms(device, call), second = app::call_ms(device, call);
    const Counters counted = counters();
    fmt::print("{} {} {} {} {}\n", start, first, second, counted.modules, counted.module_ms);
}

}  // namespace tilewright::benchmarks
