// Runs the program of the peers, and reads the JSON that it prints.
#include "apps/laboratory/benchmark/cuda_peers.h"
#include "apps/tilewright/built_variants/generator_programs.h"
#include "apps/tilewright/processes/subprocess.h"
#include "apps/tilewright/terminal/json.h"
#include "apps/tilewright/terminal/printing.h"
#include "tilewright/error.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

CudaPeer peer_of(const Json &run) {
    CudaPeer peer;
    peer.name = run.at("peer").get<std::string>();
    peer.failed = run.value("failed", "");
    if (peer.failed.empty()) {
        const Json &batch = run.at("batch");
        peer.measured.batch = {
            batch.at("median").get<double>(), batch.at("p10").get<double>(), batch.at("p90").get<double>()};
        peer.measured.batch_size = run.at("iterations").get<int>();
        peer.measured.repeats = run.at("repetitions").get<int>();
        peer.verified_by = run.at("verified_by").get<std::string>();
        peer.wrong = run.at("wrong").get<std::string>();
    }
    return peer;
}

}  // namespace

std::vector<CudaPeer> cuda_peers(
    const std::string &op, const std::string &data, DataSize size, Device device, const Plan &plan) {
    const std::string program = find_program(cuda_peers_program);
    if (program.empty()) {
        return {};
    }
    const Finished ran = run_program(
        program, {op, "--data", data, "--size", fmt::format("{}x{}", size.width, size.height), "--device",
                     std::to_string(device.index), "--batch", std::to_string(plan.batch), "--repeats",
                     std::to_string(plan.repeats), "--limit", std::to_string(plan.limit_s), "--json", "-"});
    if (ran.code != 0 && ran.code != (int)Fault::mismatch) {  // the runs say which results are wrong
        throw Error(Fault::failed, fmt::format("it failed ({}): {}", ran.code, one_line(ran.err)),
            {.operation = "bench", .argument = program});
    }
    std::vector<CudaPeer> peers;
    try {
        for (const Json &run : Json::parse(ran.out).at("runs")) {
            peers.push_back(peer_of(run));
        }
    } catch (const Json::exception &error) {
        throw Error(Fault::failed,
            fmt::format("it printed other JSON than this program reads ({}); build both anew", error.what()),
            {.operation = "bench", .argument = program});
    }
    return peers;
}

}  // namespace tilewright::app
