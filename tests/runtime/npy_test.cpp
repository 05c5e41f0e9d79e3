// .npy files: byte for byte against the format's description, both ways against NumPy where an interpreter has it, and every
// way of being broken that we could think of.
#include "tilewright/npy.h"
#include "tests/files.h"
#include <complex>
#include <numeric>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright {
namespace {

struct Element {
    Type type;
    std::string descr, numpy;  // as .npy and as NumPy name it
};

const Element elements[] = {
    {Type::u8, "|u1", "uint8"},    {Type::u16, "<u2", "uint16"},  {Type::u32, "<u4", "uint32"},    {Type::i32, "<i4", "int32"},
    {Type::f32, "<f4", "float32"}, {Type::f64, "<f8", "float64"}, {Type::c64, "<c8", "complex64"},
};

// The i-th value of a sample, in C order; NumPy's side below has the same formula.
template<typename T>
T sample(int64_t i) {
    return T(i * 37 % 251);
}
template<>
uint32_t sample(int64_t i) {
    return uint32_t(i * 37 % 251) * 16777619u;
}
template<>
int32_t sample(int64_t i) {
    return int32_t(i * 37 % 251) * 8000000 - 1000000000;
}
template<>
float sample(int64_t i) {
    return float(i * 37 % 251) * .5f - 3;
}
template<>
double sample(int64_t i) {
    return double(i * 37 % 251) / 3 - 7;
}
template<>
std::complex<float> sample(int64_t i) {
    return {float(i * 37 % 251), -float(i % 13)};
}

// Calls f with a value of the element's C++ type.
template<typename F>
void with_type(Type type, const F &f) {
    switch (type) {
    case Type::u8:
        return f(uint8_t());
    case Type::u16:
        return f(uint16_t());
    case Type::u32:
        return f(uint32_t());
    case Type::i32:
        return f(int32_t());
    case Type::f32:
        return f(float());
    case Type::f64:
        return f(double());
    case Type::c64:
        return f(std::complex<float>());
    }
}

int64_t size_of_shape(const std::vector<int64_t> &shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

int64_t rows_in(const Array &array) {
    return array.dimensions() == 1 ? 1 : array.shape()[0];
}

void fill(Array &array) {
    with_type(array.type(), [&]<typename T>(T) {
        const int64_t row = array.size() / rows_in(array);
        for (int64_t y = 0; y < rows_in(array); y++) {
            for (int64_t i = 0; i < row; i++) {
                array.as<T>()[y * array.strides()[0] + i] = sample<T>(y * row + i);
            }
        }
    });
}

void expect_samples(const Array &array) {
    with_type(array.type(), [&]<typename T>(T) {
        const int64_t row = array.size() / rows_in(array);
        const T *data = array.as<T>();
        for (int64_t y = 0; y < rows_in(array); y++) {
            for (int64_t i = 0; i < row; i++) {
                ASSERT_EQ(data[y * array.strides()[0] + i], sample<T>(y * row + i)) << "element " << y << ", " << i;
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
    return "{'descr': '" + descr + "', 'fortran_order': " + (is_fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

// A file with that header, spaces up to a multiple of 64 and a line's end.
Bytes file_of(std::string header, const Bytes &data, int major = 1) {
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

// The samples of a shape as a file holds them.
template<typename T>
Bytes data_of(const std::vector<int64_t> &shape, bool is_fortran) {
    const int64_t size = size_of_shape(shape);
    std::vector<T> values;
    for (int64_t i = 0; i < size; i++) {
        int64_t c_index = i;
        if (is_fortran) {
            // i counts with the first axis fastest; the same element in C order:
            std::vector<int64_t> index;
            for (int64_t rest = i; const int64_t extent : shape) {
                index.push_back(rest % extent);
                rest /= extent;
            }
            c_index = 0;
            for (size_t axis = 0; axis < shape.size(); axis++) {
                c_index = c_index * shape[axis] + index[axis];
            }
        }
        values.push_back(sample<T>(c_index));
    }
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

// Some with extents around the blocks in which Fortran order is read.
const std::vector<std::vector<int64_t>> shapes = {{1},    {7},      {1000},    {1, 1},    {3, 5},     {17, 1},    {1, 130},
                                                  {9, 64}, {65, 129}, {2, 3, 1}, {4, 5, 3}, {33, 70, 4}, {4100, 66}};

class NpyTest : public testing::Test {
protected:
    TemporaryFolder folder;

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

// --- the format -----------------------------------------------------------------------------------------------------------

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
            with_type(element.type, [&]<typename T>(T) {
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
                with_type(element.type, [&]<typename T>(T) {
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

// Columns so long that what is read at a time is a few of them, one, or a part of one.
TEST_F(NpyTest, ReadsLongColumnsInFortranOrder) {
    for (const auto &[h, w] : {std::pair<int64_t, int64_t>(300000, 8), {1200000, 3}, {2100001, 2}}) {
        SCOPED_TRACE(h);
        const Array array = read(file_of(dictionary("<f8", true, text_of({h, w})), data_of<double>({h, w}, true)));
        int64_t wrong = 0;
        for (int64_t y = 0; y < h; y++) {
            for (int64_t x = 0; x < w; x++) {
                wrong += row_of<double>(array, y)[x] != sample<double>(y * w + x);
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
    const pid_t child = fork();
    if (child == 0) {
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
        _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
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
            for (const int64_t row_bytes : {int64_t(0), Array::padded, int64_t(1000)}) {
                Array whole(element.type, shape, row_bytes);
                fill(whole);
                const Array crop = whole.crop(3, 7, 11, 13);
                write_npy(path, crop);
                const Array again = read_npy(path);
                ASSERT_EQ(again.shape(), crop.shape());
                with_type(element.type, [&]<typename T>(T) {
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

// --- refusals -------------------------------------------------------------------------------------------------------------

TEST_F(NpyTest, RefusesWhatItDoesNotRead) {
    const Bytes data(64);
    auto header = [&](const std::string &descr, const std::string &shape) {
        return file_of(dictionary(descr, false, shape), data);
    };
    expect_refused(header(">f4", "(16,)"), "big-endian ('>f4'); save array.astype('<f4')");
    expect_refused(header("|O", "(8,)"), "Python objects");
    expect_refused(header("<f2", "(32,)"), "type '<f2'; save uint8");
    for (const char *descr : {"<i8", "<u8", "|b1", "|i1", "<i2", "<c16", "<U4", "|S4", "<M8[ns]", "", "f", "f4", "=f4", "u1"}) {
        expect_refused(header(descr, "(8,)"), "its elements have type");
    }
    expect_refused(file_of("{'descr': [('a', '<f4'), ('b', '<u4')], 'fortran_order': False, 'shape': (8,), }", data), "records");
    expect_refused(header("<f4", "()"), "a single number");
    expect_refused(header("<f4", "(1, 2, 2, 4)"), "it has 4 dimensions");
    expect_refused(header("<f4", "(0,)"), "no elements");
    expect_refused(header("<f4", "(3, 0)"), "no elements: its shape is (3, 0)");
    expect_refused(header("<f4", "(17,)"), "ends too early: it has 64 bytes of elements where its shape (17,) takes 68");
    expect_refused(header("<f4", "(15,)"), "too long: it has 64 bytes of elements where its shape (15,) takes 60");
    expect_refused(header("<f4", "(3000000000,)"), "2^31 - 1");
    expect_refused(header("<f4", "(9223372036854775807,)"), "2^31 - 1");
    expect_refused(header("<f4", "(9223372036854775808,)"), "beyond 2^63");
    expect_refused(header("<f4", "(2147483647, 2147483647, 2147483647)"), "the limit is 68719476736 bytes");
    expect_refused(header("<f4", "(1048576, 8192)"), "ends too early");
}

TEST_F(NpyTest, RefusesWhatIsNoNpy) {
    expect_error(Fault::input, "No such file", [&] { read_npy(folder.file("absent.npy")); });
    expect_error(Fault::input, "it is a directory", [&] { read_npy(folder.path()); });
    expect_refused({}, "the file is empty");
    expect_refused({0x93}, "the file ends too early, after 1 bytes");
    expect_refused(bytes_of("1 2 3\n4 5 6\n"), "no .npy file");
    expect_refused(bytes_of("PK\x03\x04 and so on"), "no .npy file");
    Bytes good = file_of(dictionary("|u1", false, "(3,)"), {1, 2, 3});
    EXPECT_EQ(read(good).size(), 3);
    for (const auto &[at, value] : {std::pair(6, 0), {6, 4}, {6, 255}, {7, 1}}) {
        Bytes other = good;
        other[size_t(at)] = uint8_t(value);
        expect_refused(other, "and 1.0 to 3.0 are known");
    }
}

TEST_F(NpyTest, RefusesBrokenHeaders) {
    for (const std::string header : {
             "", "{", "{}", "}", "[]", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': 1}", "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
             "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "{'descr': <f4, 'fortran_order': False, 'shape': (1,)}",
             "{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}", "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
             "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
         }) {
        SCOPED_TRACE(header);
        expect_refused(file_of(header, Bytes(4)), "its header is broken");
    }
    expect_refused(file_of(dictionary("<f4", false, "(1,)") + std::string(1, '\0'), Bytes(4)), "its header is broken");
}

TEST_F(NpyTest, LimitsCanBeSet) {
    Bytes bytes = file_of(dictionary("|u1", false, "(3,)"), {1, 2, 3}, 2);
    NpyLimits limits;
    limits.header_bytes = 116;
    limits.bytes = 3;
    EXPECT_EQ(read(bytes, limits).size(), 3);
    limits.bytes = 2;
    expect_refused(bytes, "the limit is 2 bytes", limits);
    limits.header_bytes = 115;
    expect_refused(bytes, "116 bytes long, and the limit is 115", limits);
    bytes[11] = 0xff;  // 4 GiB of header
    expect_refused(bytes, "the limit is 65536");
}

TEST_F(NpyTest, IsRefusedWhereverItIsCutOff) {
    for (const bool is_fortran : {false, true}) {
        const Bytes bytes = file_of(dictionary("<f4", is_fortran, "(5, 4)"), data_of<float>({5, 4}, is_fortran), 3);
        for (size_t length = 0; length < bytes.size(); length++) {
            expect_refused(Bytes(bytes.begin(), bytes.begin() + long(length)), length == 0 ? "empty" : "the file ends too early");
        }
    }
}

TEST_F(NpyTest, DamageIsAnErrorOrAnArray) {
    std::mt19937 random(2026);
    int read_well = 0, refused = 0;
    for (int round = 0; round < 10000; round++) {
        const bool is_fortran = round % 2 == 1;
        Bytes bytes = file_of(dictionary("<u2", is_fortran, "(5, 4, 3)"), data_of<uint16_t>({5, 4, 3}, is_fortran), 1 + round % 3);
        for (int damage = 0; damage < 1 + int(random() % 3); damage++) {
            const size_t at = random() % (random() % 4 == 0 ? bytes.size() : 80);
            switch (random() % 3) {
            case 0:
                bytes[at] = uint8_t(random());
                break;
            case 1:
                bytes[at] = uint8_t("0123456789,()<>{}'uifcTrue"[random() % 26]);
                break;
            default:
                bytes[at] ^= uint8_t(1u << random() % 8);
            }
        }
        try {
            const Array array = read(bytes);
            ASSERT_GT(array.size(), 0);
            read_well++;
        } catch (const Error &error) {
            refused++;
            ASSERT_EQ(error.fault(), Fault::input) << error.what();
        }
    }
    EXPECT_GT(read_well, 100);
    EXPECT_GT(refused, 100);
}

// --- NumPy ----------------------------------------------------------------------------------------------------------------

#ifndef TILEWRIGHT_PYTHON
#define TILEWRIGHT_PYTHON ""
#endif

const char *const numpy_script = R"PYTHON(
import sys, warnings
import numpy as np
mode, folder = sys.argv[1:]
warnings.simplefilter('ignore')
formulas = {
    'uint8': lambda i: i * 37 % 251,
    'uint16': lambda i: i * 37 % 251,
    'uint32': lambda i: i * 37 % 251 * 16777619 % 2**32,
    'int32': lambda i: i * 37 % 251 * 8000000 - 1000000000,
    'float32': lambda i: (i * 37 % 251) * .5 - 3,
    'float64': lambda i: (i * 37 % 251) / 3 - 7,
    'complex64': lambda i: (i * 37 % 251) - 1j * (i % 13),
}
count = 0
for line in open(folder + '/list'):
    name, kind, *shape = line.split()
    shape = tuple(int(extent) for extent in shape)
    expected = formulas[kind](np.arange(np.prod(shape))).astype(kind).reshape(shape)
    if mode == 'write':
        for order in 'CF':
            for version in (1, 0), (2, 0), (3, 0):
                with open(f'{folder}/{name}-{order}{version[0]}.npy', 'wb') as file:
                    np.lib.format.write_array(file, np.asarray(expected, order=order), version=version)
                count += 1
        np.save(f'{folder}/{name}-plain.npy', expected)
    else:
        array = np.load(f'{folder}/{name}.npy', allow_pickle=False)
        assert array.dtype == np.dtype(kind), (name, array.dtype)
        assert array.shape == shape, (name, array.shape)
        assert np.array_equal(array, expected), name
        count += 1
print(count, file=open(folder + '/count', 'w'))
)PYTHON";

class NumPyTest : public NpyTest {
protected:
    void SetUp() override {
        const std::string python = TILEWRIGHT_PYTHON;
        if (python.empty() || std::system(("'" + python + "' -c 'import numpy' >'" + folder.file("log") + "' 2>&1").c_str()) != 0) {
            GTEST_SKIP() << "not run here: no Python with NumPy (set TILEWRIGHT_PYTHON); " << python;
        }
        std::ofstream(folder.file("numpy_side.py")) << numpy_script;
        std::ofstream list(folder.file("list"));
        for (const Element &element : elements) {
            for (size_t i = 0; i < shapes.size(); i++) {
                list << element.numpy << i << ' ' << element.numpy;
                for (const int64_t extent : shapes[i]) {
                    list << ' ' << extent;
                }
                list << '\n';
            }
        }
    }

    // Runs NumPy's side, which must have seen as many files as expected.
    void run(const std::string &mode, size_t files) {
        const std::string command = std::string("'") + TILEWRIGHT_PYTHON + "' '" + folder.file("numpy_side.py") + "' " + mode + " '" +
                                    folder.path() + "' >'" + folder.file("log") + "' 2>&1";
        const int code = std::system(command.c_str());
        const Bytes log = read_bytes(folder.file("log"));
        ASSERT_EQ(code, 0) << std::string(log.begin(), log.end());
        size_t count = 0;
        std::ifstream(folder.file("count")) >> count;
        ASSERT_EQ(count, files);
    }
};

TEST_F(NumPyTest, WritesWhatWeRead) {
    run("write", std::size(elements) * shapes.size() * 6);
    for (const Element &element : elements) {
        for (size_t i = 0; i < shapes.size(); i++) {
            for (const char *suffix : {"-C1", "-C2", "-C3", "-F1", "-F2", "-F3", "-plain"}) {
                SCOPED_TRACE(element.numpy + text_of(shapes[i]) + suffix);
                const Array array = read_npy(folder.file(element.numpy + std::to_string(i) + suffix + ".npy"));
                ASSERT_EQ(array.type(), element.type);
                ASSERT_EQ(array.shape(), shapes[i]);
                expect_samples(array);
            }
        }
    }
}

TEST_F(NumPyTest, ReadsWhatWeWrite) {
    for (const Element &element : elements) {
        for (size_t i = 0; i < shapes.size(); i++) {
            Array array(element.type, shapes[i]);
            fill(array);
            write_npy(folder.file(element.numpy + std::to_string(i) + ".npy"), array);
        }
    }
    run("read", std::size(elements) * shapes.size());
}

}  // namespace
}  // namespace tilewright
