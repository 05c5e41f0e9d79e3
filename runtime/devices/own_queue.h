#pragma once
// Queues beside the one that a device's ordinary calls share: streams of CUDA, command queues of OpenCL. What
// is in different queues may run at the same time. Not installed.
//
// Arrays do not know in which queue the work on them is. So while any thread has a queue of its own, every
// thread waits for its work before it lets go of the arrays (Launch::run), and copies are waited for as well:
// no work is under way on an array that no thread holds.
#include "tilewright/device.h"

namespace tilewright::driver {

// A queue of the device that no other object has. Queues are kept for the next one. On the CPU there is none.
class OwnQueue {
public:
    // Waits for what was started on the device's first queue. A thread takes it by a ScopedValue of
    // this_thread.queue. Errors: device or memory, when the driver makes
    // no queue.
    explicit OwnQueue(Device device);
    ~OwnQueue();
    OwnQueue(const OwnQueue &) = delete;

private:
    friend void *own_queue();
    const Device device_;
    void *queue_ = nullptr;
};

// The queue of this thread (this_thread.queue), if it is one of its current device; null: the device's first
// one.
void *own_queue();

// Whether any OwnQueue lives, so that work has to be waited for, as said above.
bool has_own_queues();

}  // namespace tilewright::driver
