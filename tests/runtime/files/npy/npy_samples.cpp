// Samples of .npy files.
#include "tests/runtime/files/npy/npy_samples.h"
#include <functional>
#include <numeric>

namespace tilewright {

namespace {

int64_t rows_in(const Array &array) {
    return array.dimensions() == 1 ? 1 : array.shape()[0];
}

}  // namespace

int64_t size_of_shape(const std::vector<int64_t> &shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

void fill(Array &array) {
    with_element(array.type(), [&]<typename T>(T) {
        const int64_t row = array.size() / rows_in(array);
        for (int64_t y = 0; y < rows_in(array); y++) {
            T *data = array.as<T>() + y * array.strides()[0];
            for (int64_t i = 0; i < row; i++) {
                data[i] = sample<T>(y * row + i);
            }
        }
    });
}

void expect_samples(const Array &array) {
    with_element(array.type(), [&]<typename T>(T) {
        const int64_t row = array.size() / rows_in(array);
        for (int64_t y = 0; y < rows_in(array); y++) {
            const T *data = array.as<T>() + y * array.strides()[0];
            for (int64_t i = 0; i < row; i++) {
                ASSERT_EQ(data[i], sample<T>(y * row + i)) << "element " << y << ", " << i;
            }
        }
    });
}

std::string text_of(const std::vector<int64_t> &shape) {
    std::string text = "(";
    for (const int64_t extent : shape) {
        text += std::to_string(extent) + ", ";
    }
    text.resize(text.size() - (shape.size() == 1 ? 1 : 2));
    return text + ")";
}

std::string dictionary(const std::string &descr, bool is_fortran, const std::string &shape) {
    return "{'descr': '" + descr + "', 'fortran_order': " + (is_fortran ? "True" : "False") +
           ", 'shape': " + shape + ", }";
}

Bytes file_of(std::string header, const Bytes &data, int major) {
    const size_t before = major == 1 ? 10 : 12;
    header.resize((before + header.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
    header += '\n';
    std::string start = "\x93NUMPY";
    start += {char(major), 0, char(header.size() & 255), char(header.size() >> 8)};
    start += major > 1 ? std::string(2, 0) : "";
    Bytes bytes = bytes_of(start + header);
    bytes.insert(bytes.end(), data.begin(), data.end());
    return bytes;
}

}  // namespace tilewright
