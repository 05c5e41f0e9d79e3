// The list of all published kernels.
#include "apps/laboratory/published_kernels/published.h"

namespace published {

std::string text_of(Size size) {
    return std::to_string(size.width) + "x" + std::to_string(size.height);
}

std::vector<Kernel> kernels() {
    std::vector<Kernel> all;
    for (const auto &some : {column_sum_kernels, row_sum_kernels, transpose_kernels, matmul_kernels,
             min_plus_convolution_kernels, recursive_gaussian_kernels}) {
        for (Kernel &kernel : some()) {
            all.push_back(std::move(kernel));
        }
    }
    return all;
}

}  // namespace published
