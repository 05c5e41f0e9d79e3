// The peers: plain loops, OpenBLAS where it was found, those of shared objects, and a copy.
#include "apps/laboratory/benchmark/peers.h"
#include "apps/laboratory/benchmark/peer_libraries.h"
#include "apps/laboratory/benchmark/plain_loops.h"
#include "apps/tilewright/timing/threads.h"
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <thread>

#ifdef TILEWRIGHT_OPENBLAS
extern "C" {
void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
    const float *a, int a_pitch, const float *b, int b_pitch, float beta, float *c, int c_pitch);
int openblas_get_num_threads();
}
#endif

namespace tilewright::app {

namespace {

#ifdef TILEWRIGHT_OPENBLAS
void openblas(const Sample &sample, Array &output) {
    constexpr int row_major = 101, as_it_is = 111;
    const Array &a = sample.inputs[0], &b = sample.inputs[1];
    cblas_sgemm(row_major, as_it_is, as_it_is, (int)a.shape()[0], (int)b.shape()[1], (int)a.shape()[1], 1,
        a.as<float>(), (int)a.strides()[0], b.as<float>(), (int)b.strides()[0], 0, output.as<float>(),
        (int)output.strides()[0]);
}
#endif

}  // namespace

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
#ifdef TILEWRIGHT_OPENBLAS
    if (device.backend == Backend::cpu && op.name() == "matmul" && type == "f32") {
        peers.push_back({fmt::format("OpenBLAS, {} threads", openblas_get_num_threads()), true,
            [](const Sample &sample, Array &output) { return [&] { openblas(sample, output); }; }});
    }
#endif
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

std::vector<std::string> missing_peers(Backend backend) {
    std::vector<std::string> missing = missing_libraries(backend);
#ifndef TILEWRIGHT_OPENBLAS
    if (backend == Backend::cpu) {
        missing.push_back("OpenBLAS: it was not there when this program was built");
    }
#endif
    return missing;
}

}  // namespace tilewright::app
