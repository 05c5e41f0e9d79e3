// Images as large as a library addresses, 2047 MiB in one row or in one column, and larger ones. Libraries
// count in 31 bits and round sizes up to their tiles, so a mistake shows only here: as a crash, or as pixels
// that were left out. Long because all tests of large arrays share memory of one kind and its checks.
#include "tests/operators/variants.h"
#include "tilewright/plain.h"
#include "tilewright/workload.h"
#include <cstring>
#include <fstream>
#include <functional>
#include <sys/mman.h>
#include <unistd.h>

namespace tilewright {
namespace {

constexpr int64_t most = 2047ll << 20;
constexpr int period = 251;    // prime, so that no tile has a whole number of periods
constexpr int64_t pitch = 64;  // of the rows of an array whose pitch its maker did not choose, or a multiple

size_t available_memory() {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("MemAvailable:")) {
            return std::stoull(line.substr(13)) * 1024;
        }
    }
    return 0;
}

// A file in memory of whole periods and whole pages: 4 MiB, which caches hold.
constexpr size_t part = (size_t)period << 14;

int file_of_periods() {
    const int file = memfd_create("periods", 0);
    std::vector<uint8_t> bytes(part);
    for (size_t i = 0; i < part; i++) {
        bytes[i] = (uint8_t)(i % period);
    }
    return file >= 0 && write(file, bytes.data(), part) == (ssize_t)part ? file : -1;
}

// The memory of the largest image, which shows the same file again and again, and which nobody can write;
// nullptr where the machine has too little for an output.
uint8_t *memory() {
    static uint8_t *const mapped = [] {
        constexpr size_t bytes = size_t(1) << 31;
        const int file = available_memory() < 4 * bytes ? -1 : file_of_periods();
        if (file < 0) {
            return static_cast<uint8_t *>(nullptr);
        }
        void *begin = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        for (size_t done = 0; begin != MAP_FAILED && done < bytes; done += part) {
            auto *at = static_cast<uint8_t *>(begin) + done;
            if (mmap(at, std::min(part, bytes - done), PROT_READ, MAP_SHARED | MAP_FIXED, file, 0) != at) {
                begin = MAP_FAILED;
            }
        }
        close(file);
        return begin == MAP_FAILED ? nullptr : static_cast<uint8_t *>(begin);
    }();
    return mapped;
}

int64_t sum_of_first(int64_t n) {
    const int64_t whole = n / period, rest = n % period;
    return whole * (period * (period - 1) / 2) + rest * (rest - 1) / 2;
}

// Whether the operator adds all pixels of an image in one row (`wide`), or in one column.
bool adds_all(const std::string &op, bool wide) {
    return op == (wide ? "row_sum" : "column_sum");
}

// What the element at place i of an output must be, by the operator's name. The rows of the image lie one
// behind another, or have one pixel each.
std::function<double(int64_t)> expected(const std::string &op, const Array &image) {
    const bool wide = image.shape()[0] == 1;
    const int64_t step = image.shape()[1] == 1 ? image.strides()[0] : 1;
    const auto pixel = [step](int64_t i) { return (double)(i * step % period); };
    if (op == "invert") {
        return [=](int64_t i) { return 255 - pixel(i); };
    }
    if (adds_all(op, wide)) {
        return [n = image.size()](int64_t) { return (double)sum_of_first(n); };
    }
    return pixel;  // transposes, sums of one pixel each, and blurs so narrow that no neighbour counts
}

bool has_gaps(const Array &array) {
    return array.dimensions() > 1 && array.shape()[0] > 1 && array.strides()[0] != array.shape()[1];
}

template<typename T>
int64_t wrong_elements(const Array &output, const std::function<double(int64_t)> &expected) {
    std::vector<T> block(4096 * period);
    for (size_t i = 0; i < block.size(); i++) {
        block[i] = (T)expected((int64_t)i);
    }
    const T *data = output.as<T>();
    int64_t wrong = 0;
    if (has_gaps(output)) {  // rows of one pixel
        for (int64_t y = 0; y < output.size(); y++) {
            wrong += data[y * output.strides()[0]] != block[(size_t)y % block.size()];
        }
        return wrong;
    }
    for (int64_t at = 0; at < output.size(); at += (int64_t)block.size()) {
        const int64_t n = std::min(output.size() - at, (int64_t)block.size());
        if (memcmp(data + at, block.data(), (size_t)n * sizeof(T)) != 0) {
            for (int64_t i = 0; i < n; i++) {
                wrong += data[at + i] != block[(size_t)i];
            }
        }
    }
    return wrong;
}

int64_t wrong_elements(const Array &output, const std::function<double(int64_t)> &expected) {
    switch (output.type()) {
    case Type::u64: return wrong_elements<uint64_t>(output, expected);
    case Type::u32: return wrong_elements<uint32_t>(output, expected);
    default: return wrong_elements<uint8_t>(output, expected);
    }
}

class Limits : public testing::TestWithParam<std::tuple<std::string, Backend>> {
protected:
    void SetUp() override {
        op_ = built_operator(std::get<0>(GetParam()));
        if (!op_) {
            GTEST_SKIP() << "not built";
        }
        std::string why_not;
        device_ = usable_device(std::get<1>(GetParam()), why_not);
        if (!device_) {
            GTEST_SKIP() << "not run here: " << why_not;
        }
        if (device_->device.backend == Backend::opencl && !device_->is_gpu) {
            GTEST_SKIP() << "not run here: a CPU that poses as an OpenCL device takes minutes for each; a "
                            "GPU takes seconds";
        }
        if (!memory()) {
            GTEST_SKIP() << "not run here: it takes 8 GiB of free memory";
        }
    }

    // The variants of images of bytes. On a GPU only the default ones: a step that sums each column in one
    // thread takes minutes for 2^31 rows.
    std::vector<const Variant *> variants() const {
        std::vector<const Variant *> chosen;
        for (const Variant &variant : op_->variants()) {
            const bool here =
                variant.backend == device_->device.backend && why_not_on(variant, *device_).empty();
            const bool parallel = variant.backend == Backend::cpu || variant.belongs_to("tuned");
            if (variant.type == "u8" && here && parallel) {
                chosen.push_back(&variant);
            }
        }
        return chosen;
    }

    // Runs a variant on an image of `memory()`. False where it leaves such an image to other variants.
    bool runs_right(const Variant &variant, const Array &image) {
        const bool wide = image.shape()[0] == 1, may_be_refused = image.size() > most;
        Settings settings;
        if (op_->name() == "gaussian_blur") {
            settings.set("sigma", .01);  // radius 0
        }
        if (adds_all(op_->name(), wide)) {
            settings.set("output-type", "u64");  // u32 does not hold such sums
        }
        op_->type_of({&image, 1}, settings);  // refuses what no variant takes
        const auto [type, shape] = op_->output_of({&image, 1}, settings);
        if (output_.empty() || output_.shape() != shape) {
            output_ = Array();
            output_ = Array(type, shape, has_gaps(image) ? Array::padded : 0);
        }
        if (!op_->serves(variant, {&image, 1}, output_, settings)) {
            return false;
        }
        if (!may_be_refused || op_->name() == "transpose") {
            memset(output_.data(), 0xa5,
                has_gaps(output_) ? (size_t)(output_.size() * pitch) :
                                    (size_t)output_.size() * size_of(type));
        }
        op_->run(variant, device_->device, {&image, 1}, output_, settings);
        output_.sync();
        EXPECT_EQ(wrong_elements(output_, expected(op_->name(), image)), 0)
            << variant.name() << " of " << image.describe();
        return true;
    }

    bool makes_an_image_of_the_same_shape() const {
        return op_->name() == "invert" || op_->name() == "gaussian_blur";
    }

    // The longest row or column of pixels whose image and output are within the limits: the sum of each pixel
    // is four bytes, a blur has a table of the pixels of a row, and the rows of an output that is an image
    // begin at multiples of 64 bytes, so that more of them are taken by parts. The rows of such a column do
    // so too, and lie in 2 GiB of memory.
    Array longest(bool wide) const {
        if (!wide && makes_an_image_of_the_same_shape()) {
            return Array::view(Type::u8, memory(), {most / pitch, 1}, {pitch, 1});
        }
        const int64_t n = op_->name() == "gaussian_blur"                   ? most / 4 - 65536 :
                          op_->name() == (wide ? "column_sum" : "row_sum") ? most / 4 :
                                                                             most;
        return dense(wide, n);
    }

    // A blur's variants of the CPU fill vectors with the one pixel of each row, which takes them long, and
    // counting shows in any variant.
    bool takes_long(const Variant &variant, bool wide) const {
        return op_->name() == "gaussian_blur" && variant.backend == Backend::cpu && !wide &&
               variant.schedule != "reference";
    }

    static Array dense(bool wide, int64_t n) {
        return Array::view(
            Type::u8, memory(), wide ? std::vector{int64_t(1), n} : std::vector{n, int64_t(1)});
    }

    // A longer one. Where a column's output is an image, parts of it have rows of 64 bytes, so that rows of
    // one pixel take 64 parts, each of 2 GiB, and rows of 64 pixels take two.
    Array longer(bool wide, int64_t less) const {
        const int64_t n = (int64_t(1) << 31) - less;
        return !wide && makes_an_image_of_the_same_shape() ?
                   Array::view(Type::u8, memory(), {n / pitch, pitch}) :
                   dense(wide, n);
    }

    Array output_;
    const Operator *op_ = nullptr;
    std::optional<DeviceInfo> device_;
};

TEST_P(Limits, TheLargestImagesAreRight) {
    int served = 0;
    for (const bool wide : {true, false}) {
        for (const Variant *variant : variants()) {
            served += !takes_long(*variant, wide) && runs_right(*variant, longest(wide));
        }
    }
    EXPECT_GT(served, 0);
}

// Right where they are taken by parts, refused with a message elsewhere. Parts take seconds, whatever the
// variant, so that one variant and one length of each direction show them.
TEST_P(Limits, LargerImagesAreRefusedOrRight) {
    const bool by_rows = op_->bands() == Bands::rows || op_->bands() == Bands::halo;
    for (const bool wide : {true, false}) {
        const bool by_parts = op_->name() == "transpose" || (by_rows && !wide);
        bool shown = false;
        for (const Variant *variant : variants()) {
            for (const int64_t less : {64, 16000, (1 << 20) - 1}) {
                if (shown) {
                    continue;
                }
                try {
                    shown = runs_right(*variant, longer(wide, less)) && by_parts;
                } catch (const Error &error) {
                    EXPECT_EQ(error.fault(), Fault::input) << error.what();
                    EXPECT_NE(std::string(error.what()).find("work on "), std::string::npos) << error.what();
                }
            }
        }
    }
}

// Rows so far apart that libraries do not address all their bytes at once, of which only the pages with
// pixels exist. A call works on parts of them, or on numbers that are counted as such.
class FarRows {
public:
    static constexpr int64_t rows = 75, pixels = 301, pitch = int64_t(64) << 20;

    explicit FarRows(Type type)
        : memory_(mmap(nullptr, rows * pitch, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (memory_ != MAP_FAILED) {
            array = Array::view(type, memory_, {rows, pixels}, {pitch / (int64_t)size_of(type), 1});
            const Array from = type == Type::c64 ? random_array(Type::f32, {rows, 2 * pixels}, 5) :
                                                   random_array(type, {rows, pixels}, 5);
            for (int64_t y = 0; y < rows; y++) {
                memcpy(static_cast<char *>(memory_) + y * pitch, from.crop(y, 0, 1, from.shape()[1]).data(),
                    (size_t)pixels * size_of(type));
            }
        }
    }
    ~FarRows() {
        munmap(memory_, rows * pitch);
    }
    FarRows(const FarRows &) = delete;

    Array array;

private:
    void *const memory_;
};

class PartsOf : public testing::TestWithParam<std::tuple<std::string, Backend>> {};

TEST_P(PartsOf, RowsFarApartAreRight) {
    const Operator *op = built_operator(std::get<0>(GetParam()));
    if (!op) {
        GTEST_SKIP() << "not built";
    }
    std::string why_not;
    const auto device = usable_device(std::get<1>(GetParam()), why_not);
    if (!device) {
        GTEST_SKIP() << "not run here: " << why_not;
    }
    for (const Type type : {Type::u8, Type::u16, Type::f32, Type::c64}) {
        if (!op->inputs()[0].takes(type)) {
            continue;
        }
        const FarRows far(type);
        ASSERT_FALSE(far.array.empty());
        const Settings settings =
            op->name().find("gaussian") != std::string::npos ? Settings{{"sigma", .75}} : Settings();
        Array output;
        (*op)({&far.array, 1}, output, settings, {.device = device->device});
        const Array right = *plain_result(*op, {&far.array, 1}, settings);
        EXPECT_EQ(difference(output, right, workload_of(*op).bound({&far.array, 1}, settings)), "")
            << op->name() << " of " << far.array.describe();
    }
}

// Each matrix by itself: parts of the rows of the first and of the output, a copy of the second.
TEST(Parts, OfMatricesWithRowsFarApartAreRight) {
    const Operator *op = built_operator("matmul");
    if (!op) {
        GTEST_SKIP() << "not built";
    }
    const FarRows far(Type::f32);
    const Array wide = random_array(Type::f32, {40, FarRows::rows}, 6),
                tall = random_array(Type::f32, {FarRows::pixels, 40}, 7);
    const auto expect_right = [&](const std::vector<Array> &inputs, Array output, Device device) {
        (*op)(inputs, output, {}, {.device = device});
        EXPECT_EQ(difference(output, *plain_result(*op, inputs, {}), workload_of(*op).bound(inputs, {})), "");
    };
    for (const Backend backend : {Backend::cpu, Backend::cuda, Backend::opencl}) {
        std::string why_not;
        if (const auto info = usable_device(backend, why_not)) {
            expect_right({wide, far.array}, {}, info->device);
        }
    }
    expect_right({far.array, tall}, {}, {});
    FarRows output(Type::f32);
    expect_right(
        {random_array(Type::f32, {FarRows::rows, 40}, 6), random_array(Type::f32, {40, FarRows::pixels}, 7)},
        output.array, {});
}

// Each part of the output by itself, of as much of the longer vector as it depends on. What is not 0 is where
// one part ends and the next one begins.
TEST(Parts, OfLongVectorsAreRight) {
    const Operator *op = built_operator("min_plus_convolution");
    if (!op || available_memory() < size_t(4) << 30) {
        GTEST_SKIP() << "not built, or not run here: it takes 4 GiB of free memory";
    }
    constexpr int64_t m = (most >> 3) + 1001;
    const auto zeros = [] {
        return static_cast<double *>(mmap(nullptr, (size_t)m * 8 + 64, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    };
    double *const b = zeros(), *const kept = zeros();
    ASSERT_TRUE(b != MAP_FAILED && kept != MAP_FAILED);
    Array a(Type::f64, {3});
    for (int64_t i = 0; i < 3; i++) {
        a.as<double>()[i] = i == 1 ? -1 : 5;
    }
    const int64_t period = most / 8 / 8;
    for (int64_t k = period - 3; k < m; k += period) {
        for (int64_t i = 0; i < 6; i++) {
            b[k + i] = -10 * (double)(1 + (i * 5 + k) % 6);
            kept[k + i] = i == 2 ? -90 : 1;
        }
    }
    kept[m + 2] = 7;  // where nothing is added
    const std::vector<Array> inputs = {
        a, Array::view(Type::f64, b, {m}), Array::view(Type::f64, kept, {m + 3})};
    for (const Backend backend : {Backend::cpu, Backend::cuda, Backend::opencl}) {
        std::string why_not;
        const auto info = usable_device(backend, why_not);
        if (!info || (backend == Backend::opencl && !info->is_gpu)) {
            continue;
        }
        Array output;
        (*op)(inputs, output, {{"length", (double)(m + 3)}}, {.device = info->device});
        const double *c = std::as_const(output).as<double>();
        int64_t wrong = 0;
        for (int64_t k = 0; k < m + 2; k++) {
            double least = kept[k];
            for (int64_t i = 0; i < 3; i++) {
                least = k - i < 0 || k - i >= m ? least : std::min(least, (i == 1 ? -1 : 5) + b[k - i]);
            }
            wrong += c[k] != least;
        }
        EXPECT_EQ(wrong, 0) << info->device.str();
        EXPECT_EQ(c[m + 2], 7);
    }
    munmap(b, (size_t)m * 8 + 64);
    munmap(kept, (size_t)m * 8 + 64);
}

// The same without gaps between the rows, where each part is seen in its place.
TEST(Parts, OfADenseImageAreSeenInPlace) {
    if (!built_operator("row_sum") || !built_operator("column_sum")) {
        GTEST_SKIP() << "not built";
    }
    constexpr int64_t h = 70001, w = 40000, step = 6007;
    void *const memory =
        mmap(nullptr, h * w, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    const Array image = Array::view(Type::u8, memory, {h, w});
    uint64_t all = 0;
    for (int64_t y = 0; y < h; y += step) {
        static_cast<uint8_t *>(memory)[y * w + 17] = (uint8_t)(1 + y / step);
        all += (uint64_t)(1 + y / step);
    }
    const Settings wide = {{"output-type", std::string("u64")}};
    Array rows, columns;
    find_operator("row_sum")({&image, 1}, rows, {}, {.device = Device{}});
    find_operator("column_sum")({&image, 1}, columns, wide, {.device = Device{}});
    for (int64_t y = 0; y < h; y++) {
        ASSERT_EQ(rows.at<uint32_t>({y}), y % step == 0 ? 1 + y / step : 0) << y;
    }
    for (int64_t x = 0; x < w; x++) {
        ASSERT_EQ(columns.at<uint64_t>({x}), x == 17 ? all : 0) << x;
    }
    munmap(memory, h * w);
}

std::string case_name(const testing::TestParamInfo<std::tuple<std::string, Backend>> &info) {
    const auto &[op, backend] = info.param;
    return op + (backend == Backend::cpu ? "_cpu" : backend == Backend::cuda ? "_cuda" : "_opencl");
}

const auto all_backends = testing::Values(Backend::cpu, Backend::cuda, Backend::opencl);

INSTANTIATE_TEST_SUITE_P(Operators, Limits,
    testing::Combine(
        testing::Values("invert", "column_sum", "row_sum", "transpose", "gaussian_blur"), all_backends),
    case_name);
INSTANTIATE_TEST_SUITE_P(Operators, PartsOf,
    testing::Combine(testing::Values("invert", "column_sum", "row_sum", "transpose", "gaussian_blur",
                         "recursive_gaussian"),
        all_backends),
    case_name);
INSTANTIATE_TEST_SUITE_P(Transforms, PartsOf, testing::Values(std::tuple("fft2d", Backend::cpu)), case_name);

}  // namespace
}  // namespace tilewright
