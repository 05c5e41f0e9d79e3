// The recursive Gaussian filter of f32 images: columns and rows with one thread each, and only columns with
// transposes in between.
//
// The recursion is that of L. van Vliet, I. Young and P. Verbeek, 1998, in its direct form; the ends of
// columns are those of B. Triggs and M. Sdika, 2006, so that the result is that of our definition. The
// published kernels start the filter that runs upwards from the last value of the one that runs downwards;
// the exact start costs them nine multiplications per column.
#include "apps/laboratory/published_kernels/published.h"
#include "apps/laboratory/published_kernels/transpose_kernels.h"
#include <complex>

namespace peers {

namespace {

constexpr int threads = 64;

struct Filter {
    float gain, a1, a2, a3, end[9];
};

// The poles for a variance of sigma^2, by bisection: a pole d, applied in both directions, contributes
// 2 d / (d - 1)^2.
std::vector<std::complex<double>> poles(double sigma) {
    const std::complex<double> of_sigma_2[3] = {{1.41650, 1.00829}, {1.41650, -1.00829}, {1.86543, 0}};
    std::vector<std::complex<double>> all(3);
    double low = .01, high = 1000;
    for (int i = 0; i < 100; i++) {
        const double q = .5 * (low + high);
        double variance = 0;
        for (size_t k = 0; k < 3; k++) {
            all[k] = std::pow(of_sigma_2[k], 1 / q);
            variance += (2. * all[k] / ((all[k] - 1.) * (all[k] - 1.))).real();
        }
        (variance < sigma * sigma ? low : high) = q;
    }
    return all;
}

Filter make_filter(double sigma) {
    const std::vector<std::complex<double>> d = poles(sigma);
    const double a1 = (1. / d[0] + 1. / d[1] + 1. / d[2]).real();
    const double a2 = -(1. / (d[0] * d[1]) + 1. / (d[1] * d[2]) + 1. / (d[0] * d[2])).real();
    const double a3 = (1. / (d[0] * d[1] * d[2])).real(), gain = 1 - a1 - a2 - a3;
    const double scale = gain / ((1 + a1 - a2 + a3) * (1 - a1 - a2 - a3) * (1 + a2 + (a1 - a3) * a3));
    const double matrix[9] = {-a3 * a1 + 1 - a3 * a3 - a2, (a3 + a1) * (a2 + a3 * a1), a3 * (a1 + a3 * a2),
        a1 + a3 * a2, -(a2 - 1) * (a2 + a3 * a1), -a3 * (a3 * a1 + a3 * a3 + a2 - 1),
        a3 * a1 + a2 + a1 * a1 - a2 * a2, a1 * a2 + a3 * a2 * a2 - a1 * a3 * a3 - a3 * a3 * a3 - a3 * a2 + a3,
        a3 * (a1 + a3 * a2)};
    Filter filter{(float)gain, (float)a1, (float)a2, (float)a3, {}};
    for (int i = 0; i < 9; i++) {
        filter.end[i] = (float)(scale * matrix[i]);
    }
    return filter;
}

// Filters one line of `length` values that are `step` apart, downwards into `between` and upwards into `out`.
__device__ void filter_line(
    const float *in, float *between, float *out, int length, size_t step, const Filter &f) {
    const float last = in[(length - 1) * step];
    float w1 = in[0], w2 = w1, w3 = w1;
    for (int i = 0; i < length; i++) {
        const float w = f.gain * in[i * step] + f.a1 * w1 + f.a2 * w2 + f.a3 * w3;
        between[i * step] = w;
        w3 = w2;
        w2 = w1;
        w1 = w;
    }
    const float u1 = w1 - last, u2 = w2 - last, u3 = w3 - last;
    w1 = last + f.end[0] * u1 + f.end[1] * u2 + f.end[2] * u3;
    w2 = last + f.end[3] * u1 + f.end[4] * u2 + f.end[5] * u3;
    w3 = last + f.end[6] * u1 + f.end[7] * u2 + f.end[8] * u3;
    out[(length - 1) * step] = w1;
    for (int i = length - 2; i >= 0; i--) {
        const float w = f.gain * between[i * step] + f.a1 * w1 + f.a2 * w2 + f.a3 * w3;
        out[i * step] = w;
        w3 = w2;
        w2 = w1;
        w1 = w;
    }
}

// One thread per line. Columns: lines are 1 apart and their values `width`. Rows: the other way round.
__global__ void line_per_thread(const float *in, float *between, float *out, int lines, size_t apart,
    int length, size_t step, Filter filter) {
    const int line = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (line < lines) {
        const size_t first = line * apart;
        filter_line(in + first, between + first, out + first, length, step, filter);
    }
}

// The filter of an image, and memory for two more images.
struct Call {
    int width, height;
    Filter filter;
    float *between, *half_done;

    void columns(const float *in, float *out, int across, int down) const {
        line_per_thread<<<blocks_for(across, threads), threads>>>(
            in, between, out, across, 1, down, (size_t)across, filter);
    }
    void rows(const float *in, float *out) const {
        line_per_thread<<<blocks_for(height, threads), threads>>>(
            in, between, out, height, (size_t)width, width, 1, filter);
    }
};

using Calls = void(const Call &call, const float *in, float *out);

void columns(const Call &call, const float *in, float *out) {
    call.rows(in, call.half_done);
    call.columns(call.half_done, out, call.width, call.height);
}

// Columns, a transpose, columns, a transpose: all accesses coalesce.
template<bool diagonal>
void transposed(const Call &call, const float *in, float *out) {
    const int width = call.width, height = call.height;
    const dim3 block(side, side);
    const unsigned across = blocks_for(width, side), down = blocks_for(height, side);
    call.columns(in, call.half_done, width, height);
    through_shared<float, 0, diagonal><<<dim3(across, down), block>>>(call.half_done, out, width, height);
    call.columns(out, call.half_done, height, width);
    through_shared<float, 0, diagonal><<<dim3(down, across), block>>>(call.half_done, out, height, width);
}

void add(std::vector<LibraryPeer> &peers, const char *step, double sigma, Calls *calls) {
    constexpr double off = 1e-4;  // at sigma 5 it is 1.3e-5 (random values below 1, 700 x 600)
    const auto start = [=, filter = make_filter(sigma)](
                           const std::vector<PeerArray> &in, const PeerArray &out) {
        const int64_t pixels = out.width * out.height;
        auto *const memory = (float *)scratch(2 * pixels * (int64_t)sizeof(float));
        calls({(int)out.width, (int)out.height, filter, memory, memory + pixels},
            elements<const float>(in[0]), elements<float>(out));
    };
    add_kernel(peers, step, start, off);
}

}  // namespace

void add_recursive_gaussians(const PeerProblem &problem, std::vector<LibraryPeer> &peers) {
    if (problem.op == "recursive_gaussian" && problem.type == "f32") {
        add(peers, "columns", problem.sigma, columns);
        add(peers, "transposed", problem.sigma, transposed<false>);
        add(peers, "diagonal", problem.sigma, transposed<true>);
    }
}

}  // namespace peers
