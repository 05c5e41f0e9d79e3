// Arrays on images and spans of other libraries, and copies of their elements.
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include <gtest/gtest.h>
#include <numeric>
#ifdef TILEWRIGHT_TESTS_OPENCV
#include <opencv2/core.hpp>
#endif
#if __has_include(<mdspan>)
#include <mdspan>
#endif
#include "tilewright/mdspan.h"
#include "tilewright/opencv.h"

namespace tilewright {

#ifndef TILEWRIGHT_TESTS_OPENCV
// What stands for OpenCV where it is not installed: the members of cv::Mat that tilewright/opencv.h uses.
namespace cv {

enum Depth { CV_8U, CV_8S, CV_16U, CV_16S, CV_32S, CV_32F, CV_64F };

struct Rect {
    int x, y, width, height;
};

struct Mat {
    int dims = 2, rows = 0, cols = 0;
    unsigned char *data = nullptr;
    std::array<size_t, 2> step = {};
    std::shared_ptr<std::vector<unsigned char>> memory;
    int depth_ = 0, channels_ = 1;

    Mat() = default;
    Mat(int height, int width, int type)
        : rows(height), cols(width), depth_(type % 8), channels_(type / 8 + 1) {
        step = {(size_t)width * channels_ * elemSize1(), channels_ * elemSize1()};
        memory = std::make_shared<std::vector<unsigned char>>(step[0] * (size_t)height);
        data = memory->data();
    }
    Mat operator()(const Rect &part) const {
        Mat region = *this;
        region.rows = part.height;
        region.cols = part.width;
        region.data += (size_t)part.y * step[0] + (size_t)part.x * step[1];
        return region;
    }
    int depth() const {
        return depth_;
    }
    int channels() const {
        return channels_;
    }
    size_t elemSize1() const {
        return std::array<size_t, 7>{1, 1, 2, 2, 4, 4, 8}[(size_t)depth_];
    }
};

}  // namespace cv

constexpr int CV_MAKETYPE(int depth, int channels) {
    return depth + 8 * (channels - 1);
}
using enum cv::Depth;
#endif

TEST(OpenCv, PixelsAreUsedInPlace) {
    cv::Mat mat(20, 30, CV_MAKETYPE(CV_8U, 3));
    Array view = view_of(mat);
    EXPECT_EQ(view.describe(), "u8 (20, 30, 3)");
    view.as<uint8_t>()[view.strides()[0] * 2 + 3 * 4 + 1] = 77;
    EXPECT_EQ(mat.data[mat.step[0] * 2 + 3 * 4 + 1], 77);
    const Array region = view_of(mat(cv::Rect{4, 2, 10, 6}));
    EXPECT_EQ(region.describe(), "u8 (6, 10, 3)");
    EXPECT_EQ(region.at<uint8_t>({0, 0, 1}), 77);
    EXPECT_EQ(region.strides()[0], 90);
    for (const auto &[depth, words] : std::vector<std::pair<int, std::string>>{
             {CV_16U, "u16"}, {CV_32S, "i32"}, {CV_32F, "f32"}, {CV_64F, "f64"}}) {
        cv::Mat other(5, 7, CV_MAKETYPE(depth, 1));
        EXPECT_EQ(view_of(other).describe(), words + " (5, 7)");
    }
}

TEST(OpenCv, ConstImagesAreNoOutputs) {
    const cv::Mat mat(20, 30, CV_MAKETYPE(CV_8U, 1));
    Array view = view_of(mat);
    expect_error(Fault::usage, "a view of const memory", [&] { view.data(); });
    EXPECT_EQ(std::as_const(view).data(), mat.data);
}

TEST(OpenCv, OtherImagesAreRefused) {
    cv::Mat empty, depth(4, 4, CV_MAKETYPE(CV_16S, 1));
    expect_error(Fault::usage, "takes a cv::Mat of one or more pixels", [&] { view_of(empty); });
    expect_error(Fault::usage, "2 dimensions of depth 3: takes a cv::Mat", [&] { view_of(depth); });
}

TEST(OpenCv, BlursFromOneImageToAnother) {
    const Operator *invert = built_operator("invert");
    if (!invert) {
        GTEST_SKIP() << "not run here: invert was not built";
    }
    cv::Mat from(40, 60, CV_MAKETYPE(CV_8U, 3)), to(40, 60, CV_MAKETYPE(CV_8U, 3));
    std::iota(from.data, from.data + 40 * 180, (unsigned char)1);
    for (const Device &device : usable_devices()) {
        Array result = view_of(to);
        const Array image = view_of(std::as_const(from));
        (*invert)({&image, 1}, result, {}, {.device = device});
        result.sync();
        for (int i = 0; i < 40 * 180; i++) {
            ASSERT_EQ(to.data[i], 255 - from.data[i]) << device.str() << ", byte " << i;
        }
    }
}

#ifndef __cpp_lib_mdspan
// What stands for std::mdspan before C++23.
template<typename T, size_t Rank>
struct Span {
    using element_type = T;
    T *elements;
    std::array<size_t, Rank> extents, strides;

    static constexpr size_t rank() {
        return Rank;
    }
    T *data_handle() const {
        return elements;
    }
    size_t extent(size_t axis) const {
        return extents[axis];
    }
    size_t stride(size_t axis) const {
        return strides[axis];
    }
};
#endif

TEST(MdSpan, ElementsAreUsedInPlace) {
    std::vector<float> memory(60);
    std::iota(memory.begin(), memory.end(), 0.f);
#ifdef __cpp_lib_mdspan
    const std::mdspan whole(memory.data(), 6, 10);
    const std::mdspan<const float, std::dextents<size_t, 3>> colours(memory.data(), 4, 5, 3);
    const std::layout_stride::mapping rows(std::dextents<size_t, 2>(6, 7), std::array<size_t, 2>{10, 1});
    const std::mdspan part(memory.data(), rows);
#else
    const Span<float, 2> whole{memory.data(), {6, 10}, {10, 1}}, part{memory.data(), {6, 7}, {10, 1}};
    const Span<const float, 3> colours{memory.data(), {4, 5, 3}, {15, 3, 1}};
#endif
    Array view = view_of(whole);
    EXPECT_EQ(view.describe(), "f32 (6, 10)");
    view.as<float>()[12] = -1;
    EXPECT_EQ(memory[12], -1);
    EXPECT_EQ(view_of(part).describe(), "f32 (6, 7)");
    EXPECT_EQ(view_of(part).at<float>({5, 6}), 56);
    // One row, and one column of columns: no step is taken along an axis of one element.
    using Extents = std::vector<int64_t>;
    for (const auto &[shape, strides] :
        {std::pair<Extents, Extents>{{1, 7}, {0, 1}}, {{1, 7}, {-9, 1}}, {{6, 1}, {10, 60}}, {{1}, {60}}}) {
        const Array one = Array::view(std::span(memory), shape, strides);
        EXPECT_EQ(one.shape(), shape);
        EXPECT_TRUE(same_bytes(one, one.clone()));
    }
    Array of_const = view_of(colours);
    EXPECT_EQ(of_const.describe(), "f32 (4, 5, 3)");
    expect_error(Fault::usage, "a view of const memory", [&] { of_const.data(); });
}

#ifndef __cpp_lib_mdspan
TEST(MdSpan, OtherLayoutsAreRefused) {
    std::vector<float> memory(60);
    const Span<float, 2> columns{memory.data(), {6, 10}, {1, 6}}, none{memory.data(), {0, 10}, {10, 1}};
    expect_error(Fault::usage, "strides that are dense but for the rows' pitch", [&] { view_of(columns); });
    expect_error(Fault::usage, "1 to 8 dimensions", [&] { view_of(none); });
}
#endif

TEST(Array, ElementsAreCopiedToAndFromMemoryWithoutGaps) {
    const Array array = random_array<uint16_t>({5, 7, 3}, 1, 64);
    std::vector<uint16_t> memory(105);
    array.copy_to(std::span(memory));
    for (int64_t i = 0; i < 105; i++) {
        ASSERT_EQ(memory[(size_t)i], array.at<uint16_t>({i / 21, i / 3 % 7, i % 3}));
    }
    Array other(Type::u16, {5, 7, 3});
    other.copy_from(std::span(std::as_const(memory)));
    EXPECT_TRUE(same_bytes(array, other));
    Array part = other.crop(1, 1, 2, 2);
    const std::array<uint16_t, 12> numbers = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    part.copy_from(std::span(numbers));
    EXPECT_EQ(other.at<uint16_t>({2, 2, 2}), 12);
    EXPECT_EQ(other.at<uint16_t>({2, 3, 0}), array.at<uint16_t>({2, 3, 0}));
}

TEST(Array, CopiesThatCannotBeAreRefused) {
    Array array(Type::u8, {4, 8});
    std::vector<uint8_t> memory(31);
    std::vector<float> floats(32);
    expect_error(Fault::usage, "u8 (4, 8) needs 32 elements, and the span has 31",
        [&] { array.copy_to(std::span(memory)); });
    expect_error(
        Fault::usage, "the array holds u8 (4, 8), not f32", [&] { array.copy_to(std::span(floats)); });
    expect_error(
        Fault::usage, "the array holds u8 (4, 8), not f32", [&] { array.copy_from(std::span(floats)); });
    expect_error(Fault::usage, "share memory", [&] { array.copy_to(std::span(array.as<uint8_t>(), 256)); });
    expect_error(Fault::usage, "an empty array has no elements", [&] { Array().copy_to(std::span(memory)); });
    const std::vector<float> others(32);
    Array of_const = Array::view(std::span(others));
    expect_error(Fault::usage, "a view of const memory", [&] { of_const.copy_from(std::span(floats)); });
}

}  // namespace tilewright
