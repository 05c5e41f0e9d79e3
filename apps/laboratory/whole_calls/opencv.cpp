#include "apps/laboratory/whole_calls/opencv.h"
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>

namespace {

using tilewright::Array;
using tilewright::Type;

// The array as OpenCV sees it, without a copy; nothing for types that OpenCV does not have.
std::optional<cv::Mat> matrix(const Array &array) {
    const int channels = array.dimensions() == 3 ? (int)array.shape()[2] : 1;
    const int depth = array.type() == Type::u8  ? CV_8U :
                      array.type() == Type::u16 ? CV_16U :
                      array.type() == Type::f32 ? CV_32F :
                                                  -1;
    if (depth < 0 || array.dimensions() < 2) {
        return {};
    }
    const size_t pitch = (size_t)array.strides()[0] * tilewright::size_of(array.type());
    return cv::Mat((int)array.shape()[0], (int)array.shape()[1], CV_MAKETYPE(depth, channels),
        const_cast<void *>(array.data()), pitch);
}

}  // namespace

std::function<void()> opencv_peer(
    const std::string &op, std::span<const Array> inputs, const tilewright::Settings &settings) {
    const std::optional<cv::Mat> image = matrix(inputs[0]);
    if (!image) {
        return {};
    }
    const cv::Mat in = *image;
    if (op == "column_sum" || op == "row_sum") {
        const int kept = op == "row_sum" ? 1 : 0, type = in.depth() == CV_8U ? CV_32S : CV_32F;
        return
            [in, kept, type, out = cv::Mat()]() mutable { cv::reduce(in, out, kept, cv::REDUCE_SUM, type); };
    }
    if (op == "transpose") {
        return [in, out = cv::Mat()]() mutable { cv::transpose(in, out); };
    }
    if (op == "invert") {
        return [in, out = cv::Mat()]() mutable { cv::bitwise_not(in, out); };
    }
    if (op == "gaussian_blur") {
        const double sigma = settings.number("sigma");
        return [in, sigma, out = cv::Mat()]() mutable {
            cv::GaussianBlur(in, out, cv::Size(), sigma, sigma, cv::BORDER_REFLECT);
        };
    }
    if (op == "matmul") {
        const cv::Mat b = *matrix(inputs[1]);
        return [in, b, out = cv::Mat()]() mutable { cv::gemm(in, b, 1, cv::noArray(), 0, out); };
    }
    return {};
}
