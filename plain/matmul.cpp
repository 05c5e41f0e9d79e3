// The definition of matmul as plain loops: C = A B in f64.
#include "plain/elements.h"
#include "tilewright/plain.h"

namespace tilewright::plain {

Array matmul(std::span<const Array> inputs, const Settings &, Backend) {
    const int64_t m = height(inputs[0]), depth = width(inputs[0]), n = width(inputs[1]);
    const std::vector<double> a = elements_of<double>(inputs[0]), b = elements_of<double>(inputs[1]);
    Array product(Type::f64, {m, n}, 0);
    double *to = product.as<double>();
    for (int64_t y = 0; y < m; y++) {
        for (int64_t k = 0; k < depth; k++) {
            const double factor = a[(size_t)(y * depth + k)], *row = &b[(size_t)(k * n)];
            for (int64_t x = 0; x < n; x++) {
                to[y * n + x] += factor * row[x];
            }
        }
    }
    return product;
}

}  // namespace tilewright::plain
