// .npy files byte for byte: what is written, and what is read in every type, order and version.
#include "tests/runtime/files/npy/npy_samples.h"
#include "tests/support/arrays.h"
#include "tests/support/process.h"
#include <algorithm>
#include <fstream>
#include <numeric>
#include <sys/resource.h>

namespace tilewright {
namespace {

TEST_F(NpyTest, WritesTheFormatByteForByte) {
    const std::string path = folder.file("a.npy");
    Array vector(Type::f32, {3});
    fill(vector);
    write_npy(path, vector);
    const Bytes expected_data = {0, 0, 0x40, 0xc0, 0, 0, 0x78, 0x41, 0, 0, 0x08, 0x42};  // -3, 15.5, 34
    const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
    Bytes expected = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
    expected.insert(expected.end(), header.begin(), header.end());
    expected.resize(127, ' ');
    expected.push_back('\n');
    expected.insert(expected.end(), expected_data.begin(), expected_data.end());
    EXPECT_EQ(read_bytes(path), expected);

    for (const Element &element : elements) {
        for (const auto &shape : shapes) {
            SCOPED_TRACE(element.descr + text_of(shape));
            Array array(element.type, shape);
            fill(array);
            write_npy(path, array);
            with_element(element.type, [&]<typename T>(T) {
                EXPECT_EQ(read_bytes(path),
                    file_of(dictionary(element.descr, false, text_of(shape)), data_of<T>(shape, false)));
            });
        }
    }
    EXPECT_EQ(folder.names(), std::vector<std::string>{"a.npy"});
}

TEST_F(NpyTest, ReadsEveryTypeShapeOrderAndVersion) {
    for (const Element &element : elements) {
        for (const auto &shape : shapes) {
            for (const bool is_fortran : {false, true}) {
                SCOPED_TRACE(element.descr + text_of(shape) + (is_fortran ? " Fortran order" : ""));
                const int version = 1 + int(shape.size() + size_t(is_fortran)) % 3;
                with_element(element.type, [&]<typename T>(T) {
                    const Array array = read(file_of(dictionary(element.descr, is_fortran, text_of(shape)),
                        data_of<T>(shape, is_fortran), version));
                    ASSERT_EQ(array.type(), element.type);
                    ASSERT_EQ(array.shape(), shape);
                    expect_samples(array);
                });
            }
        }
    }
}

TEST_F(NpyTest, ReadsBigEndianNumbers) {
    for (const Element &element : elements) {
        for (const bool is_fortran : {false, true}) {
            SCOPED_TRACE(element.descr);
            with_element(element.type, [&]<typename T>(T) {
                Bytes data = data_of<T>({5, 3}, is_fortran);
                const auto bytes = ptrdiff_t(sizeof(T) / (is_complex(element.type) ? 2 : 1));
                for (auto at = data.begin(); at != data.end(); at += bytes) {
                    std::reverse(at, at + bytes);
                }
                const std::string descr = ">" + element.descr.substr(1);
                const Array array = read(file_of(dictionary(descr, is_fortran, "(5, 3)"), data));
                ASSERT_EQ(array.type(), element.type);
                expect_samples(array);
            });
        }
    }
}

TEST_F(NpyTest, ReadsManyImages) {
    const Array array =
        read(file_of(dictionary("<f4", false, "(2, 1, 5, 3)"), data_of<float>({10, 3}, false)));
    EXPECT_EQ(array.shape(), (std::vector<int64_t>{2, 1, 5, 3}));
    EXPECT_EQ(array.at<float>({1, 0, 4, 2}), sample<float>(29));
}

// Columns so long that what is read at a time is a few of them, one, or a part of one.
TEST_F(NpyTest, ReadsLongColumnsInFortranOrder) {
    for (const auto &[h, w] : {std::pair<int64_t, int64_t>(300000, 8), {1200000, 3}, {2100001, 2}}) {
        SCOPED_TRACE(h);
        const Array array =
            read(file_of(dictionary("<f8", true, text_of({h, w})), data_of<double>({h, w}, true)));
        int64_t wrong = 0;
        for (int64_t y = 0; y < h; y++) {
            const double *row = row_of<double>(array, y);
            for (int64_t x = 0; x < w; x++) {
                wrong += row[x] != sample<double>(y * w + x);
            }
        }
        EXPECT_EQ(wrong, 0);
    }
}

// Beside the array it takes memory for a part of it, not for a copy.
TEST_F(NpyTest, FortranOrderTakesNoSecondArray) {
    const int64_t h = 1000000, w = 64;
    const std::string path = folder.file("sample.npy");
    write_bytes(path, file_of(dictionary("|u1", true, text_of({h, w})), Bytes(size_t(h * w))));
    const int status = in_child([&] {
        int64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlim_t bytes = rlim_t(pages * sysconf(_SC_PAGESIZE) + h * w + (int64_t(40) << 20));
        const rlimit limit = {bytes, bytes};
        setrlimit(RLIMIT_AS, &limit);
        try {
            read_npy(path);
        } catch (...) {
            _exit(1);
        }
    });
    EXPECT_EQ(status, 0);
}

TEST_F(NpyTest, WritesFromAnyStrides) {
    const std::string path = folder.file("crop.npy");
    for (const Element &element : elements) {
        for (const int64_t channels : {1, 3}) {
            std::vector<int64_t> shape = {20, 30};
            if (channels > 1) {
                shape.push_back(channels);
            }
            for (const int64_t row_bytes : {int64_t(0), Array::padded, int64_t(1552)}) {
                Array whole(element.type, shape, row_bytes);
                fill(whole);
                const Array crop = whole.crop(3, 7, 11, 13);
                write_npy(path, crop);
                const Array again = read_npy(path);
                ASSERT_EQ(again.shape(), crop.shape());
                with_element(element.type, [&]<typename T>(T) {
                    for (int64_t y = 0; y < 11; y++) {
                        for (int64_t i = 0; i < 13 * channels; i++) {
                            ASSERT_EQ(row_of<T>(again, y)[i], sample<T>(((y + 3) * 30 + 7) * channels + i));
                        }
                    }
                });
            }
        }
    }
    // The caller's memory, with rows of a pitch of their own.
    std::vector<float> memory(100);
    std::iota(memory.begin(), memory.end(), 0.f);
    write_npy(path, Array::view(Type::f32, memory.data() + 1, {4, 3}, {10, 1}));
    const Array again = read_npy(path);
    for (int64_t y = 0; y < 4; y++) {
        for (int64_t x = 0; x < 3; x++) {
            EXPECT_EQ(again.at<float>({y, x}), float(1 + 10 * y + x));
        }
    }
    expect_error(Fault::usage, "the array is empty", [&] { write_npy(path, Array()); });
    expect_error(Fault::failed, "No such file", [&] { write_npy(folder.file("absent/a.npy"), again); });
}

TEST_F(NpyTest, ReadsHeadersThatOtherWritersMake) {
    const Bytes data = {1, 2, 3, 4, 5, 6};
    for (const std::string header : {
             "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)}",
             "{\"shape\": (2, 3,), \"descr\": \"|u1\", \"fortran_order\": False}",
             "{ 'shape' :(2L,3L),\t'fortran_order':False,'descr':'<u1' , }",
             "{'descr':'>u1','fortran_order':False,'shape':(2,3)}",
         }) {
        SCOPED_TRACE(header);
        const Array array = read(file_of(header, data));
        EXPECT_EQ(array.shape(), (std::vector<int64_t>{2, 3}));
        EXPECT_EQ(array.at<uint8_t>({1, 0}), 4);
    }
}

}  // namespace
}  // namespace tilewright
