// Sizes of column_sum's samples: around the edges of groups of columns (8, 64, 512), slices (32, 128, 256
// rows) and few rows (64); and millions of pixels, over which threads that race meet.
#include "runtime/workloads/sums.h"

namespace tilewright {

std::unique_ptr<Workload> column_sum_workload(const Operator &op) {
    std::vector<SumWorkload::Size> sizes = {{1, 1}, {3, 5}, {5, 3}, {31, 64}, {33, 63}, {64, 129}, {65, 512},
        {257, 513}, {1031, 127}, {300, 1025}, {3, 70001}, {70001, 3}, {1000, 1031}, {2000, 2050}};
    return std::make_unique<SumWorkload>(op, 1, std::move(sizes), SumWorkload::Size{2100, 150});
}

}  // namespace tilewright
