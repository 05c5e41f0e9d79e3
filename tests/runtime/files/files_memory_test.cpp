// Files on a host whose memory runs out.
#include "tests/runtime/files/files_test.h"
#include <cstring>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <unistd.h>

namespace tilewright {
namespace {

using refusing_system::mallocs_until_refusal, refusing_system::was_refused;

size_t open_files() {
    return size_t(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

// Calls `action` with its first allocation refused, with its second, and so on until none is left.
void refuse_each_allocation(const std::function<void()> &action) {
    int64_t refused = 0;
    for (bool is_done = false; !is_done; refused++) {
        const size_t before = open_files();
        std::string wrong;
        was_refused = false;
        mallocs_until_refusal = refused;
        try {
            action();
        } catch (const Error &error) {
            mallocs_until_refusal = -1;
            wrong = error.fault() == Fault::memory ? "" : error.what();
        }
        mallocs_until_refusal = -1;
        is_done = !was_refused;
        EXPECT_EQ(wrong, "") << "allocation " << refused << " was refused";
        EXPECT_EQ(open_files(), before) << "allocation " << refused << " was refused";
    }
    EXPECT_GT(refused, 4);
}

TEST_F(FilesTest, MemoryThatRunsOutIsCalledSo) {
    if (!refusing_system::can_refuse_memory) {
        GTEST_SKIP() << "not run here: malloc is a sanitizer's";
    }
    Array image(Type::u8, {40, 50, 3});
    for (int64_t i = 0; i < 40 * image.strides()[0]; i++) {
        image.as<uint8_t>()[i] = uint8_t(i * i >> 5);
    }
    PngMetadata metadata;
    metadata.gamma = .5;
    metadata.icc_profile = {"name", Bytes(5000, 'x')};
    std::memcpy(metadata.icc_profile->bytes.data() + 16, "RGB ", 4);
    for (const char *name : {"out.png", "out.npy"}) {
        SCOPED_TRACE(name);
        both_ways([&](bool) {
            const std::string path = folder.file(name);
            refuse_each_allocation([&] { write_array(path, image, metadata); });
            refuse_each_allocation([&] { read_array(path); });
            EXPECT_EQ(folder.names(), Names{name});
        });
        fs::remove(folder.file(name));
    }
}

// JPEG and TIFF, whose libraries have allocations of their own, and text.
TEST_F(FilesTest, MemoryThatRunsOutIsCalledSoByEveryReader) {
    if (!refusing_system::can_refuse_memory) {
        GTEST_SKIP() << "not run here: malloc is a sanitizer's";
    }
    Array image(Type::u8, {40, 50, 3}), floats(Type::f32, {40, 50}), numbers(Type::f32, {200});
    const std::pair<const char *, const Array *> files[] = {
        {"out.jpg", &image}, {"out.tif", &image}, {"floats.tif", &floats}, {"out.csv", &numbers}};
    for (const auto &[name, array] : files) {
        SCOPED_TRACE(name);
        try {
            check_output(folder.file(name), array->type(), array->shape());
        } catch (const Error &) {
            continue;  // a build without that library
        }
        const std::string path = folder.file(name);
        refuse_each_allocation([&, array = array] { write_array(path, *array, {}); });
        refuse_each_allocation([&] { read_array(path); });
        EXPECT_EQ(folder.names(), Names{name});
        fs::remove(path);
    }
}

TEST_F(FilesTest, MemoryThatCannotBeHadIsGivenInAUnitThatShowsIt) {
    const int status = in_child([&] {
        int64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlim_t bytes = rlim_t(pages * sysconf(_SC_PAGESIZE) + (int64_t(8) << 20));
        const rlimit limit = {bytes, bytes};
        setrlimit(RLIMIT_AS, &limit);
        expect_error(
            Fault::memory, "36.0 MiB of host memory cannot be had", [] { Array(Type::u8, {36, 1 << 20}); });
        expect_error(
            Fault::memory, "1.5 GiB of host memory cannot be had", [] { Array(Type::u8, {3, 1 << 29}); });
        _exit(HasFailure() ? 1 : 0);
    });
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tilewright
