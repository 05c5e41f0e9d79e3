#include "runtime/devices/own_queue.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/cuda/cuda.h"
#include "runtime/devices/opencl/opencl.h"
#include "runtime/devices/thread_context.h"
#include "runtime/process/immortal.h"
#include "tilewright/error.h"
#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace tilewright::driver {

namespace {

std::atomic<int> living{0};

// The queues that no object has. The one that was given back last is taken first: memory of the device is
// kept for each queue apart, and it has the most.
struct Idle {
    std::mutex mutex;
    std::map<std::pair<Backend, int>, std::vector<void *>> queues;
};

Idle &idle() {
    return immortal([] { return Idle(); });
}

void *take(Device device) {
    {
        const std::lock_guard lock(idle().mutex);
        auto &queues = idle().queues[{device.backend, device.index}];
        if (!queues.empty()) {
            void *queue = queues.back();
            queues.pop_back();
            return queue;
        }
    }
    void *queue =
        device.backend == Backend::cuda ? new_cuda_stream(device.index) : new_opencl_queue(device.index);
    if (queue == nullptr) {
        throw Error(Fault::device, "the driver makes no further queue; use fewer streams at a time",
            {.device = device.str()});
    }
    return queue;
}

}  // namespace

OwnQueue::OwnQueue(Device device) : device_(device) {
    if (device.backend == Backend::cpu) {
        return;
    }
    open(device);
    queue_ = take(device);
    living++;
    try {
        synchronize(device);
    } catch (const Error &) {
        living--;
        throw;
    }
}

OwnQueue::~OwnQueue() {
    if (queue_ == nullptr) {
        return;
    }
    living--;
    try {
        const std::lock_guard lock(idle().mutex);
        idle().queues[{device_.backend, device_.index}].push_back(queue_);
    } catch (const std::bad_alloc &) {  // NOLINT(bugprone-empty-catch): the queue is not used again
    }
}

void *own_queue() {
    const OwnQueue *queue = this_thread.queue;
    return queue != nullptr && queue->device_ == this_thread.device ? queue->queue_ : nullptr;
}

bool has_own_queues() {
    return living > 0;
}

}  // namespace tilewright::driver
