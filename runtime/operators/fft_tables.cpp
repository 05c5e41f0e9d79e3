#include "runtime/operators/fft_tables.h"
#include <cmath>
#include <map>
#include <mutex>

namespace tilewright {

namespace {

// exp(-2 pi i j / n); exact where it is 1, -i, -1 or i.
std::complex<double> root(int64_t j, int64_t n) {
    j %= n;
    if (4 * j % n == 0) {
        const std::complex<double> quarters[] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
        return quarters[4 * j / n];
    }
    return std::polar(1.0, -2 * M_PI * (double)j / (double)n);
}

// A vector without padding of n numbers.
template<typename Value>
Array table(int64_t n, Value value) {
    Array made(Type::c64, {n});
    auto *to = made.as<std::complex<float>>();
    for (int64_t i = 0; i < n; i++) {
        to[i] = std::complex<float>(value(i));
    }
    return made;
}

}  // namespace

Array fft_roots(int64_t n) {
    static auto &mutex = *new std::mutex;  // neither is destroyed (inside.h)
    static auto &known = *new std::map<int64_t, Array>;
    const std::lock_guard lock(mutex);
    Array &entry = known[n];
    if (entry.empty()) {
        entry = table(n, [=](int64_t j) { return root(j, n); });
    }
    return entry;
}

FftPassRow::FftPassRow(const Row &row)
    : length(row.tunable("length")), lines(Lines(row.tunable("lines"))), twiddled(row.tunable("twiddled") != 0),
      chirp_first(row.tunable("chirp_first") != 0), chirp_last(row.tunable("chirp_last") != 0), convolve(row.tunable("convolve") != 0),
      together(row.tunable("together")) {
    for (const char *name : {"radix1", "radix2", "radix3", "radix4"}) {
        if (row.tunable(name) > 1) {
            radices.push_back(row.tunable(name));
        }
    }
}

int64_t FftPassRow::order(int64_t i) const {
    // i is the digit of the last stage and then the number of its butterfly: the digits before it, the first one first.
    const size_t last = radices.size() - 1;
    std::vector<int64_t> digit(radices.size());
    digit[last] = i / middle_size();
    int64_t rest = i % middle_size(), k = 0, weight = 1;
    for (size_t s = last; s-- > 0;) {
        digit[s] = rest % radices[s];
        rest /= radices[s];
    }
    for (size_t s = 0; s <= last; s++) {
        k += digit[s] * weight;
        weight *= radices[s];
    }
    return k;
}

Array FftPassRow::middle() const {
    return table(middle_size(), [&](int64_t u) { return root(order(u), length); });
}

Array FftPassRow::response(const std::function<std::complex<double>(int64_t)> &response) const {
    return table(length, [&](int64_t i) { return response(order(i)); });
}

}  // namespace tilewright
