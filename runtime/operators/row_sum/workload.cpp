// Sizes of row_sum's samples: around the edges of groups of pixels (8, 16, 32, 48, 64, 512, 2048), slices (16
// 384 pixels) and pieces (32 768); and millions of pixels, over which threads that race meet.
#include "runtime/workloads/sums.h"

namespace tilewright {

std::unique_ptr<Workload> row_sum_workload(const Operator &op) {
    std::vector<SumWorkload::Size> sizes = {{1, 1}, {5, 3}, {3, 5}, {64, 31}, {63, 33}, {50, 47}, {47, 50},
        {90, 13}, {129, 64}, {512, 65}, {513, 257}, {127, 1031}, {1025, 300}, {200, 2049}, {131, 16461},
        {129, 33001}, {3, 70001}, {70001, 3}, {1000, 1031}, {2000, 2050}};
    return std::make_unique<SumWorkload>(op, 0, std::move(sizes), SumWorkload::Size{130, 32753});
}

}  // namespace tilewright
