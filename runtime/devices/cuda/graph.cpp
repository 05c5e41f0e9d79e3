#include "runtime/devices/cuda/graph.h"
#include "generators/algorithms/early_starts.h"
#include "runtime/devices/calls/counters.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/cuda/cuda.h"
#include "runtime/devices/cuda/driver_function.h"
#include "runtime/devices/cuda/tensor_maps.h"
#include "runtime/devices/memory/memory_pool.h"
#include "runtime/devices/own_queue.h"
#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cstring>
#include <new>

namespace tilewright::driver {

namespace {

constexpr DriverFunction<CUresult(void **, unsigned)> cu_graph_create{"cuGraphCreate"};
constexpr DriverFunction<CUresult(void *)> cu_graph_destroy{"cuGraphDestroy"};
constexpr DriverFunction<CUresult(void **, void *, void *const *, size_t, const void *)> cu_graph_add_kernel{
    "cuGraphAddKernelNode"};
constexpr DriverFunction<CUresult(void *, void *const *, void *const *, const void *, size_t)>
    cu_graph_add_dependencies{"cuGraphAddDependencies_v2"};
constexpr DriverFunction<CUresult(void **, void *, unsigned long long)> cu_graph_instantiate{
    "cuGraphInstantiateWithFlags"};
constexpr DriverFunction<CUresult(void *, void *, const void *)> cu_graph_set_kernel{
    "cuGraphExecKernelNodeSetParams"};
constexpr DriverFunction<CUresult(void *, void *)> cu_graph_launch{"cuGraphLaunch"};
constexpr DriverFunction<CUresult(void *)> cu_graph_destroy_executable{"cuGraphExecDestroy"};
constexpr DriverFunction<CUresult(void *, size_t, size_t *, size_t *)> cu_argument{"cuFuncGetParamInfo"};

// CUgraphEdgeData: a kernel may start as soon as all blocks of the one in front of it have ended, before
// their results can be read.
struct EarlyStart {
    unsigned char from_port = 1;  // CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC
    unsigned char to_port = 0;
    unsigned char type = 1;  // CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC
    unsigned char reserved[5] = {};
};

}  // namespace

CudaGraph::CudaGraph(Device device) : RecordedKernels(device, cuda_memory()) {}

CudaGraph::~CudaGraph() {
    const Inside inside(std::nothrow);
    if (drivers_have_ended()) {
        return;
    }
    try {
        const Current current(device_);
        const InCudaContext here(cuda_context(device_.index));
        if (executable_) {
            cu_graph_destroy_executable(executable_);  // the driver waits for its work before it frees it
        }
        if (graph_) {
            cu_graph_destroy(graph_);
        }
        let_go();
    } catch (const Error &) {  // NOLINT(bugprone-empty-catch): the drivers ended meanwhile
    }
}

void CudaGraph::add_kernel(void *function, const std::array<unsigned, 3> &grid,
    const std::array<unsigned, 3> &block, unsigned shared, void *const *arguments) noexcept try {
    Kernel &kernel = kernels_.emplace_back();
    kernel.call = {function, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared, {}, {}};
    std::vector<size_t> begins;
    size_t at = 0, bytes = 0;
    CUresult code = 0;
    for (size_t i = 0; (code = cu_argument(function, i, &at, &bytes)) == 0; i++) {
        kernel.values.resize(at + bytes);
        memcpy(kernel.values.data() + at, arguments[i], bytes);
        begins.push_back(at);
        if (bytes == sizeof(uint64_t) || bytes == sizeof(TensorMap)) {  // which begins with an address
            kernel.words.push_back(at);
        }
    }
    for (const size_t begin : begins) {
        kernel.arguments.push_back(kernel.values.data() + begin);
    }
    constexpr CUresult no_such_argument = 1;  // CUDA_ERROR_INVALID_VALUE
    if (begins.empty() || code != no_such_argument) {
        give_up();  // the driver does not say what all the arguments are
    }
} catch (const std::bad_alloc &) {
    give_up();
}

uint64_t CudaGraph::allocated(size_t bytes) {
    const InCudaContext here(cuda_context(device_.index));
    uint64_t memory = 0;
    if (const CUresult error = take_cuda_memory(device_, bytes, memory)) {
        throw Error(Fault::memory, "out of memory: " + cuda_error(error), {.device = device_.str()});
    }
    return memory;
}

// An argument of 8 bytes that is an address in a buffer is that buffer's: numbers of kernels are far from
// addresses of a device. Where it is in two, as in arrays that wrap the same memory, nothing says which of
// them the kernel means.
bool CudaGraph::find_addresses(std::span<const Buffer> buffers) {
    for (size_t k = 0; k < kernels_.size(); k++) {
        for (const size_t at : kernels_[k].words) {
            uint64_t word = 0;
            memcpy(&word, kernels_[k].values.data() + at, sizeof word);
            const auto holds = [&](const Buffer &buffer) { return word - buffer.address < buffer.bytes; };
            const auto found = std::ranges::find_if(buffers, holds);
            if (found == buffers.end()) {
                continue;
            }
            if (std::find_if(found + 1, buffers.end(), holds) != buffers.end()) {
                return false;
            }
            addresses_.push_back({k, at, (size_t)(found - buffers.begin()), word - found->address});
        }
    }
    for (const Buffer &buffer : buffers) {
        buffers_.push_back(buffer.address);
    }
    return true;
}

bool CudaGraph::make(std::span<const Buffer> buffers) {
    if (kernels_.empty() || !find_addresses(buffers)) {
        return false;
    }
    const Current current(device_);
    const InCudaContext here(cuda_context(device_.index));
    const bool can_wait = device_info(device_).compute_capability >= early_start_capability;
    return (can_wait && make_in_order(true)) || make_in_order(false);
}

// One kernel after another, as the stream had them; `early`: kernels wait themselves (early_starts.h).
bool CudaGraph::make_in_order(bool early) {
    if (graph_) {
        cu_graph_destroy(graph_);
    }
    const EarlyStart early_start;
    void *last = nullptr;
    CUresult error = cu_graph_create(&graph_, 0);
    for (Kernel &kernel : kernels_) {
        kernel.call.arguments = kernel.arguments.data();
        const bool has_edge = last && !early;
        error = error ? error : cu_graph_add_kernel(&kernel.node, graph_, &last, has_edge, &kernel.call);
        if (last && early) {
            error = error ? error : cu_graph_add_dependencies(graph_, &last, &kernel.node, &early_start, 1);
        }
        last = kernel.node;
    }
    error = error ? error : cu_graph_instantiate(&executable_, graph_, 0);
    return error == 0;
}

void CudaGraph::start(std::span<const uint64_t> addresses) {
    const InCudaContext here(cuda_context(device_.index));
    for (const Address &address : addresses_) {
        if (addresses[address.buffer] != buffers_[address.buffer]) {
            Kernel &kernel = kernels_[address.kernel];
            const uint64_t value = addresses[address.buffer] + address.offset;
            memcpy(kernel.values.data() + address.at, &value, sizeof value);
            kernel.is_changed = true;
        }
    }
    buffers_.assign(addresses.begin(), addresses.end());
    CUresult error = 0;
    for (Kernel &kernel : kernels_) {
        if (kernel.is_changed && error == 0) {
            error = cu_graph_set_kernel(executable_, kernel.node, &kernel.call);
            kernel.is_changed = error != 0;
        }
    }
    error = error ? error : cu_graph_launch(executable_, own_queue());
    if (error) {
        throw Error(error == cuda_out_of_memory ? Fault::memory : Fault::device,
            "the kernels cannot be launched: " + cuda_error(error), {.device = device_.str()});
    }
    for (const Kernel &kernel : kernels_) {
        const unsigned *block = kernel.call.block;
        count_kernel((uint64_t)block[0] * block[1] * block[2]);
    }
}

}  // namespace tilewright::driver
