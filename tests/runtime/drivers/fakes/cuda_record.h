#pragma once
// What the fake libcuda.so.1 was asked to do.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fake_cuda {

constexpr int devices = 3;  // compute capability 9.0, 8.0 and, too old for the libraries, 7.0

struct Launch {
    int device;
    std::array<unsigned, 3> grid, block;
    unsigned shared_bytes;
    const void *stream;  // null: the context's first one
};

// A stream that waits for what another one was given.
struct Order {
    const void *before, *after;
    size_t launches;  // so many were made until then
};

// A launch of a graph: of each of its kernels the arguments of 8 bytes, addresses among them, and
// the first 8 bytes of larger ones.
struct GraphLaunch {
    const void *stream;
    std::vector<std::vector<uint64_t>> kernels;
    int lanes = 0;  // kernels that wait for no other one
    int early = 0;  // those that may start before the one in front of them has ended
};

struct Record {
    std::vector<std::vector<int>> module_options;  // of each module load: the JIT options' numbers
    std::vector<std::string> module_text;          // and its PTX
    std::vector<bool> module_is_cubin;             // and whether it was compiled already
    int modules = 0;                               // that were loaded and not unloaded
    std::vector<int> module_device;                // and the device of the context it was loaded into
    std::vector<Launch> launches;
    std::vector<GraphLaunch> graph_launches;
    int graphs = 0;                  // that were made and not destroyed
    int changed_nodes = 0;           // how often a kernel of a graph got other arguments
    std::vector<int> shared_limits;  // each cuFuncSetAttribute of a kernel's shared memory
    std::array<int, devices> contexts{}, copies_to_device{}, copies_to_host{}, allocations{};
    std::array<int, devices> released{};
    std::vector<size_t> allocation_bytes;
    std::array<size_t, devices> bytes_held{};
    std::vector<const void *> copy_streams;  // of each copy from or to the host
    int streams = 0, stream_waits = 0;       // made, and waited for (the first stream, too)
    std::map<const void *, size_t> locked;   // host memory whose pages are locked: its bytes
    std::vector<Order> orders;
    int locks = 0;            // how often that was done
    int wrong_context = 0;    // calls with memory, modules or kernels of another context than the current one
    int too_much_shared = 0;  // launches over the limit that the kernel has
};

}  // namespace fake_cuda
