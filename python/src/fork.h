#pragma once
// Calls and fork(): Halide's worker threads do not live in a forked process, and neither does a GPU's driver.
#include "tilewright/device.h"
#include <shared_mutex>
#include <string>

namespace tilewright::python {

// Lives while a call is under way; a fork waits for it. Errors: device, for a GPU in a process whose parent
// used one.
class UnderWay {
public:
    UnderWay(Device device, const std::string &operation);
    UnderWay(const UnderWay &) = delete;

private:
    std::shared_lock<std::shared_mutex> lock_;
};

// Prepares the process for forks.
void watch_forks();

}  // namespace tilewright::python
