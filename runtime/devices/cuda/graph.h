#pragma once
// Kernels that the host launches together: a graph of the CUDA driver. Not installed.
#include "runtime/devices/calls/recorded_kernels.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::driver {

// The kernels that a thread launches while it has the graph as this_thread.graph. complete() makes one launch
// of them, unless the driver is older than CUDA 12.4.
class CudaGraph final : public RecordedKernels {
public:
    explicit CudaGraph(Device device);
    ~CudaGraph() override;

    // For the hook, which passes no exception on to Halide. The driver copies a kernel's arguments when it is
    // launched, and so does this.
    void add_kernel(void *function, const std::array<unsigned, 3> &grid, const std::array<unsigned, 3> &block,
        unsigned shared, void *const *arguments) noexcept;

private:
    // CUDA_KERNEL_NODE_PARAMS.
    struct Call {
        void *function;
        unsigned grid[3], block[3], shared;
        void **arguments, **extra;
    };
    struct Kernel {
        Call call;
        std::vector<std::byte> values;  // of the arguments, one behind the other
        std::vector<void *> arguments;  // where each value begins
        std::vector<size_t> words;      // where those of 8 bytes begin in `values`
        void *node = nullptr;
        bool is_changed = false;
    };
    // An argument that is an address in a buffer.
    struct Address {
        size_t kernel, at;  // the value's first byte in `values`
        size_t buffer;
        uint64_t offset;
    };
    uint64_t allocated(size_t bytes) override;
    bool make(std::span<const Buffer> buffers) override;
    void start(std::span<const uint64_t> addresses) override;
    bool find_addresses(std::span<const Buffer> buffers);
    bool make_in_order(bool early);

    std::vector<Kernel> kernels_;
    std::vector<Address> addresses_;
    std::vector<uint64_t> buffers_;  // where they were at the last launch
    void *graph_ = nullptr;          // its nodes name the kernels of the executable one
    void *executable_ = nullptr;
};

}  // namespace tilewright::driver
