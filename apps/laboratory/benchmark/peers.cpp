// The peers: plain loops, those of shared objects, and a copy.
#include "apps/laboratory/benchmark/peers.h"
#include "apps/laboratory/benchmark/plain_loops.h"
#include "apps/tilewright/timing/threads.h"
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <thread>

namespace tilewright::app {

std::vector<Peer> peers_of(
    const Operator &op, const std::string &type, const Settings &settings, Device device) {
    std::vector<Peer> peers;
    if (device.backend == Backend::cpu && has_plain_loop(op.name(), settings)) {
        const bool is_rounded = type.starts_with("u") || type.starts_with("rgb");  // otherwise, by blurs
        peers.push_back({"plain loop, 1 thread", true,
            [name = op.name()](
                const Sample &sample, Array &output) { return plain_loop(name, sample, output); },
            is_rounded ? 1. : 0.});
    }
    for (Peer &peer : library_peers(op, type, settings, device)) {
        peers.push_back(std::move(peer));
    }
    return peers;
}

Peer copy_of(const Work &work) {
    const int threads = (int)std::thread::hardware_concurrency();
    const size_t share = (size_t)(work.bytes / 2) / (size_t)threads + 1;
    const auto from = std::make_shared<std::vector<char>>(share * (size_t)threads, 1);
    const auto to = std::make_shared<std::vector<char>>(share * (size_t)threads);
    return {fmt::format("memcpy of the same traffic, {} thread{}", threads, threads == 1 ? "" : "s"), false,
        [=](const Sample &, Array &) {
            return [=] {
                parallel(threads, [&](int i) {
                    memcpy(to->data() + share * (size_t)i, from->data() + share * (size_t)i, share);
                });
            };
        }};
}

}  // namespace tilewright::app
