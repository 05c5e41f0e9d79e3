// c[k] = min(c[k], a[j] + b[k - j]): the older published kernel, the newer one, and the older one without a
// branch.
//
// The publication's loops begin at j = 1 and read a[sa], one element behind the end of a. Here they have the
// bounds that the definition asks for. Where the minimum is kept is what the text of a kernel says; nvcc may
// keep a copy of it in a register besides.
#include "apps/laboratory/published_kernels/published.h"
#include <algorithm>
#include <limits>
#include <memory>
#include <set>

namespace peers {

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

// In blocks. The publication does not say how many the older kernel has.
constexpr int fixed_grid = 256, any_grid = std::numeric_limits<int>::max();

// c has larger values than all sums before the first call, and later calls leave it as it is.
template<class T>
void add(std::vector<LibraryPeer> &peers, const char *step, Convolution<T> *convolution, int most_blocks) {
    const auto begun = std::make_shared<std::set<void *>>();
    add_kernel(peers, step, [=](const std::vector<PeerArray> &in, const PeerArray &out) {
        const Lengths n{(int)in[0].width, (int)in[1].width, (int)out.width};
        if (begun->insert(out.data).second) {
            constexpr int large = 0x7f;  // a number of such bytes is 1e306 in f64, 3e38 in f32
            check(cudaMemsetAsync(out.data, large, n.c * sizeof(T)), "values before");
        }
        const unsigned blocks = std::min(blocks_for(n.c, threads), (unsigned)most_blocks);
        convolution<<<blocks, threads>>>(
            elements<const T>(in[0]), elements<const T>(in[1]), elements<T>(out), n);
    });
}

}  // namespace

void add_min_plus_convolutions(const PeerProblem &problem, std::vector<LibraryPeer> &peers) {
    if (problem.op == "min_plus_convolution" && problem.type == "f64") {
        add<double>(peers, "direct", in_global_memory<double>, fixed_grid);
        add<double>(peers, "shared", in_shared_memory<double>, any_grid);
        add<double>(peers, "branchless", by_products<double>, fixed_grid);
    } else if (problem.op == "min_plus_convolution" && problem.type == "f32") {
        add<float>(peers, "direct", in_global_memory<float>, fixed_grid);
        add<float>(peers, "shared", in_shared_memory<float>, any_grid);
    }
}

}  // namespace peers
