// Workloads by the names of their operators.
#include "tilewright/workload.h"
#include "runtime/process/immortal.h"
#include "runtime/workloads/image_workload.h"
#include <fmt/format.h>
#include <map>
#include <mutex>

namespace tilewright {

// Those of the operators that were built (made by cmake/workloads.cmake).
const std::map<std::string, MakeWorkload> &built_workloads();

std::string in_words(DataSize size) {
    return size.channels == 1 ? fmt::format("{}x{}", size.width, size.height) :
                                fmt::format("{}x{}x{}", size.width, size.height, size.channels);
}

std::vector<DataSize> Workload::sizes_to_measure() const {
    return {{64, 64}, {256, 256}, {640, 480}, {1920, 1080}, {33, 100000}, {100000, 33}, {4000, 3000},
        {8192, 8192}};
}

Work Workload::work(std::span<const Array> inputs, const Array &output, const Settings &) const {
    Work work;
    for (const Array &a : inputs) {
        work.bytes += (double)a.size() * (double)size_of(a.type());
    }
    work.bytes += (double)output.size() * (double)size_of(output.type());
    return work;
}

namespace {

struct Known {
    std::mutex mutex;
    std::map<std::string, MakeWorkload> added;
    std::map<const Operator *, std::unique_ptr<Workload>> made;
};

Known &known() {
    return immortal([] { return Known(); });
}

}  // namespace

void add_workload(const std::string &op, MakeWorkload make) {
    const std::lock_guard lock(known().mutex);
    known().added[op] = std::move(make);
}

const Workload &workload_of(const Operator &op) {
    const std::lock_guard lock(known().mutex);
    std::unique_ptr<Workload> &workload = known().made[&op];
    if (!workload) {
        const auto &built = built_workloads();
        if (const auto added = known().added.find(op.name()); added != known().added.end()) {
            workload = added->second(op);
        } else if (const auto own = built.find(op.name()); own != built.end()) {
            workload = own->second(op);
        } else {
            workload = std::make_unique<ImageWorkload>(op);
        }
    }
    return *workload;
}

}  // namespace tilewright
