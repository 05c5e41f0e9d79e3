#pragma once
// A call of min_plus_convolution as its libraries take it. Not installed.
#include "runtime/dispatch/steps/views.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <utility>

namespace tilewright {

// Pairs i < n and j < m with i + j < length.
inline double pairs_of(double n, double m, double length) {
    const auto triangle = [](double side) { return side > 0 ? .5 * side * (side + 1) : 0.; };
    return triangle(length) - triangle(length - n) - triangle(length - m) + triangle(length - n - m);
}

// The shorter vector is `a`, and both are as long as the output can see: n and m. `length` entries of the
// output have a sum; the caller may ask for one entry more.
struct MinPlusRequest : Request {
    Array a, b, accumulated;
    int64_t n = 0, m = 0, length = 0;

    MinPlusRequest() = default;
    MinPlusRequest(std::span<const Array> inputs, int64_t entries)
        : a(inputs[0]), b(inputs[1]), length(std::min(entries, a.size() + b.size() - 1)) {
        if (inputs.size() > 2) {
            accumulated = inputs[2];
        }
        n = std::min(a.size(), length);
        m = std::min(b.size(), length);
        if (n > m) {
            std::swap(a, b);
            std::swap(n, m);
        }
    }

    // How many entries are computed at once where libraries do not address all of them; 0: all are.
    int64_t entries_of_part() const {
        const int64_t most = most_bytes / (int64_t)size_of(a.type()), entries = std::max(most / 8, n);
        return length > most && entries + n <= most ? entries : 0;
    }

    // Sums that the output is the least of: i + j < length.
    double pairs() const {
        return pairs_of((double)n, (double)m, (double)length);
    }
};

// The first n elements.
inline View first(const Array &vector, int64_t n) {
    View view = image(vector);
    view.dims[0].extent = n;
    return view;
}

// What an output is compared with where nothing is accumulated: one element for all. It outlives everything,
// and so does its copy on a device.
inline const Array &nothing(Type type) {
    static const std::array<Array, 3> &all = *new std::array<Array, 3>([] {
        std::array<Array, 3> made = {Array(Type::f64, {1}), Array(Type::f32, {1}), Array(Type::i32, {1})};
        made[0].as<double>()[0] = std::numeric_limits<double>::infinity();
        made[1].as<float>()[0] = std::numeric_limits<float>::infinity();
        made[2].as<int32_t>()[0] = std::numeric_limits<int32_t>::max();
        return made;
    }());
    return all[type == Type::f64 ? 0 : type == Type::f32 ? 1 : 2];
}

inline const Array &accumulated_of(const MinPlusRequest &request) {
    return request.accumulated.empty() ? nothing(request.a.type()) : request.accumulated;
}

// The place of the first of n elements that is `wrong`, or n. All elements are looked at first, with a flag
// of an element's size in place of a bool, because GCC 12 makes vectors of that loop only: 100000 f32 take 8
// us in place of 35.
template<typename T, typename Wrong>
int64_t first_that(const T *x, int64_t n, Wrong wrong) {
    std::conditional_t<sizeof(T) == 8, T, uint32_t> any = 0;
    for (int64_t i = 0; i < n; i++) {
        if constexpr (sizeof(T) == 8) {
            any = wrong(x[i]) ? 1 : any;
        } else {
            any |= wrong(x[i]) ? 1 : 0;
        }
    }
    return any != 0 ? std::find_if(x, x + n, wrong) - x : n;
}

}  // namespace tilewright
