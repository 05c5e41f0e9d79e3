#pragma once
// The kernels of a plan, recorded while it runs, so that the host starts them again without the libraries.
// Not installed.
#include "tilewright/device.h"
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::driver {

class MemoryPool;

// While a thread records (this_thread), the hooks of its backend tell of each launch, and ask for the memory
// that libraries allocate on the way, which is kept. Then complete() says whether the kernels alone are the
// plan, and launch() starts them in the same order. They get other addresses where buffers are elsewhere.
class RecordedKernels {
public:
    // A buffer, of which kernels get the address or one inside it. On OpenCL it is a cl_mem, which has no
    // addresses inside: one byte.
    struct Buffer {
        uint64_t address;
        size_t bytes;
    };

    // Its work may be under way. What it keeps goes to the calls that follow in the same queue.
    virtual ~RecordedKernels() = default;
    RecordedKernels(const RecordedKernels &) = delete;

    // For the hooks, which pass no exception on to Halide.
    uint64_t take_memory(size_t bytes) noexcept;  // that was given back before; 0: there is none
    void keep_memory(uint64_t memory, size_t bytes) noexcept;
    bool give_back_memory(uint64_t memory) noexcept;  // false for memory that is not kept here
    void lose_memory(uint64_t memory) noexcept;       // it gets another owner; gives up

    // Says that kernels alone are not the plan.
    void give_up() noexcept {
        is_complete_ = false;
    }

    // Ends the recording. False where the kernels cannot be started again.
    bool complete(std::span<const Buffer> buffers);

    // Starts the kernels in this thread's queue, with the buffers at these addresses, in the order that
    // complete() had them. Errors: device, memory.
    void launch(std::span<const uint64_t> addresses);

    // Gives back what it keeps of memory; the next launch takes some again.
    void let_go() noexcept;

protected:
    RecordedKernels(Device device, MemoryPool &pool) : device_(device), pool_(pool) {}

    // Memory of the device. Errors: memory.
    virtual uint64_t allocated(size_t bytes) = 0;
    // Makes what launch() needs; `buffers` are those of complete(), and the memory that is kept behind them.
    virtual bool make(std::span<const Buffer> buffers) = 0;
    virtual void start(std::span<const uint64_t> addresses) = 0;

    const Device device_;

private:
    struct Block {
        uint64_t memory;
        size_t bytes;
        bool is_idle;
    };
    MemoryPool &pool_;
    bool is_complete_ = true;
    std::vector<Block> memory_;
    std::vector<uint64_t> addresses_;
};

}  // namespace tilewright::driver
