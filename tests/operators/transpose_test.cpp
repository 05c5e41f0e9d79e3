// transpose: every variant against the plain loop, byte for byte, at any size, pitch and alignment; and the
// front: its choice of variants, images of more than 2 GiB, and what it refuses.
#include "tilewright/transpose.h"
#include "tests/operators/variants.h"
#include "tilewright/plain.h"
#include "tilewright/workload.h"
#include <cstring>
#include <sys/mman.h>

using namespace tilewright;

namespace {

struct Pixel {
    Type type;
    int64_t channels;  // 0: no axis for channels
};

// What a type of the table stands for: every kind of pixel of that size.
std::vector<Pixel> pixels_of(const std::string &type) {
    if (type == "u8") {
        return {{Type::u8, 0}, {Type::u8, 1}};
    }
    if (type == "u16") {
        return {{Type::u16, 0}, {Type::u8, 2}, {Type::f16, 0}, {Type::bf16, 1}};
    }
    if (type == "rgb8") {
        return {{Type::u8, 3}};
    }
    if (type == "rgb16") {
        return {{Type::u16, 3}, {Type::u8, 6}, {Type::f16, 3}};
    }
    if (type == "u64") {
        return {{Type::f64, 0}, {Type::u16, 4}, {Type::c64, 0}, {Type::f32, 2}};
    }
    if (type == "words") {
        return {{Type::f32, 3}, {Type::f32, 4}, {Type::f64, 3}, {Type::c64, 4}, {Type::bf16, 10},
            {Type::u8, 28}, {Type::f64, 2}, {Type::c128, 0}};
    }
    return {{Type::f32, 0}, {Type::i32, 0}, {Type::u32, 1}, {Type::u8, 4}, {Type::u16, 2}};
}

std::vector<int64_t> shape_of(int64_t h, int64_t w, int64_t channels) {
    return channels == 0 ? std::vector<int64_t>{h, w} : std::vector<int64_t>{h, w, channels};
}

int64_t pixel_bytes(const Pixel &p) {
    return (int64_t)size_of(p.type) * std::max<int64_t>(p.channels, 1);
}

int64_t pitch(const Array &a) {
    return a.strides()[0] * (int64_t)size_of(a.type());
}

// Fills every byte, padding included: floats become NaNs of all payloads, denormals and infinities too.
void fill_pixels(void *data, size_t bytes, unsigned seed) {
    fill_bytes(data, bytes, seed);
    if (bytes >= 64 && seed % 2) {
        const uint32_t special[] = {
            0x7f800001u, 0xffc12345u, 0x7fffffffu, 0x80000000u, 0x00000001u, 0xff800000u};
        memcpy(static_cast<char *>(data) + 32, special, sizeof special);
    }
}

void expect_transposed(const Array &in, const Array &out) {
    ASSERT_EQ(difference(out, *plain_result(transpose_operator(), {&in, 1}, {}), {}), "")
        << "the transpose of " << in.describe();
}

// An array in memory whose rows have `extra` bytes after them and that begins `offset` bytes after an aligned
// address; all other bytes are known, so that a write outside the pixels is seen.
class Guarded {
public:
    Guarded(Pixel pixel, int64_t h, int64_t w, int64_t offset, int64_t extra)
        : rows_(h), row_(w * pixel_bytes(pixel)), pitch_(row_ + extra), offset_(offset),
          memory_((size_t)(offset + h * pitch_ + 64), 0xa5) {
        const int64_t element = (int64_t)size_of(pixel.type);
        array = Array::view(pixel.type, memory_.data() + offset, shape_of(h, w, pixel.channels),
            pixel.channels == 0 ? std::vector<int64_t>{pitch_ / element, 1} :
                                  std::vector<int64_t>{pitch_ / element, pixel.channels, 1});
    }

    void expect_untouched_around() const {
        array.sync();
        for (int64_t i = 0; i < (int64_t)memory_.size(); i++) {
            const int64_t from_first = i - offset_;
            const bool inside = from_first >= 0 && from_first / pitch_ < rows_ && from_first % pitch_ < row_;
            ASSERT_TRUE(inside || memory_[(size_t)i] == 0xa5)
                << "byte " << i << " outside the rows of " << array.describe() << " was written";
        }
    }

    Array array;

private:
    int64_t rows_, row_, pitch_, offset_;
    std::vector<unsigned char> memory_;
};

class TransposeVariant : public VariantTest {};

TEST_P(TransposeVariant, AgreesWithThePlainLoop) {
    // (h, w): one pixel, thin, around the tiles' 16, 64, 128 and 256, prime, whole patches, large, very tall,
    // very wide.
    std::vector<std::pair<int64_t, int64_t>> sizes = {{1, 1}, {1, 2}, {2, 1}, {3, 5}, {4, 4}, {15, 17},
        {16, 16}, {17, 15}, {31, 33}, {63, 65}, {64, 64}, {65, 63}, {64, 256}, {127, 129}, {128, 128},
        {129, 127}, {132, 260}, {255, 257}, {256, 64}, {257, 255}, {509, 521}, {384, 640}, {1, 10007},
        {10007, 1}};
    // All kinds of pixel of a type are the same bytes for the row, so that one of them is enough for images
    // of millions of pixels. An OpenCL device that is a CPU takes seconds for those of millions of threads.
    const bool slow = variant().schedule == "reference" || runs_threads_in_turn();
    const std::pair<int64_t, int64_t> odd{slow ? 1025 : 2049, slow ? 513 : 4097},
        whole{slow ? 512 : 2048, slow ? 1024 : 4096};
    const size_t small = sizes.size();
    const int64_t length = runs_threads_in_turn() ? 100003 : 1000003;
    sizes.insert(sizes.end(), {{3, length}, {length, 3}, odd, whole});
    for (const Pixel &pixel : pixels_of(variant().type)) {
        for (const auto &[h, w] : sizes) {
            Array image(pixel.type, shape_of(h, w, pixel.channels)), output;
            fill_pixels(image.data(), (size_t)(h * pitch(image)), (unsigned)(h + w));
            if (run({image}, output)) {
                expect_transposed(image, output);
            }
            if (HasFatalFailure()) {
                return;
            }
        }
        sizes.resize(small);
    }
    EXPECT_GT(served(), 0);
}

TEST_P(TransposeVariant, TakesAndLeavesMemoryOfAnyPitchAndAlignment) {
    struct Lie {
        int64_t offset, extra;
    };
    for (const Pixel &pixel : pixels_of(variant().type)) {
        const int64_t element = (int64_t)size_of(pixel.type);
        const std::vector<std::pair<int64_t, int64_t>> sizes = {
            {1, 1}, {5, 3}, {37, 61}, {64, 256}, {129, 131}, {263, 389}, {384, 512}};
        for (const auto &[h, w] : sizes) {
            for (const auto &[from, to] : std::vector<std::pair<Lie, Lie>>{
                     {{0, 0}, {0, 0}}, {{1, 3}, {3, 1}}, {{2, 5}, {1, 2}}, {{16, 16}, {32, 16}}}) {
                Guarded image(pixel, h, w, from.offset * element, from.extra * element),
                    output(pixel, w, h, to.offset * element, to.extra * element);
                for (int64_t y = 0; y < h; y++) {
                    fill_pixels(static_cast<char *>(image.array.data()) + y * pitch(image.array),
                        (size_t)(w * pixel_bytes(pixel)), (unsigned)(y + h));
                }
                if (run({image.array}, output.array)) {
                    expect_transposed(image.array, output.array);
                    output.expect_untouched_around();
                }
                if (HasFatalFailure()) {
                    return;
                }
            }
        }
    }
}

TEST_P(TransposeVariant, TakesAndLeavesCrops) {
    for (const Pixel &pixel : pixels_of(variant().type)) {
        Array image(pixel.type, shape_of(300, 410, pixel.channels), 0),
            output(pixel.type, shape_of(420, 310, pixel.channels), 0);
        fill_pixels(image.data(), (size_t)(300 * pitch(image)), 3);
        fill_pixels(output.data(), (size_t)(420 * pitch(output)), 4);
        const Array before = output.clone();
        const std::vector<std::array<int64_t, 4>> crops = {
            {0, 0, 300, 410}, {1, 3, 131, 260}, {7, 0, 256, 384}, {299, 409, 1, 1}, {4, 8, 192, 320}};
        for (const auto &[y0, x0, h, w] : crops) {
            const int64_t at_y = std::min<int64_t>(x0 + 5, 420 - w),
                          at_x = std::min<int64_t>(y0 + 2, 310 - h);
            Array part = output.crop(at_y, at_x, w, h);
            if (!run({image.crop(y0, x0, h, w)}, part)) {
                continue;
            }
            expect_transposed(image.crop(y0, x0, h, w), part);
            // All around the crop is as it was.
            Array restored = output.clone();
            const int64_t bytes = pixel_bytes(pixel);
            for (int64_t y = at_y; y < at_y + w; y++) {
                memcpy(static_cast<char *>(restored.data()) + y * pitch(restored) + at_x * bytes,
                    static_cast<const char *>(before.data()) + y * pitch(before) + at_x * bytes,
                    (size_t)(h * bytes));
            }
            ASSERT_EQ(difference(restored, before, {}), "");
            output = before.clone(0);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Variants, TransposeVariant, testing::ValuesIn(variant_cases(transpose_operator())), variant_case_name);

TEST(Transpose, ChoosesARowForEveryArrayByItself) {
    for (const char *type : {"u8", "u16", "rgb8", "f32", "rgb16", "u64", "words"}) {
        for (const Pixel &pixel : pixels_of(type)) {
            for (const auto &[h, w] :
                std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {63, 255}, {64, 256}, {301, 299}}) {
                for (const DeviceInfo &device : devices()) {
                    if (!device.usable) {
                        continue;
                    }
                    Array image(pixel.type, shape_of(h, w, pixel.channels));
                    fill_pixels(image.data(), (size_t)(h * pitch(image)), 5);
                    const Array output = transpose(image, {.device = device.device});
                    expect_transposed(image, output);
                }
            }
        }
    }
}

TEST(Transpose, TwiceIsTheImage) {
    const Array image = random_array<float>({123, 77});
    EXPECT_EQ(difference(transpose(transpose(image)), image, {}), "");
}

// Variants so far apart that no library addresses them at once; only the pages that are used exist.
TEST(Transpose, TakesMemoryOfMoreThanTwoGiB) {
    const int64_t apart = (int64_t)1 << 30, bytes = 3 * apart + 4096;
    void *memory = mmap(
        nullptr, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    Array far = Array::view(Type::u8, memory, {4, 300}, {apart, 1});
    for (int64_t y = 0; y < 4; y++) {
        fill_pixels(static_cast<char *>(memory) + y * apart, 300, (unsigned)y);
    }
    for (const DeviceInfo &device : devices()) {
        if (!device.usable) {
            continue;
        }
        const Array near = transpose(far, {.device = device.device});
        expect_transposed(far, near);
        const Array image = random_array<uint8_t>({300, 4}, 7);
        transpose(image, far, {.device = device.device});
        expect_transposed(image, far);
    }
    munmap(memory, (size_t)bytes);
}

void expect_refused(const Array &image, Array output, Fault fault, const std::string &value) {
    const Error error = error_of([&] { transpose(image, output, {.device = Device{}}); });
    EXPECT_EQ(error.fault(), fault) << error.what();
    EXPECT_EQ(error.context().operation, "transpose");
    EXPECT_EQ(error.context().value, value);
}

TEST(Transpose, RefusesWhatIsNoImage) {
    expect_refused(Array(Type::u8, {7}), {}, Fault::input, "u8 (7)");
    expect_refused(Array(Type::f64, {7, 3, 5}), {}, Fault::input, "f64 (7, 3, 5)");
    expect_refused(Array(Type::u8, {7, 3, 5}), {}, Fault::input, "u8 (7, 3, 5)");
    expect_refused(Array(Type::u16, {7, 3, 5}), {}, Fault::input, "u16 (7, 3, 5)");
    expect_refused(Array(Type::u8, {7, 3}), Array(Type::u8, {7, 3}), Fault::input, "u8 (7, 3)");
    const Array image(Type::u8, {8, 8});
    expect_refused(image, image, Fault::usage, "u8 (8, 8)");
}

}  // namespace
