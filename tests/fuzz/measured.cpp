// Files of measured times.
#include "runtime/measured/measured.h"
#include "tests/fuzz/fuzz.h"
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using namespace tilewright;
    // A process keeps them for ever, so that they are no leaks.
    static auto &kept = *new std::vector<const MeasuredDevice *>;
    std::string why_not;
    const MeasuredDevice *device = measurements_in({(const char *)data, size}, "times.json", why_not);
    if (device == nullptr) {
        fuzz::require_one_line(why_not);
        return 0;
    }
    kept.push_back(device);
    for (const MeasuredTimes &times : device->times) {
        fuzz::require(times.calls.size() == times.count() * times.numbers &&
                          times.ms.size() == times.count() * times.variants.size(),
            "there is one time per call and variant", times.op);
    }
    return 0;
}
