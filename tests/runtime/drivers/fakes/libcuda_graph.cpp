// The graphs of the fake libcuda.so.1 (libcuda.cpp): kernels that are launched together.
#include "tests/runtime/drivers/fakes/libcuda.h"
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace {

using namespace fake_cuda;

// CUDA_KERNEL_NODE_PARAMS.
struct Call {
    Kernel *kernel;
    unsigned grid[3], block[3], shared;
    void **arguments, **extra;
};

// A node keeps a copy of the arguments, as the driver does.
struct Node {
    const Kernel *kernel = nullptr;
    std::vector<uint64_t> words;  // the arguments of 8 bytes, and the first 8 of larger ones
    const Node *before = nullptr;
    bool is_early = false;      // it may start before that one has ended
    bool is_destroyed = false;  // its graph is

    void set(const Call &call) {
        kernel = call.kernel;
        words.clear();
        for (size_t i = 0; i < call.kernel->arguments.size(); i++) {
            uint64_t word = 0;
            if (call.kernel->arguments[i] >= sizeof word) {
                memcpy(&word, call.arguments[i], sizeof word);
                words.push_back(word);
            }
        }
    }
};

// CUgraphEdgeData.
struct Edge {
    unsigned char from_port, to_port, type, reserved[5];
};

struct Graph {
    std::vector<std::shared_ptr<Node>> nodes;
};

bool is_valid(const Call &call) {
    return current() && call.kernel->device == current()->device && call.grid[0] > 0 &&
           call.block[0] * call.block[1] * call.block[2] <= 1024 &&
           call.shared <= (unsigned)call.kernel->shared_limit;
}

}  // namespace

extern "C" {

// FAKE_CUDA_SILENT: a driver that does not have this function. FAKE_CUDA_ONE_ARGUMENT: it fails at the
// second.
int cuFuncGetParamInfo(const Kernel *kernel, size_t index, size_t *offset, size_t *bytes) {
    if (getenv("FAKE_CUDA_SILENT") || (index == 1 && getenv("FAKE_CUDA_ONE_ARGUMENT"))) {
        return not_found;
    }
    if (index >= kernel->arguments.size()) {
        return invalid_value;
    }
    *offset = 0;
    for (size_t i = 0; i <= index; i++) {
        *bytes = kernel->arguments[i];
        *offset = (*offset + *bytes - 1) / *bytes * *bytes + (i < index ? *bytes : 0);
    }
    return ok;
}
int cuGraphCreate(Graph **graph, unsigned) {
    *graph = new Graph;
    return ok;
}
int cuGraphDestroy(Graph *graph) {
    const std::lock_guard lock(mutex);
    for (const auto &node : graph->nodes) {
        node->is_destroyed = true;
    }
    delete graph;
    return ok;
}
int cuGraphAddKernelNode(Node **node, Graph *graph, Node *const *before, size_t count, const Call *call) {
    const std::lock_guard lock(mutex);
    if (!is_valid(*call) || count > 1) {
        return invalid_value;
    }
    graph->nodes.push_back(std::make_shared<Node>());
    *node = graph->nodes.back().get();
    (*node)->set(*call);
    (*node)->before = count == 1 ? *before : nullptr;
    return ok;
}
// FAKE_CUDA_NO_EARLY_STARTS: a driver that takes no such edges.
int cuGraphAddDependencies_v2(Graph *, Node *const *from, Node *const *to, const Edge *edge, size_t count) {
    const std::lock_guard lock(mutex);
    const bool is_early = edge->from_port == 1 && edge->to_port == 0 && edge->type == 1;
    if (count != 1 || !is_early || getenv("FAKE_CUDA_NO_EARLY_STARTS")) {
        return invalid_value;
    }
    (*to)->before = *from;
    (*to)->is_early = true;
    return ok;
}
// FAKE_CUDA_NO_GRAPHS: a driver that takes no graph.
int cuGraphInstantiateWithFlags(Graph **executable, const Graph *graph, unsigned long long) {
    const std::lock_guard lock(mutex);
    if (getenv("FAKE_CUDA_NO_GRAPHS")) {
        return invalid_value;
    }
    *executable = new Graph(*graph);
    record.graphs++;  // a test may leave none of the memory for it
    return ok;
}
int cuGraphExecKernelNodeSetParams(const Graph *executable, const Node *node, const Call *call) {
    const std::lock_guard lock(mutex);
    for (const auto &known : executable->nodes) {
        if (known.get() == node && !node->is_destroyed && known->kernel == call->kernel && is_valid(*call)) {
            known->set(*call);
            record.changed_nodes++;
            return ok;
        }
    }
    return invalid_value;
}
int cuGraphLaunch(const Graph *executable, const void *stream) {
    const std::lock_guard lock(mutex);
    if (!current()) {
        record.wrong_context++;
        return invalid_context;
    }
    GraphLaunch &launch = record.graph_launches.emplace_back();
    launch.stream = stream;
    for (const auto &node : executable->nodes) {
        record.wrong_context += node->kernel->device != current()->device;
        launch.kernels.push_back(node->words);
        launch.lanes += node->before == nullptr;
        launch.early += node->is_early;
    }
    return ok;
}
int cuGraphExecDestroy(const Graph *executable) {
    const std::lock_guard lock(mutex);
    record.graphs--;
    delete executable;
    return ok;
}
}
