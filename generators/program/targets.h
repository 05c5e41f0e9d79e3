#pragma once
#include <string>

namespace tilewright {

// The one place that says what a backend means to Halide. GPU libraries run their host side on any x86-64.
inline std::string target_of(const std::string &backend, const std::string &features) {
    const std::string plain = "x86-64-linux", avx2 = plain + "-sse41-avx-f16c-fma-avx2",
                      avx512 = avx2 + "-avx512-avx512_skylake",
                      vnni = avx512 + "-avx512_cannonlake-avx512_zen4";
    const std::string tail = "-no_runtime" + (features.empty() ? "" : "-" + features);
    if (backend == "cpu") {
        return avx512 + tail + "," + avx2 + tail + "," + plain + tail;
    }
    if (backend == "vnni") {
        return vnni + tail;
    }
    if (backend == "cuda") {
        return plain + "-cuda-cuda_capability_80" + tail;
    }
    return plain + "-opencl-cl_doubles" + tail;
}

}  // namespace tilewright
