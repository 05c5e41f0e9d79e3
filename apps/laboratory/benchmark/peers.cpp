// The peers: plain loops, a copy of the same number of bytes, OpenBLAS where it was found, and those of
// host_peers.so.
#include "apps/laboratory/benchmark/peers.h"
#include "apps/laboratory/benchmark/host_peers.h"
#include "apps/tilewright/timing/threads.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <thread>

#ifdef TILEWRIGHT_OPENBLAS
extern "C" {
void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
    const float *a, int a_pitch, const float *b, int b_pitch, float beta, float *c, int c_pitch);
int openblas_get_num_threads();
}
#endif

namespace tilewright::app {

namespace {

// The loops that one would write without a library, in one thread. The compiler may vectorise them.

template<typename In, typename Out>
void column_sum(const Sample &sample, Array &output) {
    const Array &in = sample.inputs[0];
    const In *source = in.as<In>();
    Out *sum = output.as<Out>();
    const int64_t h = in.shape()[0], w = in.shape()[1], pitch = in.strides()[0];
    std::fill(sum, sum + w, Out(0));
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < w; x++) {
            sum[x] += (Out)source[y * pitch + x];
        }
    }
}

template<typename In, typename Out>
void row_sum(const Sample &sample, Array &output) {
    const Array &in = sample.inputs[0];
    const In *source = in.as<In>();
    Out *sums = output.as<Out>();
    const int64_t h = in.shape()[0], w = in.shape()[1], pitch = in.strides()[0];
    for (int64_t y = 0; y < h; y++) {
        Out sum = 0;
        for (int64_t x = 0; x < w; x++) {
            sum += (Out)source[y * pitch + x];
        }
        sums[y] = sum;
    }
}

template<typename T, int channels>
void transpose(const Sample &sample, Array &output) {
    const Array &in = sample.inputs[0];
    const T *source = in.as<T>();
    T *target = output.as<T>();
    const int64_t h = in.shape()[0], w = in.shape()[1], pitch = in.strides()[0],
                  target_pitch = output.strides()[0];
    for (int64_t x = 0; x < w; x++) {
        for (int64_t y = 0; y < h; y++) {
            for (int c = 0; c < channels; c++) {
                target[x * target_pitch + y * channels + c] = source[y * pitch + x * channels + c];
            }
        }
    }
}

void matmul(const Sample &sample, Array &output) {
    const Array &a = sample.inputs[0], &b = sample.inputs[1];
    const int64_t m = a.shape()[0], k = a.shape()[1], n = b.shape()[1];
    const float *left = a.as<float>(), *right = b.as<float>();
    float *product = output.as<float>();
    for (int64_t i = 0; i < m; i++) {
        float *row = product + i * output.strides()[0];
        std::fill(row, row + n, 0.f);
        for (int64_t p = 0; p < k; p++) {
            const float factor = left[i * a.strides()[0] + p];
            const float *from = right + p * b.strides()[0];
            for (int64_t j = 0; j < n; j++) {
                row[j] += factor * from[j];
            }
        }
    }
}

template<typename T>
void min_plus_convolution(const Sample &sample, Array &output) {
    const Array &a = sample.inputs[0], &b = sample.inputs[1];
    const T *left = a.as<T>(), *right = b.as<T>();
    T *least = output.as<T>();
    const int64_t length = output.size();
    std::fill(least, least + length,
        std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() :
                                               std::numeric_limits<T>::max());
    for (int64_t i = 0; i < std::min(a.size(), length); i++) {
        const T x = left[i];
        const int64_t end = std::min(b.size(), length - i);
        for (int64_t j = 0; j < end; j++) {
            least[i + j] = std::min(x + right[j], least[i + j]);
        }
    }
}

// The index that `reflect` takes beyond the border: d c b a | a b c d | d c b a
int64_t reflected(int64_t i, int64_t n) {
    i = ((i % (2 * n)) + 2 * n) % (2 * n);
    return i < n ? i : 2 * n - 1 - i;
}

void gaussian_blur(const Sample &sample, Array &output) {
    const double sigma = sample.settings.number("sigma", 1);
    const int64_t radius = (int64_t)std::floor(4 * sigma + .5);
    std::vector<float> weights;
    double sum = 0;
    for (int64_t i = -radius; i <= radius; i++) {
        sum += std::exp(-(double)(i * i) / (2 * sigma * sigma));
    }
    for (int64_t i = -radius; i <= radius; i++) {
        weights.push_back((float)(std::exp(-(double)(i * i) / (2 * sigma * sigma)) / sum));
    }
    const Array &in = sample.inputs[0];
    const int64_t h = in.shape()[0], w = in.shape()[1], channels = in.dimensions() == 3 ? in.shape()[2] : 1;
    const float *source = in.as<float>();
    float *target = output.as<float>();
    std::vector<float> between((size_t)(w * channels)), padded((size_t)((w + 2 * radius) * channels));
    for (int64_t y = 0; y < h; y++) {
        std::fill(between.begin(), between.end(), 0.f);
        for (int64_t i = -radius; i <= radius; i++) {
            const float *row = source + reflected(y + i, h) * in.strides()[0];
            const float weight = weights[(size_t)(i + radius)];
            for (size_t x = 0; x < between.size(); x++) {
                between[x] += weight * row[x];
            }
        }
        for (int64_t x = -radius; x < w + radius; x++) {
            std::copy_n(&between[(size_t)(reflected(x, w) * channels)], channels,
                &padded[(size_t)((x + radius) * channels)]);
        }
        float *row = target + y * output.strides()[0];
        std::fill(row, row + w * channels, 0.f);
        for (int64_t i = 0; i <= 2 * radius; i++) {
            for (int64_t x = 0; x < w * channels; x++) {
                row[x] += weights[(size_t)i] * padded[(size_t)(x + i * channels)];
            }
        }
    }
}

struct Loop {
    const char *op, *type;
    void (*run)(const Sample &, Array &);
};

constexpr Loop loops[] = {
    {"column_sum", "u8", column_sum<uint8_t, uint32_t>},
    {"column_sum", "u16", column_sum<uint16_t, uint32_t>},
    {"column_sum", "f32", column_sum<float, float>},
    {"row_sum", "u8", row_sum<uint8_t, uint32_t>},
    {"row_sum", "u16", row_sum<uint16_t, uint32_t>},
    {"row_sum", "f32", row_sum<float, float>},
    {"transpose", "u8", transpose<uint8_t, 1>},
    {"transpose", "u16", transpose<uint16_t, 1>},
    {"transpose", "f32", transpose<float, 1>},
    {"transpose", "rgb8", transpose<uint8_t, 3>},
    {"matmul", "f32", matmul},
    {"gaussian_blur", "f32", gaussian_blur},
    {"min_plus_convolution", "f64", min_plus_convolution<double>},
    {"min_plus_convolution", "f32", min_plus_convolution<float>},
    {"min_plus_convolution", "i32", min_plus_convolution<int32_t>},
};

// Copies half of the bytes that the operator moves, so that reads and writes together are as many. All
// threads take part.
Peer copy(const Work &work) {
    const int threads = (int)std::thread::hardware_concurrency();
    const size_t share = (size_t)(work.bytes / 2) / (size_t)threads + 1;
    const auto from = std::make_shared<std::vector<char>>(share * (size_t)threads, 1);
    const auto to = std::make_shared<std::vector<char>>(share * (size_t)threads);
    return {fmt::format("memcpy of the same traffic, {} thread{}", threads, threads == 1 ? "" : "s"), false,
        [=](const Sample &, Array &) {
            parallel(threads, [&](int i) {
                memcpy(to->data() + share * (size_t)i, from->data() + share * (size_t)i, share);
            });
        }};
}

#ifdef TILEWRIGHT_OPENBLAS
void openblas(const Sample &sample, Array &output) {
    constexpr int row_major = 101, as_it_is = 111;
    const Array &a = sample.inputs[0], &b = sample.inputs[1];
    cblas_sgemm(row_major, as_it_is, as_it_is, (int)a.shape()[0], (int)b.shape()[1], (int)a.shape()[1], 1,
        a.as<float>(), (int)a.strides()[0], b.as<float>(), (int)b.strides()[0], 0, output.as<float>(),
        (int)output.strides()[0]);
}
#endif

}  // namespace

std::vector<Peer> peers_of(
    const Operator &op, const std::string &type, const Sample &sample, const Work &work) {
    std::vector<Peer> peers;
    for (const Loop &loop : loops) {
        if (op.name() == loop.op && type == loop.type &&
            sample.settings.text("border", "reflect") == "reflect") {
            peers.push_back({"plain loop, 1 thread", true, loop.run});
        }
    }
#ifdef TILEWRIGHT_OPENBLAS
    if (op.name() == "matmul") {
        peers.push_back({fmt::format("OpenBLAS, {} threads", openblas_get_num_threads()), true, openblas});
    }
#endif
    for (Peer &peer : host_peers(op, type, sample.settings)) {
        peers.push_back(std::move(peer));
    }
    peers.push_back(copy(work));
    return peers;
}

std::vector<std::string> missing_peers() {
    std::vector<std::string> missing;
#ifndef TILEWRIGHT_OPENBLAS
    missing.push_back("OpenBLAS: it was not there when this program was built");
#endif
    if (const std::string why = why_no_host_peers(); !why.empty()) {
        missing.push_back(why);
    }
    return missing;
}

}  // namespace tilewright::app
