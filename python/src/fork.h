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

// Lives while rows go through functions of Python, for which a fork cannot wait: it would keep them from the
// interpreter's lock. A process that is forked meanwhile makes no call. To be made and ended with that lock.
// Errors: as above.
class BandsUnderWay {
public:
    explicit BandsUnderWay(Device device);
    ~BandsUnderWay();
    BandsUnderWay(const BandsUnderWay &) = delete;
};

// Prepares the process for forks.
void watch_forks();

}  // namespace tilewright::python
