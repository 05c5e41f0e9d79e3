// The definition of min_plus_convolution as plain loops: c[k] = min over i of a[i] + b[k - i], and of
// accumulated[k] where there is a third input. c has no -0.
#include "plain/elements.h"
#include "tilewright/plain.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::plain {

namespace {

// `no_denormals`: denormals of a, of b and of their sums count as 0.
template<typename T, bool no_denormals>
Array convolved(std::span<const Array> inputs, int64_t length) {
    const auto number = [](T x) {
        return no_denormals && std::abs(x) < std::numeric_limits<T>::min() ? T(0) : x;
    };
    const auto read = [&](const Array &vector) {
        std::vector<T> all = elements_of<T>(vector);
        std::transform(all.begin(), all.end(), all.begin(), number);
        return all;
    };
    const T most =
        std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
    const std::vector<T> a = read(inputs[0]), b = read(inputs[1]);
    std::vector<T> c = inputs.size() > 2 ? read(inputs[2]) : std::vector<T>((size_t)length, most);
    for (size_t i = 0; i < a.size() && i < c.size(); i++) {
        const T x = a[i];
        T *to = &c[i];
        for (size_t j = 0, n = std::min(b.size(), c.size() - i); j < n; j++) {
            const T sum = number(x + b[j]);
            to[j] = sum < to[j] ? sum : to[j];
        }
    }
    for (T &x : c) {
        x = x == 0 ? T(0) : x;
    }
    return array_of<T>({length}, c);
}

}  // namespace

Array min_plus_convolution(std::span<const Array> inputs, const Settings &settings, Backend backend) {
    const auto length = (int64_t)settings.number("length", (double)(inputs[0].size() + inputs[1].size() - 1));
    switch (inputs[0].type()) {
    case Type::f64: return convolved<double, false>(inputs, length);
    case Type::f32:
        return backend == Backend::cuda ? convolved<float, true>(inputs, length) :
                                          convolved<float, false>(inputs, length);
    default: return convolved<int32_t, false>(inputs, length);
    }
}

}  // namespace tilewright::plain
