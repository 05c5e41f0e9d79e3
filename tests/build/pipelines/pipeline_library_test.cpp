// Pipelines made ahead of time against their operators one by one: the same bytes for integers, within the
// stated bounds for floats.
#include "blur_transpose_sums_fused.h"
#include "blur_transpose_sums_staged.h"
#include "colour_blur_fused.h"
#include "colour_transpose_staged.h"
#include "doubles_staged.h"
#include "float_blur_sums_fused.h"
#include "float_blur_sums_staged.h"
#include "float_colours_fused.h"
#include "halves_staged.h"
#include "invert_blur_transpose_fused.h"
#include "invert_blur_transpose_staged.h"
#include "row_sums_staged.h"
#include "short_floats_fused.h"
#include "tests/operators/variants.h"
#include "tilewright/column_sum.h"
#include "tilewright/gaussian_blur.h"
#include "tilewright/invert.h"
#include "tilewright/row_sum.h"
#include "tilewright/transpose.h"
#include "tilewright/workload.h"
#include "two_blurs_fused.h"
#include "wide_blur_staged.h"
#include "wide_colours_staged.h"
#include "words_blur_transpose_staged.h"
#include "words_transpose_sums_fused.h"
#include <cmath>
#include <cstring>

namespace tilewright {
namespace {

const Call on_cpu = {.device = Device{}};

using Function = void (*)(const Array &, Array &, const Call &);
using Chain = Array (*)(const Array &);

Array inverted(const Array &image) {
    Array made;
    invert(image, made, on_cpu);
    return made;
}

Array transposed(const Array &image) {
    Array made;
    transpose(image, made, on_cpu);
    return made;
}

Array blurred(const Array &image, double sigma, Border border = Border::reflect) {
    return gaussian_blur(image, sigma, border, on_cpu);
}

// A pipeline, and the operators that it stands for, one by one.
struct Case {
    const char *name;
    Function function;
    Chain chain;
    Type type;
    int channels = 1;
    double float_bound = 0;  // of an element of the blur, in units of 2^-24 (f64: 2^-53) of the largest
                             // pixel; the sums' own is added
};

Array blur_transpose_sums(const Array &image) {
    return column_sum(transposed(blurred(image, 2)), on_cpu);
}
Array invert_blur_transpose(const Array &image) {
    return transposed(blurred(inverted(image), 1.5, Border::mirror));
}
Array float_blur_sums(const Array &image, double sigma) {
    return row_sum(blurred(transposed(image), sigma, Border::zero), on_cpu);
}

const Case cases[] = {
    {"blur_transpose_sums_staged", blur_transpose_sums_staged, blur_transpose_sums, Type::u8},
    {"blur_transpose_sums_fused", blur_transpose_sums_fused, blur_transpose_sums, Type::u8},
    {"invert_blur_transpose_staged", invert_blur_transpose_staged, invert_blur_transpose, Type::u8},
    {"invert_blur_transpose_fused", invert_blur_transpose_fused, invert_blur_transpose, Type::u8},
    {"float_blur_sums_staged", float_blur_sums_staged,
        [](const Array &a) { return float_blur_sums(a, 2.25); }, Type::f32, 1, 2 * (2 * 9 + 3)},
    {"float_blur_sums_fused", float_blur_sums_fused, [](const Array &a) { return float_blur_sums(a, 1); },
        Type::f32, 1, 2 * (2 * 4 + 3)},
    {"two_blurs_fused", two_blurs_fused,
        [](const Array &a) { return blurred(inverted(blurred(transposed(a), 1)), 2, Border::nearest); },
        Type::u8},
    {"words_transpose_sums_fused", words_transpose_sums_fused,
        [](const Array &a) { return column_sum(transposed(a), Type::f32, on_cpu); }, Type::u16},
    {"words_blur_transpose_staged", words_blur_transpose_staged,
        [](const Array &a) { return inverted(transposed(blurred(a, 1))); }, Type::u16},
    {"colour_transpose_staged", colour_transpose_staged,
        [](const Array &a) { return transposed(inverted(blurred(a, 1))); }, Type::u8, 3},
    {"colour_blur_fused", colour_blur_fused, [](const Array &a) { return blurred(inverted(a), 1.5); },
        Type::u8, 3},
    {"wide_colours_staged", wide_colours_staged,
        [](const Array &a) { return blurred(inverted(transposed(a)), 1); }, Type::u16, 4},
    {"float_colours_fused", float_colours_fused, [](const Array &a) { return blurred(a, 1); }, Type::f32, 3,
        2 * (2 * 4 + 3)},
    {"doubles_staged", doubles_staged,
        [](const Array &a) { return column_sum(transposed(blurred(a, 1)), on_cpu); }, Type::f64, 1,
        2 * (2 * 4 + 3)},
    {"halves_staged", halves_staged,
        [](const Array &a) { return row_sum(transposed(blurred(a, 1)), on_cpu); }, Type::f16, 1, 0x1p13},
    {"short_floats_fused", short_floats_fused,
        [](const Array &a) { return column_sum(transposed(blurred(a, 1)), on_cpu); }, Type::bf16, 1, 0x1p16},
    {"row_sums_staged", row_sums_staged, [](const Array &a) { return row_sum(a, on_cpu); }, Type::u8},
    {"wide_blur_staged", wide_blur_staged, [](const Array &a) { return blurred(a, 5); }, Type::f32, 1,
        2 * (2 * 20 + 3)},
};

Array image_of(const Case &c, int64_t h, int64_t w, int64_t row_bytes = Array::padded) {
    const std::vector<int64_t> shape =
        c.channels == 1 ? std::vector<int64_t>{h, w} : std::vector<int64_t>{h, w, c.channels};
    return random_array(c.type, shape, (unsigned)(h * 1000 + w), row_bytes);
}

// How far each element may be off: the pipeline and the operators both keep the bounds, so twice them. Of
// 16-bit floats a blur's result may be rounded to a neighbour.
Array bound_of(const Case &c, const Array &image, const Array &expected) {
    if (c.type == Type::u8 || c.type == Type::u16) {
        return {};
    }
    Array bound(Type::f64, expected.shape(), 0);
    const int64_t terms_of_sum = image.size() / expected.size();
    const double terms = (double)terms_of_sum;
    const int unit = c.type == Type::f64 ? -53 : -24;
    for (int64_t i = 0; i < expected.size(); i++) {
        bound.as<double>()[i] = 2 * terms * std::ldexp(c.float_bound + terms, unit);
    }
    return bound;
}

class PipelineLibrary : public testing::TestWithParam<std::tuple<Case, Backend>> {
protected:
    void SetUp() override {
        const char *const words[] = {"cpu", "cuda", "opencl"};
        if (!strstr(TILEWRIGHT_BUILT_TARGETS, words[(int)std::get<1>(GetParam())])) {
            GTEST_SKIP() << "not run here: pipelines were built for " TILEWRIGHT_BUILT_TARGETS;
        }
        std::string why_not;
        const auto found = usable_device(std::get<1>(GetParam()), why_not);
        if (!found) {
            GTEST_SKIP() << "not run here: " << why_not;
        }
        device = found->device;
    }
    void TearDown() override {
        if (!IsSkipped()) {
            EXPECT_LE(counters().largest_block, 1024u) << "it launches blocks that no GPU takes";
        }
    }
    const Case &made() const {
        return std::get<0>(GetParam());
    }
    void check(const Array &image) {
        const Array expected = made().chain(image);
        Array output;
        made().function(image, output, {.device = device});
        ASSERT_EQ(difference(output, expected, bound_of(made(), image, expected)), "")
            << image.describe() << " on " << device.str();
    }
    Device device;
};

// Sizes around tiles (32, 64, 128, 256) and bands, below the windows' radius (8), prime, wide and tall.
TEST_P(PipelineLibrary, GivesWhatItsOperatorsGive) {
    const std::vector<std::pair<int64_t, int64_t>> sizes = {{1, 1}, {1, 7}, {5, 1}, {3, 5}, {8, 9}, {9, 8},
        {31, 33}, {64, 64}, {32, 128}, {128, 32}, {65, 127}, {129, 31}, {257, 263}, {300, 17}, {11, 1031},
        {523, 129}, {384, 512}, {260, 300}, {401, 613}};
    for (const auto &[h, w] : sizes) {
        check(image_of(made(), h, w));
        if (HasFatalFailure()) {
            return;
        }
    }
}

TEST_P(PipelineLibrary, TakesCropsAndDenseRows) {
    const Array dense = image_of(made(), 301, 283, 0);
    check(dense);
    if (!HasFatalFailure()) {
        check(dense.crop(3, 5, 290, 271));
    }
    if (!HasFatalFailure()) {
        check(dense.crop(1, 1, 7, 11));
    }
}

// The padding between the rows of an output that the caller made is left untouched.
TEST_P(PipelineLibrary, WritesItsOutputAlone) {
    const Array image = image_of(made(), 131, 149), expected = made().chain(image);
    if (expected.dimensions() == 1) {
        GTEST_SKIP() << "not run here: a vector has no rows";
    }
    std::vector<int64_t> larger = expected.shape();
    larger[0] += 5;
    larger[1] += 7;
    Array whole(expected.type(), larger, 0);
    memset(whole.data(), 0x5a, (size_t)whole.size() * size_of(whole.type()));
    Array part = whole.crop(2, 3, expected.shape()[0], expected.shape()[1]);
    made().function(image, part, {.device = device});
    ASSERT_EQ(difference(part, expected, bound_of(made(), image, expected)), "");
    const auto *bytes = static_cast<const unsigned char *>(std::as_const(whole).data());
    const int64_t row =
        larger[1] * (whole.dimensions() == 3 ? larger[2] : 1) * (int64_t)size_of(whole.type());
    const int64_t pixel = (whole.dimensions() == 3 ? larger[2] : 1) * (int64_t)size_of(whole.type());
    for (int64_t y = 0; y < larger[0]; y++) {
        for (int64_t x = 0; x < row; x++) {
            const bool inside = y >= 2 && y < 2 + expected.shape()[0] && x >= 3 * pixel &&
                                x < (3 + expected.shape()[1]) * pixel;
            ASSERT_TRUE(inside || bytes[y * row + x] == 0x5a) << "x = " << x << ", y = " << y;
        }
    }
}

// Each image of an array is computed by itself, and the call says what ran.
TEST_P(PipelineLibrary, TakesManyImages) {
    const Case &c = made();
    std::vector<int64_t> shape = {2, 41, 53};
    if (c.channels > 1) {
        shape.push_back(c.channels);
    }
    const Array images = random_array(c.type, shape, 9);
    Array outputs;
    Statistics statistics;
    c.function(images, outputs,
        {.device = device, .statistics = &statistics, .layout = c.channels > 1 ? "nhwc" : "nhw"});
    EXPECT_EQ(statistics.device, device.str());
    EXPECT_NE(statistics.variant.find(c.name), std::string::npos) << statistics.variant;
    for (const int64_t i : {0, 1}) {
        const Array image = std::as_const(images).slice({i}), expected = c.chain(image);
        EXPECT_EQ(difference(std::as_const(outputs).slice({i}), expected, bound_of(c, image, expected)), "");
    }
}

std::string case_name(const testing::TestParamInfo<std::tuple<Case, Backend>> &info) {
    const char *const backends[] = {"cpu", "cuda", "opencl"};
    return std::string(std::get<0>(info.param).name) + "_" + backends[(int)std::get<1>(info.param)];
}

void PrintTo(const Case &c, std::ostream *out) {
    *out << c.name;
}

INSTANTIATE_TEST_SUITE_P(Pipelines, PipelineLibrary,
    testing::Combine(testing::ValuesIn(cases), testing::Values(Backend::cpu, Backend::cuda, Backend::opencl)),
    case_name);

std::string said_by(const std::function<void()> &call, Fault fault) {
    try {
        call();
    } catch (const Error &error) {
        EXPECT_EQ(error.fault(), fault) << error.what();
        return error.what();
    }
    return "nothing";
}

TEST(PipelineLibraryErrors, RefuseSumsThatU32MayNotHold) {
    Array sums;
    EXPECT_NE(
        said_by([&] { words_transpose_sums_fused(Array(Type::u16, {3, 65538}), sums, on_cpu); }, Fault::input)
            .find("sums of 65538 u16 numbers"),
        std::string::npos);
}

TEST(PipelineLibraryErrors, NameWhatIsWrong) {
    Array output;
    const Array image(Type::u8, {20, 30});
    EXPECT_EQ(said_by([&] { blur_transpose_sums_staged(Array(Type::u16, {20, 30}), output, on_cpu); },
                  Fault::input),
        "blur_transpose_sums_staged: image = u16 (20, 30): takes u8 of shape (h, w); convert it first");
    EXPECT_EQ(said_by([&] { blur_transpose_sums_staged(Array(Type::u8, {20, 30, 3}), output, on_cpu); },
                  Fault::input),
        "blur_transpose_sums_staged: image = u8 (20, 30, 3): takes u8 of shape (h, w); make colours grey, or "
        "say by the layout, nhw, that these are many images");
    EXPECT_EQ(said_by([&] { colour_transpose_staged(image, output, on_cpu); }, Fault::input),
        "colour_transpose_staged: image = u8 (20, 30): takes u8 (h, w, 3)");
    EXPECT_EQ(said_by([&] { blur_transpose_sums_staged({}, output, on_cpu); }, Fault::input),
        "blur_transpose_sums_staged: input: an input is empty");
    Array wrong(Type::u32, {30});
    EXPECT_EQ(said_by([&] { blur_transpose_sums_staged(image, wrong, on_cpu); }, Fault::input),
        "blur_transpose_sums_staged: output = u32 (30): must be u32 (20)");
    Array square(Type::u8, {20, 20});
    EXPECT_NE(said_by([&] { invert_blur_transpose_staged(square, square, on_cpu); }, Fault::usage)
                  .find("shares memory"),
        std::string::npos);
    EXPECT_NE(
        said_by([&] { blur_transpose_sums_staged(image, output, {.device = Device{Backend::cuda, 99}}); },
            Fault::device)
            .find("cuda:99"),
        std::string::npos);
    EXPECT_TRUE(output.empty());
}

// A pipeline is an operator: its calls can be prepared, and many images are one array.
TEST(PipelineLibraryCalls, CanBePrepared) {
    const Array image = image_of(cases[0], 37, 53), other = image_of(cases[0], 37, 53, 0);
    Array sums;
    Prepared again = blur_transpose_sums_staged_operator().prepare({&image, 1}, sums, {}, on_cpu);
    EXPECT_EQ(difference(sums, cases[0].chain(image), {}), "");
    Array made;
    again(other.crop(0, 0, 37, 53), made);
    EXPECT_EQ(difference(made, cases[0].chain(other), {}), "");
}

// Without Tilewright's runtime: Halide's own buffers, typed.
TEST(PipelineLibraryBuffers, AreHalidesOwn) {
    Case c = cases[0];
    const Array image = image_of(c, 37, 53, 0), expected = c.chain(image);
    Halide::Runtime::Buffer<const uint8_t, 2> input(image.as<uint8_t>(), 53, 37);
    Halide::Runtime::Buffer<uint32_t, 1> sums(37);
    ASSERT_EQ(blur_transpose_sums_fused_cpu(input, sums), 0);
    for (int i = 0; i < 37; i++) {
        ASSERT_EQ(sums(i), expected.as<uint32_t>()[i]) << i;
    }
    Halide::Runtime::Buffer<uint32_t, 1> longer(38);  // another size than the pipeline gives
    EXPECT_NE(blur_transpose_sums_fused_cpu(input, longer), 0);

    c = cases[9];
    const Array picture = image_of(c, 21, 34, 0), turned_picture = c.chain(picture);
    auto from = Halide::Runtime::Buffer<const uint8_t, 3>::make_interleaved(picture.as<uint8_t>(), 34, 21, 3);
    auto to = Halide::Runtime::Buffer<uint8_t, 3>::make_interleaved(21, 34, 3);
    ASSERT_EQ(colour_transpose_staged_cpu(from, to), 0);
    for (int y = 0; y < 34; y++) {
        for (int x = 0; x < 21; x++) {
            for (int k = 0; k < 3; k++) {
                ASSERT_EQ(to(x, y, k), turned_picture.at<uint8_t>({y, x, k})) << x << ", " << y;
            }
        }
    }
}

}  // namespace
}  // namespace tilewright
