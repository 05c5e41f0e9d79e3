#pragma once
#include "tilewright/array.h"
#include "tilewright/error.h"
#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>
#pragma GCC visibility push(default)

// Images of OpenCV as arrays, without a copy. This header includes nothing of OpenCV: include its own first.
//
//     const cv::Mat photo = cv::imread("photo.png");
//     cv::Mat soft(photo.size(), photo.type());
//     tilewright::Array result = tilewright::view_of(soft);
//     tilewright::gaussian_blur(tilewright::view_of(photo), result, 3);
//     result.sync();                               // where a GPU wrote it, `soft` has its bytes now
namespace tilewright {

// What this header needs of cv::Mat.
template<typename Mat>
concept OpenCvMat = requires(const Mat &mat) {
    { mat.depth() } -> std::convertible_to<int>;
    { mat.channels() } -> std::convertible_to<int>;
    { mat.elemSize1() } -> std::convertible_to<size_t>;
    { mat.dims } -> std::convertible_to<int>;
    { mat.rows } -> std::convertible_to<int>;
    { mat.cols } -> std::convertible_to<int>;
    { mat.step[0] } -> std::convertible_to<size_t>;
    { mat.data } -> std::convertible_to<const void *>;
};

// The Type of OpenCV's depths (CV_8U ...); nothing for depths that no array has, such as CV_16S.
inline std::optional<Type> type_of_depth(int depth) {
    switch (depth) {
    case 0: return Type::u8;   // CV_8U
    case 2: return Type::u16;  // CV_16U
    case 4: return Type::i32;  // CV_32S
    case 5: return Type::f32;  // CV_32F
    case 6: return Type::f64;  // CV_64F
    default: return {};
    }
}

// The pixels of a cv::Mat, which are used in place and must outlive the array: (h, w) of one channel, else
// (h, w, channels), in OpenCV's order (B, G, R). Rows may have a pitch, as those of a region of interest do.
// Of a const Mat the array is one of const memory: calls refuse it as an output. `cv::Mat` of 32FC2 is
// f32 (h, w, 2), and no c64: for that take Array::view(Type::c64, mat.data, {h, w}).
//
// Errors: usage, for an empty Mat, another number of dimensions than 2, and a depth that no array has.
template<typename Mat>
    requires OpenCvMat<std::remove_cvref_t<Mat>>
Array view_of(Mat &&mat) {
    const std::optional<Type> type = type_of_depth(mat.depth());
    if (!type || mat.dims != 2 || !mat.data || mat.rows < 1 || mat.cols < 1) {
        throw Error(Fault::usage,
            "takes a cv::Mat of one or more pixels, rows and columns, of CV_8U, CV_16U, "
            "CV_32S, CV_32F or CV_64F",
            {.operation = "view_of",
                .argument = "mat",
                .value = std::to_string(mat.dims) + " dimensions of depth " + std::to_string(mat.depth())});
    }
    const int64_t channels = mat.channels(), pitch = (int64_t)(mat.step[0] / mat.elemSize1());
    std::vector<int64_t> shape = {mat.rows, mat.cols}, strides = {pitch, channels};
    if (channels > 1) {
        shape.push_back(channels);
        strides.push_back(1);
    }
    const void *memory = mat.data;
    return std::is_const_v<std::remove_reference_t<Mat>> ?
               Array::view(*type, memory, shape, strides) :
               Array::view(*type, const_cast<void *>(memory), shape, strides);
}

}  // namespace tilewright
#pragma GCC visibility pop
