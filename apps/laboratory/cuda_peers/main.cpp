// The command line of cuda_peers: times and verifies the published kernels and functions of the CUDA
// toolkit's libraries on one CUDA device, and prints them as the runs of `tilewright bench` are printed.
// `bench --peers` starts it.
#include "apps/laboratory/cuda_peers/peers.h"
#include "apps/laboratory/cuda_peers/results.h"
#include "apps/laboratory/published_kernels/command_line.h"
#include "apps/laboratory/published_kernels/device.h"
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace peers {

namespace {

struct Options {
    std::vector<std::string> operators;
    std::string size, data, json = "-", results;
    int device = 0;
    bool list = false;
    published::Plan plan;
};

std::vector<Kernel> all_peers(std::vector<std::string> &missing) {
    std::vector<Kernel> all;
    for (Kernel &kernel : published::kernels()) {
        kernel.step = "published kernel, " + kernel.step;
        all.push_back(std::move(kernel));
    }
    for (const auto &some : {cublas_peers(missing), cufft_peers(missing), npp_peers(missing), cub_peers()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

std::vector<Size> sizes_of(const Options &options, const Kernel &kernel) {
    if (options.size.empty()) {
        return kernel.sizes;
    }
    return {published::size_of(options.size)};
}

bool is_asked(const Options &options, const std::string &op) {
    const std::vector<std::string> &asked = options.operators;
    return asked.empty() || std::find(asked.begin(), asked.end(), op) != asked.end();
}

Json run_of(const Options &options, const Kernel &kernel, Size size) {
    Json run = {{"peer", kernel.step}, {"operator", kernel.op}, {"type", kernel.type}, {"backend", "cuda"},
        {"device", "cuda:" + std::to_string(options.device)}, {"data", kernel.data(size)},
        {"width", size.width}, {"height", size.height}};
    try {
        const std::unique_ptr<published::Problem> problem = kernel.prepare(size);
        const published::Times times = published::measure(*problem, options.plan);
        const std::string wrong = problem->difference(times.calls);
        run["real_time"] = times.median;
        run["time_unit"] = "ms";
        run["iterations"] = times.batch;
        run["repetitions"] = times.repeats;
        run["batch"] = {{"median", times.median}, {"p10", times.p10}, {"p90", times.p90}};
        run["verified"] = wrong.empty();
        run["verified_by"] = "a plain loop of cuda_peers";
        run["wrong"] = wrong;
    } catch (const Failure &failure) {
        run["failed"] = failure.what();
    }
    return run;
}

void run(const Options &options) {
    std::vector<std::string> missing;
    const std::vector<Kernel> all = all_peers(missing);
    if (options.list) {
        for (const Kernel &kernel : all) {
            std::printf("%-22s %-8s %-36s %s\n", kernel.op.c_str(), kernel.type.c_str(), kernel.step.c_str(),
                kernel.takes.c_str());
        }
        return;
    }
    const published::DeviceNames device = published::use_device(options.device);
    Results results(options.json, options.results,
        {{"version", 2}, {"program", "cuda_peers"},
            {"context", {{"date", published::date()}, {"commit", PEERS_COMMIT}, {"toolkit", device.toolkit},
                            {"device_name", device.name}, {"driver", device.driver}}},
            {"missing", missing}});
    for (const Kernel &kernel : all) {
        if (!is_asked(options, kernel.op)) {
            continue;
        }
        for (const Size size : sizes_of(options, kernel)) {
            if (kernel.serves(size) && (options.data.empty() || options.data == kernel.data(size))) {
                results.add(run_of(options, kernel, size));
            }
        }
    }
    results.end();
}

int program(int argc, char **argv) {
    Results::take_signals();
    Options options;
    CLI::App line(
        "Times the published kernels, and functions of cuBLAS, cuFFT, NPP and CUB, on a CUDA device, "
        "and verifies what the timed calls computed.");
    line.add_option("operator", options.operators, "Operators (default: all)");
    line.add_option("--size", options.size, "WIDTHxHEIGHT; of vectors Nx1 (default: each peer's own sizes)");
    line.add_option("--data", options.data, "Only what has exactly this data: \"u8 8192x8192\"");
    published::add_timing(line, options.device, options.plan, "a peer");
    line.add_option("--json", options.json, "The file of the JSON (- is standard output)")
        ->capture_default_str();
    line.add_option(
        "--results", options.results, "Append each run to this file as it comes, one JSON object per line");
    line.add_flag("--list", options.list, "Only list the peers and the sizes that they take");
    line.footer(
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 4 no CUDA device, 5 out of memory. A wrong result is "
        "in the JSON.\nCtrl-C writes the JSON with what was timed until then.");
    return published::parse_and_run(line, argc, argv, [&] { run(options); });
}

}  // namespace

}  // namespace peers

int main(int argc, char **argv) {
    return published::run_program("cuda_peers", peers::program, argc, argv);
}
