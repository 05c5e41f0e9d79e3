#pragma once
// Functions of libraries on the CPU that compute what an operator does. They are a shared object of their
// own, which `bench --peers` opens where it was built: so the program `tilewright` needs none of the
// libraries.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace peers {

constexpr const char *host_peers_file = "host_peers.so";
constexpr const char *add_host_peers_name = "tilewright_add_host_peers";

// An image or matrix of the caller; a vector is one row. The elements of a row have no gaps between them.
struct HostArray {
    void *data = nullptr;
    int64_t height = 1, width = 1, channels = 1;
    int64_t pitch = 0;  // bytes from a row to the next one
};

struct HostProblem {
    std::string op, type;           // "gaussian_blur", "u8"
    std::string border, direction;  // of blurs; of transforms
    double sigma = 0;               // of blurs
};

struct HostPeer {
    std::string name;  // "OpenCV 4.6.0 transpose, 2 threads"
    double off = 0;    // how far an integer may be from the definition's
    std::function<void(const std::vector<HostArray> &inputs, const HostArray &output)> run;
};

// "1 thread", "2 threads".
inline std::string in_threads(int count) {
    return std::to_string(count) + (count == 1 ? " thread" : " threads");
}

// Adds the peers that compute this problem. The shared object has it under the name add_host_peers_name.
using AddHostPeers = void(const HostProblem &problem, std::vector<HostPeer> &peers);

void add_opencv_peers(const HostProblem &problem, std::vector<HostPeer> &peers);
void add_fftw_peers(const HostProblem &problem, std::vector<HostPeer> &peers);

}  // namespace peers
