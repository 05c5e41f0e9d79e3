// call_benchmarks: the time of whole calls, with warm code and data, for the sizes of small images.
//
//     call_benchmarks [--device cpu] [Google Benchmark's options]
//
// Each call writes an array that is there. On a GPU the inputs are on the device, and the time includes the
// wait for the end of the call. A name is OPERATOR/TYPE/WIDTHxHEIGHT/WHO.
#include "apps/laboratory/whole_calls/opencv.h"
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <benchmark/benchmark.h>
#include <cstring>
#include <iostream>
#include <memory>
#include <set>
#include <string>

namespace {

using namespace tilewright;

void whole_call(benchmark::State &state, const Operator &op, const Sample &sample, Device device) {
    Array output;
    for (auto _ : state) {
        op(sample.inputs, output, sample.settings, {.device = device});
        synchronize(device);
    }
}

void opencv_call(benchmark::State &state, const std::function<void()> &call) {
    for (auto _ : state) {
        call();
    }
}

void add_size(const Operator &op, const std::string &type, int64_t width, int64_t height, Device device) {
    const Workload &workload = workload_of(op);
    const Settings settings = workload.benchmark_settings(type).front();
    const auto sample =
        std::make_shared<const Sample>(workload.benchmark_sample(type, {width, height}, settings));
    const std::string name =
        op.name() + "/" + type + "/" + std::to_string(width) + "x" + std::to_string(height) + "/";
    benchmark::RegisterBenchmark((name + device.str()).c_str(), [&op, sample, device](
                                                                    benchmark::State &state) {
        whole_call(state, op, *sample, device);
    })->UseRealTime();
    if (const std::function<void()> call = opencv_peer(op.name(), sample->inputs, sample->settings)) {
        benchmark::RegisterBenchmark((name + "OpenCV").c_str(), [call](benchmark::State &state) {
            opencv_call(state, call);
        })->UseRealTime();
    }
}

void add_benchmarks(Device device) {
    for (const Operator *op : operators()) {
        std::set<std::string> types;
        for (const Row *row : op->rows("tuned", device.backend)) {
            types.insert(row->type);
        }
        for (const std::string &type : types) {
            for (const auto &[width, height] : {std::pair{1, 1}, {64, 64}, {256, 256}, {640, 480}}) {
                add_size(*op, type, width, height, device);
            }
        }
    }
}

// The value of --device, which is taken from the arguments.
std::string device_of(int &count, char **arguments) {
    for (int i = 1; i + 1 < count; i++) {
        if (strcmp(arguments[i], "--device") == 0) {
            const std::string device = arguments[i + 1];
            std::copy(arguments + i + 2, arguments + count, arguments + i);
            count -= 2;
            return device;
        }
    }
    return "cpu";
}

}  // namespace

int main(int count, char **arguments) try {
    const Device device = Device::parse(device_of(count, arguments));
    benchmark::Initialize(&count, arguments);
    if (benchmark::ReportUnrecognizedArguments(count, arguments)) {
        return 2;
    }
    add_benchmarks(device);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
} catch (const Error &error) {
    std::cerr << "call_benchmarks: " << error.what() << "\n";
    return 1;
}
