#pragma once
#include <array>
#include <string>
#include <utility>

namespace tilewright {

// Which instruction sets a CPU library is built for; the machine's best one runs.
struct InstructionSets {
    bool avx512 = true, avx2 = true, oldest = true;  // oldest: plain x86-64
};

// What a backend leaves open.
struct TargetChoice {
    // CUDA: the compute capability of the oldest devices that the code is for; 80 is 8.0. The CUDA
    // instructions of a newer one than Halide knows are those of the newest that it knows.
    int capability = 80;

    // OpenCL: whether the kernels may compute with doubles. A device without them refuses such kernels.
    bool doubles = true;

    InstructionSets sets = {};

    // CPU: whether a caller may ask, by buffers without memory, for the bounds of the inputs. The runtime
    // asks variants of autoschedulers only, and the code for it is 5 % of a library.
    bool bounds_queries = true;
};

// The compute capabilities that Halide 21 writes PTX for. A device runs the PTX of every older capability.
constexpr std::array halide_capabilities = {30, 32, 35, 50, 61, 70, 75, 80, 86};

// The newest of them that is not newer than `asked`; 0 where all of them are.
inline int halide_capability(int asked) {
    int newest = 0;
    for (const int known : halide_capabilities) {
        newest = known <= asked ? known : newest;
    }
    return newest;
}

// The one place that says what a backend means to Halide. GPU libraries run their host side on any x86-64.
inline std::string target_of(
    const std::string &backend, const std::string &features, const TargetChoice &choice = {}) {
    const std::string plain = "x86-64-linux", avx2 = plain + "-sse41-avx-f16c-fma-avx2",
                      avx512 = avx2 + "-avx512-avx512_skylake",
                      vnni = avx512 + "-avx512_cannonlake-avx512_zen4";
    const bool on_cpu = backend == "cpu" || backend == "vnni";
    const std::string tail = std::string(on_cpu && !choice.bounds_queries ? "-no_bounds_query" : "") +
                             "-no_runtime" + (features.empty() ? "" : "-" + features);
    if (backend == "cpu") {
        std::string targets;
        for (const auto &[is_wanted, set] :
            {std::pair{choice.sets.avx512, avx512}, {choice.sets.avx2, avx2}, {choice.sets.oldest, plain}}) {
            targets += is_wanted ? (targets.empty() ? "" : ",") + set + tail : "";
        }
        return targets;
    }
    if (backend == "vnni") {
        return vnni + tail;
    }
    if (backend == "cuda") {
        return plain + "-cuda-cuda_capability_" + std::to_string(halide_capability(choice.capability)) + tail;
    }
    return plain + "-opencl" + (choice.doubles ? "-cl_doubles" : "") + tail;
}

}  // namespace tilewright
