#pragma once
// Kernels that the host launches together: a graph of the CUDA driver. Not installed.
#include "runtime/devices/cuda/cuda.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::driver {

// Kernels are recorded while a thread has the graph as this_thread.graph: the hooks tell it of each launch,
// and ask it for the memory that libraries allocate on the way, which it keeps. Then complete() makes one
// launch of them, in the same order. Its kernels get other addresses where buffers are elsewhere.
class CudaGraph {
public:
    // Errors: device, when the device cannot be used.
    explicit CudaGraph(Device device) : device_(device) {}

    // Its work may be under way. What it keeps goes to the calls that follow in the same stream.
    ~CudaGraph();
    CudaGraph(const CudaGraph &) = delete;

    // For the hooks, which pass no exception on to Halide. The driver copies a kernel's arguments when it is
    // launched, and so does add_kernel().
    void add_kernel(void *function, const std::array<unsigned, 3> &grid, const std::array<unsigned, 3> &block,
        unsigned shared, void *const *arguments) noexcept;
    uint64_t take_memory(size_t bytes) noexcept;  // that was given back before; 0: there is none
    void keep_memory(uint64_t memory, size_t bytes) noexcept;
    bool give_back_memory(uint64_t memory) noexcept;  // false for memory that the graph does not keep

    // Says that kernels alone are not the call.
    void give_up() noexcept {
        is_complete_ = false;
    }

    // A buffer, of which kernels get the address or one inside it.
    struct Buffer {
        uint64_t address;
        size_t bytes;
    };

    // Ends the recording. False where the call cannot be one launch: it is none of kernels alone, or the
    // driver is older than CUDA 12.4.
    bool complete(std::span<const Buffer> buffers);

    // Launches the kernels in this thread's queue, with the buffers at these addresses, in the order that
    // complete() had them. Errors: device, memory.
    void launch(std::span<const uint64_t> addresses);

    // Gives back what it keeps of memory; the next launch takes some again.
    void let_go() noexcept;

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
    struct Block {
        uint64_t memory;
        size_t bytes;
        bool is_idle;
    };
    void take_memory_again();
    bool find_addresses(std::span<const Buffer> buffers);
    bool make();

    const Device device_;
    bool is_complete_ = true;
    std::vector<Kernel> kernels_;
    std::vector<Address> addresses_;
    std::vector<uint64_t> buffers_, now_;  // where they were at the last launch, and are
    std::vector<Block> memory_;
    void *graph_ = nullptr;  // its nodes name the kernels of the executable one
    void *executable_ = nullptr;
};

}  // namespace tilewright::driver
