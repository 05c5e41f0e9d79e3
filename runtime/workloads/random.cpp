#include "runtime/workloads/random.h"
#include "runtime/arrays/element.h"

namespace tilewright {

namespace {

class Xorshift {
public:
    explicit Xorshift(uint64_t seed) : state_(88172645463325252u + 0x9e3779b97f4a7c15u * seed) {}
    uint64_t operator()() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        return state_ ^= state_ << 17;
    }

private:
    uint64_t state_;
};

// Sets each element, row by row, to value(a random number of 40 bits); an element is `parts` numbers.
template<typename T, typename Value>
void fill(Array &array, int64_t parts, uint64_t seed, Value value) {
    Xorshift next(seed);
    const int64_t h = array.dimensions() > 1 ? array.shape()[0] : 1, n = array.size() / h * parts;
    const int64_t pitch = h > 1 ? array.strides()[0] * parts : 0;
    auto *to = static_cast<T *>(array.data());
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < n; x++) {
            to[y * pitch + x] = value(next() >> 24);
        }
    }
}

}  // namespace

void fill_random(Array &array, uint64_t seed) {
    const auto real = [](uint64_t random) { return (double)random / (double)(uint64_t(1) << 39) - 1; };
    const auto real_f32 = [](uint64_t random) { return (float)((double)(random >> 16) / (1 << 23) - 1); };
    const int numbers = is_complex(array.type()) ? 2 : 1;  // of an element
    with_element(array.type(), [&]<typename T>(T) {
        if constexpr (std::is_integral_v<T>) {
            fill<T>(
                array, 1, seed, [](uint64_t random) { return (T)(sizeof(T) < 4 ? random >> 8 : random); });
        } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>) {
            fill<double>(array, numbers, seed, real);
        } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>>) {
            fill<float>(array, numbers, seed, real_f32);
        } else {
            fill<T>(array, 1, seed, [&](uint64_t random) { return T(real_f32(random)); });
        }
    });
}

void fill_random_bytes(Array &array, uint64_t seed) {
    Xorshift next(seed);
    const int64_t h = array.dimensions() > 1 ? array.shape()[0] : 1,
                  row = array.size() / h * (int64_t)size_of(array.type());
    const int64_t pitch = h > 1 ? array.strides()[0] * (int64_t)size_of(array.type()) : 0;
    auto *bytes = static_cast<unsigned char *>(array.data());
    for (int64_t y = 0; y < h; y++) {
        uint64_t random = 0;
        for (int64_t x = 0; x < row; x++) {
            random = x % 8 == 0 ? next() : random >> 8;
            bytes[y * pitch + x] = (unsigned char)random;
        }
    }
}

Array random_array(Type type, const std::vector<int64_t> &shape, uint64_t seed) {
    Array array(type, shape);
    fill_random(array, seed);
    return array;
}

}  // namespace tilewright
