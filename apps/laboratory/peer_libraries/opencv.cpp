// OpenCV on the CPU: sums, transposes, negatives, blurs and products.
#include "apps/laboratory/peer_libraries/peer_library.h"
#include <cmath>
#include <map>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace peers {

namespace {

// The array as OpenCV sees it, without a copy.
cv::Mat matrix(const PeerArray &array, int depth) {
    return {(int)array.height, (int)array.width, CV_MAKETYPE(depth, (int)array.channels), array.data,
        array.height > 1 ? (size_t)array.pitch : (size_t)cv::Mat::AUTO_STEP};
}

// The sums as a matrix of one row or of one column.
cv::Mat vector(const PeerArray &array, int depth, bool is_column) {
    const int length = (int)(array.width * array.height);
    return {is_column ? length : 1, is_column ? 1 : length, CV_MAKETYPE(depth, 1), array.data};
}

Run sum(const PeerProblem &problem, int depth) {
    const bool rows = problem.op == "row_sum";
    const int sums = problem.type == "u8" ? CV_32S : CV_32F;
    return [=](const std::vector<PeerArray> &in, const PeerArray &out) {
        cv::Mat to = vector(out, sums, rows);
        cv::reduce(matrix(in[0], depth), to, rows ? 1 : 0, cv::REDUCE_SUM, sums);
    };
}

Run blur(const PeerProblem &problem, int depth) {
    static const std::map<std::string, int> borders = {{"reflect", cv::BORDER_REFLECT},
        {"mirror", cv::BORDER_REFLECT_101}, {"nearest", cv::BORDER_REPLICATE}, {"zero", cv::BORDER_CONSTANT}};
    const double sigma = problem.sigma;
    const int taps = 2 * (int)std::floor(4 * sigma + .5) + 1, border = borders.at(problem.border);
    return [=](const std::vector<PeerArray> &in, const PeerArray &out) {
        cv::Mat to = matrix(out, depth);
        cv::GaussianBlur(matrix(in[0], depth), to, {taps, taps}, sigma, sigma, border);
    };
}

Run transposed(int depth) {
    return [=](const std::vector<PeerArray> &in, const PeerArray &out) {
        cv::Mat to = matrix(out, depth);
        cv::transpose(matrix(in[0], depth), to);
    };
}

Run negative(int depth) {
    return [=](const std::vector<PeerArray> &in, const PeerArray &out) {
        cv::Mat to = matrix(out, depth);
        cv::bitwise_not(matrix(in[0], depth), to);
    };
}

void product(const std::vector<PeerArray> &in, const PeerArray &out) {
    cv::Mat to = matrix(out, CV_32F);
    cv::gemm(matrix(in[0], CV_32F), matrix(in[1], CV_32F), 1, cv::noArray(), 0, to);
}

void add_peers(const PeerProblem &problem, std::vector<LibraryPeer> &peers) {
    const auto add = [&](const char *name, double off, const Run &run) {
        peers.push_back(
            {std::string("OpenCV ") + CV_VERSION + " " + name + ", " + in_threads(cv::getNumThreads()), off,
                run});
    };
    const std::string &type = problem.type;
    const bool floats = type == "f32", bytes = type == "u8" || type == "rgb8";
    const int depth = floats ? CV_32F : bytes ? CV_8U : CV_16U;
    if (!floats && !bytes && type != "u16" && type != "rgb16") {
        return;
    }
    if ((problem.op == "column_sum" || problem.op == "row_sum") && depth != CV_16U) {
        add("reduce", 0, sum(problem, depth));
    } else if (problem.op == "transpose") {
        add("transpose", 0, transposed(depth));
    } else if (problem.op == "invert" && !floats) {
        add("bitwise_not", 0, negative(depth));
    } else if (problem.op == "gaussian_blur") {
        // Its weights of integers have 8 bits (u8) and 16 bits (u16) after the point.
        add("GaussianBlur", floats ? 0 : bytes ? 3 : 2, blur(problem, depth));
    } else if (problem.op == "matmul" && floats) {
        add("gemm", 0, product);
    }
}

}  // namespace

}  // namespace peers

extern "C" void tilewright_add_peers(
    const peers::PeerProblem &problem, std::vector<peers::LibraryPeer> &peers) {
    peers::add_peers(problem, peers);
}
