// .npy files both ways against NumPy, where an interpreter has it.
#include "tests/runtime/files/npy/npy_samples.h"
#include "tests/support/process.h"
#include <fstream>

namespace tilewright {
namespace {

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
    'uint64': lambda i: i * 37 % 251 * 36170086419038337,
    'int32': lambda i: i * 37 % 251 * 8000000 - 1000000000,
    'float16': lambda i: (i * 37 % 251) * .5 - 3,
    'float32': lambda i: (i * 37 % 251) * .5 - 3,
    'float64': lambda i: (i * 37 % 251) / 3 - 7,
    'complex64': lambda i: (i * 37 % 251) - 1j * (i % 13),
    'complex128': lambda i: (i * 37 % 251) / 3 - 1j * (i % 13),
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
        if (python.empty() || run_program(python, {"-c", "import numpy"}).code != 0) {
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
        const Ran ran = run_program(TILEWRIGHT_PYTHON, {folder.file("numpy_side.py"), mode, folder.path()});
        ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
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
                const Array array =
                    read_npy(folder.file(element.numpy + std::to_string(i) + suffix + ".npy"));
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
