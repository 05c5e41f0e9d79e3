#pragma once
// Samples of .npy files: every type that we read, with values that NumPy computes by the same formulas
// (numpy_test.cpp).
#include "runtime/arrays/element.h"
#include "tests/support/errors.h"
#include "tests/support/files.h"
#include "tilewright/npy.h"
#include <complex>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tilewright {

// A type of elements.
struct Element {
    Type type;
    std::string descr, numpy;  // as .npy files and as NumPy name it
};

inline const Element elements[] = {
    {Type::u8, "|u1", "uint8"},
    {Type::u16, "<u2", "uint16"},
    {Type::u32, "<u4", "uint32"},
    {Type::u64, "<u8", "uint64"},
    {Type::i32, "<i4", "int32"},
    {Type::f32, "<f4", "float32"},
    {Type::f64, "<f8", "float64"},
    {Type::c64, "<c8", "complex64"},
    {Type::f16, "<f2", "float16"},
    {Type::c128, "<c16", "complex128"},
};

// Shapes, some with extents around the blocks in which Fortran order is read.
inline const std::vector<std::vector<int64_t>> shapes = {{1}, {7}, {1000}, {1, 1}, {3, 5}, {17, 1}, {1, 130},
    {9, 64}, {65, 129}, {2, 3, 1}, {4, 5, 3}, {33, 70, 4}, {4100, 66}};

// The i-th value of a sample, in C order.
template<typename T>
T sample(int64_t i) {
    return T(i * 37 % 251);
}
template<>
inline uint32_t sample(int64_t i) {
    return uint32_t(i * 37 % 251) * 16777619u;
}
template<>
inline uint64_t sample(int64_t i) {
    return uint64_t(i * 37 % 251) * 36170086419038337u;
}
template<>
inline int32_t sample(int64_t i) {
    return int32_t(i * 37 % 251) * 8000000 - 1000000000;
}
template<>
inline float sample(int64_t i) {
    return float(i * 37 % 251) * .5f - 3;
}
template<>
inline double sample(int64_t i) {
    return double(i * 37 % 251) / 3 - 7;
}
template<>
inline std::complex<float> sample(int64_t i) {
    return {float(i * 37 % 251), -float(i % 13)};
}

template<>
inline std::complex<double> sample(int64_t i) {
    return {double(i * 37 % 251) / 3, -double(i % 13)};
}

template<>
inline Float16 sample(int64_t i) {
    return Float16(sample<float>(i));
}

// Fills an array with its samples, and expects an array to have them.
void fill(Array &array);
void expect_samples(const Array &array);

// A shape, and the header of a file, as NumPy writes them.
std::string text_of(const std::vector<int64_t> &shape);
std::string dictionary(const std::string &descr, bool is_fortran, const std::string &shape);

// A file with that header, spaces up to a multiple of 64 and a line's end.
Bytes file_of(std::string header, const Bytes &data, int major = 1);

int64_t size_of_shape(const std::vector<int64_t> &shape);

// The samples of a shape as a file holds them.
template<typename T>
Bytes data_of(const std::vector<int64_t> &shape, bool is_fortran) {
    std::vector<T> values(size_t(size_of_shape(shape)));
    std::vector<int64_t> index(shape.size());  // of a value of Fortran order, whose first axis counts fastest
    for (size_t i = 0; i < values.size(); i++) {
        int64_t c_index = is_fortran ? 0 : int64_t(i);
        for (size_t axis = 0; is_fortran && axis < shape.size(); axis++) {
            c_index = c_index * shape[axis] + index[axis];
        }
        values[i] = sample<T>(c_index);
        for (size_t axis = 0; is_fortran && axis < shape.size() && ++index[axis] == shape[axis]; axis++) {
            index[axis] = 0;
        }
    }
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

// Bytes that are read as a file, or refused.
class NpyTest : public testing::Test {
protected:
    TestFolder folder;

    Array read(const Bytes &bytes, const NpyLimits &limits = {}) {
        const std::string path = folder.file("sample.npy");
        write_bytes(path, bytes);
        return read_npy(path, limits);
    }

    std::string expect_refused(const Bytes &bytes, const std::string &words, const NpyLimits &limits = {}) {
        const std::string line = expect_error(Fault::input, words, [&] { read(bytes, limits); });
        EXPECT_NE(line.find("sample.npy"), std::string::npos) << line;
        return line;
    }
};

}  // namespace tilewright
