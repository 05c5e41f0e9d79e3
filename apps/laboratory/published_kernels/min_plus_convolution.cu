// c[k] = min(c[k], a[j] + b[k - j]): the older published kernel, the newer one, and the older one without a
// branch.
//
// The publication's loops begin at j = 1 and read a[sa], one element behind the end of a. Here they have the
// bounds that the definition asks for. c may have up to sa + sb elements; the last of these has no sum and
// keeps its value. Where the minimum is kept is what the text of a kernel says; nvcc may keep a copy of it in
// a register besides.
#include "apps/laboratory/published_kernels/problem.h"
#include <limits>

namespace published {

namespace {

constexpr int threads = 512;

struct Lengths {
    int a, b, c;
};

// The older kernel: a grid of fixed size strides over c, and each comparison reads and writes c in global
// memory.
template<class T>
__global__ void in_global_memory(const T *a, const T *b, T *c, Lengths n) {
    const int stride = (int)(gridDim.x * blockDim.x);
    for (int k = (int)(blockIdx.x * blockDim.x + threadIdx.x); k < n.c; k += stride) {
        const int first = max(0, k - n.b + 1), last = min(k, n.a - 1);
        for (int j = first; j <= last; j++) {
            const T sum = a[j] + b[k - j];
            if (c[k] > sum) {
                c[k] = sum;
            }
        }
    }
}

// The newer kernel: one thread per element of c, and the least sum of each thread is in shared memory.
template<class T>
__global__ void in_shared_memory(const T *a, const T *b, T *c, Lengths n) {
    __shared__ T least[threads];
    const int k = (int)(blockIdx.x * threads + threadIdx.x), lane = (int)threadIdx.x;
    if (k >= n.c) {
        return;
    }
    least[lane] = c[k];
    const int first = max(0, k - n.b + 1), last = min(k, n.a - 1);
    for (int j = first; j <= last; j++) {
        const T sum = a[j] + b[k - j];
        if (least[lane] > sum) {
            least[lane] = sum;
        }
    }
    c[k] = least[lane];
}

// The idea to replace the branch of the older kernel by arithmetic. Where c or the sum is infinite, a product
// with 0 is no number, so c must be finite before.
template<class T>
__global__ void by_products(const T *a, const T *b, T *c, Lengths n) {
    const int stride = (int)(gridDim.x * blockDim.x);
    for (int k = (int)(blockIdx.x * blockDim.x + threadIdx.x); k < n.c; k += stride) {
        const int first = max(0, k - n.b + 1), last = min(k, n.a - 1);
        for (int j = first; j <= last; j++) {
            const T sum = a[j] + b[k - j];
            c[k] = (c[k] < sum) * c[k] + (sum <= c[k]) * sum;
        }
    }
}

template<class T>
using Convolution = void(const T *a, const T *b, T *c, Lengths n);

// `all`: c has 2 n elements, as published; otherwise n, as `tilewright bench` times by default.
template<class T>
Arrays<T, T> arrays_of(Convolution<T> *convolution, int most_blocks, T before, bool all, Size size) {
    const int n = (int)size.width;
    const Lengths lengths{n, n, all ? 2 * n : n};
    Arrays<T, T> arrays;
    arrays.inputs = {random_values<T>((size_t)n, 0, 1000, 1), random_values<T>((size_t)n, 0, 1000, 2)};
    arrays.outputs = (size_t)lengths.c;
    arrays.before = before;
    arrays.operations = n;
    arrays.start = [=](const std::vector<const T *> &in, T *out, T *) {
        const unsigned blocks = std::min(blocks_for(lengths.c, threads), (unsigned)most_blocks);
        convolution<<<blocks, threads>>>(in[0], in[1], out, lengths);
    };
    arrays.expected = [=](const std::vector<std::vector<T>> &in, size_t k) {
        T least = before;
        const int first = std::max(0, (int)k - n + 1), last = std::min((int)k, n - 1);
        for (int j = first; j <= last; j++) {
            least = std::min(least, in[0][(size_t)j] + in[1][k - (size_t)j]);
        }
        return Expected{(double)least, 0};
    };
    return arrays;
}

// In blocks. The publication does not say how many the older kernel has.
constexpr int fixed_grid = 256, any_grid = std::numeric_limits<int>::max();

template<class T>
void add(std::vector<Kernel> &all, const char *step, const char *type, Convolution<T> *kernel, int blocks,
    T before = std::numeric_limits<T>::infinity()) {
    for (const bool all_entries : {true, false}) {
        Kernel about = {"min_plus_convolution", step, type,
            {{1000, 1}, {10000, 1}, {100000, 1}, {1000000, 1}},
            all_entries ? "vectors, as Nx1; makes all 2 N entries" :
                          "vectors, as Nx1; makes the first N entries",
            [](Size size) { return size.height == 1; }};
        about.data = [=, type = std::string(type)](Size size) {
            return type + " " + std::to_string(size.width) + " uniform" +
                   (all_entries ? ", all entries" : "");
        };
        all.push_back(kernel_of(
            about, [=](Size size) { return arrays_of(kernel, blocks, before, all_entries, size); }));
    }
}

}  // namespace

std::vector<Kernel> min_plus_convolution_kernels() {
    std::vector<Kernel> all;
    add<double>(all, "direct", "f64", in_global_memory<double>, fixed_grid);
    add<double>(all, "shared", "f64", in_shared_memory<double>, any_grid);
    add<double>(all, "branchless", "f64", by_products<double>, fixed_grid, 999999);
    add<float>(all, "direct", "f32", in_global_memory<float>, fixed_grid);
    add<float>(all, "shared", "f32", in_shared_memory<float>, any_grid);
    return all;
}

}  // namespace published
