// call_benchmarks: times whole calls. See the usage below.
#include "apps/laboratory/whole_calls/benchmarks.h"
#include "apps/tilewright/command_line/version.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

namespace tilewright::benchmarks {

benchmark::internal::Benchmark *add(
    const std::string &name, const std::function<void(benchmark::State &)> &run) {
    const auto guarded = [run](benchmark::State &state) {
        try {
            run(state);
        } catch (const std::exception &error) {
            state.SkipWithError(error.what());
        }
    };
    const auto least = [](const std::vector<double> &times) {
        return *std::min_element(times.begin(), times.end());
    };
    return benchmark::RegisterBenchmark(name.c_str(), guarded)->ComputeStatistics("least", least);
}

void time_by_hand(benchmark::State &state, const std::function<double()> &iteration) {
    for (auto _ : state) {
        state.SetIterationTime(iteration() / 1000);
    }
}

namespace {

constexpr const char *usage =
    "usage: call_benchmarks [--device DEVICE] [Google Benchmark's options]\n"
    "Times many_images, and on a GPU host_calls; --benchmark_filter=^host_calls/ chooses.\n";

// The value of --device, which is taken from the words.
std::string taken_device(int &count, char **words) {
    for (int i = 1; i + 1 < count; i++) {
        if (strcmp(words[i], "--device") == 0) {
            const std::string value = words[i + 1];
            std::copy(words + i + 2, words + count, words + i);
            count -= 2;
            return value;
        }
    }
    return "cpu";
}

int run(int count, char **words) {
    const Device device = Device::parse(taken_device(count, words));
    benchmark::Initialize(&count, words);
    if (benchmark::ReportUnrecognizedArguments(count, words)) {
        fmt::print(stderr, "{}", usage);
        return 2;
    }
    const DeviceInfo &info = device_info(device);
    benchmark::AddCustomContext("program", "call_benchmarks");
    benchmark::AddCustomContext("commit", app::commit);
    benchmark::AddCustomContext("device", device.str());
    benchmark::AddCustomContext("device_name", info.name);
    benchmark::AddCustomContext("driver", info.driver);
    if (device.backend != Backend::cpu) {
        add_host_calls(device);
    }
    add_many_images(device);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

}  // namespace

}  // namespace tilewright::benchmarks

int main(int count, char **words) {
    try {
        return tilewright::benchmarks::run(count, words);
    } catch (const tilewright::Error &error) {
        fmt::print(stderr, "call_benchmarks: error: {}\n", error.what());
        return (int)error.fault();
    }
}
