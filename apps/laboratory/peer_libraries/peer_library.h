#pragma once
// Functions of libraries that compute what an operator does. They are in shared objects, which `bench
// --peers` opens where they were built: so the program `tilewright` needs none of the libraries.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace peers {

struct SharedObject {
    const char *backend, *file, *libraries;
};
constexpr SharedObject shared_objects[] = {{"cpu", "opencv.so", "OpenCV"}, {"cpu", "fftw.so", "FFTW"},
    {"cpu", "openblas.so", "OpenBLAS"}, {"cuda", "published_kernels.so", "published kernels and CUB"},
    {"cuda", "cublas.so", "cuBLAS"}, {"cuda", "cufft.so", "cuFFT"}, {"cuda", "npp.so", "NPP"},
    {"cuda", "vkfft_cuda.so", "VkFFT"}, {"cuda", "cutlass.so", "CUTLASS"},
    {"opencl", "vkfft_opencl.so", "VkFFT"}};
constexpr const char *add_peers_name = "tilewright_add_peers";

// An image or matrix of the caller; a vector is one row. The elements of a row have no gaps between them.
struct PeerArray {
    void *data = nullptr;  // on a device: its CUDA pointer, or the cl_mem
    int64_t height = 1, width = 1, channels = 1;
    int64_t pitch = 0;  // bytes from a row to the next one
};

struct PeerProblem {
    std::string op, type;           // "gaussian_blur", "u8"
    std::string border, direction;  // of blurs; of transforms
    bool half = false;              // of transforms: of real values, to half of the spectrum
    double sigma = 0;               // of blurs
    void *queue = nullptr;          // on OpenCL: where calls start; on CUDA it is the context's first stream

    // Whether it is the forward transform of complex f32, which the libraries for transforms are asked for.
    bool is_forward_transform() const {
        return op == "fft2d" && type == "c64" && direction == "forward" && !half;
    }
};

// The call; on a device, it is only started. Throws std::invalid_argument where the library does not take the
// arrays, and other exceptions where it fails.
using Run = std::function<void(const std::vector<PeerArray> &inputs, const PeerArray &output)>;

struct LibraryPeer {
    std::string name;  // "OpenCV 4.6.0 transpose, 2 threads"
    double off = 0;    // how far a value may be from the definition's, where that is more than usual
    Run run;
};

// "1 thread", "2 threads".
inline std::string in_threads(int count) {
    return std::to_string(count) + (count == 1 ? " thread" : " threads");
}

// Adds the peers that compute this problem. Each shared object has it under the name add_peers_name.
using AddPeers = void(const PeerProblem &problem, std::vector<LibraryPeer> &peers);

}  // namespace peers
