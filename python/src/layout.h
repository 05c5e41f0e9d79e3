#pragma once
// The shapes and strides of arrays of other libraries. Strides count elements.
#include "python/src/types.h"
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tilewright::python {

struct Layout {
    std::vector<int64_t> shape, strides;

    // As nanobind sees it. Errors: ValueError, where there are no elements or no memory.
    template<typename View>
    static Layout of(const View &view, const std::string &name) {
        Layout layout;
        for (size_t d = 0; d < view.ndim(); d++) {
            layout.shape.push_back((int64_t)view.shape(d));
            layout.strides.push_back(view.stride(d));
        }
        layout.check(view.data() != nullptr, name);
        return layout;
    }

    static Layout dense(std::vector<int64_t> shape) {
        Layout layout{shape, std::vector<int64_t>(shape.size(), 1)};
        for (size_t d = shape.size(); d-- > 1;) {
            // More than any memory has, where it is no number: the library refuses it.
            if (__builtin_mul_overflow(layout.strides[d], shape[d], &layout.strides[d - 1])) {
                layout.strides[d - 1] = std::numeric_limits<int64_t>::max();
            }
        }
        return layout;
    }

    void check(bool has_memory, const std::string &name) const {
        for (const int64_t n : shape) {
            if (n == 0) {
                refuse_value(name, "it has no elements; give an array with some");
            }
            // Said here, because a view of few bytes may have so many, of which NumPy would make a copy.
            if (n > std::numeric_limits<int32_t>::max()) {
                refuse_value(name, "it has " + std::to_string(n) +
                                       " elements along an axis, and an array has at most 2^31 - 1; give it "
                                       "in parts");
            }
        }
        if (!has_memory) {
            refuse_value(name, "it has no memory; was it freed?");
        }
    }

    // Whether arrays of the library have such strides: dense, but for those of rows, which may be longer.
    // Along an axis of one element no step is ever taken, so its stride is made the dense one.
    bool has_dense_rows() {
        const Layout all = dense(shape);
        for (size_t d = 0; d < shape.size(); d++) {
            strides[d] = shape[d] == 1 ? all.strides[d] : strides[d];
            const bool rows = d == 0 && shape.size() > 1;
            if (rows ? strides[d] < all.strides[d] : strides[d] != all.strides[d]) {
                return false;
            }
        }
        return true;
    }
};

}  // namespace tilewright::python
